"""One labelled text in, its facts out: the shapes of `facts.jsonl` (`guard facts`)."""

from collections.abc import Mapping

import msgspec

from guard.facts.extraction import read


class Text(msgspec.Struct, frozen=True):
    """An input line: a text and where it stood. Other fields are ignored."""

    id: str
    scope: str
    text: str


def label_facts(record: Mapping[str, object]) -> dict[str, object]:
    """`{"id", "scope", "text"}` to `{"id", "got": [{key, value, kind}]}`.

    `unread` is added when the text was too long to be read in full. Raises
    `msgspec.ValidationError` (a `ValueError`) that names the field at fault.
    """
    given = msgspec.convert(dict(record), Text)
    found = read(given.text, given.scope)
    got = [{"key": f.key, "value": f.value, "kind": f.kind} for f in found.facts]
    answer: dict[str, object] = {"id": given.id, "got": got}
    if found.unread:
        answer["unread"] = list(found.unread)
    return answer
