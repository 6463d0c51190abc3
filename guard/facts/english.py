"""English sentences that bind an act (labels guide F6, F8, F9, F11). Patterns, each with a reason.

Every pattern is searched in one lower-case sentence of at most 600 characters whose code spans and
quotations were replaced (`binding.plain`), so that nothing here can run long.
`{start}` is a place where a clause may begin; `{verb}` is a word; patterns named in `ACT_NEEDED`
count only if the words after them speak of an act (`acts.py`).
"""

import re
from typing import Final

from guard.facts.wordlist import word_set

_START = (
    r"(?:^|[,;:(–—]\s*|\s-\s|\b(?:and|but|or|then|so|please|also|just|always|therefore|otherwise|"
    r"instead|kindly|simply|actually|however|again|still)\s+(?:please\s+)?)"
)
_YOU = r"(?:you|agents?|assistants?|claude|nobody|no one|everyone|anyone|bots?|subagents?)"
_YES = (
    r"(?:approvals?|permission|confirmation|ok|okay|consent|sign-?off|signatures?|go-ahead|"
    r"green light|blessing|agreement|say-?so|authori[sz]ation|clearance|yes|word|explicit request)"
)
_OF = r"(?:[\w'./-]+ ){0,5}"
_IDLE = (
    r"(?!have to|need to|needs? |want|worry|mind|hesitate|forget|know|think|care|be afraid|matter|"
    r"see|believe|remember|like|seem|appear|work|exist|expect|understand|mean\b|"
    r"support|even |want|registered|have )"
)

VETOES: Final = {
    "not needed": r"\b(?:you|we) (?:do not|need not|will not) (?:have to|need to|need)\b"
    r"|\bno need to\b|\bneed not\b|\bnot (?:necessary|required|needed|important|a problem)\b"
    r"|\bno problem\b|\bnever mind\b|\bno longer (?:needs?|requires?|necessary)\b",
    "advice": r"\b(?:prefer|preferably|prefers|ideally|consider|try (?:to|not)|would be "
    r"(?:nice|good|great)|"
    r"better (?:to|not)|best to|good practice|best practice|recommend(?:ed|s)?|nice "
    r"to have|if possible|"
    r"where possible|when possible|might want|perhaps|maybe|as a rule of thumb|i(?: would|'d) like|"
    r"we(?: would|'d) like|feel free to|whenever possible|suggestion|it helps to|tip:)\b",
    "told of": r"(?<!\bi )\b(?:says?|said|thinks?|claims?|believes?|thought) (?:that )?"
    r"(?:we|they|one|people|everyone)\b|\b(?:used to|proposed|suggested that|in the old days|"
    r"nothing was decided|"
    r"according to|"
    r"was careful|were careful|someone said|somebody said|they say|it says|"
    r"reportedly|supposedly)\b",
    "supposed": r"\b(?:would|could) (?:not |never |only )|\b(?:suppose|imagine|what if|in theory|"
    r"hypothetically|assuming|let us say)\b|\bif (?:we|you|i) (?:had|were)\b",
    "my own": r"\bi (?:will|would|do|did|have|had|am|was|can|could|think|plan|never|just|only)"
    r"(?:'d| not| never| only)?\b",
}
"""If one of these stands in the sentence, only the patterns of `FIRM` can still bind it."""

PATTERNS: Final[dict[str, tuple[str, str]]] = {
    "do not": (
        "not never dont",
        _START + r"(?:you )?(?:do not|never(?! [a-z]{3,}[^su]s\b)|dont|must not|must never) "
        r"(?:ever |just |simply |"
        r"even |please |in any case )?" + _IDLE + r"[\w`]",
    ),
    "you must not": (
        "not never",
        r"\b"
        + _YOU
        + r" (?:must|shall|should|may|can)(?:not| not| never| no longer)\b (?!or\b)"
        + _IDLE
        + r"|\byou (?:do|will|are)(?: not| never) (?!or\b)"
        + _IDLE,
    ),
    "you never": (
        "never may must not nobody",
        r"\byou never\b|\b(?:nobody|no one) (?:must|may)\b|\byou do not$",
    ),
    "nobody may": (
        "nobody nothing none neither one",
        r"\b(?:nobody|no one|nothing|none of (?:this|these|them)|neither [\w ]{1,40})"
        r" (?:may|must|shall|should|can|is to|are to|gets?|goes|leaves?)\b",
    ),
    "must not": (
        "must shall",
        r"\b(?:must|shall)(?: not| never|nt)\b (?!be (?:empty|null|none|blank|zero|negative|nil|"
        r"undefined|missing|equal|greater|larger|longer|unique|a |an |the )\b)",
    ),
    "are not to": ("not never", r"\b(?:is|are) (?:not|never) to (?:be )?\w"),
    "forbidden": (
        "not forbidden prohibited off off-limits out banned disallowed taboo verboten frozen",
        r"\b(?:is|are|be|remains?|stays?|strictly|absolutely) (?:strictly |absolutely |"
        r"completely |expressly )?"
        r"(?:not allowed|not permitted|forbidden|prohibited|off[- ]limits|out of bounds|"
        r"banned|disallowed|"
        r"verboten|taboo|frozen until)\b|^(?:strictly )?(?:forbidden|prohibited|"
        r"off[- ]limits|not allowed)\b",
    ),
    "nothing until": (
        "nothing",
        r"\b(?:change|touch|delete|send|push|do|run|write|edit|publish|deploy|commit|install|merge"
        r"|remove|alter|start|move|buy|pay|post|modify) nothing\b",
    ),
    "leave alone": (
        "leave keep",
        r"\b(?:leave|keep) (?:[\w'./`\"-]+ ){1,8}(?:alone|untouched|unchanged|intact|in peace|"
        r"as (?:it|they) (?:is|are|stands?)|as is|out of (?:it|this))\b",
    ),
    "keep off": (
        "keep stay hands",
        _START + r"(?:keep|stay|hands) (?:your hands |hands |clear |well |away )?(?:off|away "
        r"from|out of|clear of|of)\b",
    ),
    "refrain": (
        "refrain hold abstain desist no",
        _START + r"(?:refrain from|hold off|abstain from|desist from|no touching)\b",
    ),
    "stop": (
        "stop halt pause freeze hold",
        _START + r"(?:stop|halt|pause|freeze|hold) (?!using the word)(?:what you|all|and (?:ask|"
        r"wait|report|tell|hand)|"
        r"everything|any|here|there|now|immediately|work|if|when|as soon|before|after|at)\b",
    ),
    "read-only except": (
        "read-only readonly",
        r"\bread-?only\b[^.]{0,40}\b(?:except|unless|until|apart from|for now|but for)\b",
    ),
    "only you may": (
        "only",
        r"\bonly [\w'`./-]+(?: [\w'`./-]+){0,4} (?:may|can|must|shall|is allowed|are "
        r"allowed|is to|are to|"
        r"gets? to|decides?|approves?|merges?|deploys?|pushes|publishes|releases?)\b",
    ),
    "the only": (
        "only",
        r"\bthe only [\w'`./-]+ (?:[\w'`./-]+ ){0,4}(?:you|we|agents?) (?:may|can|are "
        r"allowed|should|must)\b"
        r"|\bthe only (?:allowed|permitted)\b",
    ),
    "you may only": (
        "only",
        r"\b(?:may|must|shall|are allowed to|is allowed to|you can|can you|can we) (?:be )?only\b"
        r"|\b(?:may|must|shall) (?:[\w'`./-]+ ){1,9}only\b",
    ),
    "nothing else": (
        "nothing nobody nowhere other one",
        r"\b(?:nobody|nowhere|no one|no(?:ne)? other)(?: else)?$|\bno other \w+$|"
        r"(?:,|\bbut|\band) nothing(?: else| more)?\b",
    ),
    "but only": (
        "only",
        r"\b(?:but|and) (?:then )?only (?:those|that|this|these|if|when|with|after|on|"
        r"in|for|the|to|once|from|as|by|until)\b",
    ),
    "only as": (
        "only",
        r"\b(?:allowed|permitted|fine|ok|okay|possible) only (?:if|when|with|"
        r"after|on|in|for|from|by|once|through|via|between|to)\b",
    ),
    "as long as": (
        "may can fine ok okay allowed",
        r"\b(?:you (?:may|can)|is (?:fine|ok|okay|allowed)|are (?:fine|ok|okay|"
        r"allowed))\b[^.]{1,120}\b"
        r"(?:as long as|provided|only if|only when|unless|until|except|but not|but "
        r"never|at most|no more than|up to)\b",
    ),
    "ask": (
        "ask",
        _START + r"(?:always |first |then |you must |must |either )?ask (?:me|us|first|before|"
        r"again|\w+ (?:first|before|for)|"
        r"for (?:[\w'-]+ ){0,2}"
        + _YES
        + r"|the (?:user|owner|team|human)|\w+ \w+ (?:first|before))\b",
    ),
    "ask to": (
        "ask get obtain",
        r"\b(?:must|to|should always|always|and|then) (?:first )?(?:ask (?:me|us|first|"
        r"before|for)|get my|obtain)\b",
    ),
    "wait": (
        "wait hold",
        _START + r"(?:always |you must |must |then )?(?:wait|hold(?: off| on)?) (?:for|until|"
        r"till|before|with|at least)\b",
    ),
    "and wait": ("wait", r"\band (?:then )?wait (?:for|until|till)\b"),
    "check with": (
        "with",
        r"\b(?:check|confirm|clear|agree|discuss|talk|coordinate|verify) (?:it |this |"
        r"that |them |everything |each \w+ )?with "
        r"(?:[\w'-]+ ){1,4}(?:first|before|beforehand)\b|\b(?:check|confirm) with (?:me|us)\b",
    ),
    "needs a yes": (
        "need needs require requires have has takes take",
        r"\b(?:needs?|requires?|must have|has to have|have to have|takes?) (?:my|our|"
        r"an?|the|prior|explicit|written|two|"
        r"second|\w+'s|manual|human|at least)\b" + r" ?" + _OF + _YES + r"\b",
    ),
    "needs approval": (
        "need needs require requires",
        r"\b(?:needs?|requires?) (?:approvals?|confirmation|sign-?off|consent|"
        r"permission) (?:from|by|of|first|before)\b"
        r"|\b(?:needs?|requires?) (?:an? |two |at least )?(?:[\w-]+ ){0,2}(?:approvals?|"
        r"sign-?offs?|second signature)\b"
        r"|\b(?:needs?|requires?) (?:an? |one |two |three |\d+ |at least \w+ )reviewers?\b",
    ),
    "with my yes": (
        "without only subject pending unless until",
        r"\b(?:without|not without|only (?:with|after|on)|subject to|pending|unless "
        r"(?:you have|there is)|until (?:you have|there is))"
        r" " + _OF + _YES + r"\b",
    ),
    "must be approved": (
        "must shall has have need needs is are",
        r"\b(?:must|shall|has to|have to|needs? to|is to|are to) (?:first |always |also )?be "
        r"(?:\w+ )?(?:approved|confirmed|signed|authori[sz]ed|cleared|acknowledged|"
        r"reviewed|agreed|counter-?signed|double-checked)\b",
    ),
    "must approve": (
        "must has have need needs",
        r"\b(?:must|has to|have to|needs? to) (?:first |always |also )?(?:approve|"
        r"confirm|sign|agree|consent|authori[sz]e|say yes|"
        r"review|give (?:an? |the |their )?(?:ok|okay|yes|go))\b"
        r"|\bneeds? (?!you\b|this\b|it\b)(?:[\w'-]+ ){1,3}to (?:approve|confirm|sign|agree|"
        r"consent|authori[sz]e)\b",
    ),
    "say so": (
        "until till unless before only",
        r"\b(?:until|till|unless|before|only (?:if|when|after)) (?:i|we|[\w'-]+ (?:has|"
        r"have)|the (?:user|owner)|someone|\w+) "
        r"(?:have |has |had )?(?:say|says|said|tell|tells|told|confirm\w*|approve\w*|"
        r"agree\w*|allow\w*|ok\w*|answer\w*|reply|replied|ask\w*|give\w*|"
        r"sign\w*|consent\w*|come|am back|return)\b",
    ),
    "at most": (
        "most more maximum up",
        r"(?:^|[,;:(]\s*)(?:at most|no more than|not more than|never more than|a "
        r"maximum of|maximum of|"
        r"up to) (?:\d|one|two|three|four|five|six|seven|eight|nine|ten|a |an )",
    ),
    "not exceed": (
        "not never exceed",
        r"\b(?:do not|must not|may not|never|not to) (?:exceed|go (?:over|above|beyond)|"
        r"spend|use) more than\b"
        r"|\b(?:not|never) (?:exceed|go (?:over|above|beyond))\b",
    ),
    "budget": (
        "budget limit cap ceiling",
        r"\b(?:budget|spending limit|spend limit|cap|ceiling)(?: \w+){0,4} is (?:set "
        r"(?:at|to) )?[$€£]?\d",
    ),
    "not the other": (
        "not never",
        r"\b(?:is|are) (?:only )?\w+(?:ed|en|de|t|n), (?:not|never) \w+(?:ed|en|t|n|d)\b",
    ),
    "take care not": (
        "not never no nothing",
        r"\b(?:make sure|be sure|ensure|careful|take care|remember|directive|the rule "
        r"is|the policy is|agreed|promise|"
        r"important|instructed|told)(?: \w+){0,3} (?:not to|to not|never to|to never)\b"
        r"|\b(?:make sure|be sure|ensure)(?: that)? (?:you (?:do not|never)|nothing|no)\b",
    ),
    "must stay": (
        "must has have shall",
        r"\b(?:must|has to|have to|shall) (?:remain|stay|be kept|be left|continue to|"
        r"preserve|keep)\b",
    ),
    "in that order": (
        "then order",
        r"^(?:first,? )\w+[^.]{2,120}\bthen\b|\bin (?:this|that|the (?:given|listed|"
        r"right)) order\b",
    ),
    "not my rules": ("hands not", r"^(?:hands off|not without)\b"),
    "if so ask": (
        "if when whenever case soon once should",
        r"^(?:if|when|whenever|in case|as soon as|once|should) [^.]{2,200}(?:, (?:then "
        r")?| then )(?:please )?(?:ask|stop|abort|wait|halt|"
        r"do not|never|page|escalate|roll back|rollback|hand over|cancel|tell me|notify|"
        r"call|undo|revert|pause|report to)\b",
    ),
    "before you": (
        "before until unless prior ahead",
        r"^(?:before|until|unless|prior to|ahead of) [^.]{2,160}, (?:then )?(?:please |"
        r"always |first |you must |you have to |the agent must )?"
        r"(?!i\b|we\b|the\b|it\b|this\b|there\b|they\b|he\b|she\b|a\b|an\b|our\b|my\b)\w+",
    ),
}

FIRM: Final = frozenset({"leave alone", "keep off", "stop", "with my yes", "if so ask"})
"""Patterns that bind in spite of a veto in the same sentence, if they stand before it."""

IMPERATIVE_WITH: Final = re.compile(
    r"\b(?:(?<!not )(?<!than )only|unless|until|till|except|at most|no more than|"
    r"not more than|at least|without (?:\w+ing|my|the|an?|any|prior|explicit|"
    r"asking|approval|permission|confirmation|consent|telling|further)|before "
    r"(?!that\b|this$|now\b)\w+|first(?=$|[,;]| and\b| then\b)|"
    r"in order\b|but not|but never|under [$€£]?\d|within \d|below \d|above \d|by "
    r"hand only|one at a time|afterwards only|never)\b"
)
"""What turns an order into a rule: a limit, an exception or a precondition (F6)."""

NO_ACT: Final = re.compile(
    r"(?:^|[,;:–—]\s*|\b(?:and|but|also|on|please|so)\s+)no (?:more |further |other |new |direct "
    r"|manual |automatic |force[- ]?|live |external |outgoing |"
    r"unreviewed |real |production |destructive |schema |api |network |outbound |"
    r"paid |parallel |remote |big |large |route |[\w-]+ ){0,2}?"
    r"([\w-]+)(?= ?(?:$|[,;:(–—]| (?:without|before|after|until|till|unless|except|"
    r"on|in|to|from|at|for|with|today|tonight|now|"
    r"please|outside|during|over|above|by|may|is to|are to|shall|and|or|this|that|"
    r"yet|whatsoever|allowed|against|via|through)\b))"
)
"""`No deploys after 16:00`: the word caught must speak of an act."""

NO_MAY: Final = re.compile(
    r"(?:^|[,;:]\s*)no [\w'-]+ (?:[\w'-]+ ){0,6}(?:may|must|shall|can|without)\b"
)

NOUN_ONLY: Final = re.compile(
    r"^([\w-]+) (?:[\w'`./-]+ ){0,5}only (?:with|after|by|from|to|in|on|for|if|when|"
    r"via|through|between|once|as|through)\b"
    r"|^([\w-]+) only (?:with|after|by|from|to|in|on|for|if|when|via|through|between|once)\b"
)
"""`Deploys only after the tests pass`: the first word must speak of an act."""

FOR_ONE_ONLY: Final = re.compile(
    r"\b(?:is|are) (?:reserved |meant )?for [\w ]{1,30} only$|\b(?:is|are) reserved (?:for|to)\b"
)
"""`make deploy is for Kim only`: a rule in rule files only."""

PASSIVE_NEVER: Final = re.compile(
    r"\b(?:is|are|gets?) (?:never|not) (?:to be )?(\w+(?:ed|en|t|n|d|un|ut))\b"
)
"""`Generated files are never edited by hand`: a rule in rule files only."""

WE_NEVER: Final = re.compile(r"\bwe (?:never|do not) (\w+)")
"""`We never push to main`: a rule in rule files only."""

MODAL_ACT: Final = re.compile(
    r"\b(?:should|may|can)(?:not| not| never)\b (?!or\b)(?:be )?(?:\w+ly )?(\w+)"
)
"""`Data may not leave the region`: the word caught must speak of an act."""

SELF_DONE: Final = re.compile(
    r"\bi(?:'ll| will) (?:do|handle|take care of|run|push|merge|deploy|send|make) "
    r"(?:\S+ ){0,5}(?:myself|manually|by hand)\b"
)
"""The user keeps an act for themselves."""

SKIPPED: Final = re.compile(
    _START + r"(?:skip|leave out|omit) (?:\S+ ){0,3}(?:#?\d|item|step|number|comment|the )"
)
"""`skip 5, 7 and 8`: part of the work is not to be done (people's words only)."""

STARTS: Final = re.compile(
    _START + r"(?:start|begin) (?:with|there|from|by) (?:\S+ ){0,6}first\b|^(?:start|begin) "
    r"with the first\b|^let us (?:start|begin|do) (?:\S+ ){0,5}first\b"
)
"""`Start with the first ready task`: an order of work (people's words only)."""

TAIL_ORDER: Final = re.compile(r"\b(?:first|in order|one by one|one at a time|in sequence)$")

STYLE: Final = re.compile(
    r"\b(?:tabs?|emojis?|type hints?|type annotations?|docstrings?|indent\w*|four "
    r"spaces|two spaces|camelcase|snake_case|"
    r"semicolons?|naming|variable names?|abbreviat\w*|sentences?|\d+ words|\d+ "
    r"characters|characters per line|line length|"
    r"lines? longer|trailing (?:commas?|spaces?|whitespace)|whitespace|single "
    r"quotes|double quotes|headings?|bullet\w*|passive voice|"
    r"capital\w*|exclamation|one-letter|single-letter|global variables?|wildcard "
    r"imports?|print statements?|inline styles?|magic numbers?|"
    r"nested ternar\w*|filler|jargon|marketing|first person|oxford|comment style|"
    r"british|american|slang|puns?|gender\w*|adjectives?|"
    r"adverbs?|buzzwords?|small functions|functions? (?:of|longer|over|under)|lines "
    r"per|per function|one-liners?|relative imports?|"
    r"default exports?|any type|the any|var\b|lambda|list comprehensions?|nested "
    r"(?:ifs?|loops?)|inheritance|mutable default\w*|"
    r"column width|line breaks?|blank lines?|ascii art|markdown tables?|greetings?|"
    r"apolog\w*|flattery|praise|preambles?|"
    r"sign off with|polite|tone|verbose answers?|short answers?|small talk)\b"
)
"""Looks of text and code (F8): no rule, unless the sentence also speaks of an outward act."""

OUTWARD: Final = word_set(
    """
    push commit merge deploy release delete send contact spend upload force approve ask wait
    install migrate
    """
)

GRANT: Final = re.compile(
    r"\b(?:you (?:may|can|could)|feel free|(?:it is|that is|are|is) (?:fine|ok|okay|"
    r"allowed|welcome)|are free to|go ahead)\b"
)
LIMITING: Final = re.compile(
    r"\b(?:(?<!not )(?<!than )only|unless|until|except|but not|but never|at most|no "
    r"more than|up to|as long as|provided|before|if|not|never|apart from|nothing "
    r"else|nobody else)\b"
)
