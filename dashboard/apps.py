"""The one app of the project."""

from __future__ import annotations

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    """Loads the deployment checks; everything else is wired by name in `settings.py`."""

    name = "dashboard"
    label = "dashboard"
    verbose_name = "Journal Guard"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from dashboard import checks  # noqa: F401
