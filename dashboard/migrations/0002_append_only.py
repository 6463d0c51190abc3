"""The database itself refuses to change what was received and what people decided."""

from django.db import migrations

FROZEN = ("chunk", "decision", "vote", "consumption", "gateevent", "note", "entry")
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

SQLITE = "CREATE TRIGGER {name} BEFORE {when} ON {table} BEGIN SELECT RAISE(ABORT, '{text}'); END"
SQLITE_HEAD = (
    "CREATE TRIGGER ledgerhead_forward BEFORE UPDATE ON dashboard_ledgerhead "
    "WHEN NEW.seq <> OLD.seq + 1 "
    "BEGIN SELECT RAISE(ABORT, 'the ledger only goes forward'); END"
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


def triggers():
    """Rows (name, when, table, text)."""
    for model in FROZEN:
        table = f"dashboard_{model}"
        yield f"{model}_no_update", "UPDATE", table, f"{table} is append-only"
        yield f"{model}_no_delete", "DELETE", table, f"{table} is append-only"
    bound = "UPDATE OF " + ", ".join(BOUND)
    yield "gate_bound", bound, "dashboard_gate", "a gate is bound to what it was asked for"
    yield "gate_no_delete", "DELETE", "dashboard_gate", "dashboard_gate keeps every gate"


def create(apps, schema_editor):
    postgres = schema_editor.connection.vendor == "postgresql"
    if postgres:
        schema_editor.execute(POSTGRES_FUNCTION, params=None)
    shape = POSTGRES if postgres else SQLITE
    for name, when, table, text in triggers():
        schema_editor.execute(
            shape.format(name=name, when=when, table=table, text=text), params=None
        )
    schema_editor.execute(POSTGRES_HEAD if postgres else SQLITE_HEAD, params=None)


def drop(apps, schema_editor):
    postgres = schema_editor.connection.vendor == "postgresql"
    names = [(name, table) for name, _, table, _ in triggers()]
    for name, table in [*names, ("ledgerhead_forward", "dashboard_ledgerhead")]:
        schema_editor.execute(f"DROP TRIGGER {name}{f' ON {table}' if postgres else ''}")
    if postgres:
        schema_editor.execute("DROP FUNCTION dashboard_refuse()")


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0001_tables")]
    operations = [migrations.RunPython(create, drop)]
