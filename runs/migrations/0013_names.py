from typing import Any

from django.conf import settings
from django.db import migrations, models
from django.db.models import CASCADE, SET_NULL


def override_key(to: str, on_delete: Any) -> models.ForeignKey[Any, Any]:
    return models.ForeignKey(blank=True, null=True, on_delete=on_delete, related_name="overrides", to=to)


class Migration(migrations.Migration):
    """Ruling is called Override and Tally CounterDelta. The tables keep their names, and no column changes."""

    dependencies = [("runs", "0012_fill_lists"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.AlterModelTable("ruling", "runs_ruling"),
        migrations.RenameModel("Ruling", "Override"),
        migrations.AlterField("override", "config", override_key("runs.config", CASCADE)),
        migrations.AlterField("override", "upload", override_key("runs.upload", CASCADE)),
        migrations.AlterField("override", "made_by", override_key(settings.AUTH_USER_MODEL, SET_NULL)),
        migrations.AlterModelTable("tally", "runs_tally"),
        migrations.RenameModel("Tally", "CounterDelta"),
        migrations.AlterField(
            "host",
            "n_runs",
            models.PositiveBigIntegerField(default=0, help_text="kept up by runs.ingest.counters, seconds behind"),
        ),
        migrations.AlterField("run", "fingerprint", models.CharField(help_text="see ingest.configs", max_length=64)),
    ]
