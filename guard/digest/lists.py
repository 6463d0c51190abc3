"""Elements of a list in a digest: each is a fact of its own (labels guide F4, D8)."""

import re
from collections.abc import Sequence

from guard.digest.outcome import Verdict
from guard.digest.statements import Statement
from guard.digest.values import plain_text
from guard.facts.fact import Fact

_BRACKETS = re.compile(
    r"[\"'`*)]*\s*(?:[:=]|->|\b(?:is|are|now|set to|ist|sind)\b)*\s*\[([^\]\n]*)\]"
)
_ROW = re.compile(
    r"[\"'`*)]*\s*(?:[:=]|->|\b(?:is|are|now|set to|has|have|holds?|contains?|lists?|names?|"
    r"includes?|only|just|ist|sind)\b\s*)+\s*([^;\n]+)"
)
_OPPOSITE = (
    ("allow", "deny"),
    ("allowed", "denied"),
    ("allowed", "blocked"),
    ("allowlist", "denylist"),
    ("permit", "forbid"),
    ("allow", "ask"),
)


def elements(text: str, start: int, *, loose: bool) -> list[str]:
    """The elements listed behind a key; `loose`: also without brackets."""
    match = _BRACKETS.match(text, start)
    if match:
        found = [
            element.strip().strip("\"'`") for element in match[1].split(",") if element.strip()
        ]
        return found or ["[]"]
    row = _ROW.match(text, start) if loose else None
    if not row:
        return []
    parts = re.split(r",\s+|\s+and\s+|\s+und\s+", re.split(r"\.\s|\.$", row[1])[0])
    return [part.strip().strip("\"'`") for part in parts if part.strip()]


def listed_element(
    fact: Fact, facts: Sequence[Fact], digest: Sequence[Statement], pattern: re.Pattern[str]
) -> Verdict | None:
    """The status of one element, if the digest gives its key a list; else None."""
    siblings = {plain_text(f.value) for f in facts if (f.scope, f.key) == (fact.scope, fact.key)}
    loose = len(siblings) > 1 or fact.kind == "permission"
    seen: list[tuple[Statement, set[str]]] = []
    for statement in digest:
        for match in pattern.finditer(statement.text):
            found = {plain_text(e) for e in elements(statement.text, match.end(), loose=loose)}
            bracket = "[" in statement.text[match.end() : match.end() + 12]
            row = len(found) > 1 and not any(" " in e for e in found - siblings)
            if found and (bracket or len(siblings) > 1 or (row and found & siblings)):
                seen.append((statement, found))
    if not seen:
        return _moved(fact, digest)
    for statement, found in seen:
        if plain_text(fact.value) in found and not statement.gone:
            return Verdict("kept", "the element is in the list (D1)", fact.value, statement.line)
    statement, found = seen[0]
    if found & siblings:
        return Verdict(
            "dropped",
            "the list is there without this element (D4)",
            statement.text[:200],
            statement.line,
        )
    if loose and not any(plain_text(e) in siblings for e in found) and len(seen) == 1 and not found:
        return None
    return Verdict(
        "altered", "the list has other elements (D3)", statement.text[:200], statement.line
    )


def _moved(fact: Fact, digest: Sequence[Statement]) -> Verdict | None:
    """An element of a deny list that stands in an allow list is reversed."""
    leaf = fact.key.split(".")[-1]
    for one, other in _OPPOSITE:
        for mine, against in ((one, other), (other, one)):
            if mine not in leaf.split("_"):
                continue
            opposite = re.compile(
                r"(?<![\w-])"
                + r"[\s_.-]?".join(leaf.replace(mine, against).split("_"))
                + r"(?![\w-])",
                re.IGNORECASE,
            )
            for statement in digest:
                for match in opposite.finditer(statement.text):
                    if plain_text(fact.value) in {
                        plain_text(e) for e in elements(statement.text, match.end(), loose=True)
                    }:
                        claims = (
                            ((fact.value, statement.line),)
                            if mine.startswith(("den", "block", "forbid"))
                            and fact.value in statement.text
                            else ()
                        )
                        return Verdict(
                            "altered",
                            "moved to the opposite list (D3)",
                            statement.text[:200],
                            statement.line,
                            claims,
                        )
    return None
