"""Figures: functions from rows to plain dicts. Each figure that a page draws is one line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dashboard.charts import timeline, trends
from dashboard.charts.style import Figure

CHARTS: dict[str, Callable[[Any], Figure]] = {
    "timeline": timeline.timeline,
    "rollback": timeline.timeline,
    "summaries": trends.summaries,
    "dropped": trends.dropped,
    "irreversible": trends.irreversible,
    "deciding": trends.deciding,
    "refusals": trends.refusals,
    "lag": trends.lag,
}
