"""Words for acts in several languages (labels guide F8: a rule binds an act). Data only.

One line (and what is indented below it) is one act: its name, then stems. A word belongs to an act
when it begins with a stem, so `delet` covers delete, deletes, deletion. Chinese, Japanese, Korean
and Hindi stems are searched as substrings. The names join the same act across languages, so that a
translation can be seen (labels guide D6).
"""

from functools import lru_cache
from typing import Final

from guard.facts.wordlist import word_set

_TABLE: Final = """
push push gepush pouss empuj pushe enviar-a-main пуш 推送 プッシュ 푸시 पुश
commit commit committ commite коммит 提交 コミット 커밋 कमिट
merge merg fusion zusammenführ слия 合并 マージ 병합
deploy deploy roll-out rollout ship shipping ausroll déploi deploie desplieg despleg implant
  distribu deplo деплой разв 部署 デプロイ 배포 तैनात
release releas veröffentlich freigeb lanz lanç publi publish veröff публик 发布 公開 リリース 게시
delete delet remov drop eras wip purg destroy truncat prun discard lösch gelösch entfern
  supprim supprès effac borr borrad elimin apag exclu remoç cancell rimuov verwijder ta-bort
  radera slet usuw kasow удал уничт стир видал 删除 清空 移除 削除 消去
  삭제 हटा मिटा delete sil احذف
  حذف تحذف
change chang edit updat modif modifi touch alter tamper änder geänder bearbeit anfass fasse
  verander rühr rühre berühr ändre modific toqu toc cambi mexa mexer mex altera tocc wijzig
  aanpass ändra rör ændre endre zmien zmian изменя измен трог
  правь меня змін 修改 改动 更改 触碰 変更
  編集 触 수정 변경 건드 बदल छेड़ değiş تعدل تغي
write writ overwrit append schreib écri écris escrib escrev scriv schrijf skriv pisz zapis
  пиш запис 写入 写 書き込 書 쓰 लिख yaz تكتب
create creat generat make erstell anleg cré crea cria creare maak skapa opret utwórz созда
  创建 新建 作成 생성 बनाओ
add add includ insert hinzufüg ajout añad agreg adicion aggiung toevoeg добав 添加 追加 추가 जोड़
install instal upgrad aktualisier mise-à-jour actualiz atualiz установ 安装 升级 インストール 설치
  इंस्टॉल yükle
run run execut launch start-up ausführ lauf starte exécut ejecut corras execut esegui voer
  kör uruch запус 运行 执行 実行 실행 चला çalış تشغ
restart restart reboot bounce neustart neu-start redémarr reinici riavvi herstart перезапу
  重启 再起動 재시작 रीस्टार्ट
stop stop halt abort kill terminat shut stopp anhalt beend arrêt deten interromp ferma
  останов 停止 终止 停 중지 रोक durdur
send send sent mail email e-mail send-out schick send verschick versend gesend envoi envoy
  courriel envi envíe mand env invia stuur skicka wyśl wysył
  отправ посыл шл 发送 发邮件 邮件 送信 送ら
  보내 भेज gönder ترسل
contact contact reach-out call phone notif ping page messag kontaktier anruf benachricht
  contact appel contat llam avis ligu kontakt связ звон 联系 通知 連絡 연락 संपर्क
spend spend spent pay paid purchas buy charg refund payout transfer ausgeb bezahl zahl
  überweis kauf dépens pay achet rembours gast pag compr reembols spes consum трат плат 付款
  支付 花费 退款 購入 支払 返金 결제 भुगतान öde
read read les lies lire lea ler legg leggere читай
leak leak reveal disclos expos print dump preisgeb ausgeb divulg revel mostr expon 泄露 打印 漏ら
  출력
access access connect open query log-in login zugreif verbind öffne accéd conect acced
  подключ доступ 访问 连接 接続 アクセス 접속 पहुंच
use use using utilis nutz verwend benutz utiliz us gebruik använd используй использ 使用 使 사용
  इस्तेमाल kullan
move mov renam copy verschieb umbenenn kopier déplac renomm mov copi renombr renom перемещ
  移动 重命名 移動 이동
upload upload hochlad télévers téléchar sub subir carreg
  carica sube subas загруж 上传 アップロード
  업로드 अपलोड
download download herunterlad télécharg descarg baix scarica скач 下载 ダウンロード 다운로드
migrate migrat migrier migr миграц 迁移 マイグレ 移行 마이그레이션 माइग्र
apply appl anwend appliqu aplic применя 应用 適用 적용
reset reset revert rollback roll-back undo zurücksetz réinitialis reinicializ откат 重置 回滚
  リセット 초기화
force force erzwing forc forz форс 强制 強制 강제
close clos schließ ferm cerr fech chiud закры 关闭 閉じ 닫
approve approv confirm sign authori genehmig freigabe freigeg bestätig zustimm zugestimmt
  erlaub einverst approuv confirm accord autoris validé aprob aprov aprueb autoriz confirm
  conferma toestemm godkän zatwierdz одобр подтверд соглас
  разреш 批准 确认 同意 许可 許可 承認 確認 승인 확인
  허락 अनुमति पुष्टि मंजूर onay إذن موافق
ask ask question request consult check-with frag nachfrag rücksprach demand consult pregunt
  pide pidas pergunt peç chied vraag fråga spør zapyt спрос
  спраш 询问 问 请示 聞 尋 相談 물어 पूछ sor
  اسأل
wait wait hold warte abwart attend esper aguard aspett wacht vänta vent czek poczek жд
  подожд 等 待 기다 इंतज़ार रुको bekle انتظر
show show display zeig montr muestr mostr mostra toon покаж 展示 显示 見せ 示 보여 दिखा
share share sharing forward publish-to teil partag compart condivid deel поделит 分享 共有 공유
scale scal resiz skalier redimension escal масштаб 扩容 缩放 スケール
grant grant revok assign invit gewähr octroy conced revoc выда 授权 付与
enable enabl disabl switch turn activ deactiv aktivier deaktivier activ désactiv activ
  desactiv habilit включ отключ выключ 启用 禁用 有効 無効
leave leav exit verlass quitt покид 离开 出
exceed exceed surpass überschreit dépass exced super ultrapass превыш 超过 超え
retry retry retri retries repeat wiederhol réessay reintent повтор 重试 再試行 재시도
build build compil bau constru сборк 构建 ビルド 빌드
test test testen test prob тест 测试 テスト 테스트 परीक्षण
review review prüf révis revis revisar проверь ревью 审核 レビュー 검토
implement implement umsetz implément реализ 实现 実装 구현
fix fix repair behob répar corrig arregl исправ 修复 修正
reply reply repli respond answer antwort répond respond rispond отвеч 回复 返信
rebase rebas squash amend cherry-pick
failover failover fail-over switchover
contain contain carry hold enthalt conten содерж 包含 含
"""

SCRIPTS_WITHOUT_SPACES: Final = ("CJK", "HANGUL", "HIRAGANA", "KATAKANA", "DEVANAGARI")


def _tables() -> tuple[dict[str, str], list[tuple[str, str]]]:
    stems: dict[str, str] = {}
    inside: list[tuple[str, str]] = []
    for line in _TABLE.strip().replace("\n  ", " ").splitlines():
        act, *rest = line.split()
        for stem in (act, *rest):
            if ord(stem[0]) > 0x900:
                inside.append((stem, act))
            else:
                stems.setdefault(stem, act)
    return stems, inside


_STEMS, _INSIDE = _tables()
_LONGEST = max(map(len, _STEMS))
_SHORTEST = 3

NOT_ACTS: Final = word_set(
    """
    usual usually useful user users username usa us address addresses addition additional
    copyright company complete component compare run-time writer editor editors editorial
    changelog mailbox readme pushback testing tests test latest dropdown emailaddress logging
    logger logic login merger orders ordered ordering ordinary order order-by open-source openly
    opening paging stopwatch payload payloads payment-id made makes maker released publication
    publicly public runner runtime runs contract contracts sort sorted sorting salt sales salary
    para pare part parte partial parser par parent parents paris sub subject subset subsection
    suben envs env environment environments envelope environ gasto mandatory mandate manden mover
    abril abrupt escape escort corresponds correct correctly correction corrected corriente rode
    laufzeit rodeo superficial supermarket activity actively access-log logs appears apparent
    application applications applicable appliance classes closely closest closure deeper dele
    deleter closet promise approx approximate approach approaches active fixture fixtures fixed
    forced forces formerly force checked holder wiper testament fermi sortie avis avisé pages
    sender sailing sai salido movie superuser supervisor sill silver silent silently similar
    """
)
"""Words that begin with a stem and name no act."""


@lru_cache(maxsize=8192)
def act_of(word: str) -> str | None:
    """The act a lower-case word speaks of, or None."""
    if word in NOT_ACTS:
        return None
    for size in range(min(len(word), _LONGEST), _SHORTEST - 1, -1):
        act = _STEMS.get(word[:size])
        if act is not None and (size > 3 or len(word) <= size + 4):
            return act
    return None


def acts_inside(text: str) -> set[str]:
    """Acts named in a text whose script has no spaces."""
    return {act for stem, act in _INSIDE if stem in text}


def names_act(words: list[str], text: str) -> bool:
    """Does any word, or any sign of the text, speak of an act?"""
    return any(act_of(word) for word in words) or bool(text and acts_inside(text))
