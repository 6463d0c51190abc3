"""What can be found, indexed in the database's own form; what the team page counts of verdicts."""

import django.db.models.deletion
from django.db import migrations, models

POSTGRES = (
    "ALTER TABLE dashboard_searchrow ADD COLUMN lexemes tsvector "
    "GENERATED ALWAYS AS (array_to_tsvector(string_to_array(words, ' '))) STORED",
    "CREATE INDEX dashboard_searchrow_lexemes ON dashboard_searchrow USING gin (lexemes)",
)
SQLITE = (
    "CREATE VIRTUAL TABLE dashboard_search USING fts5("
    "words, content='dashboard_searchrow', content_rowid='id', "
    "tokenize='unicode61 remove_diacritics 0')",
    "CREATE TRIGGER dashboard_search_added AFTER INSERT ON dashboard_searchrow BEGIN "
    "INSERT INTO dashboard_search(rowid, words) VALUES (new.id, new.words); END",
    "CREATE TRIGGER dashboard_search_gone AFTER DELETE ON dashboard_searchrow BEGIN "
    "INSERT INTO dashboard_search(dashboard_search, rowid, words) "
    "VALUES ('delete', old.id, old.words); END",
)


def create(apps, schema_editor):
    postgres = schema_editor.connection.vendor == "postgresql"
    for statement in POSTGRES if postgres else SQLITE:
        schema_editor.execute(statement, params=None)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        schema_editor.execute("DROP TABLE dashboard_search", params=None)


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0006_effect_rules")]

    operations = [
        migrations.CreateModel(
            name='SearchRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('run', 'Run'), ('edit', 'Edit'), ('effect', 'Effect'), ('finding', 'Finding'), ('text', 'Text')], max_length=8)),
                ('ref', models.CharField(blank=True, max_length=512)),
                ('code', models.CharField(blank=True, max_length=8)),
                ('seq', models.BigIntegerField(default=0)),
                ('danger', models.BooleanField(default=False)),
                ('shown', models.TextField(blank=True)),
                ('words', models.TextField()),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dashboard.run')),
            ],
            options={
                'indexes': [models.Index(fields=['run', 'kind'], name='dashboard_s_run_id_2c8d41_idx')],
            },
        ),
        migrations.RunPython(create, drop),
        migrations.AddField(
            model_name="verdict",
            name="summaries",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddIndex(
            model_name="verdict",
            index=models.Index(
                condition=models.Q(("current", True)),
                fields=["soundness", "run"],
                name="verdict_now_soundness",
            ),
        ),
    ]
