"""What people really said before the digest: authority comes from nowhere else (guide D8)."""

import re
from functools import cached_property

from guard.digest.reading import identifiers, sense, stem
from guard.digest.statements import Statement, statements
from guard.digest.wording import words
from guard.facts.wordlist import word_set

_DENIED = re.compile(
    r"\b(?:not|never|nobody|nothing)\s+(?:\w+ ){0,2}(?:approv\w+|authori\w+|agreed|"
    r"allow\w*|permit\w*|confirm\w*|grant\w*|lifted|consent\w*|given)\b|\b(?:no|any|"
    r"without|pending|awaiting|await|until|till|unless|before|whether|if|when|once|"
    r"after|only|needs?|must|ha(?:s|ve) to|requires?|required|wait\w*|asks? (?:for|before)|has "
    r"yet to|yet to|should|"
    r"nicht|kein\w*|bevor|bis|wenn|ob|ohne|avant|sans|pas|jusqu|si|no ha|hasta|sin|"
    r"antes|não|até|sem|non|prima|senza|не|без|пока)\b[^.;]{0,60}?\b(?:approv\w*|"
    r"authori\w*|agree\w*|allow\w*|permi\w*|confirm\w*|grant\w*|consent\w*|sign\w*|"
    r"accept\w*|ok|zustimm\w*|zugestimmt|erlaub\w*|genehmig\w*|freig\w*|autoris\w*|"
    r"autoriz\w*|aprob\w*|aprov\w*|соглас\w*|подтверд\w*|разреш\w*)\b",
    re.IGNORECASE,
)
_WAIVING = re.compile(
    r"\bno (?:further |more |longer )?(?:\w+ ){0,2}(?:confirmation|approval|"
    r"permission|consent|sign-?off|objection)|\bneeds? no\b|\bno longer\b|\bwithout "
    r"(?:further )?(?:asking|approval)",
    re.IGNORECASE,
)
_EVERY = re.compile(r"\b(?:all|every|each|any|both|everything|whole|always)\b", re.IGNORECASE)
_SPEAKER = re.compile(
    r"(?:^|(?<=[.!?\"”\n] )|(?<=\n))\s*(?:\[([^\]\n]{1,80})\]|(user|human|assistant|"
    r"agent|harness|system|tool|tool_result|hook|AGENTS\.md|CLAUDE\.md|"
    r"[\w.-]+\.md))\s*:?\s+",
    re.IGNORECASE,
)
_SCOPE = re.compile(r"^\s*\[[^\]\n]{1,80}\]\s+")
"""Where a sentence was said: `[user] Do not push.`"""
_UNHEARD = word_set("assistant agent harness tool tool_result hook log shell web")
_CONSENTING = re.compile(
    r"\b(?:approv\w+|yes|go|ok|okay|fine|can|may|allow\w*|permit\w*|agree\w*|"
    r"confirm\w*|signed|no longer|forget|lift\w*|authori\w+|accept\w*|feel free|go "
    r"ahead|sure|ja|erlaubt|genehmigt|einverstanden|oui|d'accord|sí|vale|de acuerdo|"
    r"sim|certo|да|можно|do it|please|grant\w*|waive\w*)\b|同意|可以|批准|はい|承認|"
    r"네|승인",
    re.IGNORECASE,
)
_CLAIM_WORDS = word_set(
    """
    approv authori agree agreed consent permit allow accept waiv lift sign off confirm grant give
    gave say said exception object objection made mind one user owner go ok okay fine yes now also
    already has explicit full green light permission approval no need further required standing
    stage all both still since made branch he she they him her them
    """
)
_TIME = re.compile(r"\b\d{1,2}:\d{2}\b|\b\d{4}-\d\d-\d\d\b")
_CONTENT = re.compile(r"\d+")
LONGEST = 4_000_000
"""Characters of the text before that are read."""


def denied(text: str) -> bool:
    """`No answer yet`, `until approved`: speaks of agreement that is not there."""
    return bool(_DENIED.search(text)) and not _WAIVING.search(text)


class Source:
    """The text before a digest, read only as far as it is asked."""

    def __init__(self, before: str) -> None:
        self._before = before[:LONGEST]

    @cached_property
    def heard(self) -> list[str]:
        """Sentences of people and rule files; assistants, tools, the harness give no consent."""
        sentences: list[str] = []
        at, speaker = 0, "user"
        for match in [*_SPEAKER.finditer(self._before), None]:
            end = match.start() if match else len(self._before)
            if speaker.casefold() not in _UNHEARD:
                said = re.split(r"(?<=[.!?])\s+|\n", self._before[at:end])
                sentences += [sentence for sentence in said if sentence.strip()]
            if match:
                speaker, at = match[1] or match[2], match.end()
        return sentences

    @cached_property
    def _statements(self) -> list[Statement]:
        return statements(self._before)[0]

    def under_heading(self, item: str) -> bool:
        """Does a heading forbid this item of a list? So it seems if it stands nowhere."""
        wanted = words(item)
        places = [
            one for one in self._statements if words(_SCOPE.sub("", one.body or one.text)) == wanted
        ]
        return any(one.forbidden for one in places) or not places

    @cached_property
    def _flat(self) -> str:
        return "\n".join(f" {' '.join(words(sentence))} " for sentence in self.heard)

    @cached_property
    def _consents(self) -> list[str]:
        return [s for s in self.heard if _CONSENTING.search(s) and not denied(s)]

    def says(self, text: str) -> bool:
        """Do the words stand there, or does somebody allow what they name?"""
        wanted = words(text)
        if not wanted or f" {' '.join(wanted)} " in self._flat:
            return True
        names = identifiers(sense(text).things)
        return bool(names) and any(names <= sense(given).things for given in self._consents)

    def gave(self, claim: str, *, told: bool = False) -> bool:
        """Did somebody entitled say so? `told`: an order or a wish, rather than consent."""
        if f" {' '.join(words(claim))} " in self._flat:
            return True
        timeless = _TIME.sub("", claim)
        numbers, wanted = set(_CONTENT.findall(timeless)), _content(timeless)
        for sentence in self.heard if told else self._consents:
            if _EVERY.search(claim) and not _EVERY.search(sentence):
                continue
            if numbers - set(_CONTENT.findall(sentence)) or (told and denied(sentence)):
                continue
            if not wanted or len(wanted & _content(sentence)) * 2 >= len(wanted):
                return True
        return False


def _content(text: str) -> set[str]:
    """What a claim is about, without the words of agreeing."""
    meant = sense(text)
    named = {stem(thing) for thing in meant.things} | (meant.acts - {"approve"})
    agreeing = ("approv", "confirm", "authori", "allow")
    return {word for word in named if word not in _CLAIM_WORDS and not word.startswith(agreeing)}
