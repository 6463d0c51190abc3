"""Rows of a long run joined by the database to as many cells as the figure has room for."""

from __future__ import annotations

from django.db.models import ExpressionWrapper, F, IntegerField, Value
from django.db.models.functions import Greatest

from dashboard.queries.drawn import View

CELL_PX = 7
MOST_CELLS = 200
MOST_ALONE = 1_200


def cell(field: str, first: int, last: int, cells: int) -> ExpressionWrapper:
    """Which of so many cells of a range a number lies in; what begins before it is in the first."""
    inside = Greatest(F(field), Value(first)) - first
    return ExpressionWrapper(inside * cells / max(1, last - first + 1), output_field=IntegerField())


def cell_of(view: View, field: str) -> ExpressionWrapper:
    """The same for what is in view."""
    return cell(field, view.first, view.last, cells_of(view))


def cells_of(view: View) -> int:
    return min(MOST_CELLS, max(1, view.width_px // CELL_PX))
