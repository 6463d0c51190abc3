"""What became of the gating facts that an edit took: kept, altered, dropped, weakened, unproven.

The facts are those that the journal gives to the versions taken. Their lines are looked up in the
texts, when these are here; the digest is compared by `guard.digest`, or, when its text is not here,
by the facts that the journal gives to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, to_builtins

from dashboard import clean
from guard import digest
from guard import facts as reading
from guard.events import AnyEvent, Edit, Out, Proposal, Span
from guard.fates import DigestCheck, check_of

LOST = frozenset({"altered", "dropped", "weakened", "unproven"})
ORDER = ("dropped", "altered", "weakened", "unproven", "added", "kept")

NUMBERED = re.compile(r"\A\s{0,6}\d{1,6}[→\t]")
"""The number that a reading tool puts in front of a line: not a word of the file."""

Version = tuple[str, str]
"""A span and the hash of its content."""


class Told(Struct, frozen=True):
    """Where a version of a span stands, the scope it was read in, and its text if it is here."""

    seq: int
    text: str | None
    scope: str


def told_by(event: AnyEvent, texts: Mapping[Version, str]) -> Iterator[tuple[Version, Told]]:
    """The versions that an event declares: spans with facts, and every digest."""
    if isinstance(event, Span) and event.facts:
        version = (event.id, event.hash)
        source = event.source
        scope = (source and (source.path or source.tool)) or event.role
        yield version, Told(event.seq or 0, event.text or texts.get(version), scope)
    elif isinstance(event, Edit | Proposal) and event.out is not None:
        version = (event.out.id, event.out.hash)
        yield version, Told(event.seq or 0, event.out.text or texts.get(version), "digest")


class Fact(Struct, frozen=True):
    """One gating fact and its fate. Lines count from 1 in the span's and in the digest's text."""

    status: str
    scope: str
    key: str
    value: str
    kind: str = ""
    found: str = ""
    source_seq: int | None = None
    source_line: int | None = None
    digest_line: int | None = None
    why: str = ""
    verbatim: str = ""

    @property
    def name(self) -> str:
        return f"{self.scope}:{self.key}"

    @property
    def can_be_pinned(self) -> bool:
        return self.status in LOST

    def row(self) -> dict[str, object]:
        members: dict[str, object] = to_builtins(self)
        return members


class _Source(Struct, frozen=True):
    """A fact where it was read, with the words that stand there."""

    fact: reading.Fact
    seq: int
    line: int | None
    verbatim: str


def compared(
    taken: Mapping[str, str | None],
    facts_of: Mapping[Version, Mapping[str, str]],
    told: Mapping[Version, Told],
    out: Out | None,
    text: str | None,
) -> list[Fact]:
    """The facts of the versions taken, worst first. `facts_of`: version -> `scope:key` -> value."""
    sources = list(_sources(taken, facts_of, told))
    written = dict(out.facts) if out is not None else {}
    if text is None or out is None:
        check = check_of(out.digest_check) if out is not None else None
        found = [_by_journal(source, written, check) for source in sources]
        found += [_claim(words) for words in (check.added if check else ())]
    else:
        found = list(_by_text(sources, told, taken, text))
    return sorted(found, key=lambda fact: (ORDER.index(fact.status), fact.scope, fact.key))


def _sources(
    taken: Mapping[str, str | None],
    facts_of: Mapping[Version, Mapping[str, str]],
    told: Mapping[Version, Told],
) -> Iterator[_Source]:
    seen = set()
    for span, version in taken.items():
        if version is None:
            continue
        place = told.get((span, version), Told(0, None, ""))
        read = _read(place)
        for name, value in facts_of.get((span, version), {}).items():
            if (name, value) not in seen:
                seen.add((name, value))
                yield _source(name, value, place, read)


def _read(place: Told) -> Mapping[tuple[str, str], reading.Fact]:
    """The facts of a text by key and value."""
    if place.text is None:
        return {}
    return {(fact.key, fact.value): fact for fact in reading.extract(place.text, place.scope)}


def _source(
    name: str, value: str, place: Told, read: Mapping[tuple[str, str], reading.Fact]
) -> _Source:
    scope, _, key = name.rpartition(":")
    known = read.get((key, value))
    kind = known.kind if known else ("rule" if key == "rule" else "limit")
    line = known.line if known else None
    fact = reading.Fact(scope=scope, key=key, value=value, kind=kind, line=line or 1)
    words = value if key == "rule" else f"{key}: {value}"
    if line is not None and place.text is not None:
        said = place.text.split("\n")[line - 1]
        words = NUMBERED.sub("", said, count=1).strip()[:500] or words
    return _Source(fact, place.seq, line, words)


def _claim(words: str, line: int | None = None, why: str = "") -> Fact:
    """Authority that a digest adds."""
    why = why or "the journal says that no text before it gave this"
    value = clean.text(words)
    return Fact("added", "digest", "authority", value, digest_line=line, why=why)


def _by_journal(source: _Source, written: Mapping[str, str], check: DigestCheck | None) -> Fact:
    """Compared by the facts that the journal gives to the digest, and what its writer found."""
    name = f"{source.fact.scope}:{source.fact.key}"
    for status in ("altered", "weakened", "unproven") if check is not None else ():
        if name in getattr(check, status):
            return _fact(source, status, why="found by the writer of the journal")
    if name not in written:
        return _fact(source, "dropped", why="the journal gives the digest no fact of this name")
    if written[name] == source.fact.value:
        return _fact(source, "kept", why="the journal gives the digest the same fact")
    why = "the journal gives the digest another value"
    return _fact(source, "altered", found=written[name], why=why)


def _by_text(
    sources: list[_Source],
    told: Mapping[Version, Told],
    taken: Mapping[str, str | None],
    text: str,
) -> Iterator[Fact]:
    before = "\n".join(_texts(taken, told))
    result = digest.compare([source.fact for source in sources], before, text)
    for source, checked in zip(sources, result.checked, strict=True):
        yield _fact(
            source,
            checked.status,
            found=checked.found or "",
            digest_line=checked.line,
            why=checked.why,
        )
    for added in result.added:
        yield _claim(added.text, added.line, added.why)


def _texts(taken: Mapping[str, str | None], told: Mapping[Version, Told]) -> Iterable[str]:
    for span, version in taken.items():
        place = told.get((span, version or ""))
        if place is not None and place.text:
            yield place.text


def _fact(
    source: _Source,
    status: str,
    *,
    found: str = "",
    digest_line: int | None = None,
    why: str = "",
) -> Fact:
    fact = source.fact
    return Fact(
        status=status,
        scope=clean.text(fact.scope, 1024),
        key=clean.text(fact.key, 512),
        value=clean.text(fact.value),
        kind=fact.kind,
        found=clean.text(found),
        source_seq=source.seq or None,
        source_line=source.line,
        digest_line=digest_line,
        why=clean.text(why),
        verbatim=clean.text(source.verbatim),
    )
