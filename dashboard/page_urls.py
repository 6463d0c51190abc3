"""Where the pages are. A name of the journal may hold a slash, so an edit's id is a `path`."""

from __future__ import annotations

from django.urls import path, re_path

from dashboard.views import (
    account,
    audit,
    cases,
    compare,
    coverage,
    edit,
    findings,
    gate,
    gates,
    imports,
    rollback,
    rules,
    run,
    runs,
    search,
    settings,
    team,
    window,
)

TABLE = r"(?P<kind>csv|json)"

urlpatterns = [
    path("", team.team, name="team"),
    path("team/figures/<slug:name>", team.figure, name="trend"),
    re_path(rf"^team/tables/(?P<name>[a-z]+)\.{TABLE}$", team.table, name="trend_table"),
    path("runs/", runs.runs, name="runs"),
    re_path(rf"^runs\.{TABLE}$", runs.table, name="runs_table"),
    path("runs/views/", runs.save_view, name="save_view"),
    path("runs/views/<int:key>/drop", runs.drop_view, name="drop_view"),
    path("runs/<slug:rid>/", run.run, name="run"),
    path("runs/<slug:rid>/figure", run.figure, name="run_figure"),
    path("runs/<slug:rid>/report.json", run.report, name="run_report"),
    re_path(rf"^runs/(?P<rid>[-\w]+)/rows\.{TABLE}$", run.rows, name="run_rows"),
    path("runs/<slug:rid>/coverage", coverage.coverage, name="coverage"),
    path("runs/<slug:rid>/edits/<path:eid>/", edit.edit, name="edit"),
    path("runs/<slug:rid>/rollback", rollback.rollback, name="rollback"),
    path("runs/<slug:rid>/rollback/figure", rollback.figure, name="rollback_figure"),
    re_path(
        r"^runs/(?P<rid>[-\w]+)/rollback\.(?P<kind>txt|json)$", rollback.plan_file, name="plan_file"
    ),
    path("runs/<slug:rid>/rollback/tick", rollback.tick, name="tick"),
    path("runs/<slug:rid>/window", window.window, name="window"),
    re_path(rf"^runs/(?P<rid>[-\w]+)/window\.{TABLE}$", window.table, name="window_table"),
    path("compare/", compare.compare, name="compare"),
    path("gates/", gates.gates, name="gates"),
    re_path(rf"^gates\.{TABLE}$", gates.table, name="gates_table"),
    path("gates/<slug:gid>/", gate.gate, name="gate"),
    path("gates/<slug:gid>/decide", gate.decide, name="gate_decide"),
    path("gates/<slug:gid>/claim", gate.claim, name="gate_claim"),
    path("gates/<slug:gid>/release", gate.release, name="gate_release"),
    path("gates/<slug:gid>/revoke", gate.revoke, name="gate_revoke"),
    path("findings/", findings.findings, name="findings"),
    re_path(rf"^findings\.{TABLE}$", findings.table, name="findings_table"),
    path("findings/note", findings.note, name="note"),
    path("rules/", rules.rules, name="rules"),
    path("rules/<slug:code>/", rules.rule, name="rule"),
    path("cases/", cases.cases, name="cases"),
    path("cases/new", cases.new_case, name="new_case"),
    path("cases/<slug:cid>/", cases.case, name="case"),
    path("cases/<slug:cid>/steps", cases.add_step, name="add_step"),
    path("cases/<slug:cid>/close", cases.close_case, name="close_case"),
    re_path(
        r"^cases/(?P<cid>[-\w]+)/case\.(?P<kind>md|html|json)$", cases.case_file, name="case_file"
    ),
    path("import/", imports.page, name="import"),
    path("import/take", imports.take, name="import_take"),
    path("import/forget", imports.forget, name="import_forget"),
    re_path(rf"^import/lines\.{TABLE}$", imports.lines, name="import_lines"),
    path("search/", search.search, name="search"),
    path("settings/", settings.settings, name="settings"),
    path("settings/sources", settings.add_source, name="add_source"),
    path("settings/keys", settings.add_token, name="add_token"),
    path("settings/keys/<int:key>/revoke", settings.revoke_token, name="revoke_token"),
    path("settings/roles", settings.give_role, name="give_role"),
    path("settings/roles/<int:key>/take", settings.take_role, name="take_role"),
    path("audit/", audit.audit, name="audit"),
    re_path(rf"^audit\.{TABLE}$", audit.table, name="audit_table"),
    path("me/theme", account.theme, name="theme"),
    path("me/zone", account.zone, name="zone"),
    path("bell", account.bell, name="bell"),
]
