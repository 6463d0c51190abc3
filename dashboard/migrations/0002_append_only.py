"""The database itself refuses to change what was received and what people decided.

A chunk may lose its bytes, and a redaction the bytes as sent, when a tombstone of the run says so;
everything else about them stays as it was.
"""

from django.db import migrations

FROZEN = (
    *("decision", "vote", "consumption", "gateevent", "note", "entry"),
    *("alertfiring", "alertstep", "tombstone", "effectrule", "noticerow", "attempt"),
)
BOUND = (
    "public_id",
    "run_id",
    "edit_id",
    "digest_hash",
    "digest_text",
    "edit_hash",
    "window_hash",
    "shown_hash",
    "rules_version",
    "requester_agent",
    "requested_with_id",
    "owner_id",
    "author",
    "risk",
    "effects",
    "facts",
    "needed",
    "created_at",
    "expires_at",
)
BURIED = (
    "EXISTS (SELECT 1 FROM dashboard_tombstone t JOIN dashboard_file f ON f.run_id = t.run_id "
    "JOIN dashboard_chunk c ON c.file_id = f.id WHERE c.id = {chunk})"
)
EMPTIED = {
    "chunk": (
        "length(NEW.data) = 0",
        ("id", "file_id", "offset", "size_bytes", "sha256", "through_sha256", "receipt")
        + ("received_at",),
        BURIED.format(chunk="OLD.id"),
    ),
    "redaction": (
        "NEW.raw IS NULL",
        ("id", "chunk_id", "counts", "stored_sha256", "chains", "bodies"),
        BURIED.format(chunk="OLD.chunk_id"),
    ),
}
"""Table -> what its bytes become, the columns that stay, and when that is allowed."""

SQLITE = "CREATE TRIGGER {name} BEFORE {when} ON {table} BEGIN SELECT RAISE(ABORT, '{text}'); END"
SQLITE_HEAD = (
    "CREATE TRIGGER ledgerhead_forward BEFORE UPDATE ON dashboard_ledgerhead "
    "WHEN NEW.seq <> OLD.seq + 1 "
    "BEGIN SELECT RAISE(ABORT, 'the ledger only goes forward'); END"
)
SQLITE_EMPTIED = (
    "CREATE TRIGGER {model}_no_update BEFORE UPDATE ON dashboard_{model} WHEN NOT ({allowed}) "
    "BEGIN SELECT RAISE(ABORT, 'dashboard_{model} is append-only'); END"
)
POSTGRES_FUNCTION = (
    "CREATE OR REPLACE FUNCTION dashboard_refuse() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation'; "
    "END $$"
)
POSTGRES = (
    "CREATE TRIGGER {name} BEFORE {when} ON {table} "
    "FOR EACH ROW EXECUTE FUNCTION dashboard_refuse('{text}')"
)
POSTGRES_HEAD = (
    "CREATE TRIGGER ledgerhead_forward BEFORE UPDATE ON dashboard_ledgerhead "
    "FOR EACH ROW WHEN (NEW.seq <> OLD.seq + 1) "
    "EXECUTE FUNCTION dashboard_refuse('the ledger only goes forward')"
)
POSTGRES_EMPTIED = (
    "CREATE FUNCTION dashboard_{model}_kept() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN IF {allowed} THEN RETURN NEW; END IF; "
    "RAISE EXCEPTION 'dashboard_{model} is append-only' "
    "USING ERRCODE = 'integrity_constraint_violation'; END $$; "
    "CREATE TRIGGER {model}_no_update BEFORE UPDATE ON dashboard_{model} "
    "FOR EACH ROW EXECUTE FUNCTION dashboard_{model}_kept()"
)


def triggers():
    """Rows (name, when, table, text)."""
    for model in (*FROZEN, *EMPTIED):
        table = f"dashboard_{model}"
        if model in FROZEN:
            yield f"{model}_no_update", "UPDATE", table, f"{table} is append-only"
        yield f"{model}_no_delete", "DELETE", table, f"{table} is append-only"
    bound = "UPDATE OF " + ", ".join(BOUND)
    yield "gate_bound", bound, "dashboard_gate", "a gate is bound to what it was asked for"
    yield "gate_no_delete", "DELETE", "dashboard_gate", "dashboard_gate keeps every gate"


def emptied(shape):
    for model, (becomes, stays, when) in EMPTIED.items():
        same = " AND ".join(
            f'NEW."{column}" IS NOT DISTINCT FROM OLD."{column}"' for column in stays
        )
        yield shape.format(model=model, allowed=f"{becomes} AND {same} AND {when}")


def create(apps, schema_editor):
    postgres = schema_editor.connection.vendor == "postgresql"
    if postgres:
        schema_editor.execute(POSTGRES_FUNCTION, params=None)
    shape = POSTGRES if postgres else SQLITE
    for name, when, table, text in triggers():
        schema_editor.execute(
            shape.format(name=name, when=when, table=table, text=text), params=None
        )
    for statement in emptied(POSTGRES_EMPTIED if postgres else SQLITE_EMPTIED):
        schema_editor.execute(statement, params=None)
    schema_editor.execute(POSTGRES_HEAD if postgres else SQLITE_HEAD, params=None)


def drop(apps, schema_editor):
    postgres = schema_editor.connection.vendor == "postgresql"
    names = [(name, table) for name, _, table, _ in triggers()]
    names += [(f"{model}_no_update", f"dashboard_{model}") for model in EMPTIED]
    for name, table in [*names, ("ledgerhead_forward", "dashboard_ledgerhead")]:
        schema_editor.execute(f"DROP TRIGGER {name}{f' ON {table}' if postgres else ''}")
    if postgres:
        for name in ("refuse", *(f"{model}_kept" for model in EMPTIED)):
            schema_editor.execute(f"DROP FUNCTION dashboard_{name}()")


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0001_tables")]
    operations = [migrations.RunPython(create, drop)]
