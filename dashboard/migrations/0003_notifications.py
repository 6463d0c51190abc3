"""Notices: targets, the outbox, deliveries and their log. Outbox and log are append-only."""

import dashboard.models.notices
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

SQLITE = "CREATE TRIGGER {name} BEFORE {when} ON {table} BEGIN SELECT RAISE(ABORT, '{text}'); END"
POSTGRES = (
    "CREATE TRIGGER {name} BEFORE {when} ON {table} "
    "FOR EACH ROW EXECUTE FUNCTION dashboard_refuse('{text}')"
)
FROZEN = ("noticerow", "attempt")


def triggers():
    """Rows (name, when, table, text)."""
    for model in FROZEN:
        table = f"dashboard_{model}"
        for when in ("UPDATE", "DELETE"):
            yield f"{model}_no_{when.lower()}", when, table, f"{table} is append-only"


def create(apps, schema_editor):
    shape = POSTGRES if schema_editor.connection.vendor == "postgresql" else SQLITE
    for name, when, table, text in triggers():
        schema_editor.execute(
            shape.format(name=name, when=when, table=table, text=text), params=None
        )


def drop(apps, schema_editor):
    postgres = schema_editor.connection.vendor == "postgresql"
    for name, _, table, _ in triggers():
        schema_editor.execute(f"DROP TRIGGER {name}{f' ON {table}' if postgres else ''}")


class Migration(migrations.Migration):
    dependencies = [
        ("dashboard", "0002_append_only"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('sent', 'Sent'), ('given up', 'Given Up')], default='waiting', max_length=8)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('next_at', models.DateTimeField()),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveSmallIntegerField()),
                ('status', models.CharField(choices=[('sent', 'Sent'), ('failed', 'Failed'), ('given up', 'Given Up')], max_length=8)),
                ('detail', models.CharField(blank=True, max_length=200)),
                ('at', models.DateTimeField()),
                ('next_at', models.DateTimeField(blank=True, null=True)),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='log', to='dashboard.delivery')),
            ],
        ),
        migrations.CreateModel(
            name='NoticeRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.CharField(default=dashboard.models.notices.notice_name, editable=False, max_length=24, unique=True)),
                ('event', models.CharField(max_length=32)),
                ('title', models.CharField(max_length=200)),
                ('path', models.CharField(max_length=400)),
                ('ids', models.JSONField(default=dict)),
                ('key', models.CharField(blank=True, max_length=120, null=True, unique=True)),
                ('at', models.DateTimeField()),
                ('source', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to='dashboard.source')),
            ],
        ),
        migrations.AddField(
            model_name='delivery',
            name='notice',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='deliveries', to='dashboard.noticerow'),
        ),
        migrations.CreateModel(
            name='Target',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('email', 'Email'), ('webhook', 'Webhook'), ('slack', 'Slack')], max_length=8)),
                ('team', models.CharField(blank=True, max_length=80)),
                ('address', models.CharField(max_length=2000)),
                ('salt', models.CharField(default=dashboard.models.notices.salt, editable=False, max_length=32)),
                ('created_at', models.DateTimeField()),
                ('removed_at', models.DateTimeField(blank=True, null=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('source', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to='dashboard.source')),
            ],
        ),
        migrations.AddField(
            model_name='delivery',
            name='target',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='deliveries', to='dashboard.target'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['state', 'next_at'], name='dashboard_d_state_f378d4_idx'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(fields=('notice', 'target'), name='delivery_once_per_target'),
        ),
        migrations.RunPython(create, drop),
    ]
