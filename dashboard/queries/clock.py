"""From sequence numbers to places on the x axis and back: journal order, or real time.

Order never comes from time (`semantics.md` 2.1): on the time axis a number stands where the clock
stood, made monotone, and numbers without a time stand between their neighbours.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime

from django.utils import timezone

from dashboard.queries.drawn import Axis
from dashboard.queries.series import Samples

IDLE_S = 600.0
IDLE_DRAWN_S = 60.0
STEPS_S = (
    1,
    2,
    5,
    10,
    15,
    30,
    60,
    120,
    300,
    600,
    900,
    1800,
    3600,
    7200,
    10800,
    21600,
    43200,
    86400,
)


class Clock:
    """Places of numbers on the axis. On the time axis `x` is in seconds, idle stretches cut out."""

    def __init__(self, samples: Samples, total: int, axis: Axis, *, compress: bool = False) -> None:
        self.axis = axis
        self.total = total
        self.seqs: list[int] = []
        self.times: list[float] = []
        self.places: list[float] = []
        self.idle: list[tuple[float, float]] = []
        if axis == "time":
            self._read(samples)
            self._place(compress)

    @property
    def known(self) -> bool:
        """Whether there is a time axis at all."""
        return len(self.seqs) > 1

    def _read(self, samples: Samples) -> None:
        latest = float("-inf")
        for seq, at_us in zip(samples.seq, samples.at_us, strict=True):
            if at_us is not None:
                latest = max(latest, at_us / 1_000_000)
                self.seqs.append(seq)
                self.times.append(latest)

    def _place(self, compress: bool) -> None:
        place = 0.0
        before = self.times[0] if self.times else 0.0
        for time in self.times:
            step = time - before
            if compress and step > IDLE_S:
                self.idle.append((place + IDLE_DRAWN_S / 2, step))
                step = IDLE_DRAWN_S
            place += step
            self.places.append(place)
            before = time

    def x(self, seq: float) -> float:
        """Place of a number."""
        if self.axis == "order" or not self.known:
            return seq
        return _between(self.seqs, self.places, seq)

    def seq(self, x: float) -> float:
        """The number that stands at a place."""
        if self.axis == "order" or not self.known:
            return x
        return _between(self.places, self.seqs, x)

    def time(self, x: float) -> datetime:
        """The instant at a place of the time axis."""
        return datetime.fromtimestamp(_between(self.places, self.times, x), UTC)

    def ticks(self, x0: float, x1: float, most: int) -> list[tuple[float, str]]:
        """Places with their texts: numbers, or times with date and zone."""
        if self.axis == "order" or not self.known:
            return _number_ticks(x0, x1, most)
        return [(x, _two_lines(self.time(x))) for x in self._time_places(x0, x1, most)]

    def _time_places(self, x0: float, x1: float, most: int) -> list[float]:
        if self.idle:
            return [x0 + (x1 - x0) * (n + 0.5) / most for n in range(most)]
        step = next((s for s in STEPS_S if (x1 - x0) / s <= most), None)
        step = step or 86_400 * max(1, round((x1 - x0) / most / 86_400))
        start = _between(self.places, self.times, x0)
        first = (start // step + 1) * step
        offset = first - start
        count = int(max(0.0, (x1 - x0 - offset)) // step) + 1
        return [x0 + offset + n * step for n in range(count) if x0 + offset + n * step <= x1]


def _two_lines(at: datetime) -> str:
    return timezone.localtime(at).strftime("%H:%M:%S<br>%Y-%m-%d %Z")


def _between(known: Sequence[float], wanted: Sequence[float], value: float) -> float:
    """Linear between known points; outside them, the nearest one."""
    at = bisect_left(known, value)
    if at == 0:
        return float(wanted[0])
    if at == len(known):
        return float(wanted[-1])
    low, high = known[at - 1], known[at]
    share = (value - low) / (high - low) if high > low else 1.0
    return wanted[at - 1] + share * (wanted[at] - wanted[at - 1])


def _number_ticks(x0: float, x1: float, most: int) -> list[tuple[float, str]]:
    span = max(1.0, x1 - x0)
    step = 1
    while span / step > most:
        step = _next_step(step)
    first = int(-(-x0 // step)) * step
    places = list(range(first, int(x1) + 1, step))
    if x0 <= 1 and places and places[0] == 0:
        places[0] = 1
    elif x0 <= 1 < step * 0.75 and (not places or places[0] > step / 2):
        places = [1, *places]
    return [(float(place), f"{place:,}") for place in places]


def _next_step(step: int) -> int:
    leading = int(str(step)[0])
    return step * 5 // 2 if leading == 2 else step * 2


def count_between(ordered: Sequence[int], low: int, high: int) -> int:
    """How many of the ordered numbers lie from `low` to `high`, both included."""
    return bisect_right(ordered, high) - bisect_left(ordered, low)
