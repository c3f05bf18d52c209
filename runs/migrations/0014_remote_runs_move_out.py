"""The models of remote runs become the app `remote`'s, whose 0001 takes them in. The tables stay as they are."""

from django.db import migrations

MODELS = ("Schedule", "Step", "Job", "Variant", "Switch", "Plan", "TargetAddress", "Target", "LoadGenerator")


class Migration(migrations.Migration):
    dependencies = [("runs", "0013_names")]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel(name) for name in MODELS])
    ]
