"""Sources whose records form a tree: a window is a path from the root, and the tip may move.

Going back writes no record of its own there; the parent of the next record gives it away.
"""

from __future__ import annotations

from guard.adapters.emit import Replay


class Tree:
    """The records of one source by parent, with the spans and edits that each gave."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._parents: dict[str, str | None] = {}
        self._spans: dict[str, set[str]] = {}
        self._edits: dict[str, str] = {}
        self._drops: list[str] = []
        self.tip: str | None = None

    def grow(self, node: str, parent: str | None) -> None:
        """A record arrives. If it does not hang on the tip, a person went elsewhere first."""
        if self.tip is not None and parent != self.tip and (parent is None or parent in self):
            self._go_to(parent)
        self._parents[node] = parent
        self._spans.setdefault(node, set())
        self.tip = node

    def __contains__(self, node: str) -> bool:
        return node in self._parents

    def shown(self, span: str) -> None:
        """The tip gave this span."""
        if self.tip is not None:
            self._spans[self.tip].add(span)

    def edited(self, edit: str, out: str | None) -> None:
        """The tip gave this edit, and what it put into the window."""
        if self.tip is not None:
            self._edits[self.tip] = edit
            if out is not None:
                self._spans[self.tip].add(out)

    def path(self, node: str | None) -> list[str]:
        """From the root to a record; what the file does not have ends the walk."""
        walked: dict[str, None] = {}
        while node is not None and node in self and node not in walked:
            walked[node] = None
            node = self._parents[node]
        return list(reversed(walked))

    def _go_to(self, node: str | None) -> None:
        """The window is what the path to `node` gave: undo and drop the rest, bring back the path.

        An edit that was undone once cannot be undone back: it is made again, as a restore.
        """
        path = self.path(node)
        on_path = set(path)
        wanted = set[str]().union(*(self._spans[step] for step in path))
        back = [drop for drop in self._drops if wanted & set(self._replay.edits[drop].in_)]
        if back:
            self._replay.roll_back(list(reversed(back)))
            self._drops = [drop for drop in self._drops if drop not in back]
        crossed = [edit for step, edit in self._edits.items() if step not in on_path]
        left = set(self._replay.window) - wanted
        before = set(self._replay.edits)
        self._replay.rewind(None, left, crossed, fidelity="derived")
        self._drops += [edit for edit in self._replay.edits if edit not in before]
        for step in path:
            self._make_again(step)

    def _make_again(self, step: str) -> None:
        edit = self._replay.edits.get(self._edits.get(step, ""))
        if edit is not None and edit.id in self._replay.undone:
            again = self._replay.edit(
                None, "restore", "human", edit.in_, edit.out, fidelity=edit.fidelity
            )
            self._edits[step] = again.id
