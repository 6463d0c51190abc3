"""The commands as a shell sees them: status, standard output, one line on standard error."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from guard import RULES_VERSION
from guard.cli import COMMANDS, boundary, judging, main
from guard.cli.visible import visible

ROOT = Path(__file__).parents[2]
JOURNALS = ROOT / "tests" / "journals"
UNSOUND = JOURNALS / "JG101" / "fires.ndjson"
SOUND = JOURNALS / "JG306" / "near_miss.ndjson"


Guard = Callable[..., tuple[int, str, str]]


@pytest.fixture
def guard(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Guard:
    """A command, run in this process: status, standard output, standard error."""

    def run(*words: object, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        try:
            status = main(list(map(str, words)))
        except SystemExit as end:
            status = int(end.code or 0)
        out, err = capsysbinary.readouterr()
        return status, out.decode(), err.decode()

    return run


def test_the_shell_gets_the_status_and_both_streams() -> None:
    command = [sys.executable, "-m", "guard", "judge", str(UNSOUND), "--json"]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
    assert json.loads(done.stdout)["journal"] == "JG101-fires"


def test_a_journal_with_an_error_is_judged_with_status_1(guard: Guard) -> None:
    status, out, err = guard("judge", UNSOUND, "--json")
    assert (status, err) == (1, "")
    report = json.loads(out)
    assert out.endswith("}\n")
    assert (report["format"], report["rules_version"]) == ("guard-report/1", RULES_VERSION)
    assert [finding["code"] for finding in report["findings"]] == ["JG103", "JG101"]


def test_a_journal_without_an_error_is_judged_with_status_0(guard: Guard) -> None:
    assert guard("judge", SOUND, "--json")[0] == 0


def test_a_prefix_is_judged_as_if_nothing_came_after_it(guard: Guard) -> None:
    status, out, _ = guard("judge", UNSOUND, "--json", "--at", "4")
    assert status == 1
    assert json.loads(out)["rollbacks"] == []
    assert json.loads(guard("judge", UNSOUND, "--json", "--at", "0")[1])["events"] == 0


def test_standard_input_gives_the_same_bytes_as_a_file(guard: Guard) -> None:
    assert guard("judge", "-", "--json", stdin=UNSOUND.read_bytes()) == guard(
        "judge", UNSOUND, "--json"
    )


def test_a_refused_line_is_named_on_one_line(guard: Guard) -> None:
    bad = UNSOUND.read_bytes() + b'{"kind":"seal","seq":1.0}\n'
    status, out, err = guard("judge", "-", "--json", stdin=bad)
    assert (status, out) == (2, "")
    assert err.startswith("-:9: ")
    assert err.count("\n") == 1


def test_a_bad_line_beyond_the_prefix_is_refused_too(guard: Guard) -> None:
    bad = UNSOUND.read_bytes() + b"{\n{}\n"
    assert guard("judge", "-", "--at", "1", stdin=bad)[0] == 2


@pytest.mark.parametrize(
    "words",
    [
        ["judge"],
        ["judge", "no/such/file"],
        ["judge", UNSOUND, "--at", "-1"],
        ["judge", UNSOUND, "--at", "1.0"],
        ["judge", UNSOUND, "--at", "٣"],
        ["judge", UNSOUND, "--nonsense"],
        ["judge", JOURNALS],
        ["explain", "JG999"],
        ["rollback", UNSOUND],
        ["rollback", UNSOUND, "--to", "1", "--edits", "e1"],
        ["nonsense"],
    ],
)
def test_wrong_use_ends_with_2_and_one_line(guard: Guard, words: list[object]) -> None:
    status, out, err = guard(*words)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1


def test_without_a_command_the_help_is_printed(guard: Guard) -> None:
    status, out, _ = guard()
    assert status == 2
    for name in COMMANDS:
        assert f"  {name} " in out
    assert guard("--help") == (0, out, "")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does(guard: Guard, name: str) -> None:
    status, out, _ = guard(name, "--help")
    assert status == 0
    assert f"usage: guard {name}" in out


def test_a_failure_of_our_own_is_no_verdict(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Any) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(judging, "judge", fail)
    status, out, err = guard("judge", UNSOUND, "--json")
    assert (status, out) == (boundary.REFUSED, "")
    assert "failure of guard itself, nothing was decided: ZeroDivisionError" in err
    assert err.count("\n") == 1


def test_a_reader_that_leaves_early_causes_no_traceback() -> None:
    command = f"{sys.executable} -m guard rules | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, cwd=ROOT, check=False)
    assert done.stdout.startswith(b"JG101")
    assert done.stderr == b""


def test_the_readable_report_has_every_light_and_every_finding(guard: Guard) -> None:
    status, out, err = guard("judge", UNSOUND)
    assert (status, err) == (1, "")
    for word in ("integrity  ok", "closure    closed", "unsound", "mode linear", "equal", "JG101"):
        assert word in out


def test_hostile_ids_are_shown_and_do_not_act(guard: Guard) -> None:
    hostile = "\x1b[31m\u202e\u200b\r<b>"
    lines = UNSOUND.read_text().replace("patch", json.dumps(hostile)[1:-1])
    status, out, _ = guard("judge", "-", stdin=lines.encode())
    assert status == 1
    assert "\\u{1B}[31m\\u{202E}\\u{200B}\\u{D}<b>" in out
    assert not set("\x1b\u202e\u200b\r") & set(out)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("über 漢字 🙂", "über 漢字 🙂"),
        ("a\nb\tc", "a\\u{A}b\\u{9}c"),
        ("\u2028\ufeff\u2066\ud800", "\\u{2028}\\u{FEFF}\\u{2066}\\u{D800}"),
    ],
)
def test_what_acts_on_a_terminal_is_shown_as_a_code(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_native_journal_is_passed_on_as_it_is_less_a_torn_line(guard: Guard) -> None:
    lines = b'{"kind":"journal","format":"context-journal/1","id":"j","own":1}\n'
    lines += b'{"kind":"vow","seq":1, "kept":[1.50]}\n'
    assert guard("convert", "-", stdin=lines + b'{"kind":') == (0, lines.decode(), "")
    assert guard("convert", "-", stdin=lines.removesuffix(b"\n")) == (0, lines.decode(), "")
    assert guard("convert", "-", stdin=lines + b"{}\n")[0] == 2


def test_a_page_is_explained_in_any_case(guard: Guard) -> None:
    status, out, _ = guard("explain", "jg101")
    assert status == 0
    assert out.startswith("# JG101: ")
    assert "## What to do" in out


def test_a_rollback_is_drawn_and_not_made(guard: Guard) -> None:
    before = SOUND.read_bytes()
    status, out, _ = guard("rollback", SOUND, "--to", "0")
    assert status == 0
    assert "mode       noop" in out
    drawn = json.loads(guard("rollback", JOURNALS / "JG109/fires.ndjson", "--to", "0", "--json")[1])
    assert (drawn["soundness"], drawn["blame"]) == ("unsound", ["push"])
    assert SOUND.read_bytes() == before


def test_lines_are_answered_in_order_and_a_bad_one_is_named(guard: Guard) -> None:
    asked = [
        {"id": "a", "scope": "cfg.yml", "text": "max_retries: 0"},
        {"id": "b", "scope": "cfg.yml", "text": "nothing here"},
    ]
    lines = b"".join(json.dumps(line).encode() + b"\n" for line in asked)
    status, out, _ = guard("facts", stdin=lines)
    answers = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [answer["id"] for answer in answers] == ["a", "b"]
    assert [fact["key"] for fact in answers[0]["got"]] == ["max_retries"]
    status, _, err = guard("facts", stdin=lines + b"[]\n")
    assert status == 2
    assert err.startswith("-:3: ")


def test_effects_and_digests_are_answered_too(guard: Guard) -> None:
    call = {"id": "c", "tool": "Bash", "input": {"command": "git push origin main"}}
    status, out, _ = guard("effects", stdin=json.dumps(call).encode())
    assert status == 0
    assert json.loads(out)["got"]["class"] == "irreversible"
    fact = {"id": "f", "scope": "cfg.yml", "key": "limit", "value": "3", "kind": "limit"}
    asked = {"id": "d", "facts": [fact], "before": "limit: 3", "digest": "Work goes on."}
    status, out, _ = guard("compare", stdin=json.dumps(asked).encode())
    assert status == 0
    assert json.loads(out)["got"]["status"] == {"f": "dropped"}


def test_coverage_counts_every_line(guard: Guard) -> None:
    status, out, _ = guard("coverage", UNSOUND, "--json")
    counts = json.loads(out)["counts"]
    assert status == 0
    assert counts["records"] == len(UNSOUND.read_bytes().splitlines())
    assert "read" in guard("coverage", UNSOUND)[1]
