"""Alert rules and firings; retention, holds and tombstones; switches of rules.

Firings, their steps and tombstones are append-only. A chunk may lose its bytes, and nothing else,
when a tombstone of its run says so; everything else about it stays as it was received.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

SQLITE = "CREATE TRIGGER {name} BEFORE {when} ON {table} BEGIN SELECT RAISE(ABORT, '{text}'); END"
POSTGRES = (
    "CREATE TRIGGER {name} BEFORE {when} ON {table} "
    "FOR EACH ROW EXECUTE FUNCTION dashboard_refuse('{text}')"
)
FROZEN = ("alertfiring", "alertstep", "tombstone")
CHUNK = ("chunk_no_update", "UPDATE", "dashboard_chunk", "dashboard_chunk is append-only")
SAME = " AND ".join(
    f'NEW."{column}" = OLD."{column}"'
    for column in ("id", "file_id", "offset", "size_bytes", "sha256", "receipt", "received_at")
)
ALLOWED = (
    f"length(NEW.data) = 0 AND {SAME} AND EXISTS (SELECT 1 FROM dashboard_tombstone t "
    "JOIN dashboard_file f ON f.run_id = t.run_id WHERE f.id = OLD.file_id)"
)
SQLITE_CHUNK = (
    f"CREATE TRIGGER chunk_no_update BEFORE UPDATE ON dashboard_chunk WHEN NOT ({ALLOWED}) "
    "BEGIN SELECT RAISE(ABORT, 'dashboard_chunk is append-only'); END"
)
POSTGRES_CHUNK = (
    "CREATE FUNCTION dashboard_chunk_kept() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN IF {ALLOWED} THEN RETURN NEW; END IF; "
    "RAISE EXCEPTION 'dashboard_chunk is append-only' "
    "USING ERRCODE = 'integrity_constraint_violation'; END $$",
    "CREATE TRIGGER chunk_no_update BEFORE UPDATE ON dashboard_chunk "
    "FOR EACH ROW EXECUTE FUNCTION dashboard_chunk_kept()",
)


def triggers():
    """Rows (name, when, table, text)."""
    for model in FROZEN:
        table = f"dashboard_{model}"
        for when in ("UPDATE", "DELETE"):
            yield f"{model}_no_{when.lower()}", when, table, f"{table} is append-only"


def create(apps, schema_editor):
    postgres = schema_editor.connection.vendor == "postgresql"
    shape = POSTGRES if postgres else SQLITE
    statements = [
        shape.format(name=name, when=when, table=table, text=text)
        for name, when, table, text in triggers()
    ]
    swapped = f"DROP TRIGGER chunk_no_update{' ON dashboard_chunk' if postgres else ''}"
    chunk = POSTGRES_CHUNK if postgres else (SQLITE_CHUNK,)
    for statement in (*statements, swapped, *chunk):
        schema_editor.execute(statement, params=None)


def drop(apps, schema_editor):
    postgres = schema_editor.connection.vendor == "postgresql"
    names = [(name, table) for name, _, table, _ in triggers()]
    for name, table in [*names, ("chunk_no_update", "dashboard_chunk")]:
        schema_editor.execute(f"DROP TRIGGER {name}{f' ON {table}' if postgres else ''}")
    if postgres:
        schema_editor.execute("DROP FUNCTION dashboard_chunk_kept()")
    name, when, table, text = CHUNK
    shape = POSTGRES if postgres else SQLITE
    schema_editor.execute(shape.format(name=name, when=when, table=table, text=text), params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("dashboard", "0003_notifications"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AlertRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('finding', 'findings of a code'), ('rate', 'per cent of summaries that dropped a gating fact'), ('gate_age', 'age of the oldest open gate, minutes'), ('lag', 'age of the oldest unjudged batch, minutes'), ('closure_age', 'time since the last closure check, minutes')], max_length=12)),
                ('code', models.CharField(blank=True, max_length=8)),
                ('threshold', models.PositiveIntegerField()),
                ('minutes', models.PositiveIntegerField(default=60)),
                ('quiet_from', models.TimeField(blank=True, null=True)),
                ('quiet_to', models.TimeField(blank=True, null=True)),
                ('zone', models.CharField(default='UTC', max_length=64)),
                ('created_at', models.DateTimeField()),
                ('removed_at', models.DateTimeField(blank=True, null=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('source', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to='dashboard.source')),
            ],
        ),
        migrations.CreateModel(
            name='AlertFiring',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.FloatField()),
                ('at', models.DateTimeField()),
                ('rule', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='firings', to='dashboard.alertrule')),
            ],
        ),
        migrations.CreateModel(
            name='Retention',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('days', models.PositiveIntegerField()),
                ('source', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='retention', to='dashboard.source')),
            ],
        ),
        migrations.CreateModel(
            name='Tombstone',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('days', models.PositiveIntegerField()),
                ('chunks', models.PositiveIntegerField()),
                ('size_bytes', models.BigIntegerField()),
                ('at', models.DateTimeField()),
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='tombstone', to='dashboard.run')),
            ],
        ),
        migrations.CreateModel(
            name='AlertStep',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('told', 'Told'), ('ended', 'Ended')], max_length=8)),
                ('at', models.DateTimeField()),
                ('firing', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='steps', to='dashboard.alertfiring')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('firing', 'kind'), name='alert_step_once')],
            },
        ),
        migrations.CreateModel(
            name='Hold',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=400)),
                ('at', models.DateTimeField()),
                ('lifted_at', models.DateTimeField(blank=True, null=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='holds', to='dashboard.run')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('lifted_at', None)), fields=('run',), name='hold_once_per_run')],
            },
        ),
        migrations.CreateModel(
            name="RuleSwitch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("code", models.CharField(max_length=8, unique=True)),
                ("off", models.BooleanField()),
                ("reason", models.CharField(max_length=400)),
                ("at", models.DateTimeField()),
                ("by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.RunPython(create, drop),
    ]
