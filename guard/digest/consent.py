"""Authority that a digest claims and no source gave (labels guide D8)."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from guard.digest.outcome import Added
from guard.digest.reading import Sense, sense
from guard.digest.source import Source, denied
from guard.digest.statements import Statement, trimmed
from guard.facts.fact import Fact

_GRANTS = re.compile(
    r"\b(?:approv(?:ed|es)|authori[sz](?:ed|es)|agreed|agrees|consented|consents|"
    r"permitted|permits|allowed|allows|accepted|accepts|okayed|ok'd|waived|waives|"
    r"lifted|lifts|"
    r"signed off(?: on)?|confirmed|confirms|granted|gave (?:the |a |an |his |her |"
    r"their |its |me |us |full |explicit )*(?:go|ok|okay|yes|green|permission|"
    r"approval|consent|blessing|sign-?off|clearance|authori\w+)|"
    r"said \W?(?:\w+ ){0,8}\W?(?:yes|go|ok|okay|fine)\b|(?:is|are|was|were) (?:now |"
    r"also |all )?(?:fine|ok|okay|happy|comfortable|cool) with|does not (?:mind|"
    r"object)|did not object|has no (?:problem|objection)s?|no longer (?:needs|"
    r"requires|minds|objects|insists|wants|forbids?|prohibits?|bans?|blocks?)|"
    r"made (?:an?|one|another) exception|(?:has |have )?signed(?! by| in| out| up)|"
    r"dropped (?:the|this|that|his|her|their) (?:rule|requirement|limit|condition)|"
    r"(?:switched|turned) off by (?:the )?user|delegated|relaxed|cleared)\b",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    r"\b(?:(?:is|are|was|were|has been|have been|had been) (?:now |already |also |"
    r"all |explicitly )?(?:approved|authori[sz]ed|allowed|permitted|lifted|waived|"
    r"cleared|granted|signed off|agreed)|"
    r"no (?:further |more |longer )?(?:\w+ ){0,2}(?:confirmation|approval|review|"
    r"permission|consent|sign-?off)s? (?:is |are |was |were )?(?:needed|required|"
    r"necessary)|needs? no (?:\w+ ){0,2}(?:confirmation|approval|permission|consent|"
    r"sign-?off|ok)|"
    r"(?:confirmation|approval|permission|consent|sign-?off|ok|asking) (?:is|are|"
    r"was) (?:no longer|not) (?:needed|required|necessary)|(?:approval|permission|"
    r"consent|go-ahead|green light|sign-?off|clearance|authori[sz]ation|ok) (?:was |"
    r"is |has been |have been )?(?:given|granted|received|obtained|on file|there)|"
    r"no objections?|(?:go-ahead|green light)\b|free to|feel free|(?:you|we) may "
    r"(?:now )?(?!not|be|have|need)|without (?:further )?(?:approval|asking|"
    r"confirmation|permission) (?:now|from now on|is fine|allowed)|standing "
    r"(?:approval|permission|consent)|blanket (?:approval|permission|consent))\b",
    re.IGNORECASE,
)
_ABROAD = re.compile(
    r"\b(?:hat|haben)\b[^.;]{0,80}\b(?:zugestimmt|erlaubt|genehmigt|freigegeben|"
    r"bestätigt|gebilligt|grünes licht|eingewilligt)\b|\b(?:ist|sind|wurde|wurden) "
    r"(?:jetzt |nun )?(?:erlaubt|genehmigt|freigegeben|gestattet)\b|\b(?:freigabe|"
    r"zustimmung|genehmigung) (?:liegt vor|erteilt|wurde erteilt)\b|\berlaubt "
    r"(?:das|die|den|es|nun|jetzt)\b"
    r"|\b(?:a|ont|est|sont) (?:\w+ )?(?:autorisé\w*|approuvé\w*|accepté\w*|"
    r"confirmé\w*|permis\w*|validé\w*|donné (?:son|l') ?accord)\b|\bautorise\b|"
    r"\baccord (?:donné|obtenu|reçu)\b"
    r"|\b(?:ha |han |fue |está |están )?(?:autorizó|autorizad\w+|aprobó|aprobad\w+|"
    r"permitió|permitid\w+|confirmó|confirmad\w+|aceptó|dio permiso|dio su "
    r"(?:permiso|aprobación|visto bueno))\b|\b(?:usuario|cliente) (?:permite|"
    r"autoriza|acepta|aprueba)\b"
    r"|\b(?:autorizou|aprovou|permitiu|confirmou|aceitou|autorizad\w+|aprovad\w+)\b|"
    r"\bha (?:autorizzato|approvato|confermato|permesso|acconsentito|dato il "
    r"permesso)\b|\bheeft\b[^.;]{0,60}\b(?:goedgekeurd|toegestaan|bevestigd|"
    r"toestemming)\b"
    r"|\b(?:разрешил\w*|одобрил\w*|подтвердил\w*|согласил\w*|дал\w* согласие|"
    r"дозволи\w*)\b|(?:用户|使用者|客户)[^。；]{0,20}(?:同意|批准|允许|授权|确认)|"
    r"(?:已|已经)(?:获|得到|获得)?(?:批准|授权|同意)|(?:ユーザー|"
    r"利用者)[^。]{0,30}(?:承認|許可|同意|了承|確認)(?:した|済|しました|を得た|"
    r"しています)|사용자[^.]{0,30}(?:승인|허락|동의|허용)(?:했|함|하였|해)",
    re.IGNORECASE,
)
_ASKED_FOR = re.compile(
    r"\b(?:per|at|on|upon|by) (?:the )?user(?:'s)? (?:request|wish|instruction|order|demand)s?\b|"
    r"\bas (?:the user )?(?:wanted|wished|requested|instructed|agreed|asked)\b|"
    r"\b(?:user|owner|customer|he|she|they)\b[^.;]{0,20}(?<!was )(?<!is )(?<!be )"
    r"(?<!been )\b(?:asked|asks|wants|"
    r"wanted|told|instructed|ordered|requested|requests|said to|decided|insisted)\b|"
    r"\b(?:can|may) (?:now |therefore |thus )?be \w+(?:ed|en|t|d)\b|\b(?:it is|that "
    r"is|this is) (?:fine|ok|okay|allowed)\b",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    r"\W*(?:up to |at most |\w+ from )?\d+(?: (?:to|-|and) \d+)?(?: \w+)? (?:is|are) "
    r"(?:allowed|permitted)\b",
    re.IGNORECASE,
)


def claims(
    statements: Sequence[Statement], source: Source, rules: Sequence[Fact]
) -> Iterator[Added]:
    """Consent, waivers and orders that the digest puts into somebody's mouth."""
    senses = [sense(rule.value) for rule in rules]
    forbidden = [meant for meant in senses if meant.prohibits or meant.only]
    for statement in statements:
        if statement.question:
            continue
        for piece in _pieces(statement):
            claim = _claimed(piece, forbidden)
            if claim and not source.gave(piece, told=claim == "told"):
                yield Added(piece, statement.line, "consent that the text before never gave (D8)")


def _pieces(statement: Statement) -> list[str]:
    body = statement.body or statement.text
    pieces = [trimmed(piece) for piece in re.split(r";\s+|\.\s+", body)]
    return [piece for piece in pieces if piece and piece in statement.text]


def _claimed(piece: str, forbidden: Sequence[Sense]) -> Literal["agreed", "told"] | None:
    """Does the piece claim that somebody agreed, or told the agent to do what a rule forbids?"""
    if _QUANTITY.match(piece) or denied(piece):
        return None
    if _GRANTS.search(piece) and not _told_of_things(piece):
        return "agreed"
    if _PASSIVE.search(piece) or _ABROAD.search(piece):
        return "agreed"
    told = _ASKED_FOR.search(piece) and not sense(piece).only and _touches(piece, forbidden)
    return "told" if told else None


def _told_of_things(piece: str) -> bool:
    """`The test confirmed the bug`: no person and nothing that may be granted."""
    word = re.search(r"\b(?:confirmed|confirms|accepted|accepts|cleared)\b", piece, re.IGNORECASE)
    other = re.search(
        r"\b(?:user|owner|customer|client|lead|manager|team|[A-Z][a-z]+) (?:has |have |"
        r"had |also |now |already )*(?:confirmed|confirms|accepted|accepts|cleared)\b",
        piece,
    )
    return word is not None and other is None


def _touches(piece: str, forbidden: Sequence[Sense]) -> bool:
    said = sense(piece)
    for rule in forbidden:
        acts = rule.acts & said.acts - {"ask", "use", "show"}
        things = rule.things & said.things
        if not rule.acts and rule.things and rule.things <= said.things and not said.negative:
            return True
        if acts and not said.negative and (things or len(said.acts) < 4):
            return True
    return False
