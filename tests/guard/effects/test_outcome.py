# ruff: noqa: E501  (one case, one line)
"""What became of a call, by its result alone (`GUIDE.md` 1.5)."""

from __future__ import annotations

from typing import Any

import pytest

from guard.effects import Call, classify, outcome

DONE = {"stdout": "done", "stderr": "", "interrupted": False}


@pytest.mark.parametrize(
    ("result", "state", "partial"),
    [
        (None, "started", False),
        (DONE, "committed", False),
        ("done", "committed", False),
        ([{"type": "text", "text": "Created issue 7"}], "committed", False),
        ("The user doesn't want to proceed with this tool use. The tool use was rejected.", "rejected", False),
        ("<tool_use_error>Sibling tool call errored</tool_use_error>", "rejected", False),
        ("Permission to use Bash with command rm has been denied.", "rejected", False),
        ([{"type": "text", "text": "MCP error -32602: invalid arguments"}], "rejected", False),
        ("Error: Exit code 1\nsomething broke", "failed", True),
        ("Error: Exit code 1\nrm: cannot remove 'a': No such file or directory", "failed", False),
        ({"output": "boom", "metadata": {"exit_code": 2}}, "failed", True),
        ({"content": [{"type": "text", "text": "boom"}], "isError": True}, "failed", True),
        ({"stdout": "", "stderr": "", "interrupted": True}, "unknown", True),
        ("Command timed out after 2m 0s", "unknown", True),
        ("Error: Exit code 137\nKilled", "unknown", True),
        ({**DONE, "backgroundTaskId": "b1"}, "started", False),
        ("Command running in background with ID: bash_1", "started", False),
    ],
)  # fmt: skip
def test_a_result_says_what_became_of_a_call(result: Any, state: str, partial: bool) -> None:
    found = outcome(Call("Bash", {"command": "x"}, result))
    assert (found.state, found.partial) == (state, partial)


def test_a_background_task_is_named() -> None:
    found = outcome(Call("Bash", {"command": "x"}, {**DONE, "backgroundTaskId": "b1"}))
    assert found.background == "b1"


def test_an_error_marked_by_the_runtime_is_a_failure() -> None:
    assert outcome(Call("Bash", {"command": "x"}, "boom"), error=True).state == "failed"


def test_words_of_a_programs_own_output_reject_nothing() -> None:
    printed = {**DONE, "stdout": "<tool_use_error> the user rejected it, permission to use"}
    assert outcome(Call("Bash", {"command": "x"}, printed)).state == "committed"


@pytest.mark.parametrize(
    ("command", "result", "write"),
    [
        ("git push origin main", "Error: Exit code 1\n ! [rejected] main -> main (fetch first)", False),
        ("git push --all", "Error: Exit code 1\n ! [rejected] a -> a (x)\n   1..2 b -> b", True),
        ("git commit -m x", {**DONE, "stdout": "nothing to commit, working tree clean"}, False),
        ("git add . && git commit -m x", "Error: Exit code 1\nnothing to commit", True),
        ("npm publish", "Error: Exit code 1\nnpm ERR! 403 cannot publish over 0.4.0", False),
        ("terraform apply", "Error: Exit code 1\nError: AccessDenied creating b", True),
        ("foo --go", "Error: Exit code 127\nbash: foo: command not found", False),
        ("make deploy", "Error: Exit code 2\nmake: kubectl: command not found", True),
        ("./run.sh", "Error: Exit code 127\n./run.sh: line 3: kubectl: command not found", True),
        ("psql -h db.example.net -c 'DELETE FROM r'", {**DONE, "stdout": "DELETE 0"}, False),
        ("psql -h db.example.net -c 'DELETE FROM r'", {**DONE, "stdout": "DELETE 3"}, True),
    ],
)  # fmt: skip
def test_only_a_result_that_speaks_of_the_only_act_takes_it_back(
    command: str, result: Any, write: bool
) -> None:
    assert classify(Call("Bash", {"command": command}, result)).write is write


@pytest.mark.parametrize(
    ("command", "result", "certainty"),
    [
        ("git push", {**DONE, "interrupted": True}, "possible"),
        ("git push", "Error: Exit code 128\nfatal: unable to access", "possible"),
        ("git push", {**DONE, "backgroundTaskId": "b1"}, "possible"),
        ("git push", DONE, "proven"),
        ("[ -f x ] && git push", DONE, "proven"),
        ("[ -f x ] && git push", None, "possible"),
        ("if [ -f x ]; then git push && echo pushed; fi", {**DONE, "stdout": "pushed"}, "proven"),
        ("if [ -f x ]; then git push && echo pushed; fi", {**DONE, "stdout": "no"}, "possible"),
        ("git fetch || git push", DONE, "possible"),
    ],
)
def test_a_result_makes_an_act_surer_or_less_sure(
    command: str, result: Any, certainty: str
) -> None:
    found = classify(Call("Bash", {"command": command}, result))
    assert (found.reversibility, found.certainty) == ("irreversible", certainty)
