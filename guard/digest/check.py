"""Hold a digest against the facts it was to keep (labels guide, section 3; `semantics.md` 3.5)."""

import re
from collections.abc import Iterator, Sequence

from guard.digest.consent import claims
from guard.digest.keyed import Keyed
from guard.digest.keys import key_pattern
from guard.digest.lists import elements
from guard.digest.outcome import Added, Checked, Comparison, Verdict
from guard.digest.reading import sense
from guard.digest.ruled import Ruled
from guard.digest.source import Source
from guard.digest.statements import LONGEST, Statement, statements
from guard.facts.fact import Fact

_ALLOWS = re.compile(
    r"allow|permit|grant|trusted|whitelist|scopes?$|writable|approved|authori|"
    r"(?:^|_)(?:write|admin|owner|member|access|editor|maintainer|approver)s?(?:_|$)"
)

_CALL = re.compile(r"\w+\([^()]+\)")
"""An entry of a permission list with blanks inside: `Bash(npm test:*)`."""


def compare(facts: Sequence[Fact], before: str, digest: str) -> Comparison:
    """The status of each fact, and authority the digest adds that `before` never gave."""
    said, unread = statements(digest)
    source = Source(before)
    keyed, ruled = Keyed(facts, said, source), Ruled(digest[:LONGEST], said, source)
    verdicts = [ruled.check(f.value) if f.kind == "rule" else keyed.check(f) for f in facts]
    verdicts = _with_consent(facts, verdicts, said, source)
    checked = tuple(_checked(fact, v) for fact, v in zip(facts, verdicts, strict=True))
    return Comparison(checked, _added(facts, verdicts, said, source), unread)


def _with_consent(
    facts: Sequence[Fact], verdicts: Sequence[Verdict], said: Sequence[Statement], source: Source
) -> list[Verdict]:
    """A rule whose text is gone and whose condition the digest claims to be met is altered (D8)."""
    invented = list(claims(said, source, [fact for fact in facts if fact.kind == "rule"]))
    changed = list(verdicts)
    for place, (fact, verdict) in enumerate(zip(facts, verdicts, strict=True)):
        if (
            fact.kind != "rule"
            or verdict.status in {"kept", "altered"}
            or not sense(fact.value).confirms
        ):
            continue
        acts = sense(fact.value).acts | {"approve", "ask", "wait"}
        met = next((claim for claim in invented if sense(claim.text).acts <= acts), None)
        if met is not None:
            changed[place] = Verdict(
                "altered",
                "its condition is claimed to be met (D8)",
                met.text,
                met.line,
                verdict.claims,
            )
    return changed


def _checked(fact: Fact, verdict: Verdict) -> Checked:
    return Checked(fact, verdict.status, verdict.found, verdict.line, verdict.why)


def _added(
    facts: Sequence[Fact], verdicts: Sequence[Verdict], said: Sequence[Statement], source: Source
) -> tuple[Added, ...]:
    found: dict[str, Added] = {}
    rules = [fact for fact in facts if fact.kind == "rule"]
    for claim in claims(said, source, rules):
        found.setdefault(claim.text, claim)
    for verdict in verdicts:
        for text, line in verdict.claims:
            if not any(text in known or known in text for known in found):
                found[text] = Added(text, line, "ordered or excepted against a rule (D8)")
    for claim in _new_elements(facts, said):
        found.setdefault(claim.text, claim)
    return tuple(sorted(found.values(), key=lambda claim: claim.line))


def _new_elements(facts: Sequence[Fact], said: Sequence[Statement]) -> Iterator[Added]:
    """Elements of a permission list that the source did not have."""
    keys = {f.key for f in facts if f.kind == "permission" and _ALLOWS.search(f.key)}
    for key in sorted(keys):
        known = {f.value.casefold() for f in facts if f.key == key}
        for statement in said:
            for match in key_pattern(key).finditer(statement.text):
                listed = elements(statement.text, match.end(), loose=True)
                if not {e.casefold() for e in listed} & known and "[" not in statement.text:
                    continue
                for element in listed:
                    if (
                        element.casefold() not in known
                        and (" " not in element or _CALL.fullmatch(element))
                        and element in statement.text
                        and element != "[]"
                    ):
                        yield Added(element, statement.line, "new in a permission list (D8)")
