"""Sentences that bind in other languages than English (guide F6, F8): one row a language.

A row is asked only if the sentence looks like its language: a word of its own, or its script.
`told` are openings of descriptions (article and noun): they bind only with a modal word.
"""

import re
from typing import Final

import msgspec

from guard.facts.acts import act_of, acts_inside


class Tongue(msgspec.Struct, frozen=True):
    """How one language forbids, limits, asks for a yes; and what merely tells or advises."""

    name: str
    signs: re.Pattern[str]
    """Words or letters only this language has."""
    binds: re.Pattern[str]
    """Prohibition, limit, required confirmation."""
    modal: re.Pattern[str]
    """The same with a modal word: binds even in a described sentence."""
    told: re.Pattern[str]
    """Openings of descriptions."""
    soft: re.Pattern[str]
    """Advice, wishes, `not necessary`."""


_NOTHING = r"(?!x)x"


def _row(
    name: str, signs: str, binds: str, modal: str, told: str = _NOTHING, soft: str = _NOTHING
) -> Tongue:
    return Tongue(name, *(re.compile(part) for part in (signs, binds, modal, told, soft)))


TONGUES: Final = (
    _row(
        "de",
        r"\b(?:nicht|nichts|nie|niemals|kein\w{0,2}|nur|ohne|bevor|bis|erst|bitte|"
        r"höchstens|maximal|verboten|untersagt|vor|"
        r"darf\w*|dürfen|frag\w*|warte\w*|niemand|ausschließlich|lediglich|tabu|solange|außer)\b",
        r"\b(?:nicht|nichts|nie|niemals|kein(?:e|en|er|es|em)?|niemand\w*)\b|\bnur\b|"
        r"\bausschließlich\b|\blediglich\b|\bhöchstens\b|\bmaximal \d"
        r"|\bohne (?:meine?|unsere?|die|eine?|vorherige|ausdrückliche|freigabe|"
        r"zustimmung|rückfrage|erlaubnis|ok|absprache|backup|sicherung)\w*"
        r"|\b(?:frag\w*|warte?n?|abwarten|nachfragen|rücksprache|bestätig\w+|freigabe|"
        r"zustimmung)\b[^.]{0,80}\b(?:bevor|bis|vor|erst|auf)\b"
        r"|\b(?:bevor|bis|vor|erst)\b[^.]{0,80}\b(?:frag\w*|warte?n?|nachfragen|"
        r"rücksprache|bestätig\w+|freigabe|zustimmung|zeig\w*|sicher\w*)\b"
        r"|\b(?:warte?n?|abwarten)\b[^.]{0,40}\b(?:auf|bis)\b|\berst (?:nach|wenn|"
        r"fragen|prüfen|testen)\b|\bfinger weg\b|\btabu\b|\bunangetastet\b",
        r"\b(?:darf|dürfen|soll|sollen|sollte|sollten|muss|"
        r"müssen)\b[^.]{0,80}\b(?:nicht|nichts|nie|niemals|keine?[nrsm]?|nur|erst|"
        r"höchstens)\b"
        r"|\b(?:nicht|nichts|niemand|keine?[nrsm]?|nur)\b[^.]{0,60}\b(?:darf|dürfen)\b|"
        r"\b(?:verboten|untersagt|tabu|nicht erlaubt|nicht gestattet)\b"
        r"|\b(?:ist|sind) (?:nicht|nie|nur|erst) zu \w+|\b(?:braucht|brauchen|benötigt|"
        r"benötigen|bedarf|erfordert|erfordern|nur mit|nur nach)\b[^.]{0,60}"
        r"\b(?:freigabe|zustimmung|genehmigung|bestätigung|unterschrift|ok|erlaubnis)\b|"
        r"\bmuss\b[^.]{0,60}\b(?:zustimmen|freigeben|bestätigen|genehmigen)\b"
        r"|\bkeine?[nrs]? \w+ ohne\b|\bnie(?:mals)? \w+ ohne\b",
        r"^(?:der|die|das|dem|den|es|er|sie|wir|ich|man|ein|eine|einen|dieser?s?|diese|"
        r"unser\w*|mein\w*|alle|heute|gestern|dort|damals)\b",
        r"\b(?:möglichst|lieber|wenn möglich|nach möglichkeit|am besten|vielleicht|"
        r"bevorzug\w+|versuch\w*|wäre|idealerweise|"
        r"(?:musst|müssen|brauchst|muss|brauchen) (?:du |sie )?(?:nicht|nichts)|nicht "
        r"nötig|nicht notwendig|sollte(?:st|n)? (?!nicht|nie|kein)\w+)\b",
    ),
    _row(
        "fr",
        r"\b(?:ne|jamais|sans|avant|seulement|uniquement|interdit\w*|aucune?|rien|jusqu|"
        r"demand\w+|attend\w+|sauf|défense|défendu)\b|\bn'|\bqu'",
        r"\b(?:ne |n')(?:[\w']+ ){0,3}?(?:jamais|pas|rien|plus|aucune?|que)\b|\b(?:ne "
        r"pas|ne jamais|ne rien)\b|\bjamais de\b|^(?:jamais|aucune?|rien|pas de)\b"
        r"|\b(?:seulement|uniquement|exclusivement)\b|\bau (?:plus|maximum)\b|\bpas plus de\b"
        r"|\bsans (?:l'|mon|ma|mes|notre|son|accord|autorisation|validation|"
        r"confirmation|demander|me |avoir|permission|l’|[\w']+er\b)"
        r"|\b(?:demand\w+|attend\w+|obten\w+|vérifi\w+|confirm\w+|préven\w+|"
        r"consult\w+)\b[^.]{0,100}\b(?:avant|d'abord|jusqu)"
        r"|\bavant (?:de|d'|tout|toute|chaque|la|le|l')[^.]{0,80}\b(?:demand\w+|"
        r"attend\w+|confirm\w+|montr\w+|vérifi\w+|préven\w+)\b"
        r"|\b(?:attend(?:re|ez|s)) (?:mon|ma|que|l'|notre|la|le|jusqu)|\bne touche\w*\b|"
        r"\bjusqu'à (?:ce|mon|ma|nouvel)",
        r"\b(?:doit|doivent|devez|dois|peut|peuvent|pouvez|faut)\b[^.]{0,20}\b(?:pas|"
        r"jamais|rien|que|plus|aucun\w*|être (?:approuv|valid|confirm|sign)\w*)\b"
        r"|\bil est (?:interdit|défendu)\b|\b(?:est|sont) (?:strictement "
        r")?(?:interdit\w*|proscrit\w*|défendu\w*)\b|\binterdi\w+ de\b|\bdéfense de\b"
        r"|\b(?:nécessite\w*|requiert|requièrent|exige\w*|"
        r"demande\w*)\b[^.]{0,40}\b(?:accord|validation|approbation|signature|"
        r"confirmation|autorisation)\b"
        r"|\baucune? \w+ (?:ne|sans)\b",
        r"^(?:le|la|les|l'|il|elle|ils|elles|on|nous|je|ce|cet|cette|ces|un|une|des|"
        r"notre|nos|hier)\b ?(?!faut)",
        r"\b(?:préf\w+|si possible|essay\w+|idéalement|il vaut mieux|de préférence|"
        r"peut-être|serait|pas besoin|pas nécessaire|pas obligatoire|n'hésit\w+)\b",
    ),
    _row(
        "es",
        r"\b(?:no|nunca|jamás|sin|antes|solo|sólo|solamente|únicamente|hasta|"
        r"prohibid\w+|nada|ningún|ninguna|espera\w*|pregunta\w*|salvo|máximo)\b",
        r"(?:^|[,;:] ?|\by )(?:por favor,? )?no (?:me |te |se |lo |la |los |las |les |"
        r"nos |le )?\w+(?:es|as|éis|áis|an|en|emos|amos|e|a)\b(?= |$)"
        r"|\b(?:nunca|jamás)\b|^(?:nada de|ningún|ninguna)\b|\bno \w+ nada\b"
        r"|\b(?:solo|sólo|solamente|únicamente|exclusivamente)\b|\bcomo máximo\b|\ba lo "
        r"sumo\b|\bno más de\b|\bmáximo \d"
        r"|\bsin (?:mi|mis|tu|su|el|la|permiso|aprobación|autorización|confirmación|"
        r"preguntar\w*|consultar\w*|avisar\w*|que yo|\w+(?:ar|er|ir)\b)"
        r"|\b(?:pregunt\w+|espera\w*|esper\w+|pide\w*|pedir|consult\w+|avis\w+|"
        r"confirm\w+|comprueb\w+|muestr\w+)\b[^.]{0,100}\b(?:antes|primero|hasta)\b"
        r"|\bantes de [^.]{1,80}\b(?:pregunt\w+|espera\w*|pide\w*|consult\w+|avis\w+|"
        r"confirm\w+|muestr\w+)\b|\bespera (?:mi|a que|la|el|hasta)\b|\bhasta que (?:yo|"
        r"te|lo|\w+)\b",
        r"\bno (?:se )?(?:debe\w*|puede\w*|podéis|permite\w*|está permitido)\b|"
        r"\b(?:está|queda|están|quedan) (?:terminantemente )?prohibid\w+\b|"
        r"^prohibid\w+\b"
        r"|\b(?:solo|sólo|solamente|únicamente) (?:se )?(?:puede\w*|debe\w*)\b|\bnadie "
        r"(?:debe|puede)\b"
        r"|\b(?:necesita\w*|requiere\w*|exige\w*)\b[^.]{0,40}\b(?:aprobación|"
        r"confirmación|autorización|firma|permiso)\b|\bdebe\w* ser (?:aprobad|confirmad|"
        r"autorizad)\w+",
        r"^(?:el|la|los|las|un|una|unos|este|esta|esto|hay|yo|nosotros|él|ella|ellos|"
        r"ayer|no (?:hay|es|son|está|están|sé|tengo|tiene|hace|sirve|importa|pasa|sabe|"
        r"existe))\b",
        r"\b(?:prefer\w+|prefier\w+|si es posible|intent\w+|procur\w+|idealmente|mejor|"
        r"quizás|sería|no hace falta|no es necesario|no tienes que|no dudes)\b",
    ),
    _row(
        "pt",
        r"\b(?:não|nunca|jamais|sem|só|somente|apenas|até|proibid\w+|antes|nada|"
        r"nenhum\w*|espere|aguarde|pergunte|peça)\b",
        r"(?:^|[,;:] ?|\be )(?:por favor,? )?não (?:me |se |o |a |os |as )?\w+(?:es|as|"
        r"em|am|e|a|ar|er|ir)\b|\b(?:nunca|jamais)\b|^nenhum\w*\b"
        r"|\b(?:só|somente|apenas|exclusivamente)\b|\bno máximo\b|\bnão mais (?:de|que|do)\b"
        r"|\bsem (?:a |o )?(?:minha|meu|nossa|autorização|aprovação|permissão|"
        r"confirmação|perguntar|consultar|avisar|que eu|\w+(?:ar|er|ir)\b)"
        r"|\b(?:pergunt\w+|espere?|aguard\w+|peça|pedir|consult\w+|confirm\w+|"
        r"mostr\w+)\b[^.]{0,100}\b(?:antes|primeiro|até)\b"
        r"|\bantes d[eoa]s? [^.]{1,80}\b(?:pergunt\w+|espere?|aguard\w+|peça|consult\w+|"
        r"confirm\w+|mostr\w+)\b|\baté (?:que|eu) \w+",
        r"\bnão (?:se )?(?:deve\w*|pode\w*|podes|é permitido)\b|\b(?:é|está|são|fica) "
        r"(?:estritamente )?proibid\w+\b|^proibid\w+\b|\b(?:só|somente|apenas) (?:se "
        r")?(?:pode\w*|deve\w*)\b"
        r"|\bninguém (?:deve|pode)\b|\b(?:precisa\w*|requer\w*|"
        r"exige\w*)\b[^.]{0,40}\b(?:aprovação|confirmação|autorização|assinatura)\b",
        r"^(?:o|os|as|um|uma|este|esta|isto|há|eu|nós|ele|ela|eles|ontem|não (?:há|é|"
        r"são|está|sei|tenho|tem|existe))\b",
        r"\b(?:prefir\w+|prefer\w+|se possível|tent\w+|idealmente|melhor|talvez|seria|"
        r"não é preciso|não é necessário|não precisa\w*)\b",
    ),
    _row(
        "it",
        r"\b(?:non|mai|senza|solo|soltanto|solamente|prima|finché|fino|vietat\w+|"
        r"proibit\w+|nessun\w*|niente|aspett\w+|chied\w+|massimo)\b",
        r"(?:^|[,;:] ?|\be )(?:per favore,? )?(?:non|mai) (?:\w+(?:are|ere|ire|arre|rlo|"
        r"rla|te|re)\b|\w+ mai\b|\w+ (?:il|lo|la|i|gli|le|nulla|niente)\b)|^(?:mai|"
        r"nessun\w*|niente)\b"
        r"|\b(?:solo|soltanto|solamente|esclusivamente)\b|\bal massimo\b|\bnon più di\b"
        r"|\bsenza (?:il mio|la mia|il|la|approvazione|permesso|conferma|autorizzazione|"
        r"chieder\w*|avvisar\w*|\w+(?:are|ere|ire)\b)"
        r"|\b(?:chied\w+|aspett\w+|attend\w+|conferm\w+|avvis\w+|"
        r"mostr\w+)\b[^.]{0,100}\b(?:prima|finché|fino)\b|\bprima di "
        r"[^.]{1,80}\b(?:chied\w+|aspett\w+|conferm\w+|avvis\w+|mostr\w+)\b"
        r"|\bfinché non\b|\baspett\w+ (?:il mio|la mia|che|la|il)\b",
        r"\bnon (?:si )?(?:deve|devono|devi|dovete|può|possono|puoi|potete)\b|\b(?:è|"
        r"sono) (?:severamente )?(?:vietat|proibit)\w+\b|^(?:vietat|proibit)\w+\b|"
        r"\bnessuno (?:deve|può)\b"
        r"|\b(?:richied\w+|serve|occorre|necessita\w*)\b[^.]{0,40}\b(?:approvazione|"
        r"conferma|autorizzazione|firma)\b",
        r"^(?:il|lo|la|i|gli|le|un|una|questo|questa|noi|io|lui|lei|essi|ieri|non "
        r"(?:c'è|è|sono|ho|so))\b",
        r"\b(?:prefer\w+|se possibile|cerc\w+ di|idealmente|meglio|forse|sarebbe|non "
        r"serve|non è necessario|non occorre)\b",
    ),
    _row(
        "nl",
        r"\b(?:niet|nooit|geen|alleen|zonder|voordat|totdat|vraag|wacht|hoogstens|"
        r"verboden|niets|uitsluitend|mag|mogen)\b",
        r"\b(?:niet|nooit|geen|niets)\b|\b(?:alleen|uitsluitend)\b|\bhoogstens\b|"
        r"\bmaximaal \d|\bzonder (?:mijn|toestemming|akkoord|goedkeuring|te )|"
        r"\bvraag\b[^.]{0,80}\b(?:eerst|voordat|voor)\b|\bwacht\b[^.]{0,60}\b(?:op|tot|"
        r"totdat)\b",
        r"\b(?:mag|mogen|moet|moeten)\b[^.]{0,60}\b(?:niet|nooit|geen|niets|alleen)\b|"
        r"\bverboden\b|\bniet toegestaan\b",
        r"^(?:de|het|een|er|hij|zij|ze|wij|we|ik|dit|dat|deze|die|onze)\b",
        r"\b(?:liever|indien mogelijk|bij voorkeur|probeer|idealiter|misschien|hoeft "
        r"niet|niet nodig)\b",
    ),
    _row(
        "sv/da/no",
        r"\b(?:inte|aldrig|endast|bara|utan|innan|förrän|ikke|aldri|kun|uden|uten|før|"
        r"förbjud\w*|forbud\w*|ingen|ingenting|intet|högst|højst|fråga|vänta|spørg|spør|"
        r"vent)\b",
        r"\b(?:inte|aldrig|ikke|aldri|ingenting)\b|^(?:ingen|inga|ingen)\b|\b(?:endast|"
        r"kun|bara|bare)\b|\b(?:högst|højst|høyst|maks)\b|\b(?:utan|uden|uten) (?:mit|"
        r"mitt|min|att|at|å|godkänn\w*|godkend\w*)"
        r"|\b(?:fråga|vänta|spørg|spør|vent)\b[^.]{0,80}\b(?:innan|förrän|før|på|til|"
        r"först|først)\b",
        r"\b(?:får|må|skal|ska|kan)\b[^.]{0,40}\b(?:inte|aldrig|ikke|aldri|endast|kun|"
        r"bara)\b|\b(?:förbjud|forbud)\w*\b",
        r"^(?:den|det|de|en|ett|et|han|hon|hun|vi|jag|jeg|dette|denne|detta|denna)\b",
        r"\b(?:helst|om möjligt|hvis muligt|försök|prøv|kanske|måske|kanskje|behöver "
        r"inte|behøver ikke)\b",
    ),
    _row(
        "pl",
        r"\b(?:nie|nigdy|bez|tylko|zanim|dopóki|przed|zabroni\w+|zakaz\w*|wyłącznie|"
        r"najwyżej|zapytaj|poczekaj|maksymalnie)\b",
        r"(?:^|[,;:] ?)(?:proszę )?(?:nigdy )?nie \w+|^nigdy\b|\b(?:tylko|wyłącznie)\b|"
        r"\bnajwyżej\b|\bmaksymalnie\b|\bbez (?:mojej|moich|zgody|pytania|potwierdzenia|"
        r"pozwolenia)|\b(?:zapytaj|poczekaj|czekaj|spytaj)\b",
        r"\bnie (?:wolno|można|należy|może|mogą)\b|\b(?:zabronion|zakazan)\w+\b|"
        r"\bzakaz\b|\bwymaga\w*\b[^.]{0,40}\b(?:zgody|potwierdzenia|akceptacji|podpisu)",
        r"^(?:ten|ta|to|te|on|ona|my|ja|nie (?:ma|jest|są|wiem|trzeba))\b",
        r"\b(?:wol\w+|jeśli to możliwe|spróbuj|najlepiej|może|nie trzeba|nie musisz)\b",
    ),
    _row(
        "ru/uk",
        r"[а-яёіїє]{2,}",
        r"(?:^|[,;:] ?|\b(?:и|но|а|пожалуйста,?|прошу|будь ласка,?) )(?:никогда |ніколи "
        r")?(?:не|ни в коем случае не) \w+(?:йте|й|ть|ти|те|йся|ь|и)\b|^(?:никогда|"
        r"ніколи|никаких|ніяких)\b|\b(?:только|лишь|исключительно|тільки|лише)\b"
        r"|\bне (?:более|больше|більше)\b|\bмаксимум\b|\bбез (?:мо\w+|согласи\w+|"
        r"разрешени\w+|подтвержден\w+|одобрен\w+|дозвол\w+|спрос\w*|згод\w*|\w+ "
        r"подтвержд\w+|\w+ разреш\w+)"
        r"|\b(?:спрос\w+|спраш\w+|подожд\w+|дожд\w+|жд\w+|запит\w+|зачека\w+|"
        r"уточн\w+)\b[^.]{0,80}\b(?:прежде|перед|сначала|пока|до|перш|мо\w+)\b|"
        r"\b(?:перед|прежде чем|до того как)\b[^.]{1,80}\b(?:спрос\w+|подожд\w+|дожд\w+|"
        r"покаж\w+|предупре\w+)\b"
        r"|\bпока (?:я )?не\b|\bдоки\b",
        r"\b(?:нельзя|запрещ\w+|запрет\w*|не допускается|не разрешается|не должн\w+|не "
        r"следует|заборонен\w*|не можна|нельзя)\b|"
        r"\bтребует\w*\b[^.]{0,40}\b(?:подтвержд|одобрен|согласов|подпис)\w*|"
        r"\b(?:только|лишь) (?:с|после|по) (?:мо\w+|разреш\w+|соглас\w+|подтвержд\w+|"
        r"одобр\w+)",
        r"^(?:он|она|оно|они|мы|это|этот|эта|сервис|система|вчера)\b",
        r"\b(?:лучше|желательно|по возможности|постарай\w+|возможно|предпочт\w+|не "
        r"нужно|не обязательно|не надо спрашивать|краще|бажано)\b",
    ),
    _row(
        "zh",
        r"[一-鿿]",
        r"不要|不得|不准|不许|不可|请勿|切勿|勿|禁止|严禁|别(?:碰|动|改|删|推|发|提交|"
        r"用)|未经|除非|只能|只允许|只可|只准|仅限|仅能|最多|不超过|不应|不允许|务必先|"
        r"必须先|必须(?:经|由|得到|获得|等|征得|备份)"
        r"|(?:前|之前)(?:必须|需|须|要|先|请)|先[^，。]{1,20}(?:再|然后|才)|(?:需|须|"
        r"必须|需要)[^，。]{0,12}(?:批准|确认|同意|审批|签字)|等[^，。]{1,16}(?:确认|"
        r"同意|批准|回复|再)"
        r"|直到[^，。]{1,20}(?:前|为止|才)|(?:同意|批准|确认)(?:后|之后|前|之前)",
        _NOTHING,
        _NOTHING,
        r"建议|尽量|最好|推荐|如果可能|可以不|不必|不需要|无需|不用(?:问|确认)|倾向|"
        r"注释|命名|缩进|写法|语气",
    ),
    _row(
        "ja",
        r"[ぁ-ゖァ-ヺ]",
        r"しない(?:で|こと)|ないで(?:ください|下さい)|ないこと|てはいけ(?:ない|ません)|"
        r"てはな(?:らない|りません)|禁止|厳禁|だめ|ダメ|(?:のみ|だけ)(?:を|に|が|で|可|"
        r"許可|変更|編集|行|読|使|実行|書|し|触)"
        r"|まで(?:は|に)?[^。]{0,16}(?:しない|待|触|変更|行わない)|(?:前|まえ)に(?:は|"
        r"必ず)?[^。]{0,16}(?:確認|許可|承認|聞|相談|バックアップ)|必ず[^。]{0,16}(?:前|"
        r"確認|承認|許可)|以内|最大\d|以上[^。]{0,6}(?:ない|禁)"
        r"|(?:許可|承認|確認)(?:なし|なく|を得|が必要|がない)|待って(?:ください|下さい)|せずに",
        _NOTHING,
        _NOTHING,
        r"できれば|なるべく|望ましい|ほうがいい|方がよい|必要はありません|しなくて(?:も|"
        r"よ)|コメントは|命名|敬語",
    ),
    _row(
        "ko",
        r"[가-힣]",
        r"하지 ?(?:마|말|않)|지 ?(?:마세요|마십시오|말 것|말아|마라|마시오)|금지|안 "
        r"?(?:됩니다|돼|된다)|없이|만 (?:수정|사용|변경|편집|읽|실행|허용|쓰)|"
        r"전에[^.]{0,24}(?:확인|승인|물어|허락|백업)|까지[^.]{0,16}(?:마|말|않|기다)|"
        r"최대 ?\d|이하|반드시[^.]{0,16}(?:확인|승인|먼저)|기다려|(?:승인|허락|"
        r"확인)[^.]{0,8}(?:필요|받)",
        _NOTHING,
        _NOTHING,
        r"가능하면|되도록|좋겠|필요 ?없|않아도",
    ),
    _row(
        "hi",
        r"[ऀ-ॿ]",
        r"मत\b|मत |(?:न|ना|नहीं) कर(?:ें|ना|ो|े)|न (?:बदल|हटा|भेज|छू|मिटा)\S*|बिना|केवल|"
        r"सिर्फ़?|से पहले|जब तक|अनुमति|अधिकतम|मना है|निषेध|वर्जित",
        _NOTHING,
        _NOTHING,
        r"बेहतर|कोशिश|शायद|ज़रूरत नहीं|जरूरत नहीं",
    ),
    _row(
        "ar/he/tr",
        r"[ء-ي]|[א-ת]|\b(?:asla|sakın|sadece|yalnızca|önce|yasak\w*|olmadan|kadar|"
        r"izn\w*|onay\w*)\b",
        r"(?:^|[،,] ?)لا ت\S+|\bممنوع|يمنع|يُمنع|لا يجوز|(?:دون|بدون) (?:إذن|موافق|"
        r"تأكيد)|فقط|قبل [^.]{1,40}(?:اسأل|انتظر|موافق|تأكيد)|حتى (?:أ|ا|ي)\S+|إلا بعد|"
        r"انتظر"
        r"|(?:^|[,] ?)(?:אל |אסור|אין ל)|\bרק (?:אחרי|עם|אם|ב|את)|בלי (?:אישור|לשאול)|"
        r"לפני [^.]{1,40}(?:שאל|אישור)|חכה|עד ש"
        r"|\b(?:asla|sakın)\b|\w+m[ae](?:yın|yin|yınız|yiniz)\b|\b(?:onayım|iznim|onay|"
        r"izin) (?:olmadan|almadan)|\b(?:sadece|yalnızca)\b|\ben fazla\b|\byasak\w*|"
        r"\bönce\b[^.]{0,40}\b(?:sor|onay|bekle)\w*",
        _NOTHING,
        _NOTHING,
        r"من الأفضل|يفضل|إن أمكن|mümkünse|tercihen|gerek yok|עדיף|אם אפשר",
    ),
)
_LATIN: Final = frozenset({"de", "fr", "es", "pt", "it", "nl", "sv/da/no", "pl"})
_ENGLISH = re.compile(
    r"\b(?:the|of|is|are|was|were|this|that|with|for|and|it|you|your|to|be|has|have|"
    r"not|from|by|when|if|they|which|its|at|"
    r"does|can|will|should|there|their|then|than|as)\b"
)
_OWN = {
    "de": r"\b(?:der|die|das|den|dem|des|und|oder|auf|mit|für|von|zu|im|am|ist|sind|ich|"
    r"du|sie|nicht|nichts|keine?[nrsm]?|bitte|nur|bevor|ohne|bis|eine?[nrsm]?|vor|"
    r"an|nie|niemals|erst)\b|[äöüß]",
    "fr": r"\b(?:le|la|les|de|des|du|un|une|et|ou|sur|dans|pour|avec|sans|que|qui|est|"
    r"sont|ne|pas|jamais|au|aux|en|tout|avant|mon|ma)\b|[éèêàçùîô]|\b[dlnsq]'",
    "es": r"\b(?:el|la|los|las|de|del|un|una|y|o|en|con|por|para|que|es|son|no|nunca|sin|"
    r"al|mi|hasta|antes|lo|se|nada)\b|[ñáíóú¿¡]",
    "pt": r"\b(?:o|os|as|de|do|da|dos|das|um|uma|e|ou|em|no|na|com|por|para|que|não|nunca|"
    r"sem|ao|minha|meu|até|antes|só)\b|[ãõçâêô]",
    "it": r"\b(?:il|lo|la|gli|le|di|del|della|un|una|e|o|in|con|per|che|non|mai|senza|al|"
    r"mia|mio|prima|solo|sul|nel|nella)\b|[àèìòù]",
    "nl": r"\b(?:de|het|een|en|of|op|in|met|voor|van|te|niet|nooit|geen|zonder|mijn|tot|"
    r"naar|alleen|ik|je|eerst)\b",
    "sv/da/no": r"\b(?:och|og|att|at|på|med|för|for|av|til|till|den|det|en|ett|et|inte|ikke|"
    r"aldrig|aldri|min|mitt|jeg|jag|før|innan|kun|uden|uten|utan)\b|[åøæ]",
    "pl": r"\b(?:nie|nigdy|na|do|w|z|i|lub|bez|mojej|przed|zanim|tylko|danych|od)\b|[ąęłńśźż]",
}
_OWN_WORDS = {name: re.compile(source) for name, source in _OWN.items()}


def binds_abroad(text: str) -> str | None:
    """The language in which a plain sentence binds, or None (for English see `binding.py`)."""
    for tongue in _spoken(text):
        if tongue.soft.search(text):
            return None
        if tongue.modal.search(text):
            return tongue.name
        if (
            tongue.binds.search(text)
            and not tongue.told.match(text)
            and _speaks_of_act(text, tongue)
        ):
            return tongue.name
    return None


def language_of(text: str) -> str | None:
    """The language of a sentence if it is surely not English."""
    low = text.lower()
    english = len(_ENGLISH.findall(low))
    counts = {name: len(own.findall(low)) for name, own in _OWN_WORDS.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] > max(english, 0) else None


def _spoken(text: str) -> list[Tongue]:
    """The languages the sentence may be in: by script, or the Latin one with most words."""
    found = [t for t in TONGUES if t.name not in _LATIN and t.signs.search(text)]
    if found:
        return found
    english = len(_ENGLISH.findall(text))
    if english > 1 and text.isascii():
        return []
    scored = [
        (len(_OWN_WORDS[t.name].findall(text)), -place, t)
        for place, t in enumerate(TONGUES)
        if t.name in _LATIN and t.signs.search(text)
    ]
    best = sorted(((s, p, t) for s, p, t in scored if s > english), key=lambda row: row[:2])
    return [t for _, _, t in reversed(best)][:2]


_WORD = re.compile(r"[^\W\d_]{3,}")


def _speaks_of_act(text: str, tongue: Tongue) -> bool:
    """Latin scripts: some word must be an act, or the sentence is an order by its form."""
    if tongue.name not in _LATIN and tongue.name != "ru/uk":
        return True
    return any(act_of(word) for word in _WORD.findall(text)) or bool(acts_inside(text))
