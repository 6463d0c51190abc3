"""Effect rules of a team (append-only), and what they and the window did to each effect."""

from importlib import import_module

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

frozen = import_module("dashboard.migrations.0002_append_only")
TABLE = "dashboard_effectrule"
TRIGGERS = (("effectrule_no_update", "UPDATE"), ("effectrule_no_delete", "DELETE"))


def create(apps, schema_editor):
    shape = frozen.POSTGRES if schema_editor.connection.vendor == "postgresql" else frozen.SQLITE
    for name, when in TRIGGERS:
        sql = shape.format(name=name, when=when, table=TABLE, text=f"{TABLE} is append-only")
        schema_editor.execute(sql, params=None)


def drop(apps, schema_editor):
    on = f" ON {TABLE}" if schema_editor.connection.vendor == "postgresql" else ""
    for name, _ in TRIGGERS:
        schema_editor.execute(f"DROP TRIGGER {name}{on}")


class Migration(migrations.Migration):
    dependencies = [
        ("dashboard", "0005_redaction"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="effectrow",
            name="classed_by",
            field=models.CharField(blank=True, max_length=512),
        ),
        migrations.AddField(
            model_name="effectrow",
            name="lacking",
            field=models.JSONField(default=list),
        ),
        migrations.CreateModel(
            name="EffectRule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("retired", models.BooleanField(default=False)),
                ("tool", models.CharField(default="*", max_length=200)),
                ("command", models.CharField(blank=True, max_length=500)),
                (
                    "effect",
                    models.CharField(
                        choices=[
                            ("read", "Read"),
                            ("reversible", "Reversible"),
                            ("irreversible", "Irreversible"),
                            ("unknown", "Unknown"),
                        ],
                        max_length=16,
                    ),
                ),
                ("domain", models.CharField(max_length=16)),
                ("reason", models.CharField(max_length=500)),
                ("at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="effect_rules",
                        to="dashboard.source",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("source", "number", "retired"), name="effect_rule_once"
                    )
                ],
            },
        ),
        migrations.RunPython(create, drop),
    ]
