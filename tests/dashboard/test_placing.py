"""Our gate events in a journal that is read from a runtime's own files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from dashboard import gates, ingest, live, placing, working
from dashboard.demo.claude import CONFIG, Session
from dashboard.gates import Question, Stake, Use
from dashboard.models import EffectRow, Gate, JournalGateRow, Run, Source
from dashboard.placing import OurEvent
from guard.adapters.base import Counts, Note, Reading
from guard.canonical import canonical
from guard.events import AnyEvent, Effect, Gap, Header, Seal
from guard.events import Gate as GateEvent

ASKED = GateEvent(id="g1", state="requested", by="agent", edit="e1", digest="d")
YES = GateEvent(id="g1", state="approved", by="ann", human=True, digest="d")
OVER = GateEvent(id="g1", state="revoked", by="ann")
START = Effect(id="x", state="started")


def reading(*events: AnyEvent, ledger: list[tuple[int, int]] | None = None) -> Reading:
    header = Header(format="context-journal/1", id="j", ledger=ledger or "none")
    numbered = [_numbered(event, number) for number, event in enumerate(events, 1)]
    notes = [Note("reading", "finding", "here", 1, (2,))]
    return Reading(header, numbered, Counter(), [], notes, None, Counts(0, 0, 0, 0, 0, 0))


def _numbered(event: AnyEvent, number: int) -> AnyEvent:
    return type(event)(**{**{f: getattr(event, f) for f in event.__struct_fields__}, "seq": number})


def order(read: Reading) -> list[str]:
    return [getattr(event, "state", type(event).__name__.lower()) for event in read.events]


@pytest.mark.parametrize(
    ("ours", "expected"),
    [
        ([], ["seal", "started", "seal"]),
        ([OurEvent(ASKED, 0)], ["requested", "seal", "started", "seal"]),
        (
            [OurEvent(ASKED, 1), OurEvent(YES, 2)],
            ["seal", "requested", "started", "approved", "seal"],
        ),
        (
            [OurEvent(ASKED, 3), OurEvent(YES, 3)],
            ["seal", "started", "seal", "requested", "approved"],
        ),
        ([OurEvent(ASKED, 99)], ["seal", "started", "seal", "requested"]),
        (
            [OurEvent(ASKED, 2, ("x",)), OurEvent(YES, 3, ("x",)), OurEvent(OVER, 3, ("x",))],
            ["seal", "requested", "approved", "started", "seal", "revoked"],
        ),
        ([OurEvent(ASKED, 2, ("other",))], ["seal", "started", "requested", "seal"]),
    ],
    ids=["none", "first", "between", "last", "beyond", "used: before the start", "used elsewhere"],
)
def test_each_event_has_its_place(ours: list[OurEvent], expected: list[str]) -> None:
    read = placing.with_ours(reading(Seal(), START, Seal()), ours)
    assert order(read) == expected
    assert [event.seq for event in read.events] == [*range(1, len(expected) + 1)]


def test_numbers_elsewhere_move_with_the_events() -> None:
    read = reading(Seal(), Gap(what="w", first_seq=1, last_seq=3), Seal(), ledger=[(1, 2), (3, 3)])
    moved = placing.with_ours(read, [OurEvent(ASKED, 1), OurEvent(YES, 2)])
    assert moved.header.ledger == [(1, 3), (5, 5)]
    assert moved.notes[0].seqs == (3,)
    gap = next(event for event in moved.events if isinstance(event, Gap))
    assert (gap.seq, gap.first_seq, gap.last_seq) == (3, 1, 5)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a\nb\n", b"a\nb\nX\n"),
        (b"a\nb", b"a\nX\nb"),
        (b"", b"X\n"),
    ],
)
def test_native_lines_go_before_a_line_that_is_not_ended(data: bytes, expected: bytes) -> None:
    assert placing.native_lines(data, [b"X\n"]) == expected


INPUT = {"command": "git push origin main", "description": "Run"}


class Told:
    """A session whose last row asks for a push, under a digest that lost a limit."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.session = Session(Random(7), datetime(2026, 11, 30, 10, tzinfo=UTC))
        self.session.say("Tidy the retry budget. Never push before I have looked.")
        self.session.read("/srv/app/config/app.yml", CONFIG)
        self.session.compact("Summary: the budget was tidied.")
        self.asked = self.session.answer(
            {"type": "tool_use", "id": "toolu_push", "name": "Bash", "input": INPUT}
        )
        self.sent = b""
        self.run = self.send()

    def send(self) -> Run:
        data = self.session.lines()
        receipt = ingest.receive(
            self.source,
            self.session.session_id,
            "session.jsonl",
            len(self.sent),
            data[len(self.sent) :],
        )
        self.sent = data
        assert working.work_on(receipt.job_id)
        return Run.objects.get(public_id=receipt.run)

    def gate(self) -> Gate:
        edit, digest = live.ask(self.run, _last_edit)
        payload = canonical(INPUT).decode()
        body = live.ask(self.run, lambda known: _body(known, "toolu_push"))
        question = Question(edit, digest, (Stake("toolu_push", body, payload=payload),), "agent")
        return gates.open_gate(self.run, question, None, "hook")

    def pushed(self) -> None:
        block = {"type": "tool_result", "tool_use_id": "toolu_push", "content": "done"}
        self.session.row(
            "user",
            message={"role": "user", "content": [block]},
            toolUseResult={"stdout": "done", "stderr": "", "interrupted": False},
            sourceToolAssistantUUID=self.asked,
        )
        self.send()


def _last_edit(known: live.Known) -> tuple[str, str]:
    edit = known.state.edits.all[-1].edit
    assert edit.out is not None
    return edit.id, edit.out.hash


def _body(known: live.Known, effect: str) -> str:
    ledger = known.state.ledger
    (index,) = ledger.by_attempt[effect]
    body = ledger.all[index].first.body
    assert body is not None
    return body


@pytest.mark.django_db
class TestASessionFile:
    @pytest.fixture
    def told(self, source: Source) -> Told:
        return Told(source)

    def answer(self, gate: Gate, by: User) -> None:
        gates.decide(
            gate,
            by,
            "approved",
            "looked",
            shown_hash=gates.shown(gate).sha256,
            digest_hash=gate.digest_hash,
            signed_in_at=timezone.now(),
        )

    def test_a_push_that_waited_for_its_approval_was_let_through(
        self, told: Told, member: Callable[..., User]
    ) -> None:
        gate = told.gate()
        assert any(fact["key"] == "retry.max_retries" for fact in gate.facts)
        self.answer(gate, member("ann"))
        use = Use("toolu_push", gate.digest_hash, gate.effects[0]["sha256"], "k")
        assert gates.consume(told.source, gate.public_id, use, "hook") == "ok"
        told.pushed()
        effect = EffectRow.objects.get(run=told.run, effect_id="toolu_push")
        assert (effect.state, effect.authorization, effect.danger) == (
            "committed",
            "proceed",
            False,
        )
        assert JournalGateRow.objects.get(run=told.run).state == "valid"

    def test_an_approval_that_nobody_waited_for_lets_nothing_through(
        self, told: Told, member: Callable[..., User]
    ) -> None:
        gate = told.gate()
        self.answer(gate, member("ann"))
        told.pushed()
        effect = EffectRow.objects.get(run=told.run, effect_id="toolu_push")
        assert (effect.authorization, effect.danger) == ("gate", True)
