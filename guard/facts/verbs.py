"""English verbs that begin an order (labels guide F8). Data only."""

from typing import Final

from guard.facts.wordlist import word_set

VERBS: Final = word_set(
    """
    abort accept access add adjust alert allow alter amend analyse analyze announce answer append
    apply approve archive ask assign attach avoid await back backup batch begin bind block book
    boot branch break bring build bump buy bypass call cancel cap change charge check checkout
    choose clean clear click clone close collect commit compare compile complete compress confirm
    connect consult contact continue contribute convert copy correct count cover create cut debug
    declare define delete deliver deploy describe detach disable discard disclose discuss display
    do document download draft drop duplicate edit email empty enable encrypt end enforce enter
    escalate estimate exclude execute exit explain export expose extend extract fail fetch file
    fill filter find finish fix focus follow force forward freeze generate get give go grant group
    halt hand handle help hide hold implement import improve include increase inform init insert
    inspect install integrate investigate invite issue join keep kill launch leave let limit link
    list load lock log look lower mail maintain make mark measure mention merge message migrate
    mirror mock modify monitor mount move name notify obtain offer omit open operate order
    overwrite page park pass patch pause pay perform pick pin ping place plan poll populate post
    prepare present preserve preview print proceed process produce propose protect prove provide
    provision prune publish pull purchase purge push put query queue quit raise re-run read rebase
    rebuild recheck record recover redirect reduce refactor refer refresh refund refuse register
    reject release reload remain remove rename reopen repair repeat replace reply report request
    require rerun reserve reset resize resolve respect respond restart restore restrict resume
    retain retry return reuse revert review revoke rewrite roll rotate run save scale scan
    schedule search seed select send separate set share ship show shut sign simulate skip solve
    sort specify spend split squash stage stand start state stay stick stop store stream submit
    suggest summarise summarize supply suspend switch sync synchronise synchronize tag take tell
    terminate test throw tidy touch track transfer translate trigger truncate try tune turn undo
    uninstall unlock unpack unpublish update upgrade upload use validate verify view wait walk
    warn watch wipe withdraw work wrap write zip defer treat rely force-push double-check
    cherry-pick roll-back hand-edit bundle quote cite assume pull escalate sandbox isolate stash
    vendor impersonate whitelist allowlist disconnect onboard rate-limit throttle
    """
)
