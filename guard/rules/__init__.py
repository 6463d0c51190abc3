"""Every rule in code order, and the findings that they make (`report-format.md` 5.10).

To add one: one file, one line here, two journals in `tests/journals/<CODE>/`.
"""

from __future__ import annotations

from guard.rules.jg101_rollback_unsound import rollback_is_unsound
from guard.rules.jg102_rollback_unknown import rollback_may_be_unsound
from guard.rules.jg103_effect_unauthorized import effect_without_authorization
from guard.rules.jg104_proposal_held import proposal_is_not_to_proceed
from guard.rules.jg105_applied_against_answer import edit_was_applied_against_the_answer
from guard.rules.jg106_key_reused import key_was_used_for_two_effects
from guard.rules.jg107_residue import rollback_has_residue
from guard.rules.jg108_worthless_approval import approval_is_worthless
from guard.rules.jg109_edit_over_effect import effect_under_an_edit_in_force
from guard.rules.jg110_human_went_back import person_went_back_over_an_effect
from guard.rules.jg111_dropped_before_write import fact_was_lost_before_a_write
from guard.rules.jg112_fact_weakened import digest_changes_a_fact
from guard.rules.jg113_authority_added import digest_claims_authority
from guard.rules.jg201_record_missing import edit_has_no_good_record
from guard.rules.jg202_policy_reaches_records import policy_reaches_the_recovery_store
from guard.rules.jg203_closure_unknown import closure_is_unknown
from guard.rules.jg204_record_late import record_came_after_its_edit
from guard.rules.jg205_edit_id_twice import one_id_stands_on_two_edits
from guard.rules.jg206_record_lost import record_is_known_to_be_lost
from guard.rules.jg301_crossing_unreconciled import crossing_was_not_reconciled
from guard.rules.jg302_retention_mismatch import window_is_not_what_was_declared
from guard.rules.jg303_swap_refused import policy_changed_over_open_edits
from guard.rules.jg304_rollback_halts import rollback_should_have_halted
from guard.rules.jg305_pinned_span_taken import pinned_span_was_taken
from guard.rules.jg306_retention_unknown import nobody_looked_at_the_window
from guard.rules.jg401_journal_broken import journal_is_not_whole
from guard.rules.jg402_journal_gap import numbers_are_missing
from guard.rules.jg403_torn_line import last_line_is_torn
from guard.rules.jg404_unknown_kind import kind_is_unknown
from guard.rules.jg901_ledger_incomplete import ledger_is_not_complete
from guard.rules.jg902_edit_vague import edit_does_not_say_what_it_took
from guard.rules.jg903_digest_opaque import digest_is_opaque
from guard.rules.jg904_window_misfit import window_is_not_the_one_on_record
from guard.rules.rule import Draft, Finding, Rule, Timelines
from guard.state import State

RULES: tuple[Rule, ...] = (
    rollback_is_unsound,
    rollback_may_be_unsound,
    effect_without_authorization,
    proposal_is_not_to_proceed,
    edit_was_applied_against_the_answer,
    key_was_used_for_two_effects,
    rollback_has_residue,
    approval_is_worthless,
    effect_under_an_edit_in_force,
    person_went_back_over_an_effect,
    fact_was_lost_before_a_write,
    digest_changes_a_fact,
    digest_claims_authority,
    edit_has_no_good_record,
    policy_reaches_the_recovery_store,
    closure_is_unknown,
    record_came_after_its_edit,
    one_id_stands_on_two_edits,
    record_is_known_to_be_lost,
    crossing_was_not_reconciled,
    window_is_not_what_was_declared,
    policy_changed_over_open_edits,
    rollback_should_have_halted,
    pinned_span_was_taken,
    nobody_looked_at_the_window,
    journal_is_not_whole,
    numbers_are_missing,
    last_line_is_torn,
    kind_is_unknown,
    ledger_is_not_complete,
    edit_does_not_say_what_it_took,
    digest_is_opaque,
    window_is_not_the_one_on_record,
)
"""In code order; the code is part of the file's name."""


def drafts(state: State) -> list[Draft]:
    """All findings without their numbers, by (lowest number or 0, code, subject).

    There is one for each (code, subject): of two things with one id, it is about the first.
    """
    timelines = Timelines(state)
    found: dict[tuple[str, str], Draft] = {}
    for rule in RULES:
        for draft in rule.drafts(state, timelines):
            found.setdefault((draft.code, draft.subject), draft)
    return sorted(found.values(), key=lambda draft: (draft.lowest(), draft.code, draft.subject))


def findings(state: State) -> list[Finding]:
    """All findings (`report-format.md` 5.10). An edit in force makes the numbers many."""
    return [draft.finding() for draft in drafts(state)]
