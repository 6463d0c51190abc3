"""An undo region: recovery records that are written once and that no policy can name.

Reading a record gives back exactly what its edit took, or raises: nothing is rebuilt from the
surroundings (`semantics.md` 10.1, 10.6). `guard.undo` has the window that works with it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, MutableMapping

import msgspec
from msgspec import Struct, field

from guard.errors import IrreversibleEditError, RecordMissing
from guard.events import EditId, Hash, Role, SpanId


class EditRefused(IrreversibleEditError):
    """An edit, an undo or a policy that is not accepted. Nothing was changed."""


class Content(Struct, frozen=True):
    """What stands in a window under one id. `facts` are the gating facts in `text`."""

    text: str
    facts: dict[str, str] = field(default_factory=dict)
    tokens: int | None = None
    role: Role = "tool"

    def hash(self) -> Hash:
        """`sha256:` and the SHA-256 of the UTF-8 text."""
        return Hash("sha256:" + hashlib.sha256(self.text.encode()).hexdigest())


_SPANS = msgspec.json.Decoder(dict[SpanId, Content])


class UndoRegion:
    """Recovery records by edit. They are written once, read back checked, and never deleted.

    A policy cannot address them: it is never given this object, and none of its methods yields a
    record as a thing to prune. `store` holds the bytes; to outlive the process, pass a durable one.
    """

    def __init__(self, store: MutableMapping[EditId, bytes] | None = None) -> None:
        self._store = {} if store is None else store

    def write(self, edit: EditId, taken: Mapping[SpanId, Content]) -> None:
        """Keep what `edit` is about to take. Raises `EditRefused` if it has another record."""
        record = msgspec.json.encode(taken)
        if self._store.setdefault(edit, record) != record:
            raise EditRefused(f"edit {edit} has a recovery record already: one id is one edit")

    def read(self, edit: EditId, taken: Mapping[SpanId, Hash]) -> dict[SpanId, Content]:
        """What `edit` took. Raises `RecordMissing` unless every span is here with its hash."""
        try:
            spans = _SPANS.decode(self._store[edit])
        except (KeyError, msgspec.MsgspecError) as error:
            raise RecordMissing(edit) from error
        if {span: content.hash() for span, content in spans.items()} != taken:
            raise RecordMissing(edit)
        return spans

    def edits(self) -> frozenset[EditId]:
        """The edits that have a record, for an auditor."""
        return frozenset(self._store)
