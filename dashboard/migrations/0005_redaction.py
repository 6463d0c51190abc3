"""What a sender says about a file, and what was taken out of it before it was stored."""

from importlib import import_module

import django.db.models.deletion
from django.db import migrations, models

append_only = import_module("dashboard.migrations.0002_append_only")
TABLE = "dashboard_redaction"
TRIGGERS = (
    ("redaction_no_update", "UPDATE", f"{TABLE} is append-only"),
    ("redaction_no_delete", "DELETE", f"{TABLE} is append-only"),
)


def freeze(apps, schema_editor):
    postgres = schema_editor.connection.vendor == "postgresql"
    shape = append_only.POSTGRES if postgres else append_only.SQLITE
    for name, when, text in TRIGGERS:
        schema_editor.execute(
            shape.format(name=name, when=when, table=TABLE, text=text), params=None
        )


def thaw(apps, schema_editor):
    postgres = schema_editor.connection.vendor == "postgresql"
    for name, _, _ in TRIGGERS:
        schema_editor.execute(f"DROP TRIGGER {name}{f' ON {TABLE}' if postgres else ''}")


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0004_alerts")]

    operations = [
        migrations.AddField("chunk", "through_sha256", models.CharField(max_length=64, null=True)),
        migrations.AddField("file", "rewrites", models.BooleanField(default=False)),
        migrations.CreateModel(
            name="Redaction",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("counts", models.JSONField()),
                ("stored_sha256", models.CharField(max_length=64)),
                ("chains", models.JSONField(default=dict)),
                ("raw", models.BinaryField(null=True)),
                (
                    "chunk",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="redaction",
                        to="dashboard.chunk",
                    ),
                ),
            ],
        ),
        migrations.RunPython(freeze, thaw),
    ]
