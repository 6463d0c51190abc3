"""A rule in a digest: word for word, reworded, softened, reversed or gone (guide D2 to D9)."""

import re
from collections.abc import Sequence

from guard.digest.outcome import Verdict
from guard.digest.pieces import Pieces
from guard.digest.reading import sense
from guard.digest.reworded import Reworded
from guard.digest.source import Source
from guard.digest.statements import Statement
from guard.digest.wording import words
from guard.digest.wordmatch import BOUNDING, Place, places_of
from guard.facts.acts import act_of
from guard.facts.binding import binds
from guard.facts.verbs import VERBS

_RETRACTED = re.compile(
    r"\b(?:old|former(?:ly)?|obsolete|outdated|superseded|no longer|not true|lifted|"
    r"withdrawn|dropped|revoked|cancel+ed|ignore|forget|forgot|used to|instead of|"
    r"rather than|removed|overrid\w+|except for the|not:)\W*(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_ASKED = re.compile(r"\b(?:whether|if|should we|may we|is it|do we|ob|si)\W*$", re.IGNORECASE)
_SOFT_BEFORE = re.compile(
    r"\b(?:try (?:to|not)|tries to|prefers?(?: to)?|ideally|if possible|would "
    r"like(?: us| you)?(?: to)?|wishes|hopes|would rather|suggest\w*|recommend\w*|"
    r"better|maybe|perhaps|usually|normally|generally|where possible|for now|"
    r"currently|möglichst|wenn möglich|am besten|lieber|eher|meglio|preferibilmente|mejor|"
    r"preferiblemente|melhor|preferencialmente|de préférence|mieux vaut|plutôt|liever|"
    r"bij voorkeur|лучше|желательно|по возможности)\W*(?:\w+\W+){0,2}$|(?:尽量|最好|建议|なるべく|"
    r"できれば|가능하면|되도록)\W*$",
    re.IGNORECASE,
)
_LIFTED_AFTER = re.compile(
    r"\W{0,6}(?:\(|-|–|—|:|,|;)?\s*(?:\W*(?:this|that|the rule|which|it) )?(?:is |"
    r"was |were |has been |are |now )*(?:\w+ )?(?:done|obsolete|outdated|lifted|"
    r"withdrawn|no longer|superseded|revoked|cancel+ed|dropped|fulfilled|expired|"
    r"resolved|over|void|erledigt|aufgehoben)\b|\W{0,4}[✓✔☑]",
    re.IGNORECASE,
)
_SOFTER_AFTER = re.compile(
    r"^\W*(?:\(?(?:for now|yet|if possible|where possible|when possible|ideally|at "
    r"the moment|as far as possible|unless (?:needed|necessary|urgent)|if (?:it "
    r")?can be avoided|too often|without (?:good )?reason|by default|in general|"
    r"normally|usually|lightly|vorerst|wenn möglich))\b",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r"^\W*(?:,|;|\(|-|–|—|:)?\s*(?P<text>(?:but |however,? |though |except|unless|"
    r"apart from|other than|save for|directly|außer|sauf|salvo|excepto|tranne|aside "
    r"from|excluding)\b.*|(?:a|an|the|one|this|that|some|any)?\s?[^.;]{2,80}\b(?:is|"
    r"are) (?:fine|ok|okay|allowed|exempt|excluded|an exception|permitted|"
    r"possible)\b.*)",
    re.IGNORECASE | re.DOTALL,
)
_JOINED = re.compile(
    r"^[\s*_`\"'”’]*(?:,\s*\S+\s+(?:or|and|oder|und|nor)\b|,?\s*(?:or|and|nor|oder|und|ou|et|"
    r"o|y|e)\s+(?!the user|then\b|so\b|it\b|we\b|i\b))",
    re.IGNORECASE,
)
_LISTED = re.compile(r",\s+([a-z][\w-]+)(?:,\s+[a-z][\w-]+)*,?\s+(?:or|nor|oder|ou)\s+[a-z]")
"""More things behind the clause: `…, names or addresses`."""
_EXCEPTS = re.compile(
    r"\b(?:except|unless|apart from|other than|but not|außer|sauf|salvo|excepto|"
    r"tranne|кроме)\b|除了",
    re.IGNORECASE,
)
_ENDS = re.compile(r"^\W*$|^\s*[\"'”’»*`)]{0,3}\s*(?:[.!;:,)\]–—|(。．，、；」-]|$|\n)")


class Ruled:
    """All rules of one comparison against one digest."""

    def __init__(self, digest: str, statements: Sequence[Statement], source: Source) -> None:
        self.digest = digest
        self.statements = [s for s in statements if not s.cells]
        self.source = source
        self._pieces = Pieces([s for s in self.statements if not s.gone])

    def check(self, rule: str) -> Verdict:
        """The status of one rule."""
        heading = binds(rule) is None and not _negated(rule) and self.source.under_heading(rule)
        verbatim = self._verbatim(rule, heading=heading)
        if verbatim is not None and verbatim.status != "kept":
            return verbatim
        other = Reworded(rule, self._pieces, heading=heading).verdict(verbatim is not None)
        if verbatim is not None:
            return other if other is not None and other.status == "altered" else verbatim
        return other or Verdict("dropped", "no sentence about it (D4)")

    def _verbatim(self, rule: str, *, heading: bool) -> Verdict | None:
        """The clause word for word, and what its surroundings make of it."""
        found = [
            self._surroundings(rule, place, heading=heading)
            for place in places_of(rule, self.digest)
        ]
        if not found:
            return None
        order = ("kept", "weakened", "altered", "unproven", "dropped")
        worst = (
            max(found, key=lambda v: order.index(v.status))
            if any(v.status == "altered" and "lifted" in v.why for v in found)
            else None
        )
        return worst or min(found, key=lambda v: order.index(v.status))

    def _surroundings(self, rule: str, place: Place, *, heading: bool) -> Verdict:
        text, line = place.words, place.line
        statement = next(
            (s for s in self.statements if s.line == line and place.words[:20] in s.text), None
        )
        before, after = place.before, place.after
        if heading and not (statement and statement.forbidden) and not _negated(before[-40:]):
            return Verdict("altered", "the item stands without its prohibition (D3)", text, line)
        if _RETRACTED.search(before) or (
            _LIFTED_AFTER.match(after) and not self.source.says(after)
        ):
            return Verdict("altered", "spoken of as lifted or done (D7)", text, line)
        if place.before.count("~~") % 2 or (statement is not None and statement.gone):
            return Verdict("altered", "struck or removed (D7)", text, line)
        asked = re.match(r"[\"'”’)\s]*[?？]", after) and not rule.rstrip().endswith(("?", "？"))
        if _ASKED.search(before) or asked:
            return Verdict("weakened", "only asked about (D7)", text, line)
        if _SOFT_BEFORE.search(before) or _SOFTER_AFTER.match(after):
            return Verdict("weakened", "turned into advice, or only for now (D5)", text, line)
        return self._tail(rule, place)

    def _tail(self, rule: str, place: Place) -> Verdict:
        """What follows the clause in its sentence: nothing, an exception, or more of the same."""
        text, line, after = place.words, place.line, place.after
        sentence_rest = re.split(r"(?<=[.!?])[\"'”]?(?:\s|$)|\n", after, maxsplit=1)[0]
        exception = _EXCEPTION.match(sentence_rest)
        if exception and not self.source.says(exception["text"]):
            claim = _claim(exception["text"], self.digest)
            return Verdict(
                "weakened",
                "an exception was added (D5)",
                text + sentence_rest,
                line,
                (claim and ((claim, line),)) or (),
            )
        listed = _LISTED.match(sentence_rest)
        more = listed is not None and listed[1] not in VERBS and not act_of(listed[1])
        if (_ENDS.match(sentence_rest) and not more) or exception:
            return Verdict("kept", "the clause word for word (D2)", text, line)
        if _JOINED.match(sentence_rest) and _EXCEPTS.search(rule):
            claim = sentence_rest.lstrip(" *_`\"'").rstrip(" .")
            return Verdict(
                "weakened", "more was excepted (D5)", text + sentence_rest, line, ((claim, line),)
            )
        if _JOINED.match(sentence_rest):
            return self._joined(rule, text, sentence_rest, line)
        meaning = sense(rule)
        bounded = meaning.confirms and not meaning.forbids and set(words(sentence_rest)[:1])
        if bounded and bounded <= BOUNDING:
            return Verdict("weakened", "fewer cases are held (D5)", text + sentence_rest, line)
        if meaning.forbids and not meaning.condition:
            return Verdict("weakened", "narrowed by more words (D5)", text + sentence_rest, line)
        return Verdict(
            "altered", "its condition goes on in other words (D3)", text + sentence_rest, line
        )

    def _joined(self, rule: str, text: str, rest: str, line: int) -> Verdict:
        """`… or b.py`, `… and Kim agrees`: stricter, softer, or a sentence of its own."""
        joined = re.match(r"\W*(\w+)\W+([\w']+)", rest)
        link, word = (joined[1].casefold(), joined[2].casefold()) if joined else ("", "")
        if (word in VERBS and link not in {"or", "nor", "oder", "ou", "o"}) or word in {
            "do",
            "don't",
            "never",
            "please",
            "always",
        }:
            return Verdict("kept", "the clause word for word (D2)", text, line)
        meaning = sense(rule)
        open_choice = link in {"or", "oder", "ou", "o"}
        if (open_choice and meaning.condition) or (meaning.only and not meaning.condition):
            return Verdict("weakened", "more was allowed (D5)", text + rest, line)
        return Verdict("altered", "more things were joined to it (D3)", text + rest, line)


def _negated(text: str) -> bool:
    return sense(text).forbids


def _claim(text: str, digest: str) -> str:
    """The exact piece of the digest that grants an exception, if it is a grant."""
    parts = [part for part in re.split(r";\s+", text.strip()) if part]
    chosen = next((part for part in parts if sense(part).permits), parts[0] if parts else "")
    piece = re.sub(r"^(?:but|however,?|though)\s+", "", chosen, flags=re.IGNORECASE).rstrip(
        " .\"')"
    )
    grants = (
        re.match(
            r"(?:except|unless|apart|other|save|außer|sauf|salvo|tranne|excluding|aside)",
            piece,
            re.IGNORECASE,
        )
        or sense(piece).permits
    )
    return piece if grants and piece in digest else ""
