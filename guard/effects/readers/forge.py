"""`gh api`, `glab api` and their like: a request to a forge, by method and fields."""

from __future__ import annotations

from guard.effects.commands import Running
from guard.effects.http import is_graphql_query
from guard.effects.model import Part, read

_FIELDS = ("-f", "--raw-field", "-F", "--field", "--form")


def api(run: Running) -> list[Part]:
    """A request: fields or a body make it a POST, as the CLI documents."""
    where = run.argv.positionals[1] if len(run.argv.positionals) > 1 else ""
    fields = run.argv.values(*_FIELDS)
    has_body = (
        bool(fields) or run.argv.has("--input") or run.argv.has("-d") or run.argv.has("--data")
    )
    method = (run.argv.value("-X", "--method") or ("POST" if has_body else "GET")).upper()
    rule = f"forge api: {method}"
    if where.strip("/") == "graphql":
        query = next((field.split("=", 1)[1] for field in fields if field.startswith("query=")), "")
        if is_graphql_query(query):
            return [read("a GraphQL query by POST", rule, "possible", run.command.text)]
    elif method in {"GET", "HEAD"}:
        return [read("only asks", rule, summary=run.command.text)]
    why = f"{method} to the forge"
    return [Part(True, "irreversible", "git_remote", "proven", why, rule, run.command.text, where)]
