"""Bytes to JSON objects, strictly: what one line may be (`journal-format.md` 1, 6 and 7).

Size and depth are measured before anything is parsed. Nothing here knows what a journal says.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import msgspec

from guard.errors import JournalError
from guard.events import MAX_INTEGER

MAX_LINE_BYTES = 1 << 20
MAX_DEPTH = 64
MAX_VALUES = 20_000

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_UNSAFE = re.compile("[\0\ud800-\udfff]")
_decode_plain = msgspec.json.Decoder().decode
_LONGEST_INTEGER = len(str(-MAX_INTEGER))


class Lines:
    """Lines that can be read more than once. A line keeps its `\\n`; only the last may lack it.

    A line over the limit comes in pieces, so that it is refused without being held whole.
    """

    def __init__(self, reopen: Callable[[], BinaryIO]) -> None:
        self._reopen = reopen

    @classmethod
    def of_bytes(cls, data: bytes) -> Lines:
        """The lines of one piece of memory."""
        return cls(lambda: io.BytesIO(data))

    @classmethod
    def of_file(cls, path: Path) -> Lines:
        """The lines of a file. It must not change while it is read."""
        return cls(lambda: path.open("rb"))

    def __iter__(self) -> Iterator[bytes]:
        with self._reopen() as stream:
            yield from iter(partial(stream.readline, MAX_LINE_BYTES + 2), b"")


def repeatable(lines: Iterable[bytes] | bytes) -> Iterable[bytes]:
    """The same lines in a form that can be read twice; a one-shot iterator is collected."""
    if isinstance(lines, bytes):
        return Lines.of_bytes(lines)
    return list(lines) if isinstance(lines, Iterator) else lines


def parse(line: bytes) -> dict[str, Any]:
    """The one JSON object of a line without its `\\n`. Raises `JournalError` without a line."""
    if len(line) > MAX_LINE_BYTES:
        _refuse(f"more than {MAX_LINE_BYTES} bytes in one line")
    if line.startswith(_BYTE_ORDER_MARK):
        _refuse("byte order mark")
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH and _depth(line) > MAX_DEPTH:
        _refuse(f"more than {MAX_DEPTH} levels")
    value = _plain(line)
    if value is None:
        value = _closely(line)
    _measure(line, value)
    return value


def _plain(line: bytes) -> dict[str, Any] | None:
    """The object of a line that is seen to be strict at once; None: look more closely.

    Names and strings that are left have two quotes each. So if the line has just as many quotes,
    none was lost, and no name stood twice in one object.
    """
    quotes = line.count(b'"')
    if b"\\" in line:
        if b"\\\\" in line:
            return None
        quotes -= line.count(b'\\"')
    try:
        value = _decode_plain(line)
    except msgspec.DecodeError:
        return None
    if not isinstance(value, dict) or 2 * _strings_in(value) != quotes:
        return None
    return value


def _strings_in(value: dict[str, Any] | list[Any]) -> int:
    """How many names and strings there are; below 0 where a number may not be allowed."""
    inner: Iterable[Any] = value
    count = 0
    if isinstance(value, dict):
        inner, count = value.values(), len(value)
    for one in inner:
        kind = type(one)
        if kind is str:
            count += 1
        elif kind is dict or kind is list:
            count += _strings_in(one)
        elif kind is float or (kind is int and not -MAX_INTEGER <= one <= MAX_INTEGER):
            count -= 2 * MAX_LINE_BYTES
    return count


def _closely(line: bytes) -> dict[str, Any]:
    try:
        value = _decode(line.decode())
    except UnicodeDecodeError as error:
        raise JournalError(f"not UTF-8 at byte {error.start + 1}") from error
    except json.JSONDecodeError as error:
        raise JournalError(_why_not_json(line, error)) from error
    if not isinstance(value, dict):
        _refuse("JSON, but no object")
    return value


def _measure(line: bytes, value: dict[str, Any]) -> None:
    # A value and what parts it from the next one take two bytes at least.
    if len(line) > 2 * MAX_VALUES and _count(value) > MAX_VALUES:
        _refuse(f"more than {MAX_VALUES} values")
    # NUL and surrogates can only come from an escape: the bytes themselves are UTF-8 without NUL.
    if b"\\" in line and b"\\u" in line and any(map(_UNSAFE.search, _strings(value))):
        _refuse("NUL or a lone surrogate in a string")


def _refuse(reason: str) -> NoReturn:
    raise JournalError(reason)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        _refuse(f"member {json.dumps(twice)} stands twice in one object")
    return members


def _whole(literal: str) -> int:
    if len(literal) <= _LONGEST_INTEGER and abs(number := int(literal)) <= MAX_INTEGER:
        return number
    _refuse(f"integer beyond {MAX_INTEGER}")


def _real(literal: str) -> float:
    number = float(literal)
    if abs(number) == float("inf"):
        _refuse("number overflows")
    return number


def _constant(literal: str) -> NoReturn:
    _refuse(f"{literal} is no JSON")


_decode = json.JSONDecoder(
    object_pairs_hook=_once, parse_int=_whole, parse_float=_real, parse_constant=_constant
).decode


def _why_not_json(line: bytes, error: json.JSONDecodeError) -> str:
    if not line.strip(b" \t\r\n"):
        return "empty line"
    what = error.msg.removesuffix(" at").removesuffix(":")
    return f"no JSON object: {what[:1].lower()}{what[1:]} at character {error.pos + 1}"


def _depth(line: bytes) -> int:
    deepest = level = 0
    for byte in _STRING.sub(b"", line):
        if byte in b"[{":
            level += 1
            deepest = max(deepest, level)
        elif byte in b"]}":
            level -= 1
    return deepest


def _walk(value: Any) -> Iterator[Any]:
    """Every value below `value`, containers included."""
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        children = inner.values() if isinstance(inner, dict) else inner
        for child in children:
            yield child
            if isinstance(child, dict | list):
                waiting.append(child)


def _count(value: Any) -> int:
    return sum(1 for _ in _walk(value))


def _strings(value: dict[str, Any]) -> Iterator[str]:
    yield from value
    for inner in _walk(value):
        if isinstance(inner, str):
            yield inner
        elif isinstance(inner, dict):
            yield from inner
