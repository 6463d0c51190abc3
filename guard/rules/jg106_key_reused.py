"""JG106."""

from __future__ import annotations

from collections.abc import Iterator

from guard.ledger import Logical
from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG106", "warning", "proven")
def key_was_used_for_two_effects(state: State, report: Reporter) -> Iterator[Draft]:
    """An idempotency key was used with two bodies: the second is another effect, not a retry.

    ## Why it matters
    The key says "this, once". With another body the other side either does something else under
    the name of the first call, or drops it and answers for the first one.

    ## Example
    `invoice-7` was sent over 90, timed out, and was sent again over 95. Both may have been paid.

    ## What to do
    Ask the other side which of the bodies it holds under this key. In the runtime, derive the key
    from the body, and repeat key and body on every step of an attempt.

    ## Source
    `semantics.md` 5.1; `journal-format.md` 4.6; `report-format.md` 5.10, JG106.
    """
    first: dict[str, Logical] = {}
    for effect in state.effect_rows():
        key = effect.key[0]
        if key is not None and first.setdefault(key, effect) is not effect:
            text = f"{effect.id} uses the key {key} of {first[key].id} with another body"
            yield report(effect.id, text, [first[key].first.seq, effect.first.seq])
