"""From bytes to visible rows: a native journal and a Claude Code session, through the real door.

Prints events a second until a page could show them (received, judged, rows committed), on the
database that the environment names, in a throw-away data folder when it names none.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

SHARED = Path(__file__).parent.parent.parent / "shared"
NATIVE_EVENTS = 20_000


def native(count: int) -> bytes:
    """A journal of `count` spans and effects with a summary every thousand events."""
    import json

    rows: list[dict[str, object]] = [
        {"kind": "journal", "format": "context-journal/1", "id": "bench", "ledger": "complete"}
    ]
    text = "The queue drains at the usual rate; no alarm is open. " * 12
    taken: list[str] = []
    for seq in range(1, count + 1):
        if seq % 1000 == 999:
            prior = dict.fromkeys(taken, "h")
            rows.append({"kind": "record", "seq": seq, "edit": f"e{seq + 1}", "prior": prior})
        elif seq % 1000 == 0:
            out = {"id": f"d{seq}", "hash": f"d{seq}", "text": text, "tokens": 90}
            edit = {"kind": "edit", "seq": seq, "id": f"e{seq}", "op": "summarize"}
            rows.append({**edit, "in": taken, "out": out})
            taken = []
        elif seq % 10 == 0:
            effect = {"kind": "effect", "seq": seq, "id": f"x{seq}", "state": "committed"}
            rows.append({**effect, "class": "reversible", "inverse": True, "body": f"b{seq}"})
        else:
            taken.append(f"s{seq}")
            rows.append({"kind": "span", "seq": seq, "id": f"s{seq}", "hash": "h", "text": text})
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def measure(name: str, data: bytes, file_name: str) -> None:
    from dashboard import ingest, working
    from dashboard.models import Source, Verdict

    source, _ = Source.objects.get_or_create(slug="bench", defaults={"name": "Bench"})
    start = time.perf_counter()
    receipt = ingest.receive(source, f"{name}-{time.time_ns()}", file_name, 0, data)
    stored = time.perf_counter() - start
    assert receipt.job_id is not None
    working.work_on(receipt.job_id)
    visible = time.perf_counter() - start
    events = Verdict.objects.get(run__public_id=receipt.run, current=True).events
    sys.stdout.write(
        f"{name}: {events} events, {len(data) / 1e6:.1f} MB; stored after {stored:.2f} s, "
        f"visible after {visible:.2f} s: {events / visible:,.0f} events/s\n"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as data:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
        os.environ.setdefault("GUARD_DATA", data)
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
        measure("native", native(NATIVE_EVENTS), "bench.ndjson")
        session = SHARED / "corpus" / "public" / "claude-code" / "S02.jsonl"
        if session.exists():
            measure("S02", session.read_bytes(), session.name)
        else:
            sys.stdout.write("S02: skipped, corpus not found\n")


if __name__ == "__main__":
    main()
