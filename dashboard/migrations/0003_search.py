"""What can be found, indexed in the database's own form."""

from django.db import migrations

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
DROP_POSTGRES = ("ALTER TABLE dashboard_searchrow DROP COLUMN lexemes",)
DROP_SQLITE = (
    "DROP TRIGGER dashboard_search_added",
    "DROP TRIGGER dashboard_search_gone",
    "DROP TABLE dashboard_search",
)


def create(apps, schema_editor):
    postgres = schema_editor.connection.vendor == "postgresql"
    for statement in POSTGRES if postgres else SQLITE:
        schema_editor.execute(statement, params=None)


def drop(apps, schema_editor):
    postgres = schema_editor.connection.vendor == "postgresql"
    for statement in DROP_POSTGRES if postgres else DROP_SQLITE:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [("dashboard", "0002_append_only")]
    operations = [migrations.RunPython(create, drop)]
