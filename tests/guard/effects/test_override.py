"""A team's own rules: they decide first, part by part, and each use is named."""

from __future__ import annotations

import time

import pytest

from guard.effects import Call, Override, classify, team_rules
from guard.effects.globs import Glob, globs

DEPLOY = Override(
    "deploys", command="make deploy*", reversibility="irreversible", domain="cloud",
    why="our target deploys to the cloud",
)  # fmt: skip
HARMLESS = Override(
    "checks", command="./scripts/check.sh*", write=False, reversibility="reversible", domain="none",
    why="our script only checks",
)  # fmt: skip
TICKETS = Override(
    "tickets", tool="mcp__crm__*", arguments={"kind": "note*"}, reversibility="reversible",
    domain="network",
)  # fmt: skip


def test_a_rule_decides_one_command_of_a_line() -> None:
    found = classify(Call("Bash", {"command": "cd app && make deploy ENV=x"}), [DEPLOY])
    assert (found.reversibility, found.domain, found.rule) == ("irreversible", "cloud", "deploys")
    assert found.overridden == ("deploys",)


def test_a_rule_reaches_behind_wrappers() -> None:
    found = classify(Call("Bash", {"command": "sudo bash -c 'make deploy'"}), [DEPLOY])
    assert found.rule == "deploys"


def test_a_harmless_rule_covers_only_its_own_command_and_its_use_is_still_named() -> None:
    call = Call("Bash", {"command": "./scripts/check.sh && git push"})
    found = classify(call, [HARMLESS])
    assert (found.reversibility, found.rule) == ("irreversible", "git push")
    assert found.overridden == ("checks",)


def test_a_rule_speaks_of_a_tool_by_its_arguments() -> None:
    note = Call("mcp__crm__add", {"kind": "note: call back"})
    order = Call("mcp__crm__add", {"kind": "order"})
    assert classify(note, [TICKETS]).rule == "tickets"
    assert classify(order, [TICKETS]).rule != "tickets"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"id": ""}, "needs an id"),
        ({"id": "a", "write": False, "domain": "cloud"}, "a read is reversible"),
        ({"id": "a", "domain": "none"}, "a write needs a domain"),
    ],
)
def test_a_rule_that_contradicts_itself_is_refused(fields: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Override(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("a", "a", True),
        ("a", "ab", False),
        ("a*", "ab", True),
        ("*b", "ab", True),
        ("a*b", "ab", True),
        ("a*b", "a", False),
        ("a*a", "a", False),
        ("a*b*c", "axbxc", True),
        ("a*b*c", "axcxb", False),
        ("*", "", True),
        ("**", "x", True),
        ("a.c", "abc", False),
    ],
)
def test_a_pattern_is_literals_and_stars(pattern: str, text: str, fits: bool) -> None:
    assert Glob(pattern).matches(text) is fits
    assert globs([pattern]).fit(text) is fits


def test_a_pattern_is_matched_in_linear_time() -> None:
    start = time.perf_counter()
    assert not Glob("*a" * 500 + "b").matches("a" * 200_000)
    assert time.perf_counter() - start < 2


def test_rules_of_a_team_hold_within_their_block_only() -> None:
    call = Call("Bash", {"command": "sudo ./ship.sh lab-3"})
    before = classify(call)
    rule = Override("3 of ann", command="./ship.sh lab*", reversibility="irreversible")
    with team_rules([rule]):
        within = classify(call)
    assert (within.reversibility, within.overridden) == ("irreversible", ("3 of ann",))
    assert classify(call) == before
    assert before.overridden == ()
