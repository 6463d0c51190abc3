"""What a sentence says about an act: forbids, orders, allows, advises, tells (guide D3 to D7)."""

import re
from functools import lru_cache
from typing import Final

import msgspec

from guard.digest.wording import words
from guard.facts.acts import act_of, acts_inside
from guard.facts.tongues import language_of
from guard.facts.verbs import VERBS
from guard.facts.wordlist import word_set

NEGATIONS: Final = word_set(
    """
    not never no nothing nobody none neither nor without cannot nicht nichts nie niemals kein
    keine keinen keiner keinem ohne ne pas jamais rien aucun aucune sans nunca jamás nada ningún
    ninguna sin não sem nenhum nenhuma non mai senza nessun niet nooit geen inte aldrig ikke aldri
    nie nigdy bez не никогда нельзя без ні
    """
)
_NEGATED_INSIDE = re.compile(
    r"不要|不得|不能|不可|禁止|勿|严禁|未经|ない|禁|ません|하지 ?마|지 ?마|금지|मत|"
    r"बिना|لا |ممنوع|אסור|אל |asla"
)
_STRONG_NEGATION: Final = re.compile(
    r"\b(?:do not|never|must not|may not|shall not|cannot|no \w+|not to|forbidden|"
    r"prohibited|off[- ]limits|not allowed|leave \S+(?: \S+){0,4} alone|keep off|"
    r"stay away|nothing|"
    r"untouched|unchanged|refrain|halted|held|hold|blocked|frozen|should not|hands "
    r"off|nobody|no one|stop|stopped|banned|not (?:be )?\w+(?:ed|en))\b"
)
SOFT: Final = re.compile(
    r"\b(?:try|tries|trying|attempt|prefer\w*|preferabl\w+|ideally|if possible|"
    r"where possible|when possible|best effort|good practice|best practice|good "
    r"idea|bad idea|"
    r"recommend\w*|advis\w+|suggest\w*|would (?:like|be (?:nice|good|better))|"
    r"wish\w*|hope\w*|want\w* to avoid|avoid\w*|rather not|not a fan|dislikes?|"
    r"not (?:keen|fond)|take care|usual|does "
    r"not like|unpopular|"
    r"usually|normally|generally|tends? to|as a rule of thumb|careful|cautious|wary|afraid|uneasy|"
    r"mindful|reluctan\w+|hesita\w+|consider\w*|discouraged|not ideal|nice to have|"
    r"be aware|keep in mind|sensitive|concern\w*|worr\w+|mentioned that|dangerous|risky|unhappy|is "
    r"nervous|likes? to|would rather|for now|not yet|currently|at the moment|so far|"
    r"yet|might|could|perhaps|maybe|"
    r"should (?!not|never|only)|appreciat\w+|courtesy|encouraged|better (?:not )?to|may want|"
    r"feel free to skip|optional\w*|where practical|with care|"
    r"möglichst|nach möglichkeit|wenn möglich|lieber|am besten|idealerweise|"
    r"vorsicht\w*|eher|bevorzugt|vorerst|derzeit|si possible|de préférence|évit\w+|"
    r"plutôt|prudence|pour l'instant|"
    r"si es posible|prefer\w+|evit\w+|procur\w+|intent\w+|por ahora|se possível|por "
    r"enquanto|se possibile|meglio|per ora|liever|indien mogelijk|по возможности|"
    r"желательно|лучше|стара\w+|пока)\b"
    r"|尽量|最好|建议|如果可能|暂时|なるべく|できれば|避け|当面|가능하면|되도록|당분간"
)
HABIT: Final = re.compile(
    r"\b(?:was|were|has been|have been|had been) (?:\w+ )?(?:careful|asked|told|"
    r"avoided|reluctant|cautious|mindful|left|kept)\b|\b(?:did not|has not|have not|"
    r"were not|was not|had not)\b"
    r"|\b(?:so far|until now|up to now|in the past|earlier|previously|formerly|used "
    r"to)\b|\b(?:no|nothing|none)(?: \w+)? (?:was|were|has been|have been)\b|\b(?:u|"
    r"team|we|they|he|she) (?:never|usually|always|rarely|seldom) \w+"
)
PERMITS: Final = re.compile(
    r"\b(?:needs? no|no (?:further |more |longer )?(?:\w+ ){0,2}(?:confirmation|"
    r"approval|permission|consent|sign-?off|objection|need|ok|question|restriction|review|"
    r"limit)s?\b|not (?:needed|required|necessary)|"
    r"(?:can|may) (?:now |be |also |freely |safely |always )*(?!not|want|like)|allow\w*|"
    r"permit\w*|is (?:now )?(?:fine|ok|okay|free|allowed|permitted|possible)|are "
    r"(?:now )?(?:fine|ok|okay|free|allowed|permitted|possible)|"
    r"free to|at will|any time|whenever|approved|authori[sz]ed|lifted|waived|"
    r"cleared|agreed|consented|green light|go-ahead|granted|confirmed|accepts?|"
    r"accepted|does not mind|without (?:asking|approval|confirmation|waiting|"
    r"permission)|"
    r"no longer (?:applies|needed|required|in force|necessary|forbidden|forbids?|"
    r"prohibits?|prohibited|bans?|banned|blocks?|blocked|off[- ]limits)|"
    r"erlaub\w+|genehmigt|freigegeben|zugestimmt|darf|dürfen|"
    r"autoris\w+|autoriz\w+|permis\w*|permit\w+|aprob\w+|aprov\w+|"
    r"approuv\w+|d'accord|puede\w*|pode\w*|può|possono|разреш\w+|одобр\w+|можно|"
    r"unrestricted|unlimited)\b|允许|可以|同意|批准|許可|承認|してよい|허용|승인|"
    r"해도"
)
DONE: Final = re.compile(
    r"\b(?:done|obsolete|outdated|superseded|no longer (?:applies|apply|valid|in "
    r"force|holds?|relevant|needed|binding)|lifted|withdrawn|revoked|cancel+ed|"
    r"dropped|void|expired|was removed|been removed|"
    r"rule is gone|resolved|fulfilled|out of date|does not apply|erledigt|"
    r"aufgehoben|hinfällig|gilt nicht mehr|terminé|levé|levée|caduc|ya no (?:aplica|"
    r"vale)|levantad\w+|não vale mais|revogad\w+)\b"
)
_LEADS = re.compile(
    r"^(?:\W|\d)*(?:(?:the )?(?:user|next|then|now|so|and|but|also|pending|todo|to "
    r"do|steps? left|current work|plan|order|instruction|task|goal|request|first|"
    r"finally|afterwards|later|rule|constraint|note)\b[\s:,-]*)+"
)
_ASIDE = re.compile(r"\([^()]{0,200}\)")
_GIVEN = re.compile(r"^(?:if|when|whenever|once|after|in case)\b[^,]{2,120},\s*")
_OTHERS = re.compile(
    r"\b(?:by (?:the )?(?:user|owner|[A-Z]\w+)|(?:the )?user (?:will|does|is going "
    r"to|handles)|[A-Z]\w+ (?:will|does|handles))\b"
)
_ASKING: Final = frozenset({"ask", "wait", "approve", "review"})
_CONFIRMS = re.compile(
    r"\bu (?:answer\w*|repl\w+)\b|\b(?:ask\w*|wait\w*|confirm\w*|approv\w*|permission|"
    r"consent|sign-?off|sign(?:s|ed)?|signature|ok|okay|go-ahead|my yes|a yes|u's yes|check with|"
    r"clear(?:ed|ance)?|agree\w*|authori[sz]\w*|review\w*|page|notify|inform|tell|"
    r"frag\w*|warte\w*|freigabe|zustimm\w*|zugestimmt|bestätig\w*|genehmig\w*|"
    r"rücksprache|demand\w*|attend\w*|accord|autoris\w*|valid\w*|pregunt\w*|"
    r"esper\w*|permiso|aprob\w*|autoriz\w*|confirmación|pergunt\w*|aprov\w*|"
    r"confirma\w*|chied\w*|conferma|"
    r"спрос\w*|подожд\w*|соглас\w*|подтвержд\w*|разреш\w*)\b|确认|同意|批准|承認|"
    r"確認|許可|승인|확인|허락|अनुमति"
)
_ONLY = re.compile(
    r"\b(?:only|just|solely|exclusively|nothing but|nur|ausschließlich|seulement|"
    r"uniquement|solo|sólo|solamente|únicamente|só|somente|apenas|soltanto|alleen|"
    r"endast|bara|kun|tylko|только|лишь)\b|只|仅|だけ|のみ|만 |केवल|सिर्फ"
)
_MOST = re.compile(
    r"\b(?:at most|no more than|not more than|max(?:imum)?|up to|limit(?:ed)?|under|"
    r"below|within|at least|minimum|höchstens|maximal|au plus|au maximum|como "
    r"máximo|no máximo|al massimo|не более|hoogstens|högst)\b|最多|不超过|以内|최대"
)
_CONDITION = re.compile(
    r"\b(?:until|till|unless|without|before|after|except|if|when|while|once|as long "
    r"as|outside|during|between|apart from|bis|bevor|ohne|außer|vor|nach|wenn|"
    r"falls|solange|avant|sans|sauf|jusqu|après|si|hasta|sin|antes|salvo|excepto|"
    r"después|"
    r"até|sem|exceto|depois|finché|senza|prima|dopo|tranne|se|пока|без|кроме|до|"
    r"после|если|перед)\b|[之]?前|除非|未经|まで|なしに|전에|없이|से पहले|बिना|जब तक"
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NAME = re.compile(r"(?<=[\w,;:] )[A-ZÀ-Ý][a-zà-ÿ]{2,}\b")
_EMPTY: Final = word_set(
    """
    tout toute tous toutes chaque alle jede jeder jedes todo toda cada ogni
    a an the to of in on at by for with and or not do does no never be is are was were been being
    it this that these those as from into about than then there here will would shall must may can
    could should u a u's a's any all every each some such other another own also only just at most
    between during outside within
    more less least first after before until unless without if when while once except so but user
    rule rules constraint config der die das den dem des und oder auf mit für von zu im am ein
    eine einen le la les de des du un une et ou el los las del y o en con por para que os as do da
    e em no na il lo i gli di che je ich er sie es wir hat habe haben ist sind wird werden dass
    wenn bevor nach bis vor nur aus bei dem sich auch noch nutzer benutzer usuario usuário utente
    utilisateur il elle nous vous je mon ma mes ce cette qui que est sont avant après sans pas
    plus antes hasta sin más mi su se al lo una unos até sem antes mais meu minha seu sua ao uma
    senza prima dopo non con una del della al suo sua alone et have has had get got go goes using
    used use make made sure please said says say user's nothing anything everything something who
    which what where how why
    """
)


class Sense(msgspec.Struct, frozen=True):
    """What a sentence speaks of, and how."""

    acts: frozenset[str]
    things: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    negative: bool
    """Some word denies or forbids."""
    forbids: bool
    prohibits: bool
    """Forbids the act itself, rather than ordering to stop or to ask."""
    soft: bool
    habit: bool
    permits: bool
    orders: bool
    confirms: bool
    only: bool
    most: bool
    condition: bool
    done: bool
    others: bool
    """Somebody else is to do it."""


@lru_cache(maxsize=4096)
def sense(text: str) -> Sense:
    """Read one sentence or clause."""
    norm = words(text)
    flat = " ".join(norm)
    low = text.casefold().replace("’", "'")
    acts = {act for word in norm if (act := act_of(word))} | acts_inside(text)
    things = {
        stem(word)
        for word in norm
        if word not in _EMPTY and word not in NEGATIONS and not act_of(word)
    }
    negative = bool(NEGATIONS & set(norm)) or bool(_NEGATED_INSIDE.search(low))
    return Sense(
        frozenset(acts),
        frozenset(thing for thing in things if len(thing) > 1),
        frozenset(n.replace(",", "") for n in _NUMBER.findall(text)),
        frozenset(name.casefold() for name in _NAME.findall(text)),
        negative,
        _forbids(norm, flat, low, negative=negative)
        or bool(_LEAVE.search(flat) or _ALONE.search(flat)),
        _forbids(norm, flat, low, negative=negative) or _ALONE.search(flat) is not None,
        bool(SOFT.search(low)),
        bool(HABIT.search(flat)),
        bool(PERMITS.search(low)) and not _denied_permit(low),
        orders(text),
        bool(_CONFIRMS.search(f" {flat} ")),
        bool(_ONLY.search(low)),
        bool(_MOST.search(low)),
        bool(_CONDITION.search(low)),
        bool(DONE.search(_ASIDE.sub("", low))),
        bool(_OTHERS.search(text)),
    )


def _forbids(norm: tuple[str, ...], flat: str, low: str, *, negative: bool) -> bool:
    if negative and _STRONG_NEGATION.search(flat):
        return True
    return bool(_NEGATED_INSIDE.search(low)) or bool(_FOREIGN_NEGATIONS & set(norm))


_ALONE = re.compile(
    r"\b(?:leave|keep|stay)\b.*\b(?:alone|untouched|unchanged|off|away|out)\b|"
    r"\b(?:keeps?|stays?|remains?|left|kept) (?:closed|private|shut|locked|frozen|as-is)\b|"
    r"\b(?:leave|kept?|stays?|remains?|left)\b[^.;]{0,30}\bas (?:it|they|he|she)? ?(?:is|are|"
    r"was|were|stands?)\b|\b(?:stays?|remains?|kept) (?:at|on) (?:a's|the|their)\b|"
    r"\boff[- ]limits\b|\bforbidden\b|\bprohibited\b"
)
_LEAVE = re.compile(
    r"\b(?:leave|keep|stay)\b.*\b(?:alone|untouched|unchanged|off|away|out)\b|\bstop\b|\bhold\b"
)
_FOREIGN_NEGATIONS = NEGATIONS - word_set(
    "not no never nothing nobody none neither nor without cannot"
)
_DENIED_PERMIT = re.compile(
    r"^\W*(?:nothing|nobody|no one|none|no \w+)\b[^.;]{0,60}\b(?:may|can|allowed|permitted)\b|"
    r"\b(?:not|never|no\w*) (?:be )?(?:yet )?(?:allowed|permitted|approved|"
    r"authori[sz]ed|agreed|confirmed|granted)\b|\b(?:until|unless|before|"
    r"only)\b[^.;]{0,50}\b(?:approv\w+|confirm\w+|agree\w*|allow\w*|permit\w*|"
    r"authori\w+)\b|\b(?:must|ha(?:s|ve) to) (?:be|first)\b|\bneeds? (?:to|an?|my|the)\b|"
    r"\bmay not\b|"
    r"\bdarf (?:nicht|kein)\w*\b|\bmay be \w+ only\b|\bcan only\b|\bmay only\b"
)


def _denied_permit(low: str) -> bool:
    return bool(_DENIED_PERMIT.search(low))


def stem(word: str) -> str:
    """A word without its ending; identifiers stay whole."""
    if any(sign in word for sign in "._/@:*-") or any(c.isdigit() for c in word):
        return word.rstrip("/")
    for ending in ("ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "en", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word.removesuffix("s") if len(word) > 3 else word


def orders(text: str) -> bool:
    """Does the clause begin as an order (`Push to main`, `Next: deploy`)?"""
    bare = _LEADS.sub("", _GIVEN.sub("", text.strip(" \"'*`-•“”").casefold()))
    norm = words(bare)
    if not norm:
        return False
    if norm[0] in {"a", "and"} and len(norm) > 1:
        norm = norm[1:]
    if norm[0] in VERBS:
        return not set(norm[1:2]) & {"is", "are", "was", "were", "has", "needs"}
    if norm[-1].endswith(("en", "ern", "eln")) and act_of(norm[-1]) and language_of(text) == "de":
        return True
    if act_of(norm[0]) and not norm[0].endswith("s") and language_of(text) is not None:
        return True
    return bool(re.match(r"(?:to be |still to )", bare))


def identifiers(things: frozenset[str]) -> frozenset[str]:
    """Things that are names of files, databases, branches: they cannot be shared by chance."""
    return frozenset(
        t for t in things if any(sign in t for sign in "._/@*") or any(c.isdigit() for c in t)
    )
