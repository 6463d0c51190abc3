"""YAML, by parser events: constant stack, so that deep nesting costs nothing (F2, F4, F5).

Several documents are several files. `<<: *base` repeats what is said at the base and is left out;
an alias as a plain value repeats the facts of its anchor under the new name, within a budget.
"""

from collections.abc import Iterator

import yaml

from guard.facts.comments import comment_phrases
from guard.facts.fact import Findings, Setting
from guard.facts.nesting import Nest
from guard.facts.normalise import normalise_key

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OPENING = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
_CLOSING = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
ALIAS_BUDGET = 2000
"""Facts that aliases may repeat in one text."""


def read_yaml(text: str) -> Findings | None:
    """The settings and commented sentences, or None if the text is not YAML."""
    reader = _Reader()
    try:
        for event in _events(text):
            reader.take(event)
    except yaml.YAMLError:
        return None
    return Findings(reader.nest.settings, comment_phrases(text, ("#",)))


def _events(text: str) -> Iterator[yaml.Event]:
    yield from yaml.parse(text, Loader=_LOADER)


class _Reader:
    """Keeps the path of names while events pass."""

    def __init__(self) -> None:
        self.nest = Nest()
        self.anchors: dict[str, tuple[tuple[str, ...], int, int]] = {}
        self.open_anchors: list[str | None] = []
        self.repeated = 0

    def take(self, event: yaml.Event) -> None:
        """Follow one event of the parser."""
        if isinstance(event, yaml.DocumentStartEvent):
            self.nest.restart()
        elif isinstance(event, _OPENING):
            self._open(event)
        elif isinstance(event, _CLOSING):
            self._close()
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event.anchor or "")

    def _open(self, event: yaml.MappingStartEvent | yaml.SequenceStartEvent) -> None:
        line = _line(event)
        self.open_anchors.append(event.anchor)
        if event.anchor:
            path = self.nest.path_of_next()
            self.anchors[event.anchor] = (path, len(self.nest.settings), -1)
        if isinstance(event, yaml.MappingStartEvent):
            self.nest.open_mapping()
        else:
            self.nest.open_list(line)

    def _close(self) -> None:
        self.nest.close()
        anchor = self.open_anchors.pop()
        if anchor:
            path, start, _ = self.anchors[anchor]
            self.anchors[anchor] = (path, start, len(self.nest.settings))

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        line = _line(event)
        value = event.value
        if event.style in {"'", '"'} and not self.nest.expects_key():
            value = f'"{value}"'
        self.nest.scalar(value, line)

    def _alias(self, anchor: str) -> None:
        if self.nest.expects_key():
            self.nest.scalar(f"*{anchor}", 0)
            return
        target = self.nest.path_of_next()
        base, start, end = self.anchors.get(anchor, ((), 0, 0))
        self.nest.skip_value()
        if not target or target[-1] == "<<" or end < 0:
            return
        for setting in self.nest.settings[start:end]:
            if self.repeated < ALIAS_BUDGET:
                self.repeated += 1
                self.nest.settings.append(_moved(setting, base, target))


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0


def _moved(setting: Setting, base: tuple[str, ...], target: tuple[str, ...]) -> Setting:
    path = (*target, *setting.path[len(base) :])
    key = hash(normalise_key(".".join(target)))
    return Setting(path, setting.literal, setting.line, setting.place, key, setting.entry)
