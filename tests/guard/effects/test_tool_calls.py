# ruff: noqa: E501  (one case, one line)
"""Calls of other tools than shells, labelled by the guide."""

from __future__ import annotations

from typing import Any

import pytest

from guard.effects import Call, classify, label
from guard.effects.labels import parse_label

HOST = {"connection": "postgres://db.example.net/r"}
TEXT = "text"


def judged(call: Call) -> dict[str, Any]:
    return label(classify(call))


def wanted(text: str) -> dict[str, Any]:
    known = parse_label(text)
    return {
        "write": known.kind != "read",
        "class": known.reversibility,
        "domain": known.domain,
        "certainty": known.certainty,
    }


EDIT = {"file_path": "/p/a.py", "old_string": "1", "new_string": "2"}
FILES = [
    ("unknown worktree", Call("Write", {"file_path": "/p/a", "content": "x"})),
    ("unknown host", Call("Write", {"file_path": "/etc/hosts", "content": "x"})),
    ("reversible worktree", Call("Write", {"file_path": "/p/a"}, {"type": "create", "originalFile": None})),
    ("unknown worktree", Call("Write", {"file_path": "/p/a"}, {"type": "update", "originalFile": None})),
    ("reversible worktree", Call("Edit", EDIT, {"originalFile": "x = 1"})),
    ("reversible worktree", Call("Edit", EDIT, {"structuredPatch": [{"lines": ["-1", "+2"]}]})),
    ("reversible worktree", Call("MultiEdit", EDIT, {"originalFileContents": "x"})),
    ("unknown worktree", Call("Edit", EDIT, context={"tracked": ["a.py"], "git": "dirty"})),
    ("unknown worktree", Call("Edit", EDIT, context={"tracked": ["b.py"], "git": "clean"})),
    ("unknown worktree", Call("Edit", EDIT, context={"tracked": ["data.py"], "git": "clean"})),
    ("reversible worktree", Call("Edit", EDIT, context={"tracked": ["a.py"], "git": "clean"})),
    ("reversible worktree", Call("apply_patch", "*** Begin Patch", {"changes": {"a": {"add": {"content": "x"}}}})),
    ("unknown worktree", Call("apply_patch", "*** Begin Patch", {"changes": {"a": {"delete": {}}}})),
    ("unknown worktree", Call("NotebookEdit", {"notebook_path": "/p/n.ipynb", "new_source": "x"})),
    ("read", Call("Read", {"file_path": "/p/delete.py"})),
    ("read", Call("str_replace_editor", {"command": "view", "path": "/p/a"})),
    ("unknown worktree", Call("str_replace_editor", {"command": "create", "path": "/p/a"})),
    ("reversible worktree", Call("replace", {"file_path": "/p/a"}, {"resultDisplay": {"originalContent": "x"}})),
    ("read", Call("Edit", EDIT, "<tool_use_error>String to replace not found</tool_use_error>")),
]  # fmt: skip
CONTEXT = [
    ("reversible git_local", Call("Bash", {"command": "git reset --hard"}, context={"git": "clean"})),
    ("unknown worktree?", Call("Bash", {"command": "git reset --hard"}, context={"git": "dirty"})),
    ("reversible git_local", Call("Bash", {"command": "git checkout -- a"}, context={"git": "clean"})),
    ("reversible worktree", Call("Bash", {"command": "rm a.md"}, context={"tracked": ["a.md"], "git": "clean"})),
    ("unknown worktree", Call("Bash", {"command": "rm a.md b.md"}, context={"tracked": ["a.md"], "git": "clean"})),
    ("reversible git_local", Call("Bash", {"command": "git branch -D x"}, {"stdout": "Deleted branch x (was 1a2b3c4)."})),
    ("reversible git_local", Call("Bash", {"command": "git tag -d v1"}, {"stdout": "Deleted tag 'v1' (was 1a2b3c4)"})),
]  # fmt: skip
SHELLS = [
    ("irreversible git_remote", Call("run_shell_command", {"command": "git push"})),
    ("irreversible git_remote", Call("exec_command", {"cmd": "git push"})),
    ("irreversible git_remote", Call("user-shell", {"command": "git push"})),
    ("irreversible git_remote", Call("Bash", "git push")),
    ("read", Call("shell", {"command": ["bash", "-lc", "git status"]})),
    ("unknown worktree?", Call("shell", {"command": ["rm", "-rf", "build"]})),
    ("read", Call("shell", {"command": ["grep", "-rn", "rm -rf; git push", "."]})),
    ("read", Call("write_stdin", {"session_id": 1, "chars": ""})),
    ("unknown process?", Call("write_stdin", {"session_id": 1, "chars": "y\n"})),
]
POWERSHELL = [
    ("unknown worktree", "Remove-Item .\\a.txt"),
    ("unknown worktree", "rm a.txt"),
    ("unknown worktree?", "rm -r -fo build"),
    ("read", "Remove-Item -Recurse -Force .\\b -WhatIf"),
    ("unknown worktree?", "Remove-Item -Recurse -Force .\\b -WhatIf:$false"),
    ("read", "Invoke-RestMethod -Uri https://x.example.net/v1"),
    ("unknown worktree", "Invoke-WebRequest https://x.example.net/a.zip -OutFile a.zip"),
    ("irreversible network", "irm https://x.example.net/v1 -Method Delete"),
    ("unknown process", "Stop-Service nginx"),
    ("unknown host", "Set-Service nginx -StartupType Automatic"),
    ("irreversible git_remote", "git push origin main"),
    ("irreversible git_remote", '& "C:\\Program Files\\Git\\bin\\git.exe" push'),
    ("irreversible git_remote", 'Write-Host "done: $(git push)"'),
    ("read", "Write-Host 'done: $(git push)'"),
    ("irreversible git_remote?", "if (Test-Path a) { git push }"),
    ("irreversible git_remote", "try { git push } catch { Write-Host failed }"),
    ("unknown worktree?", "Get-ChildItem *.log | ForEach-Object { Remove-Item $_ }"),
    ("irreversible process", "Invoke-Command -ComputerName web1 -ScriptBlock { Restart-Service nginx }"),
    ("unknown process?", "iex (iwr https://x.example.net/s.ps1)"),
    ("unknown process?", "iwr https://x.example.net/s.ps1 | iex"),
    ("irreversible git_remote", "iex 'git push'"),
    ("unknown worktree", "(Get-Content a) -replace 'x','y' | Set-Content a"),
    ("unknown worktree", '"text" > a.txt'),
    ("read", "'text' > $null"),
    ("unknown worktree", '[System.IO.File]::WriteAllText("a","b")'),
    ("unknown host", "Set-ItemProperty -Path HKLM:\\Software\\X -Name a -Value b"),
    ("read", "# Remove-Item a\nGet-Date"),
    ("read", "function Drop { Remove-Item a }"),
    ("unknown worktree", "function Drop { Remove-Item a }; Drop"),
    ("irreversible cloud", "Remove-AzVM -Name web1 -Force"),
    ("read", "Get-AzVM"),
    ("irreversible registry", "Publish-Module -Name x"),
    ("unknown process?", "Frob-Thing a"),
]  # fmt: skip
MCP = [
    ("irreversible git_remote?", Call("mcp__github__create_issue", {"title": "x"})),
    ("irreversible git_remote", Call("mcp__github__merge", {}, annotations={"destructiveHint": True})),
    ("read?", Call("mcp__slack__conversations_history", {})),
    ("irreversible message", Call("mcp__slack__send_message", {}, annotations={"readOnlyHint": False})),
    ("unknown process?", Call("mcp__crm__delete_contact", {"id": 1})),
    ("unknown process?", Call("mcp__crm__sync", {})),
    ("unknown process?", Call("mcp__x__thing", {}, annotations={"destructiveHint": False})),
    ("unknown process?", Call("mcp__x__thing", {}, annotations={"idempotentHint": True})),
    ("read?", Call("mcp__x__thing", {}, annotations={"readOnlyHint": True})),
    ("unknown process", Call("mcp__x__list_things", {}, annotations={"readOnlyHint": False})),
    ("irreversible payment?", Call("mcp__stripe__create_refund", {}, annotations={"readOnlyHint": True})),
    ("unknown process?", Call("mcp__store__get_or_create_record", {})),
    ("read?", Call("mcp__store__delete_record", {"id": "x", "dry_run": True})),
    ("unknown database?", Call("mcp__pg__query", {"sql": "DELETE FROM r"}, annotations={"readOnlyHint": True})),
    ("read?", Call("mcp__pg__query", {"sql": "SELECT 1"})),
    ("unknown database?", Call("mcp__pg__query", {"sql": "/* " * 100})),
    ("unknown worktree?", Call("mcp__filesystem__write_file", {"path": "/p/a", "content": "x"})),
    ("reversible git_local?", Call("mcp__git__git_commit", {"message": "x"})),
    ("irreversible git_remote?", Call("mcp__git__git_push", {})),
    ("read?", Call("mcp__git__git_status", {})),
    ("read?", Call("mcp__shell__run_command", {"command": "ls"})),
    ("unknown worktree?", Call("mcp__shell__run_command", {"command": "rm a"})),
    ("read?", Call("mcp__context7__resolve-library-id", {"libraryName": "x"})),
    ("irreversible network?", Call("mcp__sentry__resolve_issue", {})),
    ("reversible message?", Call("mcp__gmail__trash", {}, [{"type": TEXT, "text": "Moved to trash, restore with untrash"}])),
    ("irreversible message?", Call("mcp__gmail__trash", {}, [{"type": TEXT, "text": "Deleted. This cannot be undone: no undo with ids."}])),
    ("read?", Call("mcp__fetch__fetch", {"url": "https://x.example", "method": "GET"})),
    ("irreversible network?", Call("mcp__fetch__fetch", {"url": "https://x.example", "method": "POST"})),
    ("irreversible network?", Call("mcp__linear__graphql_query", {"query": "mutation { issueUpdate { id } }"})),
    ("irreversible process?", Call("mcp__ssh__exec", {"host": "web1", "command": "systemctl restart nginx"})),
    ("irreversible worktree?", Call("mcp__k8s__exec", {"pod": "a", "command": "rm /data/x"})),
    ("unknown worktree?", Call("mcp__docker__exec", {"container": "a", "command": "rm /data/x"})),
    ("unknown process?", Call("mcp__crm__status_update", {"id": 1})),
    ("read?", Call("mcp__crm__status", {"id": 1})),
    ("unknown process?", Call("mcp__crm__check_out_cart", {"id": 1})),
    ("read?", Call("get_weather", {"city": "x"})),
    ("irreversible message?", Call("send_email", {"to": "x"})),
]  # fmt: skip
BROWSER = [
    ("unknown network?", Call("mcp__playwright__browser_click", {"element": "Next page"})),
    ("irreversible payment?", Call("mcp__playwright__browser_click", {"element": "Place order button"})),
    ("unknown network?", Call("mcp__playwright__browser_click", {"element": "Order history"})),
    ("irreversible network?", Call("mcp__playwright__browser_click", {"element": "Delete account"})),
    ("read", Call("mcp__playwright__browser_snapshot", {})),
    ("read", Call("mcp__playwright__browser_take_screenshot", {})),
    ("unknown worktree", Call("mcp__playwright__browser_take_screenshot", {"filename": "a.png"})),
    ("read?", Call("mcp__playwright__browser_navigate", {"url": "https://x.example/cart"})),
    ("unknown network?", Call("mcp__playwright__browser_navigate", {"url": "https://x.example/unsubscribe?a=1"})),
    ("read?", Call("mcp__browser__fill_form", {"fields": []})),
    ("unknown network?", Call("mcp__browser__type", {"text": "x", "submit": True})),
    ("unknown network?", Call("mcp__browser__evaluate", {"function": "() => document.forms[0].submit()"})),
    ("irreversible network", Call("mcp__browser__evaluate", {"function": "() => fetch('https://x.example/a', {method: 'DELETE'})"})),
]  # fmt: skip
SQL = [
    ("unknown database?", Call("sql", {"query": "SELECT my_fn()"}, context=HOST)),
    ("unknown database", Call("sql", {"query": "DROP TABLE x"})),
    ("unknown database?", Call("sql", {"query": "CALL close_month()"}, context=HOST)),
    ("irreversible database", Call("sql", {"query": "COPY rates FROM STDIN"}, context=HOST)),
    ("read", Call("sql", {"query": "COPY (SELECT 1) TO STDOUT"}, context=HOST)),
    ("read", Call("sql", {"query": "EXPLAIN (ANALYZE, BUFFERS) SELECT 1"}, context=HOST)),
    ("irreversible database", Call("sql", {"query": "EXPLAIN (ANALYZE) DELETE FROM r"}, context=HOST)),
    ("read", Call("sql", {"query": "EXPLAIN (ANALYZE off) DELETE FROM r"}, context=HOST)),
    ("read", Call("sql", {"query": "BEGIN; DELETE FROM r; ROLLBACK"}, context=HOST)),
    ("irreversible database", Call("sql", {"query": "BEGIN; SELECT setval('s', 1); ROLLBACK"}, context=HOST)),
    ("irreversible database?", Call("sql", {"query": "BEGIN; DELETE FROM r"}, context=HOST)),
    ("irreversible database", Call("sql", {"query": "START TRANSACTION; DROP TABLE r; ROLLBACK"}, context={"connection": "mysql://db.example.net/r"})),
    ("read", Call("sql", {"query": "DELETE FROM r"}, context={"connection": "sqlite:///:memory:"})),
    ("read", Call("sql", {"query": "CREATE TEMP TABLE t(a int); INSERT INTO t VALUES (1); SELECT * FROM t"}, context=HOST)),
    ("irreversible database", Call("sql", {"query": "SELECT 1; DROP TABLE x"}, context=HOST)),
    ("irreversible database", Call("sql", {"query": "SELECT * INTO n FROM r"}, context=HOST)),
    ("irreversible message", Call("sql", {"query": "NOTIFY jobs"}, context=HOST)),
    ("unknown database?", Call("sql", {"query": "SELEC 1"}, context=HOST)),
    ("unknown database?", Call("sql", {"query": "SELECT 'open"}, context=HOST)),
    ("irreversible database?", Call("sql", {"query": "DO $$ BEGIN DELETE FROM r; END $$"}, context=HOST)),
]  # fmt: skip
AGENTS = [
    ("read", Call("WebFetch", {"url": "https://x/delete"})),
    ("read", Call("TodoWrite", {"todos": []})),
    ("read", Call("Skill", {"skill": "deploy"})),
    ("unknown process", Call("KillShell", {"shell_id": "1"})),
    ("irreversible message", Call("SendMessage", {"to": "a", "message": "b"})),
    ("read?", Call("Task", {"subagent_type": "Explore", "prompt": "x"})),
    ("unknown process?", Call("Agent", {"prompt": "x"})),
    (
        "read",
        Call("SendMessage", {"to": "a"}, "The user doesn't want to proceed with this tool use."),
    ),
]


@pytest.mark.parametrize(
    ("want", "call"), [*FILES, *CONTEXT, *SHELLS, *MCP, *BROWSER, *SQL, *AGENTS]
)
def test_a_call_is_judged_as_labelled(want: str, call: Call) -> None:
    assert judged(call) == wanted(want)


@pytest.mark.parametrize(("want", "command"), POWERSHELL)
def test_powershell_is_judged_as_labelled(want: str, command: str) -> None:
    assert judged(Call("PowerShell", {"command": command})) == wanted(want)


def test_the_judgement_names_its_rule_its_target_and_its_inverse() -> None:
    found = classify(Call("Edit", EDIT, {"originalFile": "x = 1"}))
    assert (found.inverse, found.target, found.summary) == (True, "/p/a.py", "Edit /p/a.py")
    push = classify(Call("Bash", {"command": "cd app && git push origin main"}))
    assert (push.rule, push.target, push.summary) == ("git push", "origin", "git push origin main")
    commit = classify(Call("Bash", {"command": "git commit -m x"}))
    assert (commit.reversibility, commit.inverse) == ("reversible", False)


def test_unknown_says_what_would_make_it_known() -> None:
    assert (
        "host would make it known"
        in classify(Call("Bash", {"command": 'psql "$DATABASE_URL" -c "DELETE FROM r"'})).why
    )
    assert "rule of the team" in classify(Call("Bash", {"command": "frob --all"})).why
