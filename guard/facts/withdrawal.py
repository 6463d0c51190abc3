"""What a text takes back itself (labels guide F9): gone, replaced, or only narrowed.

A withdrawal names what it lifts: the first or last rule, the rule whose words it repeats, or a key.
If it is restricted to one case, the rule stays.
"""

import re

from guard.facts.acts import act_of
from guard.facts.binding import plain
from guard.facts.fact import Phrase, Setting
from guard.facts.normalise import normalise_key
from guard.facts.wordlist import word_set

_LIFTS = re.compile(
    r"\b(?:forget|scratch|drop|ignore|strike|disregard|cancel|withdraw|never mind|"
    r"undo) (?:about )?(?:that|this|the|what|my|it|those|these|all)\b"
    r"|\b(?:no longer (?:applies|apply|valid|needed|holds?|in force|binding)|is "
    r"(?:lifted|withdrawn|void|gone|off the table|cancelled|obsolete|history)"
    r"|does not apply any ?more|do(?:es)? not (?:apply|hold) any longer|was lifted|"
    r"has been lifted|are lifted)\b"
    r"|\byou (?:can|may|are (?:allowed|free) to) (?:now |again |go ahead and )|"
    r"\byou (?:can|may) [^.]{1,120}\b(?:now|again|after all|from now on)$"
    r"|\bnow you (?:can|may)\b|\b(?:is|are) (?:fine|ok|okay|allowed) (?:now|again|"
    r"after all)\b|\bgo ahead\b|\bon second thought\b"
    r"|\b(?:gilt nicht mehr|vergiss das|doch erlaubt|darfst du (?:jetzt|doch)|ne "
    r"s'applique plus|oublie(?:z)? ça|ya no (?:aplica|vale)|olvida eso|não vale "
    r"mais|esquece isso)\b"
)
_RESTRICTED = re.compile(
    r"\b(?:only|just|this (?:one|once|time)|for (?:this|today|the moment|now)|"
    r"except|but|in this case|once|that start|starting with|named|called|as long as|"
    r"unless|if)\b"
)
_NEW_VALUE = re.compile(
    r"\b(?:make (?:that|it)|change (?:that|it) to|correction:?|rather|i meant|"
    r"better|actually|instead|no,|sorry,?|set (?:it|that) to) "
    r"(?:to )?(?:at most |max )?([\w.]*\d[\w.%/]*|true|false|yes|no)\b"
)
_WORDS = word_set(
    """
    forget scratch drop ignore strike disregard cancel withdraw never undo longer lifted withdrawn
    void gone obsolete history anymore any now again all thought ahead make change correction
    rather meant better actually instead no sorry set mehr vergiss doch s oublie ya olvida mais
    esquece
    """
)
_FIRST = re.compile(r"\bfirst (?:line|rule|one|point|sentence|part|thing|instruction)\b")
_LAST = re.compile(
    r"\b(?:last|previous|latest) (?:line|rule|one|point|sentence|part|thing|"
    r"instruction)\b|\b(?:forget|scratch|ignore|drop|undo) (?:that|this|it)\b(?! \w)"
)
_WORD = re.compile(r"[\w./*-]{2,}")
_EMPTY = word_set(
    """
    the a an to of in on for and or not do does no never you can may now i me my we it is are be
    that this any all from with please must should only without until before at most more than
    again forget ignore first last line rule rules about longer applies apply fine ok okay go
    ahead scratch after as anything nothing actually limit restriction then well
    """
)


def may_take_back(sentence: str) -> bool:
    """A cheap first look: is there a word that withdrawals are made of?"""
    return not _WORDS.isdisjoint(re.findall(r"\w+", sentence.lower()))


def lifts(sentence: str) -> bool:
    """Does the sentence take something back, for good and in general?"""
    return bool(_LIFTS.search(plain(sentence)))


def restricted(sentence: str) -> bool:
    """Is it limited to one case?"""
    return bool(_RESTRICTED.search(plain(sentence)))


def new_value(sentence: str) -> str | None:
    """`Make that 5`: the value that replaces the one before."""
    found = _NEW_VALUE.search(plain(sentence))
    return found[1].rstrip(".") if found else None


def stems(text: str) -> set[str]:
    """What a sentence speaks of: its acts, and its other words without endings."""
    words = (word.strip("./-*") for word in _WORD.findall(plain(text)))
    return {act_of(word) or _stem(word) for word in words if word and word not in _EMPTY}


def _stem(word: str) -> str:
    for ending in ("ings", "ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def take_back(sentence: str, phrases: list[Phrase]) -> bool:
    """Remove the rules the sentence lifts. True if it lifted one."""
    text = plain(sentence)
    if _FIRST.search(text) and phrases:
        del phrases[0]
        return True
    about = stems(sentence)
    hit = [p for p in phrases if _covers(about, stems(p.text))]
    if not hit and _LAST.search(text) and phrases:
        hit = phrases[-1:]
    if hit and restricted(sentence) and not _LAST.search(text):
        return False
    for phrase in hit:
        phrases.remove(phrase)
    return bool(hit)


def _covers(about: set[str], rule: set[str]) -> bool:
    """The withdrawal speaks of what the rule forbids, and of nothing narrower."""
    shared = about & rule
    narrower = {word for word in about - rule if any(c in word for c in "/.*_0123456789")}
    return bool(shared) and len(shared) * 2 >= min(len(rule), 3) and not narrower


def keys_lifted(sentence: str, settings: list[Setting]) -> list[Setting]:
    """Settings whose name the withdrawal spells out."""
    said = {word.strip("._").replace("-", "_") for word in re.findall(r"[\w.-]+", sentence.lower())}
    return [
        s for s in settings if {normalise_key(s.path[-1]), normalise_key(".".join(s.path))} & said
    ]
