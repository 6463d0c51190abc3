"""Sentences in comments of configuration and code (labels guide F6, F8: comments count).

A commented-out setting is no fact (F5) and no sentence; comments on lines of their own that follow
each other are one text; a comment behind a setting is one sentence.
"""

import re
from collections.abc import Iterator, Sequence

from guard.facts.binding import Voice, binds
from guard.facts.fact import Phrase
from guard.facts.prose import Prose
from guard.facts.sentences import clause

_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`|\\.|//|#|--|;|/\*|\*/|.")
_SETTING = re.compile(
    r"^[\s\"']*[\w.\-\[\]\"]+\s*(?:=|:\s|:$)\s*\S*$|^[\w.-]+\s*=\s*\S|^[{}\[\]();]+$|.*[;{}]\s*$"
)
_DECLARED = re.compile(r"(?:rule|constraint):\s+(\S+\s+\S.*)", re.IGNORECASE)
"""A comment that says of itself that it is a rule (`rule: one charge per invoice`)."""
LONGEST_LINE = 4000
"""Characters of a line in which a comment is looked for."""


def comment_phrases(text: str, marks: Sequence[str], voice: Voice = "people") -> list[Phrase]:
    """The binding sentences of all comments that begin with one of `marks`."""
    if not any(mark in text for mark in marks):
        return []
    found: list[Phrase] = []
    run: list[tuple[int, str]] = []
    for number, own, words in comments(text, marks):
        if declared := _DECLARED.match(words):
            found += [*_run(run, voice), Phrase(clause(declared[1]), number)]
            run = []
            continue
        if own and run and number == run[-1][0] + 1:
            run.append((number, words))
            continue
        found += _run(run, voice)
        run = [(number, words)] if own else []
        if not own and binds(clause(words), voice):
            found.append(Phrase(clause(words), number))
    return found + _run(run, voice)


def _run(run: list[tuple[int, str]], voice: Voice) -> list[Phrase]:
    if not run:
        return []
    lines = ["" if _SETTING.match(words.strip()) else words for _, words in run]
    reader = Prose(voice, settings=False, rules=True, fence=None)
    return reader.read("\n".join(lines), run[0][0]).phrases


def comments(text: str, marks: Sequence[str]) -> Iterator[tuple[int, bool, str]]:
    """Line, whether the comment has the line to itself, and its words."""
    inner = ("* ",) if "/*" in marks else ()
    for number, line in enumerate(text.split("\n"), 1):
        if not any(mark in line for mark in (*marks, *inner)):
            continue
        bare = line.strip()
        mark = next((m for m in (*marks, *inner) if bare.startswith(m)), None)
        if mark is not None:
            yield number, True, bare[len(mark) :].lstrip("#/!-*; ").removesuffix("*/")
        else:
            at = comment_start(line, marks)
            if at is not None:
                yield number, False, line[at:].lstrip("#/-*; ").removesuffix("*/").strip()


def comment_start(line: str, marks: Sequence[str]) -> int | None:
    """Offset of a comment behind something else, outside quotes; None if there is none."""
    if len(line) > LONGEST_LINE:
        return None
    for match in _TOKEN.finditer(line):
        if match[0] in marks and (match.start() == 0 or line[match.start() - 1] in " \t,;{}()"):
            return match.start()
    return None


def without_comment(line: str, marks: Sequence[str]) -> str:
    """The line up to a comment."""
    if not any(mark in line for mark in marks):
        return line
    at = comment_start(line, marks)
    return line if at is None else line[:at].rstrip()
