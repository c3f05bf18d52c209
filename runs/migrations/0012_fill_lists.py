from datetime import UTC

from django.db import migrations

SOME = 1000
LENGTH = 300  # of a facet's value


def fill(apps, schema_editor):
    """Give the runs that are there their facets and tags. Their counts and trends come with the first roll-up."""
    models = {name: apps.get_model("runs", name) for name in ("Run", "Facet", "RunTag", "Tally")}
    known = {}
    ids = list(models["Run"].objects.order_by("pk").values_list("pk", flat=True))
    for at in range(0, len(ids), SOME):
        fill_some(models, known, ids[at : at + SOME])


def fill_some(models, known, ids):
    counts, hosts, days, tags = {}, {}, set(), []
    runs = list(models["Run"].objects.filter(pk__in=ids).select_related("config").defer("values", "quotes"))
    for run in runs:
        run.facet_config_id = facet(models, known, "config", run.config.name)
        run.facet_command_id = facet(models, known, "command", run.command)
        run.facet_server_id = facet(models, known, "server", run.server_software)
        tagged = {facet(models, known, "tag", str(tag)) for tag in run.tags} - {None}
        tags += [models["RunTag"](facet_id=pk, run_id=run.pk) for pk in sorted(tagged)]
        own = {run.facet_config_id, run.facet_command_id, run.facet_server_id, *tagged}
        for pk in (own | {facet(models, known, "tool", run.tool)}) - {None}:
            counts[pk] = counts.get(pk, 0) + 1
        if run.host_id:
            hosts[run.host_id] = hosts.get(run.host_id, 0) + 1
        days.add((run.fingerprint, run.created_at.astimezone(UTC).date().isoformat()))
    models["Run"].objects.bulk_update(runs, ["facet_config", "facet_command", "facet_server"], batch_size=200)
    models["RunTag"].objects.bulk_create(tags)
    changes = {"facets": {str(pk): n for pk, n in counts.items()}, "hosts": {str(pk): n for pk, n in hosts.items()}}
    models["Tally"].objects.create(changes=changes | {"days": sorted(days)})


def facet(models, known, kind, value):
    """The id of a facet, None for an empty value."""
    name = (kind, value[:LENGTH])
    if value and name not in known:
        known[name] = models["Facet"].objects.get_or_create(kind=kind, value=name[1])[0].pk
    return known.get(name)


class Migration(migrations.Migration):
    dependencies = [("runs", "0011_name_search")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
