"""Numbers that came more than once: a repeated line is one event, two different ones are a fork.

The first pass forgets the texts, so the lines in question are read again. Lines that are the same
byte for byte are told apart by a hash: a journal that was delivered twice is not held as text.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256

from guard.canonical import canonical
from guard.events import AnyEvent
from guard.lines import parse


def number_of(event: AnyEvent) -> int:
    """The number of a numbered event."""
    assert event.seq is not None
    return event.seq


def in_order(
    source: Iterable[bytes], events: Mapping[int, AnyEvent]
) -> tuple[list[AnyEvent], list[int]]:
    """Distinct events by (seq, canonical form), and the forks; `events` stand by line number."""
    repeated = _of_repeated_numbers(events)
    if not repeated:
        return sorted(events.values(), key=number_of), []
    distinct = _distinct_lines(source, repeated)
    doubtful = _of_repeated_numbers(distinct)
    forms: dict[int, dict[bytes, AnyEvent]] = defaultdict(dict)
    for place, line in _at(source, doubtful):
        forms[number_of(doubtful[place])][canonical(parse(line))] = doubtful[place]
    settled = [event for place, event in events.items() if place not in repeated]
    settled += [event for place, event in distinct.items() if place not in doubtful]
    settled += [by_form[form] for by_form in forms.values() for form in sorted(by_form)]
    return sorted(settled, key=number_of), sorted(n for n, f in forms.items() if len(f) > 1)


def _of_repeated_numbers(events: Mapping[int, AnyEvent]) -> dict[int, AnyEvent]:
    times = Counter(map(number_of, events.values()))
    if len(times) == len(events):
        return {}
    return {place: event for place, event in events.items() if times[number_of(event)] > 1}


def _distinct_lines(source: Iterable[bytes], events: Mapping[int, AnyEvent]) -> dict[int, AnyEvent]:
    first: dict[tuple[int, bytes], int] = {}
    for place, line in _at(source, events):
        first.setdefault((number_of(events[place]), sha256(line).digest()), place)
    return {place: events[place] for place in first.values()}


def _at(source: Iterable[bytes], places: Collection[int]) -> Iterator[tuple[int, bytes]]:
    """The lines at these line numbers, without their `\\n`."""
    if places:
        for place, line in enumerate(source, 1):
            if place in places:
                yield place, line.removesuffix(b"\n")
