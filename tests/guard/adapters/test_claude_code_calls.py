"""Claude Code sessions: what became of each call, and whose call it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guard import adapters
from guard.adapters.base import Reading, SourceFile
from guard.adapters.claude_code import CLAUDE_CODE
from guard.events import Effect, Fork, Span, Usage

SAMPLES = Path(__file__).parents[2] / "samples" / "claude-code"


def sample(name: str) -> Reading:
    return adapters.reading(SAMPLES / name)


def of(reading: Reading, kind: type[Any]) -> list[Any]:
    return [event for event in reading.events if isinstance(event, kind)]


def notes(reading: Reading, says: str) -> list[str]:
    return [note.text for note in reading.notes if note.says == says]


def steps(reading: Reading, tool: str | None = None) -> list[tuple[str, bool]]:
    """State and `partial` of the last step of each effect, in the order of the calls."""
    last: dict[str, Effect] = {}
    tools: dict[str, str | None] = {}
    for effect in of(reading, Effect):
        tools.setdefault(effect.id, effect.tool)
        last[effect.id] = effect
    return [
        (effect.state, bool(effect.partial))
        for id_, effect in last.items()
        if tool is None or tools[id_] == tool
    ]


def row(uuid: str, parent: str | None, type_: str = "user", **members: Any) -> bytes:
    known = {
        "uuid": uuid,
        "parentUuid": parent,
        "type": type_,
        "sessionId": "s",
        "version": "2.1.42",
    }
    return json.dumps(known | members).encode() + b"\n"


def read(*rows: bytes) -> Reading:
    return CLAUDE_CODE.read([SourceFile("x", b"".join(rows))])


def test_a_persons_own_shell_is_an_effect() -> None:
    reading = sample("shell_and_clear_1.0.56.jsonl")
    started, done = of(reading, Effect)
    assert (started.tool, started.state, started.reversibility) == (
        "user-shell",
        "started",
        "irreversible",
    )
    assert (done.id, done.state) == (started.id, "committed")


def test_each_kind_of_result_has_its_outcome() -> None:
    assert steps(sample("outcomes_2.1.17.jsonl")) == [
        ("failed", True),  # exit code 1 of a compound command
        ("unknown", False),  # 143: timed out
        ("unknown", False),  # interrupted
        ("failed", False),  # the tool refused
        ("committed", False),  # a list of blocks
        ("failed", True),  # the server broke off
        ("committed", False),  # a file that quotes a refusal
        ("committed", False),
        ("failed", False),  # toolDenialKind
        ("started", False),  # no result
    ]


def test_words_typed_meanwhile_are_in_the_window() -> None:
    reading = sample("outcomes_2.1.17.jsonl")
    typed = next(span for span in of(reading, Span) if span.text == "Never force push.")
    assert typed.role == "user"
    assert list(typed.facts.values()) == ["Never force push"]


def test_the_reason_of_a_refusal_is_a_persons_words() -> None:
    refusal = (
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user"
        " said:\nNever touch the main branch."
    )
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "git push"}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": refusal, "is_error": True}
    reading = read(
        row("a", None, "assistant", message={"role": "assistant", "id": "m", "content": [call]}),
        row("b", "a", message={"role": "user", "content": [result]}),
    )
    assert of(reading, Span)[-1].role == "user"
    assert list(of(reading, Span)[-1].facts.values()) == ["Never touch the main branch"]


def test_background_tasks_end_by_their_notice_wherever_it_stands() -> None:
    reading = sample("background_2.1.49.jsonl")
    assert steps(reading, "Bash") == [("committed", False), ("unknown", False), ("started", False)]
    assert "a background task without an end on record" in notes(reading, "blind spot")
    assert reading.header.ledger == [(1, 16)]


def test_one_word_for_every_id_is_still_a_call_each() -> None:
    call = {"type": "tool_use", "id": "REDACTED", "name": "Bash", "input": {"command": "ls"}}
    rows = [
        row(
            f"a{n}",
            None,
            "assistant",
            message={"role": "assistant", "id": f"m{n}", "content": [call]},
        )
        for n in range(3)
    ]
    assert len(steps(read(*rows))) == 3


def called(name: str, given: dict[str, Any], content: str, **members: Any) -> Reading:
    """One call and its result."""
    error = members.pop("is_error", None)
    call = {"type": "tool_use", "id": "t", "name": name, "input": given}
    result = {"type": "tool_result", "tool_use_id": "t", "content": content, "is_error": error}
    return read(
        members.pop("before", b""),
        row("a", None, "assistant", message={"role": "assistant", "id": "m", "content": [call]}),
        row("b", "a", message={"role": "user", "content": [result]}, **members),
    )


def test_a_snapshot_is_an_inverse_for_the_file_that_it_names() -> None:
    backups = {"src/a.py": {"backupFileName": "0123@v1", "version": 1}}
    snapshot = {"messageId": "m", "trackedFileBackups": backups}
    before = json.dumps({"type": "file-history-snapshot", "snapshot": snapshot}).encode() + b"\n"
    for path, inverse in (("src/a.py", True), ("src/b.py", False)):
        given = {"file_path": f"/home/mira/{path}", "old_string": "x", "new_string": "y"}
        reading = called("Edit", given, "updated", before=before, cwd="/home/mira")
        assert of(reading, Effect)[-1].inverse is inverse, path


def test_an_interrupted_call_may_have_happened() -> None:
    words = "[Request interrupted by user for tool use]"
    reading = called("Bash", {"command": "git push"}, words, is_error=True)
    last = of(reading, Effect)[-1]
    assert (last.state, last.write) == ("unknown", None)


def test_an_answer_to_a_question_is_a_persons_words() -> None:
    answer = 'User has answered your questions: "Push?"="Never push to main."'
    reading = called("AskUserQuestion", {"questions": []}, answer)
    assert of(reading, Span)[-1].role == "user"


def test_words_typed_meanwhile_come_once_where_attachments_bring_them() -> None:
    def queue(operation: str, **members: Any) -> bytes:
        known = {"type": "queue-operation", "operation": operation, "sessionId": "s"}
        return json.dumps(known | members).encode() + b"\n"

    typed = {"type": "queued_command", "prompt": "Count the pearls."}
    reading = read(
        row("a", None, message={"role": "user", "content": "One."}, version="2.1.200"),
        queue("enqueue", content="Count the pearls."),
        queue("remove"),
        row("b", "a", "attachment", attachment=typed),
    )
    assert [span.id for span in of(reading, Span)] == ["a", "b"]
    assert of(reading, Span)[1].role == "user"


def test_the_first_answer_to_a_call_counts() -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": "Exit code 1", "is_error": True}
    again = row("c", "b", message={"role": "user", "content": [result]})
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "git push"}}
    first = row("b", "a", message={"role": "user", "content": [{**result, "is_error": False}]})
    said = row("a", None, "assistant", message={"role": "assistant", "id": "m", "content": [call]})
    assert [effect.state for effect in of(read(said, first, again), Effect)] == [
        "started",
        "committed",
    ]


# Sub-agents


def test_a_sub_agent_is_a_branch_from_the_call_that_starts_it() -> None:
    reading = sample("agents_2.1.39")
    own, inline = of(reading, Fork)
    assert [fork.branch for fork in (own, inline)] == ["a111", "a222"]
    call = reading.events[(own.seq or 0) - 2]
    assert isinstance(call, Effect)
    assert (call.tool, call.state, call.branch) == ("Task", "started", "main")
    branches = {effect.id: effect.branch for effect in of(reading, Effect)}
    assert branches["toolu_own1"] == "a111"
    assert branches["toolu_inline"] == "a222"


def test_a_main_file_that_grows_changes_nothing_that_its_sub_agents_did() -> None:
    (run,) = adapters.sessions(SAMPLES / "agents_2.1.39")
    lines = list(run.files[0].lines())
    whole = CLAUDE_CODE.read(run.files).events
    started = next(n for n, line in enumerate(lines, 1) if b'"name":"Task"' in line)
    for end in range(started, len(lines)):
        main = SourceFile(run.files[0].name, b"".join(lines[:end]))
        part = CLAUDE_CODE.read([main, *run.files[1:]]).events
        assert part == whole[: len(part)], f"after line {end}"


def test_calls_that_stand_in_both_files_are_read_once() -> None:
    reading = sample("agents_2.1.39")
    started = [e.id for e in of(reading, Effect) if e.state == "started"]
    assert sorted(set(started)) == sorted(started)
    assert reading.skips["progress/agent_progress already read"] == 1
    assert reading.skips["the summariser's own call"] == 2


def test_only_the_sub_agent_whose_calls_are_nowhere_is_a_blind_spot() -> None:
    reading = sample("agents_2.1.39")
    (spot,) = [note for note in reading.notes if note.says == "blind spot"]
    assert spot.count == 1
    assert len(reading.header.ledger) == 2


def test_tokens_of_sub_agents_are_not_those_of_the_main_window() -> None:
    usage = of(sample("agents_2.1.39"), Usage)
    assert {event.window_tokens for event in usage if event.branch == "main"} == {9412}


def test_a_sidechain_inside_the_main_file_is_a_branch_whose_prompt_is_the_models() -> None:
    reading = sample("sidechain_1.0.51.jsonl")
    (fork,) = of(reading, Fork)
    assert fork.branch == f"fork-{fork.seq}"
    inside = [span for span in of(reading, Span) if span.branch == fork.branch]
    assert [span.role for span in inside] == ["assistant", "assistant", "tool", "assistant"]
    assert reading.header.ledger == [(1, len(reading.events))]


def test_a_sub_agents_file_alone_is_a_run_of_its_own() -> None:
    path = next(SAMPLES.rglob("agent-a111.jsonl"))
    reading = adapters.reading(path)
    assert {event.branch for event in reading.events} == {"main"}
    assert next(run.external_id for run in adapters.sessions(path)).endswith("/a111")


def test_one_main_file_finds_its_sub_agents_beside_it() -> None:
    main = next((SAMPLES / "agents_2.1.39").glob("*.jsonl"))
    assert adapters.reading(main).events == sample("agents_2.1.39").events


@pytest.mark.parametrize(("tool", "path"), [("Grep", None), ("mcp__fs__read_file", "deploy")])
def test_the_folder_that_a_search_looks_through_is_not_what_it_shows(
    tool: str, path: str | None
) -> None:
    call = {"type": "tool_use", "id": "t1", "name": tool, "input": {"path": "deploy"}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": "limits.yml:3: max_batch: 5"}
    reading = read(
        row("a", None, "assistant", message={"role": "assistant", "content": [call]}),
        row("b", "a", message={"role": "user", "content": [answer]}),
    )
    assert of(reading, Span)[-1].source.path == path
