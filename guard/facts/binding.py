"""Does a sentence bind an act? (labels guide F6, F8, F11)

English is read by `english.py`, other languages by `tongues.py`; a sentence is first made plain:
lower case, contractions written out, code spans and quotations replaced by a placeholder.
"""

import re
from functools import lru_cache
from typing import Literal

from guard.facts import english
from guard.facts.acts import act_of, names_act
from guard.facts.gate import rule_lines
from guard.facts.tongues import binds_abroad
from guard.facts.verbs import VERBS

Voice = Literal["people", "rules", "told", "code"]
"""Who speaks: a person or the harness, a rule file, a document or tool, a comment in code."""

LONGEST = 600
"""Characters of a sentence that are looked at; a longer one binds nothing by itself."""

_CODE = re.compile(r"`[^`\n]{1,300}`")
_QUOTED = re.compile(
    r"(?<!\w)[\"“„«]([^\"“”„«»\n]{1,300})[\"”“»](?!\w)|(?<!\w)'([^'\n]{3,200})'(?!\w)"
)
_WORD = re.compile(r"[\w'./-]*\w")
_CONTRACTED = re.compile(r"\b(\w+)(n't|'re|'m|'s)\b|\b(do|must|should)nt\b|\bcan not\b")
_WRITTEN_OUT = {
    "can't": "cannot",
    "won't": "will not",
    "shan't": "shall not",
    "let's": "let us",
    "can not": "cannot",
    "dont": "do not",
    "mustnt": "must not",
    "shouldnt": "should not",
    "i'm": "i am",
}
_IS = frozenset({"it", "that", "there", "what", "here", "he", "she"})
_LEAD_IN = re.compile(
    r"(?:(?:please|important|note|warning|caution|attention|reminder|remember|ok|"
    r"okay|well|(?:hi|hey|hello)(?: all| team| everyone| there)?|"
    r"actually|again|finally|in general|generally|rules?|policy|constraint|limit|"
    r"ground rules?|correction|"
    r"also|and|but|so|then|instead|for now|for this run|for today|today|from now on|"
    r"as always|always|"
    r"oh|(?:yes|no|nope)(?=,)|thanks|thank you|one more thing|most importantly|"
    r"above all|in this repo(?:sitory)?|"
    r"by the way|btw|fyi|update|edit|critical|must|strict|strictly|hard rule|the rule is|"
    r"kindly|simply|just)\b\s*[,:!.–—-]*\s*)+"
)
_POLITE = re.compile(
    r"(?:please )?(?:can|could|would|will) (?:you|we)(?: please)? (?:also )?(?=\w)"
)
_REQUEST = re.compile(r"^(?:before|after|once) [^,]{2,60}, (?:can|could|would) (?:you|we) ")
_THIRD_PERSON = re.compile(r"(?:never|not) (\w+s)\b")
_CLAUSES = re.compile(r"[;:–—]|\s-\s|, (?:and |but |then )")
_NOT = re.compile(r"(?:please )?not \w+ \w")
_CODE_LIKE = re.compile(
    r"[{};]\s*$|:=|==|&&|\|\||=>|\(\)|</|/>|\|[^|]{1,80}\||\$\(|^\s*(?:if|for|while|"
    r"return|func|def|import|var|let|const)\b.*[({]"
)
_PATTERNS = {name: re.compile(source) for name, (_, source) in english.PATTERNS.items()}
_NAMES = tuple(_PATTERNS)
_TRIGGERS: dict[str, tuple[int, ...]] = {}
for _place, (_words, _) in enumerate(english.PATTERNS.values()):
    for _word in _words.split():
        _TRIGGERS[_word] = (*_TRIGGERS.get(_word, ()), _place)
_DESCRIBES_STEPS = frozenset({"in that order", "kept for themselves", "skipped"})
_VETOES = {name: re.compile(source) for name, source in english.VETOES.items()}


def may_bind(sentence: str) -> bool:
    """Has the sentence any word or letter that rules are made of? (a cheap first look)"""
    return bool(rule_lines(sentence))


@lru_cache(maxsize=4096)
def binds(sentence: str, voice: Voice = "people") -> str | None:
    """The name of the pattern that makes the sentence a rule, or None."""
    if not 4 <= len(sentence) <= LONGEST or not may_bind(sentence):
        return None
    if _CODE_LIKE.search(_CODE.sub("x", sentence) if "`" in sentence else sentence):
        return None
    text = plain(sentence)
    if _question(text) or (len(_WORD.findall(text)) < 2 and text.isascii()):
        return None
    return _english(text, voice) or binds_abroad(text)


@lru_cache(maxsize=4096)
def plain(sentence: str) -> str:
    """Lower case, contractions written out, code and quotations as one word each."""
    text = sentence.replace("’", "'").replace("*", "").replace("~", "")
    if "`" in text:
        text = _CODE.sub(" `c` ", text)
    if '"' in text or "'" in text or not text.isascii():
        text = _QUOTED.sub(_quotation, text)
    text = " ".join(text.lower().split()).strip().rstrip(".!。！। ")
    if "'" in text or "nt" in text or "can not" in text:
        text = _CONTRACTED.sub(_written_out, text)
    return text


def _quotation(match: re.Match[str]) -> str:
    """Quoted words are data; one word in single quotes is a name."""
    return match[0] if match[2] and " " not in match[2] else " `q` "


def _written_out(match: re.Match[str]) -> str:
    whole, word, ending = match[0], match[1], match[2]
    if whole in _WRITTEN_OUT:
        return _WRITTEN_OUT[whole]
    if ending == "n't":
        return f"{word} not"
    if ending == "'re":
        return f"{word} are"
    return f"{word} is" if ending == "'s" and word in _IS else whole


def _question(text: str) -> bool:
    """A question binds nothing; a polite request is no question."""
    if not text.endswith(("?", "？", "؟", "吗", "か")):
        return False
    return not (_POLITE.match(text) or _REQUEST.match(text) or _ordered_first(text))


def _ordered_first(text: str) -> bool:
    """`Write the test first, I assume it is local?`: an order, then a question."""
    first, comma, _ = text.partition(",")
    word = _WORD.match(first)
    return bool(
        comma
        and word
        and word[0] in VERBS
        and word[0] not in {"do", "can", "will"}
        and _imperative(first, "people")
    )


def _english(text: str, voice: Voice) -> str | None:
    body = _LEAD_IN.sub("", text, count=1) if _LEAD_IN.match(text) else text
    asked = _POLITE.sub("", body, count=1).rstrip("? ") or text
    found = "please not" if asked != body and _NOT.match(asked) else None
    body = asked
    found = found or _first_pattern(body) or _by_act(body, voice)
    if voice != "code":
        found = found or _imperative(body, voice)
    elif found in _DESCRIBES_STEPS:
        return None
    if found is None:
        return None
    veto = next((name for name, seen in _VETOES.items() if seen.search(body)), None)
    if veto:
        return _in_spite(body, veto)
    return None if _granted(body) or _style(body) else found


def _in_spite(body: str, veto: str) -> str | None:
    """Firm words that stand before the veto (`If it fails, stop and ask; I will look`)."""
    at = _VETOES[veto].search(body)
    before = body[: at.start()].rstrip(" ,;:–-") if at else ""
    if veto == "my own" and (found := english.SELF_DONE.search(body)):
        return "kept for themselves" if found else None
    if len(before) < 12:
        return None
    return _first_pattern(body, names=english.FIRM) or _own_clause(before, body, veto)


def _own_clause(before: str, body: str, veto: str) -> str | None:
    """`Don't contact them, I will`: the part before what the speaker says of themselves."""
    if veto != "my own":
        return None
    return _first_pattern(before) or _imperative(before, "people") or _waits_for_me(body)


def _waits_for_me(body: str) -> str | None:
    found = _PATTERNS["say so"].search(body)
    return "say so" if found and _starts_with_verb(body) else None


def _first_pattern(body: str, names: frozenset[str] | None = None) -> str | None:
    places: set[int] = set()
    for word in set(_WORD.findall(body)):
        places.update(_TRIGGERS.get(word, ()))
    for place in sorted(places):
        name = _NAMES[place]
        if names is not None and name not in names:
            continue
        match = _PATTERNS[name].search(body)
        if match and not _disowned(name, body, match):
            return name
    return None


def _disowned(name: str, body: str, match: re.Match[str]) -> bool:
    """Descriptions that only look like orders: `… and never loses a message`."""
    if name == "do not":
        third = _THIRD_PERSON.match(body, _marker(body, match))
        if third and _described(third[1]):
            return True
        return match.start() > 0 and not _clause_binds(body, match)
    if name in {"say so", "at most", "in that order", "must stay", "before you"}:
        return not _spoken_to(body, name)
    if name == "not the other":
        return not names_act(_WORD.findall(body), "")
    return False


def _marker(body: str, match: re.Match[str]) -> int:
    at = max(body.find("never", match.start()), body.find("do not", match.start()) + 3)
    return max(at, 0)


def _described(word: str) -> bool:
    """Third person: `loses`, `retries`; not `access`, `process`."""
    return not word.endswith(("ss", "us", "is")) and len(word) > 3


def _clause_binds(body: str, match: re.Match[str]) -> bool:
    """After a connector only an act or a clause of its own can be forbidden."""
    if match[0][0] in ",;:(–—- ":
        return True
    word = _WORD.search(body, match.end() - 1)
    return bool(word and (act_of(word[0]) or word[0] in VERBS))


def _spoken_to(body: str, name: str) -> bool:
    """Is somebody told to do something, rather than told about something?"""
    if name == "at most":
        return True
    if name == "must stay":
        return True
    if name == "before you":
        word = _WORD.search(body, body.find(",") + 1)
        return bool(word and not word[0].endswith(("ed", "ing")))
    if name == "in that order":
        first = _WORD.findall(body)[:3]
        return any(word in VERBS or act_of(word) for word in first if word != "first")
    return _starts_with_verb(body) or " you " in f" {body} " or "must" in body or "not" in body


def _starts_with_verb(body: str) -> bool:
    word = _WORD.match(body)
    return bool(word and (word[0] in VERBS))


def _by_act(body: str, voice: Voice) -> str | None:
    """Patterns that count only if they speak of an act."""
    for found in english.NO_ACT.finditer(body):
        if _noun_of_act(found[1]):
            return "no act"
    if english.NO_MAY.search(body):
        return "no … may"
    noun = english.NOUN_ONLY.search(body)
    if noun and _noun_of_act(noun[1] or noun[2]):
        return "act only"
    modal = english.MODAL_ACT.search(body)
    if modal and modal.start() and act_of(modal[1]) and not _program(body, modal):
        return "modal"
    return _by_voice(body, voice)


def _noun_of_act(word: str) -> bool:
    if word.endswith("ed") or word in {"longer", "needs", "wait"}:
        return False
    return bool(act_of(word)) or word in {
        "dependencies",
        "dependency",
        "secrets",
        "prs",
        "calls",
        "requests",
        "side-effects",
    }


def _program(body: str, modal: re.Match[str]) -> bool:
    """`The parser cannot read …` describes; `cannot … without` binds."""
    return modal[0].startswith("can") and not re.search(
        r"\byou cannot|\bwithout\b|\bunless\b|\buntil\b", body
    )


def _by_voice(body: str, voice: Voice) -> str | None:
    if voice == "rules":
        passive = english.PASSIVE_NEVER.search(body)
        if passive and act_of(passive[1]):
            return "never done"
        if english.FOR_ONE_ONLY.search(body):
            return "for one only"
        ours = english.WE_NEVER.search(body)
        if ours and act_of(ours[1]):
            return "we never"
    if voice == "people" and english.STARTS.search(body):
        return "starts with"
    if voice == "people" and english.SKIPPED.search(body):
        return "skipped"
    return "kept for themselves" if voice == "people" and english.SELF_DONE.search(body) else None


def _imperative(body: str, voice: Voice) -> str | None:
    """An order that carries a limit, an exception or a precondition."""
    for clause in _CLAUSES.split(body):
        part = clause.strip()
        for lead in (
            "please ",
            "always ",
            "then ",
            "only ",
            "and ",
            "just ",
            "also ",
            "you must ",
            "you have to ",
            "you ",
        ):
            if part.startswith(lead):
                if lead == "only " and _verb_first(part[5:]):
                    return "only"
                part = part[len(lead) :]
        if _verb_first(part) and (english.IMPERATIVE_WITH.search(part)):
            if english.TAIL_ORDER.search(part) and voice == "told":
                return None
            return "order with a limit"
    return None


def _verb_first(part: str) -> bool:
    word = _WORD.match(part)
    if not word or word[0] not in VERBS:
        return False
    following = part[word.end() :].lstrip()
    return bool(following) and not following.startswith(
        (":", "is ", "are ", "was ", "has ", "have ", "of ")
    )


def _granted(body: str) -> bool:
    """A positive grant without a limit is no rule (F8)."""
    grant = english.GRANT.search(body)
    if not grant:
        return False
    rest = body[: grant.start()] + body[grant.end() :]
    return not english.LIMITING.search(rest)


def _style(body: str) -> bool:
    if not english.STYLE.search(body):
        return False
    outward = {act_of(word) for word in _WORD.findall(body)}
    return not outward & english.OUTWARD
