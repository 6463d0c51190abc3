"""No input hangs: each is judged within a second, and what is not read in time is unknown."""

from __future__ import annotations

import time

import pytest

from guard.effects import Call, Judgement, classify

HOSTILE = {
    "substitutions": "$(" * 20_000 + "rm x" + ")" * 20_000,
    "open substitutions": "echo " + "$(" * 20_000,
    "parentheses": "(" * 20_000 + "rm x" + ")" * 20_000,
    "braces": "{ " * 20_000 + "rm x;" + " }" * 20_000,
    "ifs": "if true; then " * 3_000 + "rm x; " + "fi; " * 3_000,
    "a megabyte in a word": "rm " + "a" * 1_000_000,
    "a megabyte of words": "rm " + "a " * 500_000,
    "a megabyte of chains": "ls && " * 160_000 + "rm x",
    "chains": "ls && " * 20_000 + "rm x",
    "pipes": "ls | " * 5_000 + "tee x",
    "loops in loops": "for a in 1 2 3 4 5 6 7 8; do " * 8 + "rm x; " + "done; " * 8,
    "a function that calls itself": ":(){ :|:& };:",
    "functions that call each other": "f(){ g; g; }; g(){ h; h; }; h(){ f; f; }; f; rm x",
    "an eval of itself": 'X=\'eval "$X"\'; eval "$X"; rm x',
    "an alias of itself": "alias a=b; alias b=a; a; rm x",
    "wrappers": "sudo " * 5_000 + "rm x",
    "assignments": "env A=1 " * 5_000 + "rm x",
    "shells by ssh": "ssh h " * 3_000 + "rm x",
    "redirections": ">a " * 20_000,
    "letters of an option": "rm -" + "r" * 100_000 + " x",
    "branches": "case x in " + "a) rm x;; " * 5_000 + "esac",
    "finds in a find": "find . -exec " * 500 + "rm",
    "Python brackets": 'python -c "' + "(" * 20_000 + '"',
    "Python signs": 'python -c "x=' + "-" * 20_000 + '1"',
    "Python calls": "python -c '" + 'open("x","w");' * 3_000 + "'",
    "SQL brackets": 'psql -c "SELECT ' + "(" * 15_000 + '1"',
    "SQL sums": 'psql -c "SELECT ' + "1+" * 9_000 + '1"',
    "SQL comments": "psql -c '" + "/*" * 15_000 + "'",
    "GraphQL": "curl -d '" + '{"query":' * 20_000 + "' https://api.example.net/graphql",
    "here-documents": "\n".join(f"cat > f <<E{n}\nx\nE{n}" for n in range(2_000)),
    "bytes of nothing": "rm\0 x" * 5_000,
    "half a surrogate": "rm \ud800 x",
}
POWERSHELL = {
    "blocks": "{(" * 20_000,
    "quotes": '"' * 50_001 + "\nRemove-Item x",
    "pipes": "Remove-Item a | " * 5_000,
    "ifs": "if (1) { " * 200 + "Remove-Item x",
    "subexpressions": '"$(' * 10_000,
}
_MOST_S = 3.0
"""Alone each takes under half a second; the rest is room for a loaded machine."""


def timed(tool: str, command: str) -> Judgement:
    start = time.perf_counter()
    found = classify(Call(tool, {"command": command}))
    assert time.perf_counter() - start < _MOST_S
    return found


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_command_line_is_judged_in_time_and_never_a_read(name: str) -> None:
    if name == "open substitutions":
        timed("Bash", HOSTILE[name])
    else:
        assert timed("Bash", HOSTILE[name]).write


@pytest.mark.parametrize("name", POWERSHELL)
def test_hostile_powershell_is_judged_in_time(name: str) -> None:
    assert timed("PowerShell", POWERSHELL[name]).write or name == "quotes"


def test_a_result_nested_without_end_is_read_to_a_depth() -> None:
    result: dict[str, object] = {}
    inner = result
    for _ in range(900):
        inner["a"] = {}
        inner = inner["a"]  # type: ignore[assignment]
    assert classify(Call("Write", {"file_path": "a"}, result=result)).write


@pytest.mark.parametrize("given", [None, 5, {}, {"command": None}, {"command": 5}, [], [[]]])
def test_a_shell_call_without_its_command_line_is_unknown(given: object) -> None:
    found = classify(Call("Bash", given))
    assert (found.write, found.reversibility) == (True, "unknown")


@pytest.mark.parametrize("tool", ["", "mcp__", "mcp__a__", "/", ".", "Read", "Write", "sql"])
@pytest.mark.parametrize("given", [None, 5, "", {}, [], {"path": 5}, {"sql": ["x"]}])
def test_no_shape_of_a_call_raises(tool: str, given: object) -> None:
    assert classify(Call(tool, given, result=given)).why


def test_broken_text_is_never_a_read() -> None:
    for command in ("git log 'x", "if ls; then", "cat <<EOF", "echo $(", "ls )", "ls | | rm"):
        assert classify(Call("Bash", {"command": command})).write, command
