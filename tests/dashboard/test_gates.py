"""Gates (`gates.md`): who may answer, about which bytes, once and in time; what it lets through."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from dashboard import clock, gates, ingest, recording, sweeping, working
from dashboard.gates import GateRefused, Question, Stake, Use
from dashboard.models import (
    Consumption,
    Decision,
    EffectRow,
    Entry,
    Gate,
    GateEvent,
    Job,
    JournalGateRow,
    Membership,
    RollbackRow,
    Run,
    Source,
    Verdict,
    Vote,
)
from guard.events import Header
from tests.dashboard.making import (
    CONFIG,
    DIGEST,
    EDIT,
    HEADER,
    PATCH,
    PAYLOAD,
    RECORD,
    SPAN,
    lines,
    numberless,
    sha,
)

pytestmark = pytest.mark.django_db
State = Gate.State
People = Callable[..., User]

STAKE = Stake("patch", sha(PAYLOAD), "http.patch", "storage.example.net", "lifecycle", PAYLOAD)
QUESTION = Question(edit="e1", digest=sha(DIGEST), effects=(STAKE,), agent="agent-1")
HELD = {**PATCH, "state": "held"}
RACES = int(os.environ.get("GATE_RACES", "100"))
"""Of two people at once; `make faults` runs a thousand."""


@pytest.fixture
def run(source: Source) -> Run:
    """A live run whose digest lost a limit, with a write held under it."""
    header = Header(format="context-journal/1", id="run-7", agent="agent-1", ledger="complete")
    made, _ = recording.open_run(source, header, "token", None)
    send(made, SPAN, RECORD, EDIT, HELD)
    return made


@pytest.fixture
def ann(member: People) -> User:
    return member("ann")


@pytest.fixture
def bob(member: People) -> User:
    return member("bob")


@pytest.fixture
def gate(run: Run) -> Gate:
    return gates.open_gate(run, QUESTION, None, "token")


def send(run: Run, *events: dict[str, Any]) -> None:
    recording.append(run, lines(*map(numberless, events)), "token")


def answer(gate: Gate, by: User, said: str = "approved", **more: Any) -> Gate:
    click = {
        "reason": "checked the limit",
        "shown_hash": more.get("shown_hash") or gates.shown(gate).sha256,
        "digest_hash": gate.digest_hash,
        "signed_in_at": timezone.now(),
        **more,
    }
    return gates.decide(gate, by, said, **click)


def refused(gate: Gate, by: User, said: str = "approved", **more: Any) -> GateRefused:
    with pytest.raises(GateRefused) as caught:
        answer(gate, by, said, **more)
    return caught.value


def use(gate: Gate, **more: Any) -> str:
    wanted = {
        "effect": "patch",
        "digest": gate.digest_hash or None,
        "payload_sha256": sha(PAYLOAD),
        "key": "k1",
        **more,
    }
    return gates.consume(gate.run.source, gate.public_id, Use(**wanted), "token")


def judged(run: Run) -> Run:
    job = Job.objects.get(run=run, state=Job.State.PENDING)
    assert working.work_on(job.pk)
    run.refresh_from_db()
    return run


def state_of(gate: Gate) -> str:
    return Gate.objects.get(pk=gate.pk).state


class TestAsking:
    def test_everything_an_answer_rests_on_is_bound(self, run: Run, gate: Gate) -> None:
        assert (gate.state, gate.digest_hash, gate.digest_text) == ("pending", sha(DIGEST), DIGEST)
        assert gate.effects[0]["payload"] == PAYLOAD
        lost = [fact for fact in gate.facts if fact["status"] == "dropped"]
        assert [(fact["key"], fact["value"], fact["source_line"]) for fact in lost] == [
            ("max_retries", "0", 2)
        ]
        assert gate.shown_hash == gates.shown(gate).sha256
        assert gate.window_hash
        assert Entry.objects.filter(kind="gate.requested", run=run).count() == 1

    def test_the_journal_says_that_it_was_asked(self, run: Run, gate: Gate) -> None:
        event = GateEvent.objects.get(gate=gate).event
        assert (event["state"], event["by"], event["seq"]) == ("requested", "agent-1", 5)
        assert event["effects"] == {"patch": sha(PAYLOAD)}
        assert JournalGateRow.objects.filter(run=judged(run)).get().state == "pending"

    def test_the_same_question_is_the_same_gate(self, run: Run, gate: Gate) -> None:
        assert gates.open_gate(run, QUESTION, None, "token") == gate
        other = Question(edit="e1", digest=sha(DIGEST), effects=())
        assert gates.open_gate(run, other, None, "token") != gate

    @pytest.mark.parametrize(
        ("changed", "missing"),
        [
            ({"edit": "e9"}, "edit e9"),
            ({"digest": sha("other")}, "digest sha256"),
            ({"policy": "sha256:p9"}, "policy sha256:p9"),
            ({"effects": (Stake("patch", sha("other"), payload="other"),)}, "another body"),
            ({"effects": (Stake("patch", sha(PAYLOAD), payload="other"),)}, "another hash"),
            ({"effects": (Stake("patch", sha(PAYLOAD)),)}, "payload with"),
        ],
    )
    def test_a_request_about_bytes_that_are_not_here_creates_nothing(
        self, run: Run, changed: dict[str, Any], missing: str
    ) -> None:
        fields = {name: getattr(QUESTION, name) for name in QUESTION.__struct_fields__}
        before = GateEvent.objects.count(), Entry.objects.count()
        with pytest.raises(GateRefused) as caught:
            gates.open_gate(run, Question(**{**fields, **changed}), None, "token")
        assert caught.value.code == "missing"
        assert missing in str(caught.value.shown["missing"])
        assert (GateEvent.objects.count(), Entry.objects.count()) == before
        assert not Gate.objects.exists()

    def test_the_default_time_depends_on_the_risk(self, run: Run) -> None:
        commit = gates.open_gate(run, QUESTION, None, "token")
        other = gates.open_gate(run, Question("e1", sha(DIGEST), (), risk="other"), None, "token")
        assert commit.expires_at - commit.created_at == timedelta(minutes=60)
        assert other.expires_at - other.created_at == timedelta(hours=24)


class TestAnswering:
    def test_an_approval_is_one_decision_one_entry_and_one_event(
        self, run: Run, gate: Gate, ann: User
    ) -> None:
        answer(gate, ann)
        decision = Decision.objects.get(gate=gate)
        assert (decision.by, decision.answer, decision.reason) == (
            ann,
            "approved",
            "checked the limit",
        )
        assert Entry.objects.filter(kind="gate.approved").count() == 1
        event = GateEvent.objects.get(gate=gate, event__state="approved").event
        assert (event["by"], event["human"], event["digest"]) == ("ann", True, sha(DIGEST))
        assert JournalGateRow.objects.get(run=judged(run)).state == "valid"
        assert EffectRow.objects.get(run=run).authorization == "proceed"

    def test_a_rejection_is_final(self, run: Run, gate: Gate, ann: User, bob: User) -> None:
        answer(gate, ann, "rejected", reason="the limit is gone")
        assert refused(gate, bob).shown["winner"] == "ann"
        assert use(gate) == "not_approved"
        assert JournalGateRow.objects.get(run=judged(run)).state == "rejected"
        assert EffectRow.objects.get(run=run).authorization == "refuse"

    def test_the_second_answer_is_told_who_was_first(
        self, gate: Gate, ann: User, bob: User
    ) -> None:
        answer(gate, ann)
        late = refused(gate, bob, "rejected")
        assert (late.code, late.shown["winner"]) == ("decided", "ann")
        assert Decision.objects.count() == 1
        assert Entry.objects.filter(kind="gate.refused", actor="bob").exists()

    def test_what_was_withdrawn_is_not_answered(self, gate: Gate, ann: User) -> None:
        gates.withdraw(gate, "token")
        assert refused(gate, ann).code == "withdrawn"
        assert use(gate) == "not_approved"

    @pytest.mark.parametrize("role", ["investigator", "lead", "admin"])
    def test_only_reviewers_answer(self, gate: Gate, member: People, role: str) -> None:
        assert refused(gate, member("carl", role)).code == "forbidden"

    def test_reviewers_of_another_source_do_not_answer(self, gate: Gate, member: People) -> None:
        other = Source.objects.create(slug="other", name="Other")
        assert refused(gate, member("carl", at=other)).code == "forbidden"

    def test_a_superuser_without_the_role_does_not_answer(self, gate: Gate) -> None:
        root = User.objects.create_superuser("root", "root@example.org", "a long password")
        assert refused(gate, root).code == "forbidden"

    def test_a_role_or_an_account_lost_since_the_click_does_not_answer(
        self, gate: Gate, ann: User, bob: User
    ) -> None:
        Membership.objects.filter(user=ann).delete()
        assert refused(gate, ann).code == "forbidden"
        User.objects.filter(pk=bob.pk).update(is_active=False)
        assert refused(gate, bob).code == "forbidden"

    def test_the_agents_owner_does_not_answer(
        self, gate: Gate, source: Source, member: People
    ) -> None:
        Membership.objects.create(user=source.owner, source=source, role="reviewer")
        assert refused(gate, source.owner).code == "self"

    def test_a_second_account_of_the_owner_does_not_answer(
        self, gate: Gate, source: Source, member: People
    ) -> None:
        second = member("second", email=source.owner.email.upper())
        assert refused(gate, second).code == "self"

    @pytest.mark.parametrize("name", ["agent-1", "AGENT-1"])
    def test_the_requester_does_not_answer(self, gate: Gate, member: People, name: str) -> None:
        assert refused(gate, member(name)).code == "self"

    def test_the_author_of_the_digest_does_not_answer(self, source: Source, member: People) -> None:
        header = Header(format="context-journal/1", id="run-8", ledger="complete")
        run, _ = recording.open_run(source, header, "token", None)
        send(run, SPAN, RECORD, {**EDIT, "author": "carl@example.org"}, HELD)
        gate = gates.open_gate(run, QUESTION, None, "token")
        assert refused(gate, member("carl")).code == "self"

    def test_who_made_the_token_does_not_answer_for_it(self, run: Run, ann: User) -> None:
        from dashboard import tokens

        token, _ = tokens.issue(run.source, "t", "propose", ann)
        gate = gates.open_gate(run, QUESTION, token, "token")
        assert refused(gate, ann).code == "self"

    def test_an_old_sign_in_does_not_answer_a_commit_phase_gate(
        self, run: Run, gate: Gate, ann: User
    ) -> None:
        old = timezone.now() - timedelta(hours=2)
        assert refused(gate, ann, signed_in_at=old).code == "reauthenticate"
        assert refused(gate, ann, signed_in_at=None).code == "reauthenticate"
        other = gates.open_gate(run, Question("e1", sha(DIGEST), (), risk="other"), None, "token")
        assert answer(other, ann, signed_in_at=old).state == State.APPROVED

    @pytest.mark.parametrize("reason", ["", "  \n", "x" * 5000])
    def test_a_reason_is_required(self, gate: Gate, ann: User, reason: str) -> None:
        assert refused(gate, ann, reason=reason).code == "reason_required"

    def test_silence_is_a_no(self, run: Run, gate: Gate, ann: User) -> None:
        run_out(gate)
        assert refused(gate, ann).code == "expired"
        assert state_of(gate) == State.EXPIRED
        assert use(gate) == "expired"
        assert JournalGateRow.objects.get(run=judged(run)).state == "revoked"

    def test_the_sweeper_ends_what_ran_out(self, gate: Gate) -> None:
        run_out(gate)
        sweeping.sweep()
        assert state_of(gate) == State.EXPIRED
        assert sweeping.gates.expire_due() == 0

    @pytest.mark.parametrize(("late_ms", "expired"), [(-1, False), (0, False), (1, True)])
    def test_the_limit_itself_is_still_in_time(
        self, gate: Gate, ann: User, late_ms: int, expired: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        then = gate.expires_at + timedelta(milliseconds=late_ms)
        monkeypatch.setattr(clock, "now", lambda: then)
        if expired:
            assert refused(gate, ann, signed_in_at=then).code == "expired"
        else:
            assert answer(gate, ann, signed_in_at=then).state == State.APPROVED

    def test_the_database_refuses_a_second_decision_and_any_change(
        self, gate: Gate, ann: User
    ) -> None:
        answer(gate, ann)
        for statement in (
            "UPDATE dashboard_decision SET answer = 'rejected'",
            "DELETE FROM dashboard_decision",
            "UPDATE dashboard_gate SET digest_hash = 'x'",
            "UPDATE dashboard_gate SET effects = '[]'",
            "DELETE FROM dashboard_gate",
        ):
            with pytest.raises(DatabaseError), transaction.atomic():
                connection.cursor().execute(statement)
        with pytest.raises(DatabaseError), transaction.atomic():
            Decision.objects.create(
                gate=gate, by=ann, answer="rejected", reason="x", decided_at=timezone.now()
            )


def run_out(gate: Gate) -> None:
    """Let the time of a gate be over, which its own trigger would refuse."""
    from tests.triggers import triggers_off

    with triggers_off(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET session_replication_role = replica")
        Gate.objects.filter(pk=gate.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
        if connection.vendor == "postgresql":
            cursor.execute("SET session_replication_role = DEFAULT")
    gate.refresh_from_db()


class TestWhatChangedSince:
    def test_another_digest_hash_than_the_gates(self, gate: Gate, ann: User) -> None:
        late = refused(gate, ann, digest_hash=sha("other"))
        assert (late.code, late.shown) == ("changed", {"seen": sha("other"), "now": sha(DIGEST)})

    def test_another_page_than_the_present_one(self, gate: Gate, ann: User) -> None:
        late = refused(gate, ann, shown_hash="0" * 64)
        assert late.code == "changed"
        assert late.shown["now"] == gates.shown(gate).sha256

    def test_a_digest_that_was_edited_again(self, run: Run, gate: Gate, ann: User) -> None:
        again = {"id": "d2", "hash": sha("x"), "text": "x"}
        shown = gates.shown(gate).sha256
        send(run, {**RECORD, "edit": "e2", "prior": {"d1": sha(DIGEST)}})
        send(run, {**EDIT, "id": "e2", "in": ["d1"], "out": again})
        assert refused(gate, ann, shown_hash=shown).code == "changed"
        assert state_of(gate) == State.PENDING

    def test_an_edit_that_was_rolled_back(self, run: Run, gate: Gate, ann: User) -> None:
        shown = gates.shown(gate).sha256
        send(run, {"kind": "rollback", "id": "r1", "edits": ["e1"]})
        assert refused(gate, ann, shown_hash=shown).code == "rolled_back"
        assert state_of(gate) == State.WITHDRAWN

    def test_a_policy_that_was_swapped(self, run: Run, gate: Gate, ann: User) -> None:
        shown = gates.shown(gate).sha256
        send(run, {"kind": "policy", "id": "P2", "digest": "sha256:p2"})
        assert refused(gate, ann, shown_hash=shown).code == "epoch_swapped"
        assert use(gate) == "epoch_swapped"

    def test_rules_that_changed(
        self, gate: Gate, ann: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shown = gates.shown(gate).sha256
        monkeypatch.setattr("dashboard.gates.present.RULES_VERSION", "next")
        assert refused(gate, ann, shown_hash=shown).code == "changed"

    def test_a_journal_that_cannot_be_judged_opens_nothing(
        self, run: Run, gate: Gate, ann: User
    ) -> None:
        shown = gates.shown(gate).sha256
        spoil(run)
        assert refused(gate, ann, shown_hash=shown).code == "error"
        assert use(gate) == "error"
        assert state_of(gate) == State.PENDING


def spoil(run: Run) -> None:
    """Bytes in the file that no reader takes, as a broken disk might put them there."""
    from dashboard import receiving

    with transaction.atomic():
        locked = Run.objects.select_for_update().get(pk=run.pk)
        file = receiving.current_file(locked, recording.EVENTS_FILE)
        stored = receiving.store(file, file.size_bytes, b"nonsense\n")
        ingest.note_received(locked, stored, "test")


class TestUsing:
    def test_an_approval_is_used_once(self, gate: Gate, ann: User) -> None:
        assert use(gate) == "pending"
        answer(gate, ann)
        assert use(gate) == "ok"
        assert state_of(gate) == State.CONSUMED
        assert use(gate, key="k2") == "consumed"
        assert Consumption.objects.count() == 1
        assert Entry.objects.filter(kind="gate.consumed").count() == 1

    def test_a_retry_is_the_same_use(self, gate: Gate, ann: User) -> None:
        answer(gate, ann)
        assert [use(gate), use(gate), use(gate)] == ["ok", "ok", "ok"]
        assert use(gate, payload_sha256=sha("other")) == "consumed"
        assert Consumption.objects.count() == 1

    @pytest.mark.parametrize(
        ("changed", "code"),
        [
            ({"digest": sha("other")}, "digest_mismatch"),
            ({"digest": None}, "digest_mismatch"),
            ({"payload_sha256": sha("other")}, "payload_mismatch"),
            ({"effect": "other"}, "unknown"),
        ],
    )
    def test_only_exactly_what_was_approved(
        self, gate: Gate, ann: User, changed: dict[str, Any], code: str
    ) -> None:
        answer(gate, ann)
        assert use(gate, **changed) == code
        assert use(gate) == "ok"

    def test_a_gate_of_another_source_is_unknown(self, gate: Gate, ann: User) -> None:
        answer(gate, ann)
        other = Source.objects.create(slug="other", name="Other")
        wanted = Use("patch", sha(DIGEST), sha(PAYLOAD), "k")
        assert gates.consume(other, gate.public_id, wanted, "token") == "unknown"
        assert gates.consume(gate.run.source, "g-none", wanted, "token") == "unknown"

    def test_a_digest_that_changes_is_stale_and_stands_again_when_it_is_back(
        self, run: Run, gate: Gate, ann: User
    ) -> None:
        answer(gate, ann)
        send(run, {**RECORD, "edit": "e2", "prior": {"d1": sha(DIGEST)}})
        out = {"id": "d2", "hash": sha("x"), "text": "x"}
        send(run, {**EDIT, "id": "e2", "in": ["d1"], "out": out})
        assert use(gate) == "digest_mismatch"
        assert state_of(gate) == State.APPROVED
        number = Run.objects.get(pk=run.pk).last_seq
        send(run, {"kind": "rollback", "id": "r2", "edits": ["e2"]})
        assert number
        assert use(gate) == "ok"

    def test_a_payload_that_changed_after_the_approval(
        self, run: Run, gate: Gate, ann: User
    ) -> None:
        answer(gate, ann)
        send(run, {**HELD, "body": sha("other")})
        assert use(gate) == "payload_mismatch"

    def test_a_rollback_makes_an_approval_void_for_good(
        self, run: Run, gate: Gate, ann: User
    ) -> None:
        answer(gate, ann)
        send(run, {"kind": "rollback", "id": "r1", "edits": ["e1"]})
        judged(run)
        assert state_of(gate) == State.VOID
        assert use(gate) == "void"
        send(run, {**RECORD, "edit": "e3"}, {**EDIT, "id": "e3"})
        assert use(gate) == "void"
        judged(run)
        assert JournalGateRow.objects.get(run=run).state == "revoked"

    def test_a_rollback_counts_before_anybody_has_judged_it(
        self, run: Run, gate: Gate, ann: User
    ) -> None:
        answer(gate, ann)
        send(run, {"kind": "rollback", "id": "r1", "edits": ["e1"]})
        assert use(gate) == "rolled_back"
        assert state_of(gate) == State.VOID

    def test_an_approval_given_inside_a_window_that_is_rolled_back_is_void(
        self, run: Run, gate: Gate, ann: User
    ) -> None:
        """The gate's own edit stands; what the reviewer saw around it does not."""
        send(run, {**SPAN, "id": "s2"}, {**RECORD, "edit": "e2", "prior": {"s2": sha(CONFIG)}})
        send(run, {**EDIT, "id": "e2", "in": ["s2"], "out": {**EDIT["out"], "id": "d2"}})
        answer(gate, ann)
        send(run, {"kind": "rollback", "id": "r1", "edits": ["e2"]})
        assert use(gate) == "void"
        assert state_of(gate) == State.VOID
        assert use(gate) == "void"

    def test_an_approval_runs_out_too(self, gate: Gate, ann: User) -> None:
        answer(gate, ann)
        run_out(gate)
        assert use(gate) == "expired"
        assert state_of(gate) == State.REVOKED

    def test_a_revoked_approval_lets_nothing_through(
        self, run: Run, gate: Gate, ann: User, bob: User
    ) -> None:
        answer(gate, ann)
        gates.revoke(gate, bob, "changed my mind")
        assert use(gate) == "not_approved"
        assert JournalGateRow.objects.get(run=judged(run)).state == "revoked"

    def test_what_was_used_cannot_be_revoked(self, gate: Gate, ann: User) -> None:
        answer(gate, ann)
        use(gate)
        with pytest.raises(GateRefused, match="not_approved"):
            gates.revoke(gate, ann, "too late")

    def test_each_effect_is_used_once(self, run: Run, ann: User) -> None:
        send(run, {**HELD, "id": "second"})
        both = Question("e1", sha(DIGEST), (STAKE, Stake("second", sha(PAYLOAD), payload=PAYLOAD)))
        gate = gates.open_gate(run, both, None, "token")
        answer(gate, ann)
        assert use(gate) == "ok"
        assert state_of(gate) == State.APPROVED
        assert use(gate, effect="second", key="k2") == "ok"
        assert state_of(gate) == State.CONSUMED

    def test_an_effect_that_was_let_through_is_residue_and_not_unsound(
        self, run: Run, gate: Gate, ann: User
    ) -> None:
        answer(gate, ann)
        use(gate)
        send(run, {**PATCH, "state": "started"}, {**PATCH, "state": "committed"})
        send(run, {"kind": "rollback", "id": "r1", "edits": ["e1"]})
        rollback = RollbackRow.objects.get(run=judged(run))
        assert (rollback.soundness, rollback.residue) == ("sound", ["patch"])
        assert not EffectRow.objects.get(run=run).danger

    def test_an_approval_that_an_agent_claims_is_no_approval(
        self, source: Source, ann: User
    ) -> None:
        asked = {
            "kind": "gate",
            "seq": 5,
            "id": "forged",
            "state": "requested",
            "edit": "e1",
            "digest": sha(DIGEST),
            "effects": {"patch": sha(PAYLOAD)},
            "by": "agent-1",
        }
        forged = {**asked, "seq": 6, "state": "approved", "by": "ann", "human": True}
        data = lines(HEADER, SPAN, RECORD, EDIT, HELD, asked, forged)
        receipt = ingest.receive(source, "run-9", "run-9.ndjson", 0, data)
        run = Run.objects.get(public_id=receipt.run)
        from dashboard import live

        states = live.ask(run, lambda known: _states(known.state))
        assert states == {"forged": "nonhuman"}


def _states(state: Any) -> dict[str, str]:
    return {name: state.gate_state(gate) for name, gate in state.gates.all.items()}


class TestPinning:
    def test_the_pinned_digest_is_a_new_gate_with_the_approval(
        self, run: Run, gate: Gate, ann: User
    ) -> None:
        new = answer(gate, ann, pins=["config/uploader.yaml:max_retries"])
        gate.refresh_from_db()
        assert (gate.state, gate.replaced_by) == (State.WITHDRAWN, new)
        assert (new.state, new.decision.pins) == (
            State.APPROVED,
            ["config/uploader.yaml:max_retries"],
        )
        assert "max_retries: 0" in new.digest_text
        assert new.digest_hash == sha(new.digest_text)
        assert not Decision.objects.filter(gate=gate).exists()
        assert use(gate) == "not_approved"

    def test_the_new_approval_is_bound_to_the_new_digest(
        self, run: Run, gate: Gate, ann: User
    ) -> None:
        new = answer(gate, ann, pins=["config/uploader.yaml:max_retries"])
        assert use(new, digest=gate.digest_hash) == "digest_mismatch"
        assert use(new) == "ok"
        send(run, {**PATCH, "state": "started"})
        assert EffectRow.objects.get(run=judged(run)).authorization == "proceed"

    def test_a_proposal_that_is_made_again_with_the_pins_is_let_through(
        self, source: Source, ann: User
    ) -> None:
        header = Header(format="context-journal/1", id="run-8", ledger="complete")
        run, _ = recording.open_run(source, header, "token", None)
        store = {"payload": True, "verified": True}
        proposal = {**EDIT, "kind": "proposal", "id": "p1", "store": store}
        send(run, SPAN, HELD, proposal)
        question = Question("p1", sha(DIGEST), (STAKE,), agent="agent-1")
        gate = gates.open_gate(run, question, None, "token")
        new = answer(gate, ann, pins=["config/uploader.yaml:max_retries"])
        assert use(new) == "digest_mismatch"
        out = {**proposal["out"], "hash": new.digest_hash, "text": new.digest_text}
        send(run, {**proposal, "out": out})
        assert use(new) == "ok"

    @pytest.mark.parametrize("pin", ["config/uploader.yaml:region", "nowhere:nothing"])
    def test_only_what_was_lost_can_be_pinned(self, gate: Gate, ann: User, pin: str) -> None:
        assert refused(gate, ann, pins=[pin]).code == "pins"
        assert state_of(gate) == State.PENDING


class TestSeveralPeople:
    @pytest.fixture
    def gate(self, run: Run) -> Gate:
        question = Question("e1", sha(DIGEST), (STAKE,), agent="agent-1", needed=2)
        return gates.open_gate(run, question, None, "token")

    def test_the_last_approval_that_is_needed_opens_it(
        self, run: Run, gate: Gate, ann: User, bob: User
    ) -> None:
        assert answer(gate, ann).state == State.PENDING
        assert use(gate) == "pending"
        assert answer(gate, bob).state == State.APPROVED
        assert Decision.objects.get().by == bob
        assert Vote.objects.count() == 2
        assert GateEvent.objects.filter(event__state="approved").count() == 1

    def test_nobody_counts_twice(self, gate: Gate, ann: User, member: People) -> None:
        answer(gate, ann)
        assert refused(gate, ann).code == "decided"
        assert refused(gate, member("ann2", email=ann.email)).code == "decided"

    def test_one_rejection_ends_it(self, gate: Gate, ann: User, bob: User) -> None:
        answer(gate, ann)
        assert answer(gate, bob, "rejected").state == State.REJECTED


class TestClaims:
    def test_a_claim_keeps_others_out_for_a_while(self, gate: Gate, ann: User, bob: User) -> None:
        gates.claim(gate, ann)
        with pytest.raises(GateRefused, match="claimed"):
            gates.claim(gate, bob)
        assert refused(gate, bob).shown["holder"] == "ann"
        assert answer(gate, ann).state == State.APPROVED

    def test_a_claim_ends_by_itself_or_when_it_is_given_back(
        self, gate: Gate, ann: User, bob: User
    ) -> None:
        gates.claim(gate, ann)
        Gate.objects.filter(pk=gate.pk).update(claim_until=timezone.now() - timedelta(seconds=1))
        assert gates.claim(gate, bob).claimed_by == bob
        gates.release(gate, ann)
        assert Gate.objects.get(pk=gate.pk).claimed_by == bob
        gates.release(gate, bob)
        assert answer(gate, ann).state == State.APPROVED


@pytest.mark.django_db(transaction=True)
class TestRaces:
    def test_every_race_has_one_winner(self, run: Run, ann: User, bob: User) -> None:
        """Two people at once, one approving, one rejecting: one decision, and one is told."""
        live_gates = [_cheap_gate(run, number) for number in range(RACES)]
        shown = {gate.pk: gates.shown(gate).sha256 for gate in live_gates}
        told: dict[int, list[str]] = {gate.pk: [] for gate in live_gates}
        start = threading.Barrier(2)

        def click_through(by: User, said: str) -> None:
            for gate in live_gates:
                start.wait(timeout=60)
                try:
                    answer(gate, by, said, shown_hash=shown[gate.pk])
                    told[gate.pk].append("won")
                except GateRefused as late:
                    told[gate.pk].append(late.code)

        _together([lambda: click_through(ann, "approved"), lambda: click_through(bob, "rejected")])
        assert all(sorted(words) == ["decided", "won"] for words in told.values())
        assert Decision.objects.count() == RACES
        for gate in live_gates:
            assert state_of(gate) == Decision.objects.get(gate=gate).answer

    def test_many_uses_at_once_are_one(self, run: Run, ann: User) -> None:
        gate = gates.open_gate(run, QUESTION, None, "token")
        answer(gate, ann)
        codes: list[str] = []
        _together([lambda n=n: codes.append(use(gate, key=f"k{n}")) for n in range(8)])
        assert sorted(codes) == ["consumed"] * 7 + ["ok"]


def _cheap_gate(run: Run, number: int) -> Gate:
    """A gate of its own for each race, without a journal event for each."""
    now = timezone.now()
    return Gate.objects.create(
        public_id=f"g-race{number}",
        run=run,
        edit_id="e1",
        digest_hash=sha(DIGEST),
        digest_text=DIGEST,
        edit_hash=sha(DIGEST),
        shown_hash="",
        rules_version="1",
        requester_agent="agent-1",
        position=10**9,
        created_at=now,
        expires_at=now + timedelta(hours=1),
    )


def _together(calls: list[Callable[[], object]]) -> None:
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], object]) -> None:
        start.wait()
        try:
            call()
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_a_verdict_is_never_good_while_the_journal_cannot_be_read(run: Run) -> None:
    spoil(run)
    judged(run)
    assert Verdict.objects.get(run=run, current=True).soundness == "unknown"
