"""The window of a branch as it was at a number, and what differs between two points."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from dashboard.models import Run
from dashboard.queries import stored
from dashboard.queries.frames import Frame, Opened, Part, frame
from dashboard.queries.stored import Stored, Version
from guard.events import MAIN
from guard.state import fold

Fate = Literal["both", "only here", "only there", "changed"]


class SpanLine(Struct, frozen=True):
    """A span in a window. `there` is its hash in the other window when that is another one."""

    version: Version
    fate: Fate = "both"
    there: str = ""


class WindowPage(Struct, frozen=True):
    """A window, or two of them. `problem` says why there is none."""

    at: int
    against: int | None
    branch: str
    branches: list[str]
    lines: list[SpanLine]
    tokens: int | None
    tokens_against: int | None
    counts: dict[str, int]
    text: Frame | None = None
    problem: str = ""


def window_page(
    run: Run, at: int, against: int | None, branch: str, show: str, view: Opened
) -> WindowPage:
    """The window at `at`, compared with that at `against` when one is given."""
    found = stored.stored(run)
    if found is None:
        why = "What was received cannot be read, so no window can be shown."
        return WindowPage(at, against, branch, [], [], None, None, {}, problem=why)
    here, branches = _window(found, at, branch)
    there = _window(found, against, branch)[0] if against is not None else None
    lines = (
        [SpanLine(version) for version in here.values()]
        if there is None
        else _compared(here, there)
    )
    return WindowPage(
        at=at,
        against=against,
        branch=branch,
        branches=branches,
        lines=lines,
        tokens=_tokens(here),
        tokens_against=_tokens(there) if there is not None else None,
        counts={fate: sum(line.fate == fate for line in lines) for fate in FATES},
        text=_text(found, lines, show, view) if show else None,
    )


FATES: tuple[Fate, ...] = ("both", "changed", "only here", "only there")


def _window(found: Stored, at: int, branch: str) -> tuple[dict[str, Version], list[str]]:
    """Spans in the order in which they came in, and the branches that there are."""
    state = fold(found.journal, at)
    known = stored.versions_before(found.events, at + 1)
    spans = state.windows.seen(branch).spans
    out = {}
    for span, digest in spans.items():
        version = known.get(span)
        if version is None or version.hash != digest:
            version = Version(span, digest, version.seq if version else 0, "", "", None)
        out[span] = version
    ordered = dict(sorted(out.items(), key=lambda pair: pair[1].seq))
    names = sorted(name for name in state.windows.branches if name)
    return ordered, names or [MAIN]


def _compared(here: dict[str, Version], there: dict[str, Version]) -> list[SpanLine]:
    lines = []
    for span, version in here.items():
        other = there.get(span)
        if other is None:
            lines.append(SpanLine(version, "only here"))
        elif other.hash != version.hash:
            lines.append(SpanLine(version, "changed", other.hash))
        else:
            lines.append(SpanLine(version))
    gone = [SpanLine(version, "only there") for span, version in there.items() if span not in here]
    return sorted([*lines, *gone], key=lambda line: (line.fate == "both", line.version.seq))


def _tokens(spans: dict[str, Version]) -> int | None:
    """Sum of the sizes that are known; None when no size is."""
    sizes = [version.tokens for version in spans.values() if version.tokens is not None]
    return sum(sizes) if sizes else None


def _text(found: Stored, lines: list[SpanLine], show: str, view: Opened) -> Frame:
    line = next((line for line in lines if line.version.span == show), None)
    if line is None:
        why = "this span is in neither window"
        return frame("text", "Span", [], view=view, missing=why)
    text = found.texts([line.version.name]).get(line.version.name)
    parts = [Part("", text)] if text is not None else []
    place = f"{line.version.path} seq {line.version.seq:,}".strip()
    missing = "the journal holds the hash of this span, not its content"
    return frame("text", f"Span {show[:60]}", parts, place=place, view=view, missing=missing)
