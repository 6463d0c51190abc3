"""The short reader of plain command lines answers what the full grammar answers."""

from __future__ import annotations

import shlex
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.effects.shell.parse import parse_tree
from guard.effects.shell.plain import plain
from guard.effects.shell.syntax import Script, Simple

HERE = Path(__file__)
OWN = [
    line.partition(" :: ")[2].replace("\\n", "\n")
    for line in HERE.with_name("shell_calls.txt").read_text(encoding="utf-8").splitlines()
    if " :: " in line
]
LABELLED = [
    row["input"]["command"]
    for row in map(
        msgspec.json.decode,
        (HERE.parents[2] / "labels" / "effects.jsonl").read_bytes().splitlines(),
    )
    if row["tool"] == "Bash"
]


def test_most_command_lines_are_plain() -> None:
    assert sum(plain(text) is not None for text in OWN + LABELLED) > 0.5 * len(OWN + LABELLED)


def test_it_answers_what_the_grammar_answers() -> None:
    lines = sorted({*OWN, *LABELLED})
    assert [text for text in lines if plain(text) not in {None, parse_tree(text)}] == []


@pytest.mark.parametrize(
    "text",
    [
        "git push $X", "echo `ls`", "echo $(ls)", "(ls)", "{ ls; }", "ls &", "ls\nrm x", "A=1 ls",
        "", "if ls", "! ls", "[ -f x ]", "export A=1", "cat <<E", "cat <<< a", "ls |& cat", "ls > ",
        "ls |", "&& ls", "ls 'open", 'ls "open', "ls a\\ b", "echo {a,b}", "'ls'", "> f ls",
        "a#b $x", "ls >&f", "ls;; rm", "ls || | rm", "cat <(ls)", "ls \r\n rm x", "time ls",
        'echo "$(ls)"', 'echo "`ls`"',
    ],
)  # fmt: skip
def test_what_is_not_plain_is_left_to_the_grammar(text: str) -> None:
    assert plain(text) is None


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1),
        min_size=1,
        max_size=6,
    )
)
def test_quoted_words_come_back_as_they_were(words: list[str]) -> None:
    text = shlex.join(["git", *words])
    found = plain(text)
    if found is not None:
        assert found == Script((Simple(words=("git", *words)),))
