"""A rule in other words: reversed, softened, paraphrased, only mentioned (guide D3 to D9)."""

import re

from guard.digest.outcome import Status, Verdict
from guard.digest.pieces import CUT, Pieces
from guard.digest.reading import DONE, NEGATIONS, Sense, identifiers, orders, sense
from guard.digest.statements import Statement, trimmed
from guard.digest.wording import words
from guard.digest.wordmatch import changes, clauses_of
from guard.facts.acts import act_of

SHORT = 160
"""Characters up to which `done` in a statement speaks of what the statement is about."""
_CONTROL = frozenset({"ask", "wait", "approve", "show", "review"})
"""Acts that hold another act back."""


_READING = frozenset({"read", "look", "show", "use", "access"})
"""Acts that change nothing."""
_WIDE_ORDER = re.compile(r"(?:こと|ください|せよ|しろ|吧|하세요|하라|할 것)\W*$")
_VAGUE = re.compile(
    r"\b(?:few|some|several|many|multiple|enough|reasonable|einige|mehrere|quelques|plusieurs|"
    r"algunos|varios|alguns|alcuni)\b",
    re.IGNORECASE,
)


class Reworded:
    """Looks for statements about the rule when its words are not there."""

    def __init__(self, rule: str, pieces: Pieces, *, heading: bool) -> None:
        self.rule = rule
        self.sense = sense(rule)
        self.core = _forbidding_part(rule, self.sense)
        self.pieces = pieces
        self.heading = heading

    def verdict(self, verbatim: bool) -> Verdict | None:
        """The first that applies: altered, weakened, unproven (D9); None if nothing is said."""
        several = CUT.search(self.rule) is not None
        found = [
            verdict
            for piece in self.pieces.about(self.sense)
            if (several or not CUT.search(piece.text))
            and (verdict := self._piece(piece.text, piece.statement, piece.sense, verbatim))
        ]
        for status in ("altered", "weakened", "unproven", "dropped"):
            hit = [v for v in found if v.status == status]
            if hit:
                claims = tuple(dict.fromkeys(claim for v in found for claim in v.claims))
                return Verdict(hit[0].status, hit[0].why, hit[0].found, hit[0].line, claims)
        return None

    def _piece(
        self, piece: str, statement: Statement, said: Sense, verbatim: bool
    ) -> Verdict | None:
        if not self._about(said):
            return None if verbatim else self._nearly(piece, statement)
        if verbatim:
            return self._contradicted(piece, said, statement)
        if _reordered(self.rule, piece):
            return Verdict("altered", "another order (D3)", piece, statement.line)
        named = self.sense.most and re.search(
            r"\b(?:budget|limit|cap|max\w*|ceiling)\b", statement.label, re.IGNORECASE
        )
        if named and self.sense.numbers & said.numbers:
            return _unproven(piece, statement.line)
        change = changes(self.rule, piece)
        mild = statement.question or said.soft
        if change is not None and not (mild and "negation is gone" in change[1]):
            status, why = change
            return self._with_claims(
                Verdict(status, why, piece, statement.line), piece, said, statement
            )
        return self._meaning(piece, said, statement)

    def _nearly(self, piece: str, statement: Statement) -> Verdict | None:
        """Another act or thing in the words of the rule (`Do not commit until I confirm`)."""
        change = changes(self.rule, piece)
        if change is None or change[0] != "altered" or "in its place" not in change[1]:
            return None
        said = sense(piece)
        verdict = Verdict(change[0], change[1], piece, statement.line)
        return verdict if said.only else self._with_claims(verdict, piece, said, statement)

    def _about(self, said: Sense) -> bool:
        """Does the piece speak of what the rule binds?"""
        mine = self.sense
        core = mine.acts - _CONTROL or mine.acts
        acts, things = core & said.acts, mine.things & said.things
        whole = 1.5 * len(core) + len(mine.things)
        share = (1.5 * len(acts) + len(things)) / whole if whole else 0
        if identifiers(frozenset(things)):
            return share >= 0.3
        general = bool({"any", "anything", "nothing", "all", "everything"} & set(words(self.rule)))
        strong = bool(acts - _CONTROL - {"use", "leave"}) or len(things) > 1
        if mine.only and said.permits and things and share >= 0.2:
            return True
        strong = strong or (core <= {"use", "leave"} and bool(things))
        return strong and share >= (0.2 if general else 0.34)

    def _contradicted(self, piece: str, said: Sense, statement: Statement) -> Verdict | None:
        """The rule stands there word for word; is it taken back elsewhere? (D8, D9)"""
        if words(piece) == words(self.rule) or set(words(self.rule)) <= set(words(piece)):
            return None
        if said.done and not said.negative and "rule" in piece.casefold():
            return Verdict("altered", "contradicted elsewhere (D9)", piece, statement.line)
        whole = self.sense.things <= said.things and self.sense.acts <= said.acts | {"approve"}
        ordered = self._ordered(piece, said, statement) and not said.negative
        read_only = self.sense.only and self.sense.acts <= _READING and not said.acts <= _READING
        if ordered and read_only and self.sense.things <= said.things:
            why = "more than reading is ordered elsewhere (D9)"
            return self._with_claims(
                Verdict("altered", why, piece, statement.line), piece, said, statement
            )
        if (
            ordered
            and whole
            and self.sense.forbids
            and not self.sense.condition
            and not said.permits
        ):
            return self._with_claims(
                Verdict(
                    "altered", "the forbidden act is ordered elsewhere (D9)", piece, statement.line
                ),
                piece,
                said,
                statement,
            )
        return None

    def _ordered(self, piece: str, said: Sense, statement: Statement) -> bool:
        """Is the act ordered, or on the list of what is to be done?"""
        if said.others or statement.told:
            return False
        todo = bool(
            re.search(
                r"\b(?:left to do|to be done|still to|to do|is next|remaining)\b",
                piece,
                re.IGNORECASE,
            )
        )
        return said.orders or statement.pending or todo

    def _meaning(self, piece: str, said: Sense, statement: Statement) -> Verdict | None:
        """Other words: permission, order, advice, question, or the same in a paraphrase."""
        found, line = piece, statement.line
        if statement.question:
            return Verdict("weakened", "only asked about (D7)", found, line)
        if said.done and not said.negative and len(piece) <= SHORT and not self._own_act(piece):
            return Verdict("altered", "spoken of as lifted or done (D7)", found, line)
        held = self.sense.confirms and said.confirms and said.condition and not _waives(piece)
        held = held or (self.sense.most and said.most)
        if said.permits and not said.only and not held:
            return self._with_claims(
                Verdict("altered", "reversed: the act is allowed (D3)", found, line),
                piece,
                said,
                statement,
            )
        if said.soft or (said.habit and not said.orders):
            return Verdict("weakened", "turned into advice, wish or history (D5)", found, line)
        return self._polarity(piece, said, statement)

    def _own_act(self, piece: str) -> bool:
        """Is the word for done (`dropped`) the act that the rule binds (`never drop a table`)?"""
        found = DONE.search(piece.casefold())
        return found is not None and act_of(found[0]) in self.sense.acts

    def _polarity(self, piece: str, said: Sense, statement: Statement) -> Verdict | None:
        mine, line = self.sense, statement.line
        conflict = _conflict(mine, said)
        binding = said.orders or said.forbids or said.confirms or said.only or said.most
        if conflict and binding and said.negative == mine.negative:
            return Verdict("altered", conflict, piece, line)
        if mine.most and mine.numbers and not said.numbers and _VAGUE.search(piece):
            return Verdict("weakened", "the limit was lost (D5)", piece, line)
        forbidden_here = said.forbids or statement.forbidden
        if mine.confirms and mine.names and said.confirms and not mine.names & set(words(piece)):
            return Verdict("weakened", "who must agree is gone (D5)", piece, line)
        held = bool(said.acts & {"ask", "approve", "wait"}) or not said.orders
        if mine.forbids and mine.confirms and said.confirms and said.condition and held:
            return _unproven(piece, line)
        if mine.forbids or self.heading:
            touched = self.core is self.sense or self.core.things & said.things
            if touched and self._ordered(piece, said, statement) and not forbidden_here:
                asked = "ask" in said.acts and said.condition
                softer = (mine.condition or said.only or asked) and not self.heading
                status: Status = "weakened" if softer else "altered"
                return self._with_claims(
                    Verdict(status, "the forbidden act is ordered (D3, D5)", piece, line),
                    piece,
                    said,
                    statement,
                )
            if forbidden_here or said.others:
                return self._same_side(piece, said, line)
            return self._told(piece, statement)
        return self._positive(piece, said, statement)

    def _same_side(self, piece: str, said: Sense, line: int) -> Verdict:
        """Both forbid: stricter, softer, or only other words."""
        mine = self.sense
        bare = not (said.condition or said.confirms or said.others)
        if mine.condition and bare and said.forbids and len(said.things - mine.things) <= 1:
            return Verdict("altered", "its condition is gone: stricter (D3)", piece, line)
        if mine.confirms and said.prohibits and said.condition and not said.confirms:
            return Verdict("altered", "another condition (D3)", piece, line)
        return _unproven(piece, line)

    def _told(self, piece: str, statement: Statement) -> Verdict | None:
        """Neither forbidden nor ordered: the act is halted, or merely mentioned."""
        said = sense(piece)
        needs = re.search(r"\b(?:needs?|requires?|must|has to|have to)\b", piece, re.IGNORECASE)
        same = len(self.sense.things & said.things) * 2 > len(self.sense.things)
        bounded = (said.only and said.condition) or (self.sense.most and said.most)
        held = needs or (said.condition and self.sense.acts & said.acts)
        bounded = bounded or bool(self.sense.condition and held and same)
        if bounded or self.sense.names & sense(f"x {statement.text}").names:
            return _unproven(piece, statement.line)
        if (
            _wide(piece)
            and not sense(piece).negative
            and self.sense.acts
            and self.sense.acts <= sense(piece).acts
        ):
            claims = ((trimmed(piece), statement.line),) if _WIDE_ORDER.search(piece) else ()
            why = "reversed: the negation is gone (D3)"
            return Verdict("altered", why, piece, statement.line, claims)
        whole = sense(statement.text).acts
        control = self.sense.acts & {"stop", "wait", "leave", "ask", "approve"}
        if control and self.sense.acts <= whole | {"leave"}:
            return _unproven(piece, statement.line)
        return Verdict("dropped", "only mentioned (D4)", piece, statement.line)

    def _positive(self, piece: str, said: Sense, statement: Statement) -> Verdict | None:
        """Rules that let an act happen under a condition: only, at most, ask first, before …"""
        mine, line = self.sense, statement.line
        new = (said.acts - mine.acts - {"use", "make", "leave", "run", "test"}) | (
            identifiers(said.things) - identifiers(mine.things)
        )
        if self._ordered(piece, said, statement) and not said.negative:
            if mine.only and new and not said.only:
                return self._with_claims(
                    Verdict("altered", "more is ordered than was allowed (D3)", piece, line),
                    piece,
                    said,
                    statement,
                )
            lost = _lost(mine, said)
            if lost:
                return Verdict("weakened", lost, piece, line)
            return _unproven(piece, line)
        bounded = said.condition or said.confirms or mine.only or (mine.most and said.most)
        if said.prohibits and not bounded:
            return Verdict("altered", "forbidden altogether: stricter (D3)", piece, line)
        if said.forbids:
            return _unproven(piece, line)
        control = mine.acts & {"ask", "wait", "approve", "stop", "review"}
        if (
            (control and control & said.acts)
            or (mine.confirms and said.confirms)
            or (mine.only and said.only)
            or (mine.most and said.most)
        ):
            return _unproven(piece, line)
        return Verdict("dropped", "only mentioned (D4)", piece, line)

    def _with_claims(
        self, verdict: Verdict, piece: str, said: Sense, statement: Statement
    ) -> Verdict:
        """An order for a forbidden act is authority nobody gave, outside a list of steps (D8)."""
        if (
            verdict.status not in {"altered", "weakened"}
            or statement.pending
            or statement.told
            or statement.question
            or said.soft
            or (verdict.status == "weakened" and "ask" in said.acts and said.condition)
        ):
            return verdict
        if _harmless_part(self.rule, piece):
            return verdict
        more = "more is ordered" in verdict.why or (
            self.sense.only and "in its place" in verdict.why and not said.only
        )
        turned = self.sense.only and "was turned" in verdict.why
        bound = self.sense.prohibits or more or turned
        stops = "stop" in self.sense.acts and not said.negative
        ordered = orders(piece) and (stops or not said.forbids) and bound
        ordered = ordered or (verdict.status == "altered" and "allowed" in verdict.why)
        if not ordered:
            return verdict
        return Verdict(
            verdict.status,
            verdict.why,
            verdict.found,
            verdict.line,
            ((trimmed(piece), statement.line),),
        )


def _harmless_part(rule: str, piece: str) -> bool:
    """What the rule itself orders before it forbids: `Stay on main` of `Stay on main, no push`."""
    mine, said = words(rule), words(piece)
    own = mine[: len(said)] == said or said in clauses_of(rule)
    return own and not NEGATIONS & set(said)


def _unproven(piece: str, line: int) -> Verdict:
    return Verdict("unproven", "only other words with the same sense (D6)", piece, line)


def _forbidding_part(rule: str, whole: Sense) -> Sense:
    """Of `Do not use A; use B` only the first part forbids."""
    parts = [sense(part) for part in rule.split(";")] if ";" in rule and whole.forbids else []
    return next((part for part in parts if part.forbids), whole)


def _reordered(rule: str, piece: str) -> bool:
    """`First merge, then delete` against `delete, merge`."""
    told = re.search(r"\bthen\b|\berst\b.*\bdann\b|先", rule, re.IGNORECASE)
    before = re.search(r"\bbefore\b", rule, re.IGNORECASE) and re.search(
        r"\bthen\b", piece, re.IGNORECASE
    )
    if not (told or before):
        return False
    steps = _steps(rule)
    if told and len(steps) > 1 and _steps(piece) == steps[::-1]:
        return True
    mine, said = _acts_in_order(rule), _acts_in_order(piece)
    if len(mine) < 2 or set(mine) != set(said) or len(mine) != len(said):
        return False
    turned = re.search(r"\bafter\b|\bnach\b", piece, re.IGNORECASE)
    return mine != said and not turned


def _steps(text: str) -> list[frozenset[str]]:
    """The words of each step of `first …, then …`, without the words that order them."""
    parts = re.split(r"[,;]|\bthen\b|\bdann\b|\bpuis\b|\bluego\b", text, flags=re.IGNORECASE)
    found = [frozenset(words(part)) - {"first", "erst", "zuerst", "and", "und"} for part in parts]
    return [step for step in found if step]


def _acts_in_order(text: str) -> list[str]:
    found = [act_of(word) for word in words(text)]
    return list(dict.fromkeys(act for act in found if act))


def _wide(text: str) -> bool:
    """A script without spaces, where orders look like statements."""
    return bool(re.search(r"[぀-ヿ㐀-鿿가-힯]", text))


def _waives(piece: str) -> bool:
    return bool(
        re.search(
            r"\b(?:needs? no|no \w+ (?:needed|required)|not (?:needed|required|necessary)|"
            r"without)\b",
            piece,
            re.IGNORECASE,
        )
    )


def _lost(mine: Sense, said: Sense) -> str | None:
    """What kept the act in bounds and is no longer said."""
    if mine.only and not said.only:
        return "only was lost (D5)"
    if mine.most and not said.most:
        return "the limit was lost (D5)"
    if mine.confirms and not (said.confirms and said.acts & {"ask", "wait", "approve", "review"}):
        return "the required confirmation was lost (D5)"
    if mine.condition and not said.condition:
        return "its condition was lost (D5)"
    return None


def _conflict(mine: Sense, said: Sense) -> str | None:
    """Another number or another person where the rule has one (D3)."""
    if (
        mine.numbers
        and said.numbers
        and not mine.numbers & said.numbers
        and (mine.acts & said.acts or mine.things & said.things)
    ):
        return "another number (D3)"
    if mine.names and said.names and not mine.names & said.names:
        return "another person (D3)"
    return None
