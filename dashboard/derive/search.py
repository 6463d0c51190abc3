"""What can be found by words: the run, its edits, effects and findings, and texts it remembers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from dashboard import clean, fulltext
from dashboard.facts import Version
from dashboard.models import EditRow, EffectRow, FindingRow, SearchRow

MOST_OF_A_KIND = 5_000
MOST_TEXT = 20_000
LONGEST_SHOWN = 4_000
Kind = SearchRow.Kind


def search_rows(
    run_id: int,
    about: Mapping[str, Any],
    edits: Iterable[EditRow],
    effects: Iterable[EffectRow],
    findings: Iterable[FindingRow],
    texts: Mapping[Version, str],
) -> list[SearchRow]:
    """Rows of one run. What says the same as another of its kind is found by that one.

    `texts`: of digests and of what carries facts, as they were compared.
    """
    kinds = (
        [_run(about)],
        map(_edit, edits),
        map(_effect, sorted(effects, key=lambda row: (not row.danger, row.seq))),
        map(_finding, findings),
        (_text(version, text) for version, text in texts.items()),
    )
    rows = list(chain.from_iterable(islice(_once(kind), MOST_OF_A_KIND) for kind in kinds))
    for row in rows:
        row.run_id = run_id
    return rows


def _once(rows: Iterable[SearchRow]) -> Iterator[SearchRow]:
    seen = set()
    for row in rows:
        if row.words and row.words not in seen:
            seen.add(row.words)
            yield row


def _run(about: Mapping[str, Any]) -> SearchRow:
    said = " ".join(str(about.get(name, "")) for name in ("runtime", "runtime_version", "agent"))
    return SearchRow(kind=Kind.RUN, shown=said.strip(), words=fulltext.words(said))


def _edit(row: EditRow) -> SearchRow:
    said = f"{row.op} by {row.by} {row.author} {row.trigger}".strip()
    found = fulltext.words(row.edit_id, said, row.out_hash, row.policy)
    return SearchRow(kind=Kind.EDIT, ref=row.edit_id, seq=row.seq, shown=said[:400], words=found)


def _effect(row: EffectRow) -> SearchRow:
    """A command is the summary of an effect, in the words of its tool."""
    said = row.summary or f"{row.tool} {row.target}"
    found = fulltext.words(row.effect_id, row.tool, row.target, row.summary, row.domain)
    return SearchRow(
        kind=Kind.EFFECT,
        ref=row.effect_id,
        seq=row.seq,
        danger=row.danger,
        shown=said[:400],
        words=found,
    )


def _finding(row: FindingRow) -> SearchRow:
    found = fulltext.words(row.code, row.subject, row.message)
    return SearchRow(
        kind=Kind.FINDING,
        ref=row.subject,
        code=row.code,
        seq=row.seq,
        danger=row.severity == "error",
        shown=row.message[:400],
        words=found,
    )


def _text(version: Version, text: str) -> SearchRow:
    kept = clean.text(text, MOST_TEXT)
    return SearchRow(
        kind=Kind.TEXT,
        ref=clean.name(version[0]),
        shown=kept[:LONGEST_SHOWN],
        words=fulltext.words(kept),
    )
