"""The members of one line to one typed event: the types, then what no type can say.

Every check is a row of `journal-format.md` 6. A member that is `null` counts as absent, except
where `null` is a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NoReturn, get_args

import msgspec
from msgspec.structs import force_setattr

from guard.errors import JournalError
from guard.events import (
    AnyEvent,
    Edit,
    Effect,
    Fork,
    Gate,
    Header,
    Known,
    Merge,
    Proposal,
    Rollback,
    Span,
    Unknown,
)

Members = dict[str, Any]

_TYPES: Mapping[str, type[Any]] = MappingProxyType(
    {str(kind.__struct_config__.tag): kind for kind in get_args(Known)}
)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
_SHA256 = re.compile("[0-9a-f]{64}")
_NULL_IS_A_VALUE = frozenset({"out", "digest"})
_WITH_FIELDS = frozenset({"out", "source", "store", "checkpoint"})
"""Members whose value is an object with named fields, not a map."""


def header_of(members: Members) -> Header:
    """The header, from `present` members. Raises `JournalError` without a line number."""
    if members.get("kind") != "journal":
        _refuse("the first line is no `journal` line")
    if "seq" in members:
        _refuse("a header has no `seq`")
    header: Header = _convert(members, Header)
    if header.checkpoint is not None:
        _hex("checkpoint.hash", header.checkpoint.hash)
    return header


def event_of(members: Members, *, keep_text: bool) -> AnyEvent:
    """The event of one line, from its `present` members. Raises as `header_of`."""
    kind = members.get("kind")
    if not isinstance(kind, str) or not kind:
        _refuse("`kind` is missing or no string")
    _check_place(kind, members)
    event: AnyEvent = _convert(members, _TYPES.get(kind, Unknown))
    _check_common(event)
    check = _CHECKS.get(kind)
    if check is not None:
        check(event, members)
    if not keep_text:
        _drop_text(event)
    return event


def _refuse(reason: str) -> NoReturn:
    raise JournalError(reason)


def present(members: Members) -> Members:
    """The members that are not absent, also inside the objects with named fields."""
    nested = not _WITH_FIELDS.isdisjoint(members)
    if not nested and None not in members.values():
        return members
    kept = {
        name: value
        for name, value in members.items()
        if value is not None or name in _NULL_IS_A_VALUE
    }
    if not nested:
        return kept
    for name in _WITH_FIELDS & kept.keys():
        if isinstance(kept[name], dict):
            kept[name] = {field: value for field, value in kept[name].items() if value is not None}
    return kept


def _drop_text(event: AnyEvent) -> None:
    # Nobody has seen the event yet, so it is still ours to shape.
    if isinstance(event, Span):
        force_setattr(event, "text", None)
    elif isinstance(event, Edit | Proposal) and event.out is not None:
        force_setattr(event.out, "text", None)


def _convert(members: Members, wanted: type[Any]) -> Any:
    try:
        return msgspec.convert(members, wanted)
    except msgspec.ValidationError as error:
        raise JournalError(f"{members['kind']}: {_plain(str(error))}") from error


def _plain(message: str) -> str:
    """`Expected ...` of msgspec with the path as a reader of the journal writes it."""
    text, _, path = message.partition(" - at `")
    where = path.removesuffix("`").removeprefix("$").removeprefix(".")
    text = text[:1].lower() + text[1:]
    return f"`{where}`: {text}" if where else text


def _check_place(kind: str, members: Members) -> None:
    if "seq" in members:
        if "after" in members or "before" in members:
            _refuse("`after` or `before` beside `seq`")
    elif kind != "effect":
        _refuse(f"{kind} without `seq`: only an effect may be unnumbered")


def _check_common(event: AnyEvent) -> None:
    if event.at is not None:
        _time("at", event.at)
    if event.before is not None and event.before <= event.after:
        _refuse("`before` is not greater than `after`")
    if event.prev is not None or event.chain is not None:
        _hex("prev", event.prev)
        _hex("chain", event.chain)


def _time(name: str, value: str) -> None:
    if _TIME.fullmatch(value) is None:
        _refuse(f"`{name}` is no RFC 3339 time with an offset")


def _hex(name: str, value: str | None) -> None:
    if value is None or _SHA256.fullmatch(value) is None:
        _refuse(f"`{name}` is not 64 lower-case hex digits (`prev` and `chain` come together)")


def _span_ids(name: str, ids: Iterable[str]) -> None:
    for span in ids:
        if "#" in span:
            _refuse(f"`{name}`: a span id must not contain #")


def _check_span(event: Span, _: Members) -> None:
    _span_ids("id", (event.id,))


def _check_edit(event: Edit | Proposal, _: Members) -> None:
    _span_ids("in", event.in_)
    if event.out is not None:
        _span_ids("out.id", (event.out.id,))


def _check_effect(event: Effect, _: Members) -> None:
    if "" in (event.depends_on or ()):
        _refuse("`depends_on`: an empty entry names nothing")


def _check_rollback(event: Rollback, _: Members) -> None:
    if (event.edits is None) == (event.to is None):
        _refuse("rollback: exactly one of `edits` and `to`")
    _span_ids("spans", event.spans or ())


def _check_merge(event: Merge, _: Members) -> None:
    _span_ids("dropped", event.dropped)


def _check_gate(event: Gate, members: Members) -> None:
    if event.state in {"requested", "approved"} and "digest" not in members:
        _refuse(f"gate: {event.state} without `digest`")
    if event.state == "requested" and event.edit is None:
        _refuse("gate: requested without `edit`")
    if event.expires_at is not None:
        _time("expires_at", event.expires_at)


def _check_fork(event: Fork, _: Members) -> None:
    if event.branch == "main":
        _refuse("fork: `branch` must not be main")


_CHECKS: Mapping[str, Callable[[Any, Members], None]] = MappingProxyType(
    {
        "span": _check_span,
        "edit": _check_edit,
        "proposal": _check_edit,
        "effect": _check_effect,
        "rollback": _check_rollback,
        "merge": _check_merge,
        "gate": _check_gate,
        "fork": _check_fork,
    }
)
