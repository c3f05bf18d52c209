"""The models of remote runs, which were the app `runs`' until its 0014. Their tables stay as they are, under their names.

In a new database the steps of `runs` are taken as one, which makes no tables of remote runs: they are made here.
"""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import runs.remote.models

MODELS = ("job", "loadgenerator", "plan", "schedule", "step", "switch", "target", "targetaddress", "variant")


def rename_content_types(apps, schema_editor, old, new):
    """Permissions and the admin's log refer to content types: with these renamed, who may run plans may do so still."""
    types = apps.get_model("contenttypes", "ContentType").objects.using(schema_editor.connection.alias)
    types.filter(app_label=old, model__in=MODELS).update(app_label=new)


def to_remote(apps, schema_editor):
    rename_content_types(apps, schema_editor, "runs", "remote")


def to_runs(apps, schema_editor):
    rename_content_types(apps, schema_editor, "remote", "runs")


def create_missing_tables(apps, schema_editor):
    there = set(schema_editor.connection.introspection.table_names())
    for name in MODELS:
        model = apps.get_model("remote", name)
        if model._meta.db_table not in there:
            schema_editor.create_model(model)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("contenttypes", "0002_remove_content_type_name"),
        ("django_celery_beat", "0019_alter_periodictasks_options"),
        ("runs", "0014_remote_runs_move_out"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="LoadGenerator",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.SlugField(unique=True)),
                        (
                            "kind",
                            models.CharField(
                                choices=[("worker", "a worker that runs on it"), ("ssh", "reached by ssh")],
                                max_length=8,
                            ),
                        ),
                        (
                            "ssh_destination",
                            models.CharField(
                                blank=True, help_text="a Host of ssh's config, or user@host", max_length=255
                            ),
                        ),
                        (
                            "identity_file",
                            models.CharField(
                                blank=True, help_text="path of a private key, on the worker", max_length=500
                            ),
                        ),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        "db_table": "runs_loadgenerator",
                        "ordering": ["name"],
                    },
                ),
                migrations.CreateModel(
                    name="Plan",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=200)),
                        ("tool", models.CharField(default="ab", max_length=16)),
                        ("method", models.CharField(default="GET", max_length=10)),
                        ("path", models.CharField(default="/", max_length=2000)),
                        ("headers", models.JSONField(blank=True, default=list)),
                        ("body", models.TextField(blank=True)),
                        ("content_type", models.CharField(blank=True, max_length=200)),
                        ("requests", models.PositiveIntegerField(blank=True, null=True)),
                        ("duration_s", models.PositiveIntegerField(blank=True, null=True)),
                        ("keepalive", models.BooleanField(default=False)),
                        ("timeout_s", models.PositiveIntegerField(default=30, help_text="for one request")),
                        ("levels", models.JSONField(default=list)),
                        ("repeats", models.PositiveIntegerField(default=3)),
                        ("warmups", models.PositiveIntegerField(default=1)),
                        ("cooldown_s", models.FloatField(default=1.0)),
                        (
                            "order",
                            models.CharField(
                                choices=[("interleaved", "in turn: A B B A"), ("blocks", "blocks in random order")],
                                default="interleaved",
                                max_length=12,
                            ),
                        ),
                        ("rse_limit_pct", models.FloatField(blank=True, null=True)),
                        ("most_repeats", models.PositiveIntegerField(blank=True, null=True)),
                        ("interval_s", models.FloatField(default=1.0, help_text="between two samples")),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "created_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "generator",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="plans",
                                to="remote.loadgenerator",
                            ),
                        ),
                    ],
                    options={
                        "db_table": "runs_plan",
                        "ordering": ["-id"],
                        "permissions": [("run_plan", "Can run plans")],
                    },
                ),
                migrations.CreateModel(
                    name="Job",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=300)),
                        ("snapshot", models.JSONField()),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("queued", "Queued"),
                                    ("connecting", "Connecting"),
                                    ("running", "Running"),
                                    ("storing", "Storing"),
                                    ("done", "Done"),
                                    ("failed", "Failed"),
                                    ("cancelled", "Cancelled"),
                                    ("lost", "Lost"),
                                ],
                                db_index=True,
                                default="queued",
                                max_length=10,
                            ),
                        ),
                        (
                            "message",
                            models.TextField(
                                blank=True, help_text="why it waits, failed or stopped, in the tool's own words"
                            ),
                        ),
                        ("progress", models.JSONField(default=dict)),
                        ("log", models.TextField(blank=True)),
                        ("claim", models.CharField(blank=True, max_length=64)),
                        (
                            "clock_offset_s",
                            models.FloatField(blank=True, help_text="target's clock minus generator's", null=True),
                        ),
                        ("scheduled", models.BooleanField(default=False)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        (
                            "sent_at",
                            models.DateTimeField(
                                blank=True, help_text="when its message was last given to the queue", null=True
                            ),
                        ),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("heartbeat_at", models.DateTimeField(blank=True, null=True)),
                        ("cancel_requested_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "created_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "experiment",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="jobs",
                                to="runs.experiment",
                            ),
                        ),
                        (
                            "generator",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="jobs",
                                to="remote.loadgenerator",
                            ),
                        ),
                        (
                            "plan",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="jobs",
                                to="remote.plan",
                            ),
                        ),
                    ],
                    options={
                        "db_table": "runs_job",
                        "ordering": ["-id"],
                    },
                ),
                migrations.CreateModel(
                    name="Schedule",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=200)),
                        ("message", models.TextField(blank=True)),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "created_by",
                            models.ForeignKey(
                                null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                            ),
                        ),
                        (
                            "last_job",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="remote.job",
                            ),
                        ),
                        (
                            "plan",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="schedules",
                                to="remote.plan",
                            ),
                        ),
                        (
                            "task",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="django_celery_beat.periodictask",
                            ),
                        ),
                    ],
                    options={
                        "db_table": "runs_schedule",
                        "ordering": ["id"],
                    },
                ),
                migrations.CreateModel(
                    name="Target",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "reach",
                            models.CharField(
                                choices=[
                                    ("none", "not reached: no monitors"),
                                    ("local", "the machine that the worker runs on"),
                                    ("ssh", "by ssh"),
                                ],
                                default="none",
                                max_length=8,
                            ),
                        ),
                        (
                            "ssh_destination",
                            models.CharField(
                                blank=True, help_text="a Host of ssh's config, or user@host", max_length=255
                            ),
                        ),
                        (
                            "identity_file",
                            models.CharField(
                                blank=True, help_text="path of a private key, on the worker", max_length=500
                            ),
                        ),
                        ("most_requests", models.PositiveIntegerField(default=100000, help_text="of one run")),
                        ("most_concurrency", models.PositiveIntegerField(default=200)),
                        (
                            "most_duration_s",
                            models.PositiveIntegerField(
                                default=600, help_text="of one run, and when it is stopped at the latest"
                            ),
                        ),
                        ("readable", models.JSONField(blank=True, default=runs.remote.models.default_readable)),
                        ("enabled", models.BooleanField(default=True)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "busy_with",
                            models.OneToOneField(
                                blank=True,
                                editable=False,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="holds",
                                to="remote.job",
                            ),
                        ),
                        (
                            "created_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "host",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE, related_name="target", to="runs.host"
                            ),
                        ),
                    ],
                    options={
                        "db_table": "runs_target",
                        "ordering": ["host__name", "id"],
                    },
                ),
                migrations.CreateModel(
                    name="Switch",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=100)),
                        (
                            "argv",
                            models.JSONField(
                                help_text='a list, such as ["systemctl", "reload", "nginx"]; no shell reads it'
                            ),
                        ),
                        ("timeout_s", models.PositiveIntegerField(default=30)),
                        (
                            "target",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="switches", to="remote.target"
                            ),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "switches",
                        "db_table": "runs_switch",
                        "ordering": ["name"],
                    },
                ),
                migrations.AddField(
                    model_name="plan",
                    name="target",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="plans", to="remote.target"
                    ),
                ),
                migrations.AddField(
                    model_name="job",
                    name="target",
                    field=models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="jobs", to="remote.target"
                    ),
                ),
                migrations.CreateModel(
                    name="TargetAddress",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("base", models.CharField(max_length=300)),
                        ("resolved", models.JSONField(default=list, help_text="IP addresses that the name may have")),
                        (
                            "pinned",
                            models.BooleanField(
                                default=False, help_text="they were written by a person, not looked up"
                            ),
                        ),
                        (
                            "target",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="addresses",
                                to="remote.target",
                            ),
                        ),
                    ],
                    options={
                        "db_table": "runs_targetaddress",
                        "ordering": ["id"],
                    },
                ),
                migrations.AddField(
                    model_name="plan",
                    name="address",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="plans", to="remote.targetaddress"
                    ),
                ),
                migrations.CreateModel(
                    name="Variant",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=200)),
                        ("position", models.PositiveIntegerField(default=0)),
                        ("path", models.CharField(blank=True, max_length=2000)),
                        ("keepalive", models.BooleanField(blank=True, null=True)),
                        (
                            "config_files",
                            models.JSONField(
                                blank=True, default=list, help_text="absolute paths on the target, shown with cat"
                            ),
                        ),
                        (
                            "address",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="variants",
                                to="remote.targetaddress",
                            ),
                        ),
                        (
                            "plan",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="variants", to="remote.plan"
                            ),
                        ),
                        (
                            "switch",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="variants",
                                to="remote.switch",
                            ),
                        ),
                    ],
                    options={
                        "db_table": "runs_variant",
                        "ordering": ["position", "id"],
                    },
                ),
                migrations.CreateModel(
                    name="Step",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("position", models.PositiveIntegerField()),
                        ("variant", models.CharField(max_length=200)),
                        ("level", models.PositiveIntegerField()),
                        ("repeat", models.PositiveIntegerField(help_text="1 and on; 0 for a warm-up")),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("waiting", "Waiting"),
                                    ("running", "Running"),
                                    ("done", "Done"),
                                    ("failed", "Failed"),
                                    ("cancelled", "Cancelled"),
                                    ("lost", "Lost"),
                                ],
                                default="waiting",
                                max_length=10,
                            ),
                        ),
                        ("message", models.TextField(blank=True)),
                        ("requests_per_second", models.FloatField(blank=True, null=True)),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "job",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="steps", to="remote.job"
                            ),
                        ),
                        (
                            "upload",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="steps",
                                to="runs.upload",
                            ),
                        ),
                    ],
                    options={
                        "db_table": "runs_step",
                        "ordering": ["position", "id"],
                        "indexes": [models.Index(fields=["job", "position"], name="step_of_job")],
                    },
                ),
                migrations.AddConstraint(
                    model_name="switch",
                    constraint=models.UniqueConstraint(fields=("target", "name"), name="switch_of_target"),
                ),
                migrations.AddConstraint(
                    model_name="targetaddress",
                    constraint=models.UniqueConstraint(fields=("target", "base"), name="address_of_target"),
                ),
                migrations.AddConstraint(
                    model_name="variant",
                    constraint=models.UniqueConstraint(fields=("plan", "name"), name="variant_of_plan"),
                ),
            ]
        ),
        migrations.RunPython(create_missing_tables, migrations.RunPython.noop),
        migrations.RunPython(to_remote, to_runs),
    ]
