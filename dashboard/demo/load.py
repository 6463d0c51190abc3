"""Puts the sample data where a team's own data would go: people, sources, runs.

Every byte goes through `ingest.receive`; the worker judges it like anybody's. Loading again adds
nothing, since the same bytes are the same receipt.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from dashboard import gates as gate_desk
from dashboard import ingest
from dashboard.demo.claude import claude_sessions
from dashboard.demo.incidents import AGENT_WORDS, DIGEST, LIFECYCLE, all_incidents
from dashboard.demo.native import native_runs
from dashboard.demo.script import sha256
from dashboard.models import Gate, Membership, Role, Run, Source

SEED = 2026
NATIVE_RUNS = 150
CLAUDE_RUNS = 50
REVIEWER = "m.okafor"
PEOPLE = {
    REVIEWER: ("Mary Okafor", (Role.REVIEWER, Role.INVESTIGATOR, Role.LEAD)),
    "j.lindqvist": ("Jens Lindqvist", (Role.INVESTIGATOR,)),
    "t.haddad": ("Tarek Haddad", (Role.REVIEWER, Role.ADMIN)),
}
SOURCES = {
    "lab-agents": ("Lab agents", "acme-agent", "storage", "j.lindqvist"),
    "build-farm": ("Build farm", "acme-agent", "platform", "t.haddad"),
    "laptops": ("Laptops", "Claude Code", "platform", "t.haddad"),
}


@dataclass(frozen=True)
class SampleFile:
    """One file as a team would hand it over."""

    source: str
    external_id: str
    name: str
    data: bytes


def people() -> None:
    """The accounts of the story, each with its roles for every source."""
    for name, (full_name, roles) in PEOPLE.items():
        first, last = full_name.split(" ", 1)
        user, _ = User.objects.get_or_create(
            username=name,
            defaults={"first_name": first, "last_name": last, "email": f"{name}@example.org"},
        )
        for role in roles:
            Membership.objects.get_or_create(user=user, source=None, role=role)
    for slug, (title, runtime, team, owner) in SOURCES.items():
        Source.objects.get_or_create(
            slug=slug,
            defaults={
                "name": title,
                "runtime": runtime,
                "team": team,
                "owner": User.objects.get(username=owner),
            },
        )


def password() -> str:
    """The accounts' password: drawn at the first start, kept in the data folder, mode 0600."""
    path = Path(settings.GUARD_DATA) / "demo-password"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(9))
    word = path.read_text()
    for user in User.objects.filter(username__in=PEOPLE):
        if not user.check_password(word):
            user.set_password(word)
            user.save(update_fields=["password"])
    return word


def sample_files(now: datetime) -> Iterator[SampleFile]:
    """The incidents first, so that the story is there before the crowd."""
    for script in all_incidents(now):
        yield SampleFile("lab-agents", script.run_id, f"{script.run_id}.ndjson", script.lines())
    for name, data in claude_sessions(CLAUDE_RUNS, SEED, now):
        yield SampleFile("laptops", name.removesuffix(".jsonl"), name, data)
    for script in native_runs(NATIVE_RUNS, SEED, now):
        yield SampleFile("build-farm", script.run_id, f"{script.run_id}.ndjson", script.lines())


def runs() -> int:
    """Hand over every sample file that is not there yet and return how many were."""
    if Run.objects.filter(source__slug__in=SOURCES).exists():
        return 0
    count = 0
    for file in sample_files(timezone.now()):
        source = Source.objects.get(slug=file.source)
        ingest.receive(source, file.external_id, file.name, 0, file.data)
        count += 1
    return count


def gates() -> None:
    """The gate of the story: asked once, with an hour to answer; asked again when it ran out."""
    run = Run.objects.get(source__slug="lab-agents", external_id="uploader-maint-tonight")
    if Gate.objects.filter(run=run).exclude(state=Gate.State.EXPIRED).exists():
        return
    patch = gate_desk.Stake(
        id="patch-lifecycle",
        sha256=sha256(LIFECYCLE),
        tool="http_patch",
        target="storage.example.net/v2/buckets/eu-archive",
        summary="PATCH /v2/buckets/eu-archive",
        payload=LIFECYCLE,
    )
    question = gate_desk.Question(
        edit="e6",
        digest=sha256(DIGEST),
        effects=(patch,),
        agent="uploader-maint",
        words=AGENT_WORDS,
    )
    gate_desk.open_gate(run, question, None, "manage.py demo")
