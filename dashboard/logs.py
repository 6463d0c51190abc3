"""One event, one line of JSON: nothing that came from outside can start a line of its own."""

from __future__ import annotations

import json
import logging


class Line(logging.Formatter):
    """Formats a record as one JSON object; control characters stand escaped."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)
