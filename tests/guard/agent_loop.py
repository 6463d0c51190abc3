"""A whole agent in 60 lines: it reads, summarises, asks, and acts once.

python tests/guard/agent_loop.py ADDRESS TOKEN SPOOL OUTBOX
"""

from __future__ import annotations

import sys
from pathlib import Path

from guard.client import Client, NotAllowed, Planned, Recorder, sha256

CONFIG = "region: eu-west-1\nmax_retries: 0\n"
DIGEST = "The uploader was reviewed. Its region is eu-west-1."
PAYLOAD = '{"lifecycle":{"days":1}}'
FACTS = {"config/uploader.yaml:max_retries": "0", "config/uploader.yaml:region": "eu-west-1"}


def read_config(recorder: Recorder) -> None:
    """A tool result enters the window, with the facts that later acts must respect."""
    source = {"path": "config/uploader.yaml", "tool": "read_file"}
    span = {"id": "s1", "hash": sha256(CONFIG), "text": CONFIG, "source": source, "facts": FACTS}
    recorder.append({"kind": "span", **span})


def summarise(recorder: Recorder) -> None:
    """The window is summarised: first what undoes it, then the edit."""
    out = {"id": "d1", "hash": sha256(DIGEST), "text": DIGEST, "facts": {}}
    edit = {"id": "e1", "op": "summarize", "by": "model", "in": ["s1"], "out": out}
    store = {"payload": True, "verified": True, "lossy": False}
    sys.stdout.write(f"{recorder.propose({**edit, 'store': store}).verdict}\n")
    record = {"kind": "record", "edit": "e1", "prior": {"s1": sha256(CONFIG)}, "payload": True}
    recorder.append(record, {"kind": "edit", **edit})


def act(recorder: Recorder, outbox: Path, wait_s: float) -> None:
    """The block runs with a person's yes for exactly this payload, and only then."""
    effect = Planned("patch-1", PAYLOAD, "http.patch", "storage.example.net", "expire after a day")
    with recorder.hold(effect, wait_s), outbox.open("a") as sent:
        sent.write(f"{PAYLOAD}\n")


def main(address: str, token: str, spool: str, outbox: str, wait_s: str = "600") -> int:
    client = Client(address, token)
    client.open_run("uploader-nightly", agent="agent-1", ledger="complete")
    with Recorder(client, "uploader-nightly", Path(spool)) as recorder:
        read_config(recorder)
        summarise(recorder)
        try:
            act(recorder, Path(outbox), float(wait_s))
        except NotAllowed as refused:
            sys.stdout.write(f"not done: {refused}\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
