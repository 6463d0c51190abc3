"""The path of names while a nested text is read: mappings, lists, `NAME=value` (guide F2, F4)."""

import re

from guard.facts.fact import Setting

_ASSIGNED = re.compile(r"([A-Za-z_][\w.-]*)=(.*)", re.DOTALL)
_ENV = frozenset({"env", "environment", "environments", "variables", "build_args", "args_env"})
MAX_DEPTH = 64
"""Levels whose names are kept; what lies deeper has no key and gives no fact."""
_PAIR_NAMES = frozenset({"name", "key"})
_PAIR_VALUES = frozenset({"value"})


class _Frame:
    __slots__ = (
        "empty",
        "entry",
        "in_list",
        "key",
        "line",
        "mapping",
        "owner",
        "pair",
        "path",
        "start",
    )

    def __init__(self, path: tuple[str, ...], mapping: bool, owner: int, entry: int) -> None:
        self.path = path
        self.mapping = mapping
        self.owner = owner
        self.entry = entry
        self.key: str | None = None
        self.line = 0
        self.empty = True
        self.in_list = False
        self.start = 0
        self.pair: dict[str, str] = {}


class Nest:
    """Turns open / key / value / close into settings; indices of lists vanish, parents stay."""

    def __init__(self) -> None:
        self.settings: list[Setting] = []
        self.stack: list[_Frame] = []
        self._count = 0

    def restart(self) -> None:
        """A new document begins."""
        self.stack.clear()

    def expects_key(self) -> bool:
        """True if the next scalar is the name of a setting."""
        return bool(self.stack) and self.stack[-1].mapping and self.stack[-1].key is None

    def path_of_next(self) -> tuple[str, ...]:
        """The path the next value would stand at."""
        if not self.stack:
            return ()
        frame = self.stack[-1]
        return (*frame.path, frame.key) if frame.mapping and frame.key is not None else frame.path

    def open_mapping(self) -> None:
        """A mapping begins where a value was due."""
        self._open(mapping=True)

    def open_list(self, line: int) -> None:
        """A list begins where a value was due."""
        self._open(mapping=False)
        self.stack[-1].line = line

    def _open(self, *, mapping: bool) -> None:
        path = self.path_of_next() if len(self.stack) < MAX_DEPTH else ()
        in_list = bool(self.stack) and not self.stack[-1].mapping
        self._consume()
        self._count += 1
        frame = _Frame(path, mapping, self._count, self._count)
        frame.in_list = in_list
        frame.start = len(self.settings)
        if not mapping and self.stack:
            frame.owner = self.stack[-1].owner
        self.stack.append(frame)

    def _consume(self) -> None:
        if self.stack:
            self.stack[-1].key = None
            self.stack[-1].empty = False

    def close(self) -> None:
        """The innermost mapping or list ends; an empty list is a value of its own."""
        frame = self.stack.pop()
        if frame.mapping:
            self._close_pair(frame)
        elif frame.empty and frame.path:
            self._add(frame.path, "[]", frame.line, frame)

    def _close_pair(self, frame: _Frame) -> None:
        """`{name: X, value: Y}` under `env` is X with the value Y."""
        name, value = frame.pair.get("name"), frame.pair.get("value")
        if name is None or value is None or not frame.path or frame.path[-1].lower() not in _ENV:
            return
        del self.settings[frame.start :]
        self._add((*frame.path, name), value, frame.line, frame)

    def skip_value(self) -> None:
        """The value was taken elsewhere."""
        self._consume()

    def scalar(self, text: str, line: int) -> None:
        """A key, a value or an element, in the order of the text."""
        if not self.stack:
            return
        frame = self.stack[-1]
        if self.expects_key():
            frame.key = text
            frame.line = line
            return
        path = self.path_of_next()
        if frame.mapping and frame.in_list and frame.key in _PAIR_NAMES | _PAIR_VALUES:
            frame.pair["name" if frame.key in _PAIR_NAMES else "value"] = text
        named = None if frame.mapping else _environment_pair(path, text)
        self._count += 1
        at = frame.line if frame.mapping and frame.line else line
        if named is not None:
            self._add((*path, named[0]), named[1], at, frame)
        else:
            self._add(path, text, at, frame)
        self._consume()

    def _add(self, path: tuple[str, ...], literal: str, line: int, frame: _Frame) -> None:
        entry = self._count if frame.mapping else frame.entry
        self.settings.append(Setting(path, literal, line, "settings", frame.owner, entry))


def _environment_pair(path: tuple[str, ...], text: str) -> tuple[str, str] | None:
    """`- NAME=value` under env or environment (F4)."""
    if not path or path[-1].lower() not in _ENV:
        return None
    found = _ASSIGNED.fullmatch(text.strip("\"'"))
    return (found[1], found[2]) if found else None
