"""Words of rules and statements made comparable: case, contractions, pronouns (guide D2)."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

import msgspec

_TOKEN = re.compile(
    r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|"
    r"[^\W_]+(?:[./@:_*+'’#-]+\*?[^\W_]+)*(?:/?\*|%|/(?!\w))?|(?:[./]|~/)[\w./*-]*\w[*/]?|[$€£%]"
)
_WIDE = re.compile(r"[぀-ヿ㐀-鿿가-힯ऀ-ॿ]")
_CONTRACTIONS = """
don't do not
dont do not
doesn't does not
didn't did not
can't cannot
won't will not
mustn't must not
mustnt must not
shouldn't should not
isn't is not
aren't are not
couldn't could not
wouldn't would not
needn't need not
i'm u
i'll u will
i've u have
i'd u would
you're a
you'll a will
it's it is
let's let us
"""
_PERSONS = """
u i me user human operator myself themselves himself herself
u ich mich mir nutzer benutzer utilisateur usuario usuário utente
u's my mine user's
a you agent assistant claude yourself itself
a's your its
"""
"""`u` is the user, `a` the agent: a rule may name them or say I and you."""
_CONTRACTED: Final = {
    line.split()[0]: line.split(maxsplit=1)[1] for line in _CONTRACTIONS.strip().splitlines()
}
_PERSON: Final = {
    word: line.split()[0] for line in _PERSONS.strip().splitlines() for word in line.split()[1:]
}
_SAME: Final = {"habe": "hat", "bin": "ist", "euro": "euros", "dollar": "dollars"}
_CURRENCIES: Final = {"$": "dollars", "€": "euros", "£": "pounds"}
"""Signs before a number are read as words behind it."""
_ELIDED = re.compile(r"(?:[ldsjmtc]|qu)'(\w.+)")
_SEPARATOR = re.compile(r"(?<=\d)[,_](?=\d{3}(?!\d))")
_SKIPPED: Final = frozenset({"please", "kindly"})


class Token(msgspec.Struct, frozen=True):
    """A comparable word and where it stands."""

    norm: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """Comparable words in order; signs of scripts without spaces are words of their own."""
    found: list[Token] = []
    held: Token | None = None
    for match in _TOKEN.finditer(text):
        if match[0] in _CURRENCIES:
            held = Token(_CURRENCIES[match[0]], match.start(), match.end())
            continue
        word = unicodedata.normalize("NFKC", match[0]).casefold().replace("’", "'").strip("*'")
        if _WIDE.search(word):
            found += [
                Token(sign, match.start() + at, match.start() + at + 1)
                for at, sign in enumerate(match[0])
            ]
            continue
        if elided := _ELIDED.match(word):
            word = elided[1]
        if word[:1].isdigit():
            word = _SEPARATOR.sub("", word)
        for part in _CONTRACTED.get(word, word).split():
            norm = _PERSON.get(part, _SAME.get(part, part))
            if norm == "cannot":
                found += [
                    Token("can", match.start(), match.end()),
                    Token("not", match.start(), match.end()),
                ]
            elif norm not in _SKIPPED and norm:
                found.append(Token(norm, match.start(), match.end()))
        if held is not None:
            found.append(held)
            held = None
    return _joined_persons(found, text)


def _joined_persons(found: list[Token], text: str) -> list[Token]:
    """`the user confirms` is `I confirm`; `the user has confirmed` stays."""
    kept: list[Token] = []
    for token in found:
        before = kept[-1] if kept else None
        if (
            token.norm in {"u", "a", "u's", "a's"}
            and before is not None
            and before.norm in {"the", "this", "our", "der", "den", "dem", "el", "o", "l"}
        ):
            kept.pop()
        elif (
            before is not None
            and before.norm == "u"
            and token.norm not in {"is", "has", "was", "this"}
            and _third_person(token.norm)
            and text[before.end : token.start].isspace()
        ):
            kept.append(Token(_base_form(token.norm), token.start, token.end))
            continue
        kept.append(token)
    return kept


def _third_person(word: str) -> bool:
    return len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))


def _base_form(word: str) -> str:
    longer = word.endswith(("ches", "shes", "sses", "goes", "xes"))
    return word[:-2] if longer else word[:-1]


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[str, ...]:
    """The comparable words alone."""
    return tuple(token.norm for token in tokens(text))
