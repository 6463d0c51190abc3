"""A call of a Claude Code session, and what its result shows: evidence, and whose words."""

from __future__ import annotations

import posixpath
import re
import shlex
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Raw, Struct

from guard.adapters.claude_code_rows import NOTHING
from guard.adapters.emit import USER_SHELL
from guard.events import EffectState

AGENT_TOOLS = frozenset({"Task", "Agent"})
_SHELLS = frozenset({"Bash", "PowerShell", USER_SHELL})
_FILE_TOOLS = frozenset({"Read", "Edit", "MultiEdit", "NotebookEdit", "Write"})


class FileRead(Struct, frozen=True, rename="camel"):
    """`file` of a Read result: the content without line numbers."""

    content: Any = None


class Task(Struct, frozen=True, rename="camel"):
    """`task` of a TaskOutput result."""

    task_id: str | None = None
    status: str | None = None
    exit_code: int | None = None


class Result(Struct, frozen=True, rename="camel"):
    """`toolUseResult` when it is an object, as far as an outcome or a fact needs it."""

    stdout: str | None = None
    stderr: str | None = None
    interrupted: bool | None = None
    background_task_id: str | None = None
    git_operation: Any = None
    type: str | None = None
    file: FileRead | None = None
    original_file: Raw = NOTHING
    original_file_contents: Raw = NOTHING
    status: Any = None
    is_async: bool | None = None
    agent_id: str | None = None
    total_tool_use_count: int | None = None
    task: Task | None = None
    shell_id: str | None = None
    exit_code: int | None = None


_decode_result = msgspec.json.Decoder(Result).decode


def result_of(raw: Raw) -> Result | None:
    """The result when it is an object of a known shape."""
    data = bytes(raw)
    if not data.startswith(b"{"):
        return None
    try:
        return _decode_result(data)
    except (msgspec.DecodeError, RecursionError):
        return None


class Folder(Struct, frozen=True):
    """Where a session began, and where its shell stands."""

    root: str
    here: str

    def named(self, path: str) -> str:
        """A path inside the session's folder is named from there: that is how people write it."""
        for separator in ("/", "\\"):
            if not self.root or not path.startswith(self.root.rstrip(separator) + separator):
                continue
            return path[len(self.root.rstrip(separator)) + 1 :].replace("\\", "/")
        return path

    def seen(self, path: str) -> str:
        """The same for a path that a command names from where it stands."""
        if self.here in {"", self.root} or path.startswith(("/", "~")):
            return self.named(path)
        return self.named(posixpath.normpath(posixpath.join(self.here, path)))


@dataclass(slots=True)
class Open:
    """A call on record: what was sent, and what is known of its sub-agent."""

    effect: str
    seq: int
    tool: str
    sent: Any
    folder: Folder
    writes: bool
    prompt: str | None = None
    state: EffectState = "started"
    inner: set[str] = field(default_factory=set)


def by_a_person(text: str) -> bool:
    """Whether a result is the refusal of a person."""
    return text.startswith("The user doesn't want to proceed with this tool use")


_ASKS = frozenset({"AskUserQuestion"})
_USER_SAID = "the user said:\n"


def said_by_a_person(call: Open | None, text: str) -> str | None:
    """A person's words inside a result: an answer to a question, the reason of a refusal."""
    if call is not None and call.tool in _ASKS:
        return text
    _, said, words = text.partition(_USER_SAID) if by_a_person(text) else ("", "", "")
    return words if said else None


_NUMBER = re.compile(r"^ *\d+(?:→|\t)", re.MULTILINE)


def shown_by(call: Open | None, text: str, result: Result | None) -> str:
    """The words of a result, in which facts are found: file contents without line numbers."""
    file = result.file.content if result is not None and result.file is not None else None
    if isinstance(file, str):
        return file
    return _NUMBER.sub("", text) if call is not None and call.tool in _FILE_TOOLS else text


def evidence(text: str, result: Result | None, *, error: bool | None) -> Any:
    """The result as the classifier reads it: without file contents, which are not evidence."""
    if error or result is None:
        return text
    shown: dict[str, Any] = {}
    if result.stdout is not None or result.stderr is not None:
        shown |= {"stdout": result.stdout or "", "stderr": result.stderr or ""}
    if result.interrupted:
        shown["interrupted"] = True
    if result.git_operation:
        shown["gitOperation"] = result.git_operation
    if result.type is not None:
        shown["type"] = result.type
    for name, raw in (
        ("originalFile", result.original_file),
        ("originalFileContents", result.original_file_contents),
    ):
        if bytes(raw):
            shown[name] = None if bytes(raw) == b"null" else "on record"
    return shown or None


_READERS = ("cat ", "head ", "tail ", "less ", "more ", "bat ")
_ACTIVE = re.compile(r"[|&;<>$`(){}*?\n\\]")


def path_of(call: Open | None) -> str | None:
    """The one file that a call shows or changes, relative to its folder where it lies in it."""
    if call is None or not isinstance(call.sent, dict):
        return None
    if call.tool in _FILE_TOOLS:
        path = call.sent.get("file_path") or call.sent.get("notebook_path")
        return call.folder.named(path) if isinstance(path, str) else None
    command = call.sent.get("command") if call.tool in _SHELLS else None
    return call.folder.seen(path) if (path := _file_shown(command)) else None


def _file_shown(command: Any) -> str | None:
    """`f` of `cat f`: one plain file shown, nothing else done."""
    if not isinstance(command, str) or not command.startswith(_READERS):
        return None
    if _ACTIVE.search(command):
        return None
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    files = [word for word in words[1:] if not word.startswith("-") and not word.isdigit()]
    return files[0] if len(files) == 1 else None
