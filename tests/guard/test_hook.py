"""The hook: reads go on at once, writes never go on by accident, settings of hosts stay whole."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from guard import hook
from guard.canonical import digest
from guard.cli import main as cli
from guard.digest import compare
from guard.effects import Call, classify
from guard.facts import Fact
from guard.hooks import compacting, settings, transcript
from guard.hooks.before import body_hash
from guard.hooks.session import Memory

HOOK = Path(hook.__file__)
LABELS = Path(__file__).parent.parent / "labels"
PUSH = {"command": "git push origin main"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's own folder, with nothing in it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.delenv("GUARD_HOOK_CONFIG", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def fire(event: Any, *, host: str = "claude-code") -> subprocess.CompletedProcess[str]:
    """The hook as its host runs it."""
    text = event if isinstance(event, str) else json.dumps(event)
    command = [sys.executable, "-I", "-S", str(HOOK), host]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def before(tool: str, given: Any, home: Path, **more: Any) -> dict[str, Any]:
    transcript = home / "session.jsonl"
    transcript.touch()
    named = {"session_id": "s1", "transcript_path": str(transcript), "tool_use_id": "toolu_1"}
    event = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given}
    return {**named, **event, **more}


@pytest.mark.parametrize("tool", sorted(hook.READING_TOOLS))
def test_every_tool_that_passes_at_once_is_a_read(tool: str) -> None:
    assert classify(Call(tool, {})).write is False


@pytest.mark.parametrize("program", sorted(hook.READING_COMMANDS))
@pytest.mark.parametrize("rest", ["", " a/b.txt", " -n 3 a.txt", " --output=x -o y a=b"])
def test_every_command_that_passes_at_once_is_a_read(program: str, rest: str) -> None:
    command = program + rest
    assert hook.is_read("Bash", {"command": command})
    assert classify(Call("Bash", {"command": command})).write is False


@pytest.mark.parametrize(
    "command",
    [
        "cat a > b",
        "ls; rm -rf x",
        "ls\nrm x",
        "ls $(rm x)",
        "ls `rm x`",
        "cat a | sh",
        "ls && git push",
        "A=1 ls",
        "./ls",
        "git push",
        "find . -delete",
        "",
        "ls \u2028rm",
    ],
)
def test_what_a_shell_may_read_otherwise_does_not_pass_at_once(command: str) -> None:
    assert not hook.is_read("Bash", {"command": command})


@pytest.mark.parametrize("given", [None, "ls", {"command": ["ls"]}, {"cmd": "ls"}, 3])
def test_a_strange_input_does_not_pass_at_once(given: Any) -> None:
    assert not hook.is_read("Bash", given)


def test_a_read_leaves_no_word(home: Path) -> None:
    done = fire(before("Read", {"file_path": "/a"}, home))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("command", ["ls | wc -l", "cat 'a b' && git status --short"])
def test_a_read_that_takes_judging_passes_without_a_server(home: Path, command: str) -> None:
    _configure(home)
    done = fire(before("Bash", {"command": command}, home))
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("tool", "given"),
    [("Bash", PUSH), ("mcp__pay__charge", {"eur": 5}), ("Write", {"file_path": "/a"})],
)
def test_a_write_without_a_server_is_refused_in_one_line(
    home: Path, tool: str, given: dict[str, Any]
) -> None:
    _configure(home)
    done = fire(before(tool, given, home))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Journal Guard stopped this call: no answer from")
    assert "Try again when it answers, or ask the person here." in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_write_without_a_configured_server_is_refused(home: Path) -> None:
    done = fire(before("Bash", PUSH, home))
    assert done.returncode == 2
    assert "guard hook install" in done.stderr


@pytest.mark.parametrize(
    "event",
    [
        "",
        "no json",
        "[]",
        "{}",
        '{"hook_event_name":"PreToolUse"}',
        '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"}}',
        b'{"hook_event_name": "PreToolUse", "tool_name": "\\ud800", "session_id": 3}'.decode(),
    ],
)
def test_what_cannot_be_read_before_a_call_stops_it(home: Path, event: str) -> None:
    done = fire(event)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_without_a_named_call_no_yes_can_be_bound(home: Path) -> None:
    _configure(home)
    assert fire(before("Bash", PUSH, home, tool_use_id=None)).returncode == 2


def test_an_unknown_event_and_a_failure_of_others_stop_nothing(home: Path) -> None:
    assert fire({"hook_event_name": "Stop"}).returncode == 0
    assert fire({"hook_event_name": "PreCompact"}).returncode != 2
    assert fire({"hook_event_name": "SessionStart", "source": "startup"}).returncode == 0


def test_the_fast_way_imports_no_more_than_it_needs() -> None:
    code = "import sys; sys.path.insert(0, '.'); import guard.hook; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=HOOK.parent.parent,
    )
    loaded = set(done.stdout.split())
    assert loaded.isdisjoint({"msgspec", "tree_sitter", "http.client", "ssl", "typing", "pathlib"})


@pytest.mark.parametrize(
    "given",
    [
        {"b": 1, "a": [True, None, "x"]},
        {"n": 1.0, "m": -0.5, "k": {"z": "é", "y": "\u2028"}},
        "text",
        {"command": 'echo "a\tb"'},
    ],
)
def test_the_hook_and_the_server_hash_an_input_alike(given: Any) -> None:
    assert body_hash(given) == digest(given)


@pytest.mark.parametrize(
    ("memory", "trigger", "waits"),
    [
        (Memory(), "manual", False),
        (Memory(under_way=["t1"]), "auto", True),
        (Memory(under_way=["t1"], last_blocked=True), "auto", False),
        (Memory(under_way=["t1"], last_blocked=True, blocks=1), "manual", True),
        (Memory(under_way=["t1"], blocks=compacting.MOST_BLOCKS), "manual", False),
    ],
)
def test_a_compaction_waits_within_limits(memory: Memory, trigger: str, waits: bool) -> None:
    assert compacting._must_wait(memory, trigger) is waits


def test_a_compaction_is_never_held_back_without_the_server(home: Path) -> None:
    _configure(home)
    event = before("", {}, home, hook_event_name="PreCompact", trigger="auto")
    assert fire(event).returncode == 0


def test_after_a_compaction_that_cannot_be_checked_the_agent_is_told(home: Path) -> None:
    _configure(home)
    event = before("", {}, home, hook_event_name="SessionStart", source="compact")
    said = json.loads(fire(event).stdout)["hookSpecificOutput"]
    assert said["hookEventName"] == "SessionStart"
    assert "read the rules and limits again" in said["additionalContext"]


def test_lost_facts_come_back_word_for_word_once_each_with_their_source() -> None:
    fact = {"verbatim": "max_retries: 0", "source": "app.yml", "line": 2}
    text = compacting.restored([fact, fact, {**fact, "verbatim": "dry_run: true", "line": None}])
    assert text.splitlines()[1:] == ["app.yml:", "- max_retries: 0 (2)", "- dry_run: true"]


class Taking:
    """A server that takes every chunk, and remembers which."""

    def __init__(self) -> None:
        self.chunks: list[tuple[str, bytes]] = []

    def call(self, _method: str, path: str, body: bytes) -> dict[str, Any]:
        self.chunks.append((path.partition("file=")[2].partition("&")[0], body))
        return {}


@pytest.mark.parametrize(
    ("named", "own"),
    [
        ("s1.jsonl", "s1/subagents/agent-a1.jsonl"),
        ("s1.jsonl", "agent-a1.jsonl"),
        ("s1/subagents/agent-a1.jsonl", "s1/subagents/agent-a1.jsonl"),
        ("agent-a1.jsonl", "agent-a1.jsonl"),
    ],
)
def test_a_sub_agents_file_is_sent_beside_the_sessions_and_each_from_where_it_ended(
    home: Path, monkeypatch: pytest.MonkeyPatch, named: str, own: str
) -> None:
    main, sub = home / "s1.jsonl", home / own
    sub.parent.mkdir(parents=True, exist_ok=True)
    main.write_text("one\n")
    sub.write_text("two\n")
    event = before("Bash", PUSH, home, agent_id="a1", transcript_path=str(home / named))
    server = Taking()
    transcript.bring(server, "claude-code", event)
    sub.write_text("two\nthree\n")
    transcript.bring(server, "claude-code", event)
    assert server.chunks == [
        ("s1.jsonl", b"one\n"),
        ("agent-a1.jsonl", b"two\n"),
        ("agent-a1.jsonl", b"three\n"),
    ]


def test_a_sub_agent_without_a_file_is_judged_by_the_session(home: Path) -> None:
    server = Taking()
    event = before("Bash", PUSH, home, agent_id="a1")
    Path(event["transcript_path"]).write_text("one\n")
    assert transcript.bring(server, "claude-code", event) == "s1"
    assert server.chunks == [("session.jsonl", b"one\n")]


OTHER = {"model": "x", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]}}


class TestSettings:
    def test_in_and_out_again_leaves_the_file_as_it_was(self, home: Path) -> None:
        path = settings.path_of("claude-code")
        path.parent.mkdir()
        path.write_text(json.dumps(OTHER))
        path.chmod(0o640)
        settings.install("claude-code", (2, 1, 300))
        settings.install("claude-code", (2, 1, 300))
        told = json.loads(path.read_text())
        assert told["model"] == "x"
        assert [len(told["hooks"][event]) for event in hook.EVENTS] == [1] * len(hook.EVENTS)
        assert settings.installed("claude-code") == [*hook.EVENTS]
        assert path.stat().st_mode & 0o777 == 0o640
        assert settings.uninstall("claude-code")
        assert json.loads(path.read_text()) == OTHER
        assert not settings.uninstall("claude-code")
        backup = path.with_name("settings.json.before-journal-guard")
        assert json.loads(backup.read_text()) == OTHER

    @pytest.mark.parametrize(
        ("version", "blocks"), [((2, 1, 295), True), ((2, 1, 294), False), ((), False)]
    )
    def test_failing_closed_is_promised_only_where_the_version_can(
        self, home: Path, version: tuple[int, ...], blocks: bool
    ) -> None:
        warnings = settings.install("claude-code", version)
        told = json.loads(settings.path_of("claude-code").read_text())
        entry = told["hooks"]["PreToolUse"][0]["hooks"][0]
        assert (entry.get("onFailure") == "block") is blocks
        assert bool(warnings) is not blocks
        assert entry["timeout"] == settings.LIMIT_S

    @pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"hooks": {"Stop": 3}}'])
    def test_settings_of_another_shape_are_left_alone(self, home: Path, text: str) -> None:
        path = settings.path_of("codex")
        path.parent.mkdir()
        path.write_text(text)
        with pytest.raises(settings.SettingsError, match="nothing was changed"):
            settings.install("codex", ())
        assert path.read_text() == text

    def test_the_installed_command_is_the_hook(self, home: Path) -> None:
        settings.install("claude-code", ())
        told = json.loads(settings.path_of("claude-code").read_text())
        command = told["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
        event = json.dumps(before("Bash", PUSH, home))
        done = subprocess.run(
            command, shell=True, input=event, text=True, capture_output=True, check=False
        )
        assert done.returncode == 2
        assert "guard hook install" in done.stderr

    def test_the_command_line_installs_and_tells(
        self, home: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert cli(["hook", "status"]) == 1
        assert cli(["hook", "install"]) == 2
        token = home / "token"
        token.write_text("secret\n")
        where = ["--address", "https://guard.example.org", "--token-file", str(token)]
        assert cli(["hook", "install", "claude-code", *where]) == 0
        assert cli(["hook", "status"]) == 0
        config = home / "config" / "journal-guard" / "hook.json"
        assert json.loads(config.read_text())["token"] == "secret"
        assert config.stat().st_mode & 0o777 == 0o600
        assert "secret" not in settings.path_of("claude-code").read_text()
        assert cli(["hook", "uninstall"]) == 0
        assert "warning" in capsys.readouterr().err


def _configure(home: Path) -> None:
    """A server that is not there: nothing listens on port 9 of this machine."""
    path = home / "config" / "journal-guard" / "hook.json"
    path.parent.mkdir(parents=True)
    told = {"address": "http://127.0.0.1:9", "token": "none", "timeout_s": 2}
    path.write_text(json.dumps(told))


SMALLEST_WINDOW_TOKENS = 16_970
"""Summary and kept messages after a compaction, the smallest on record (`claude-code.md` 2.1)."""


def test_every_lost_fact_of_the_labels_is_back_at_less_than_two_percent() -> None:
    lines = (LABELS / "digests.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    seen = 0
    for row in rows:
        facts = [Fact(f["scope"], f["key"], f["value"], f["kind"], 1) for f in row["facts"]]
        checked = compare(facts, row["before"], row["digest"]).checked
        lost = [check.fact for check in checked if check.status != "kept"]
        words = [f.value if f.kind == "rule" else f"{f.key}: {f.value}" for f in lost]
        told = [{"verbatim": w, "source": f.scope} for w, f in zip(words, lost, strict=True)]
        window = f"{row['digest']}\n{compacting.restored(told)}"
        assert all(word in window for word in words)
        assert (len(window) - len(row["digest"])) / 4 < SMALLEST_WINDOW_TOKENS * 0.02
        seen += len(lost)
    assert seen > 50
