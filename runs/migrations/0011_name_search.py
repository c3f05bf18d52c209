from django.db import ProgrammingError, migrations, transaction

# What Django's icontains asks PostgreSQL for: UPPER(name::text) LIKE UPPER('%..%')
INDEXES = {
    "facet_search": "runs_facet USING gin (upper(value::text) gin_trgm_ops)",
    "experiment_search": "runs_experiment USING gin (upper(name::text) gin_trgm_ops)",
    "host_search": "runs_host USING gin (upper(name::text) gin_trgm_ops)",
}


def add_indexes(apps, schema_editor):
    """Trigrams find a part of a name at once. Where the extension may not be made, names are searched one by one."""
    if schema_editor.connection.vendor != "postgresql":
        return
    try:
        with transaction.atomic(schema_editor.connection.alias), schema_editor.connection.cursor() as cursor:
            cursor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    except ProgrammingError:
        return
    for name, on in INDEXES.items():
        schema_editor.execute(f"CREATE INDEX {name} ON {on}")


def remove_indexes(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for name in INDEXES:
            schema_editor.execute(f"DROP INDEX IF EXISTS {name}")


class Migration(migrations.Migration):
    dependencies = [("runs", "0010_lists")]

    operations = [migrations.RunPython(add_indexes, remove_indexes)]
