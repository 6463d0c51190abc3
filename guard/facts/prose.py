"""Running text, markdown, chat, notices, logs and answers of tools (labels guide F2, F5 to F11)."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

from guard.facts.binding import Voice, binds, may_bind
from guard.facts.blocks import Block, cut
from guard.facts.fact import Findings, Phrase, Place, Setting
from guard.facts.gate import thin
from guard.facts.mentions import assigned, said, worked_on
from guard.facts.sentences import clause, sentences, without_struck
from guard.facts.tables import read_table
from guard.facts.withdrawal import keys_lifted, lifts, may_take_back, new_value, take_back

FenceReader = Callable[[str, str, int], Findings]

_OLD = re.compile(
    r"\b(?:old|obsolete|outdated|deprecated|superseded|former|formerly|"
    r"previous(?:ly)?|archived?|history|historical|no longer|retired|"
    r"withdrawn|lifted|changelog|release notes|veraltet|früher|ancien\w*|antigu\w+|obsolet\w*)\b",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"\b(?:examples?|e\.g\.|for instance|sample|beispiel\w*|exemples?|ejemplos?)\b", re.IGNORECASE
)
_REPORT = re.compile(
    r"^\W{0,4}(?:steps(?: to reproduce)?|to reproduce|repro|reproduction|"
    r"expected(?: behaviou?r| result)?|actual(?: behaviou?r| result)?)\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"^(?:\W|\d)*(?:you |we |agents? |please |strictly |absolutely |important: ?|"
    r"things |what |hard )*"
    r"(?:never|do not|don['’]?t|don['’]?ts|must not|may not|mustn['’]?t|cannot|"
    r"can['’]?t|not allowed|forbidden|prohibited|off[- ]limits|no[- ]gos?|"
    r"disallowed|banned|niemals|nie|nicht|verboten|tabu|nicht erlaubt|jamais|"
    r"interdit\w*|ne pas|nunca|prohibid\w+|no hacer|não|proibid\w+|"
    r"mai|vietat\w+|禁止|不要|严禁|禁止事项|禁止事項|しないこと|"
    r"금지)\b(?:[\w /'’]{0,30})?(?: \w+){0,2}\W*$",
    re.IGNORECASE,
)
_ASKS_FIRST = re.compile(
    r"^\W*(?:\w+ ){0,3}?(?:ask(?: me| us)?(?: first)?(?: before)?|only (?:with|"
    r"after) (?:my |our )?(?:ok|approval|confirmation|permission)|requires? (?:my |"
    r"an )?"
    r"(?:approval|confirmation|sign-?off)|needs? (?:my |an )?(?:approval|"
    r"confirmation|ok)|confirm (?:first|before)|before you|wait for (?:my|an?) \w+ "
    r"before)\b[\w ]{0,30}\W*$",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"\b(?:was|were|used to be|formerly|previously|originally|had been|old|former|"
    r"earlier|before the|in the past|by default|default of|changed from|"
    r"somebody|someone|proposed|for example|e\.g\.|such as)\b",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[,;] |\bbut\b|\band\b|\bnow\b")
_PLAIN_PLACES: dict[str, Place] = {"log": "log", "pair": "prose", "para": "prose", "item": "prose"}
_COMMENTED = re.compile(r"\s*(?:\d+[-:→]\s*)?[+-]?\s*(?://|/\*|\*\s|#\s)")
"""A line of code in the output of a tool."""
_SIGNS = re.compile(r"[:=]|`|_|\bmy |\bwork on ", re.IGNORECASE)


@lru_cache(maxsize=1024)
def _heads(above: str) -> Literal["forbids", "asks"] | None:
    if not above:
        return None
    if _FORBIDS.match(above):
        return "forbids"
    return "asks" if _ASKS_FIRST.match(above) else None


class Prose:
    """Reads one text block by block; later withdrawals act on what was found before."""

    def __init__(
        self, voice: Voice, *, settings: bool, rules: bool, fence: FenceReader | None
    ) -> None:
        self.voice = voice
        self.found = Findings([], [])
        self._settings = settings
        self._rules = rules
        self._fence = fence
        self._old_depth = 0
        self._reports = False
        self._may_bind: frozenset[int] = frozenset()
        self._may_set: frozenset[int] = frozenset()

    def read(self, text: str, first_line: int = 1) -> Findings:
        """The settings and binding sentences of the text."""
        thinned = thin(text, rules=self._rules, settings=self._settings)
        self._may_bind = frozenset(index + first_line for index in thinned.rules)
        self._may_set = frozenset(index + first_line for index in thinned.settings)
        for block in cut(thinned.text, first_line) if thinned.text else ():
            self._block(block)
        return self.found

    def _block(self, block: Block) -> None:
        if block.form == "heading":
            self._heading(block)
        elif self._old_depth:
            return
        elif block.form == "fence":
            self._fenced(block)
        elif block.form == "table":
            if self._settings:
                self.found.settings += read_table(block.lines)
        else:
            self._words(block)

    def _heading(self, block: Block) -> None:
        if self._old_depth and block.depth > self._old_depth:
            return
        self._old_depth = block.depth if _OLD.search(block.heading) else 0
        self._reports = bool(_REPORT.match(block.heading))

    def _fenced(self, block: Block) -> None:
        about = f"{block.info} {block.lead} {block.heading}"
        if self._fence is None or _EXAMPLE.search(about) or _OLD.search(block.info):
            return
        text = "\n".join(line for _, line in block.lines[1:])
        inner = self._fence(text, block.info, block.lines[0][0] + 1)
        if self._settings:
            self.found.settings += inner.settings
        self.found.phrases += inner.phrases

    def _words(self, block: Block) -> None:
        numbers = [number for number, _ in block.lines]
        sets = not self._may_set.isdisjoint(numbers)
        may_rule = not self._may_bind.isdisjoint(numbers)
        above = self._prohibition(block) if self._rules and block.form == "item" else None
        if not (sets or may_rule or above):
            return
        if block.depth > 1 and block.form != "item" and _EXAMPLE.search(block.lead):
            return
        if sets and not may_rule and self.voice == "told" and block.form != "item":
            self._lines(block)
            return
        joined = block.joined()
        text = without_struck(joined.text)
        if above == "forbids" or (above == "asks" and not binds(clause(text), self.voice)):
            self.found.phrases.append(Phrase(clause(text), block.line))
            return
        self._reports = self._reports or bool(_REPORT.match(text))
        for offset, sentence in sentences(text):
            line = joined.line_at(offset)
            if sets and not self._reports and _SIGNS.search(sentence):
                self._mention(sentence, line, _PLAIN_PLACES[block.form])
            if may_rule and block.form != "log":
                self._sentence(sentence, line, "code" if _COMMENTED.match(text) else self.voice)

    def _lines(self, block: Block) -> None:
        """Where nothing binds, each line is looked at by itself."""
        self._reports = self._reports or bool(_REPORT.match(block.lines[0][1]))
        if self._reports:
            return
        for number, line in block.lines:
            if number in self._may_set:
                self._mention(without_struck(line), number, _PLAIN_PLACES[block.form])

    def _prohibition(self, block: Block) -> Literal["forbids", "asks"] | None:
        """What stands above a list: an item under `Never:` or `Ask first:` binds as written."""
        return _heads((block.lead or block.heading).strip().strip("*_#: "))

    def _sentence(self, sentence: str, line: int, voice: Voice) -> None:
        if self._withdraws(sentence, line) or not may_bind(sentence):
            return
        text = clause(sentence)
        if binds(text, voice):
            self.found.phrases.append(Phrase(text, line))

    def _mention(self, sentence: str, line: int, place: Place) -> None:
        if place != "prose":
            self.found.settings += assigned(sentence, line, place)
            return
        if sentence.rstrip().endswith("?"):
            return
        self.found.settings += worked_on(sentence, line)
        found = [*assigned(sentence, line, place), *said(sentence, line)]
        if not found or not _DATED.search(sentence):
            self.found.settings += found
            return
        for part in _PARTS.split(sentence):
            if not _DATED.search(part):
                self.found.settings += [*assigned(part, line, place), *said(part, line)]

    def _withdraws(self, sentence: str, line: int) -> bool:
        """Apply a withdrawal or a new value; True if the sentence was one and is no rule itself."""
        if not (self.found.settings or self.found.phrases) or not may_take_back(sentence):
            return False
        value = new_value(sentence)
        if value is not None:
            return self._replace(value, clause(sentence), line)
        if not lifts(sentence):
            return False
        for setting in keys_lifted(sentence, self.found.settings):
            self.found.settings.remove(setting)
        return take_back(sentence, self.found.phrases)

    def _replace(self, value: str, text: str, line: int) -> bool:
        old = self.found.phrases[-1] if self.found.phrases else None
        setting = self.found.settings[-1] if self.found.settings else None
        if setting is not None and (old is None or setting.line >= old.line):
            self.found.settings[-1] = Setting(setting.path, value, line, setting.place)
            return True
        if old is not None and any(c.isdigit() for c in old.text):
            self.found.phrases[-1] = Phrase(text, line)
            return True
        return False
