"""Bodies of calls are read as strictly as journals: no name twice, no NaN, no surrogates."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja.parser import Parser

from dashboard.api.problems import ApiProblem
from guard import lines
from guard.errors import JournalError


class StrictParser(Parser):
    """One JSON object of at most 1 MiB, with the limits of an event."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        try:
            return lines.parse(request.body)
        except JournalError as error:
            raise ApiProblem(400, "json", error.reason) from error
