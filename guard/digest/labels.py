"""One labelled digest in, its statuses out: the shapes of `digests.jsonl` (`guard compare`)."""

from collections.abc import Mapping

import msgspec

from guard.digest.check import compare
from guard.facts.fact import Fact, Kind


class GivenFact(msgspec.Struct, frozen=True):
    """A fact of an input line."""

    id: str
    scope: str
    key: str
    value: str
    kind: Kind


class GivenDigest(msgspec.Struct, frozen=True):
    """An input line: facts, the text before, the digest. Other fields are ignored."""

    id: str
    facts: list[GivenFact]
    before: str
    digest: str


def label_comparison(record: Mapping[str, object]) -> dict[str, object]:
    """`{"id", "facts", "before", "digest"}` to `{"id", "got": {"status", "added"}}`.

    Raises `msgspec.ValidationError` (a `ValueError`) that names the field at fault.
    """
    given = msgspec.convert(dict(record), GivenDigest)
    facts = [Fact(f.scope, f.key, f.value, f.kind, 1) for f in given.facts]
    result = compare(facts, given.before, given.digest)
    status = {f.id: c.status for f, c in zip(given.facts, result.checked, strict=True)}
    added = [claim.text for claim in result.added]
    return {"id": given.id, "got": {"status": status, "added": added}}
