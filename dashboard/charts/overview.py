"""The strip under a timeline: the whole run as a line, a stem for each danger, none left out.

It is inline SVG, drawn by the page: nothing in it moves but the brush.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

WIDTH = 1000
HEIGHT = 34


class Overview(Struct, frozen=True):
    """Path of the line, and stems as (place, number of dangers there)."""

    line: str
    stems: list[tuple[float, int]]
    total: int
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def dangers(self) -> int:
        return sum(count for _, count in self.stems)

    @property
    def stem_path(self) -> str:
        return "".join(f"M{x:g} {HEIGHT}V6" for x, _ in self.stems)

    @property
    def head_path(self) -> str:
        return "".join(f"M{x - 4:g} 2h8l-4 6z" for x, _ in self.stems)


def overview(
    sizes: Sequence[tuple[int, int]], dangers: Sequence[tuple[int, int]], total: int
) -> Overview:
    """`sizes`: (number, tokens); `dangers`: (number, how many). Stems of one place are counted."""
    span = max(1, total)
    at: Counter[float] = Counter()
    for seq, count in dangers:
        at[round(seq / span * WIDTH / 2) * 2.0] += count
    return Overview(_line(sizes, span), sorted(at.items()), total)


def _line(sizes: Sequence[tuple[int, int]], span: int) -> str:
    if not sizes:
        return ""
    step = max(1, len(sizes) // 300)
    top = max(size for _, size in sizes) or 1
    points = [
        f"{seq / span * WIDTH:.1f} {HEIGHT - size / top * (HEIGHT - 8):.1f}"
        for seq, size in sizes[::step]
    ]
    return "M" + "L".join(points)
