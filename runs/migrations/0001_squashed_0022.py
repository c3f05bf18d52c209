"""The tables as 0001 to 0022 leave them, made in one step: a new database is there in a quarter of the time.

A database that an earlier version has made takes those steps as before. The tables of remote runs, which these steps made and gave
away, come from remote's 0001.
"""

from importlib import import_module

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

name_search = import_module("runs.migrations.0011_name_search")


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("runs", name)
        for name in (
            "0001_initial",
            "0002_attempts",
            "0003_remote_and_rulings",
            "0004_schedules",
            "0005_readable_places",
            "0006_job_sent_at",
            "0007_schedule_started",
            "0008_pinned_addresses",
            "0009_scale",
            "0010_lists",
            "0011_name_search",
            "0012_fill_lists",
            "0013_names",
            "0014_remote_runs_move_out",
            "0015_run_at_and_doubted",
            "0016_figure_lines_and_sums",
            "0017_headline",
            "0018_n_secrets",
            "0019_builds",
            "0020_bin",
            "0021_upload_origin",
            "0022_until_sure_and_host_facts",
        )
    ]

    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Build",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=64, unique=True)),
                ("commit", models.CharField(blank=True, db_index=True, max_length=100)),
                ("branch", models.CharField(blank=True, db_index=True, max_length=300)),
                ("version", models.CharField(blank=True, db_index=True, max_length=300)),
                ("pr", models.CharField(blank=True, db_index=True, max_length=100)),
                ("url", models.CharField(blank=True, max_length=1000)),
            ],
        ),
        migrations.CreateModel(
            name="CounterDelta",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("changes", models.JSONField()),
            ],
            options={
                "db_table": "runs_tally",
            },
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("prefix", models.CharField(max_length=8)),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_tokens",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="Deletion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("experiment", "Experiment"),
                            ("config", "Config"),
                            ("run", "Run"),
                            ("upload", "Upload"),
                            ("host", "Host"),
                        ],
                        max_length=10,
                    ),
                ),
                ("object_id", models.PositiveBigIntegerField()),
                ("name", models.CharField(blank=True, max_length=300)),
                ("counts", models.JSONField(default=dict)),
                ("unlinked", models.JSONField(default=list)),
                ("deleted_at", models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                (
                    "deleted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["kind", "object_id"], name="deletion_of")],
            },
        ),
        migrations.CreateModel(
            name="Host",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                ("cpu_model", models.CharField(blank=True, max_length=200)),
                ("cores", models.PositiveIntegerField(blank=True, null=True)),
                ("mhz", models.FloatField(blank=True, null=True)),
                ("ram_kb", models.PositiveBigIntegerField(blank=True, null=True)),
                ("swap_kb", models.PositiveBigIntegerField(blank=True, null=True)),
                ("os", models.CharField(blank=True, max_length=200)),
                ("kernel", models.CharField(blank=True, max_length=200)),
                ("fingerprint", models.CharField(blank=True, db_index=True, max_length=64)),
                ("price_per_hour", models.FloatField(blank=True, help_text="in any currency", null=True)),
                ("passport", models.JSONField(blank=True, help_text="what `bd passport` measured last", null=True)),
                (
                    "n_runs",
                    models.PositiveBigIntegerField(
                        default=0, help_text="kept up by runs.ingest.counters, seconds behind"
                    ),
                ),
                (
                    "deletion",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="runs.deletion",
                    ),
                ),
            ],
            options={
                "ordering": ["name", "id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("deletion__isnull", True), _negated=True),
                        fields=["deletion"],
                        name="host_deletion",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("deletion__isnull", True)),
                        fields=("name", "fingerprint"),
                        name="host_name_and_hardware",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Experiment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=300)),
                ("notes", models.TextField(blank=True)),
                (
                    "headline",
                    models.JSONField(
                        blank=True,
                        editable=False,
                        help_text="outcome and sentence as last worked out, and a digest of what of",
                        null=True,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("archived", models.BooleanField(default=False)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "deletion",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="runs.deletion",
                    ),
                ),
                (
                    "host",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="experiments",
                        to="runs.host",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["name", "-id"], name="experiment_name"),
                    models.Index(fields=["created_at"], name="experiment_created"),
                    models.Index(condition=models.Q(("archived", True)), fields=["-id"], name="experiment_archived"),
                    models.Index(
                        condition=models.Q(("deletion__isnull", True), _negated=True),
                        fields=["deletion"],
                        name="experiment_deletion",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Config",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=300)),
                (
                    "group",
                    models.CharField(
                        blank=True, help_text="the heading above its heading, where there is one", max_length=300
                    ),
                ),
                ("position", models.PositiveIntegerField(default=0)),
                (
                    "deletion",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="runs.deletion",
                    ),
                ),
                (
                    "experiment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="configs", to="runs.experiment"
                    ),
                ),
            ],
            options={
                "ordering": ["position", "id"],
                "indexes": [
                    models.Index(fields=["name", "-id"], name="config_name"),
                    models.Index(
                        condition=models.Q(("deletion__isnull", True), _negated=True),
                        fields=["deletion"],
                        name="config_deletion",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("deletion__isnull", True)),
                        fields=("experiment", "name"),
                        name="config_name_in_experiment",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Facet",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("tool", "Tool"),
                            ("config", "Config"),
                            ("command", "Command"),
                            ("server", "Server"),
                            ("tag", "Tag"),
                        ],
                        max_length=8,
                    ),
                ),
                ("value", models.CharField(max_length=300)),
                ("n_runs", models.PositiveBigIntegerField(default=0)),
            ],
            options={
                "ordering": ["kind", "value"],
                "indexes": [models.Index(fields=["kind", "-n_runs"], name="facet_most")],
                "constraints": [models.UniqueConstraint(fields=("kind", "value"), name="facet_value_of_kind")],
            },
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(blank=True, max_length=255)),
                ("sha256", models.CharField(db_index=True, max_length=64)),
                ("text_key", models.CharField(max_length=64)),
                (
                    "raw",
                    models.BinaryField(
                        help_text="compressed bytes, as received or redacted; the first piece of a large text"
                    ),
                ),
                ("n_pieces", models.PositiveIntegerField(default=1)),
                ("size_bytes", models.PositiveBigIntegerField()),
                ("encoding", models.CharField(max_length=32)),
                ("n_lines", models.PositiveIntegerField(default=0)),
                (
                    "origin",
                    models.CharField(
                        choices=[
                            ("web", "Web"),
                            ("rest", "Rest"),
                            ("command", "Command"),
                            ("sample", "Sample"),
                            ("remote", "Remote"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("parsing", "Parsing"),
                            ("ready", "Ready"),
                            ("partial", "Partial"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        max_length=9,
                    ),
                ),
                ("error", models.TextField(blank=True)),
                (
                    "n_secrets",
                    models.PositiveIntegerField(
                        help_text="how many different secrets its text seems to hold; null where that was never counted",
                        null=True,
                    ),
                ),
                ("blocks", models.JSONField(default=list)),
                ("problems", models.JSONField(default=list)),
                ("unread", models.JSONField(default=list)),
                ("hints", models.JSONField(default=dict)),
                ("edits", models.JSONField(default=dict)),
                ("placed", models.JSONField(default=dict)),
                (
                    "attempts",
                    models.PositiveSmallIntegerField(default=0, help_text="how often a worker has begun to read it"),
                ),
                ("bytes_read", models.PositiveBigIntegerField(default=0)),
                ("n_blocks", models.PositiveIntegerField(default=0)),
                ("seen_at", models.DateTimeField(blank=True, null=True)),
                ("parser_version", models.CharField(blank=True, max_length=16)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "deletion",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="runs.deletion",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["created_at"], name="upload_created"),
                    models.Index(
                        condition=models.Q(("status", "ready"), _negated=True),
                        fields=["status", "-id"],
                        name="upload_not_ready",
                    ),
                    models.Index(
                        condition=models.Q(("origin", "rest"), _negated=True),
                        fields=["origin", "-id"],
                        name="upload_not_rest",
                    ),
                    models.Index(
                        condition=models.Q(("deletion__isnull", True), _negated=True),
                        fields=["deletion"],
                        name="upload_deletion",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("deletion__isnull", True)), fields=("text_key",), name="upload_text"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("block_key", models.CharField(help_text="its key in the draft", max_length=16)),
                ("line_first", models.PositiveIntegerField()),
                ("line_last", models.PositiveIntegerField()),
                (
                    "quotes",
                    models.JSONField(default=list, help_text="[[first, last], ...] where the same figures stand again"),
                ),
                ("tool", models.CharField(max_length=32)),
                ("tool_version", models.CharField(blank=True, max_length=64)),
                ("label", models.CharField(blank=True, max_length=300)),
                ("note", models.TextField(blank=True)),
                ("command", models.TextField(blank=True)),
                ("repeat", models.PositiveIntegerField(default=1)),
                (
                    "most_repeats",
                    models.PositiveIntegerField(
                        blank=True,
                        help_text="of its config, where a test after each round decided when to stop",
                        null=True,
                    ),
                ),
                ("counted", models.BooleanField(default=True)),
                ("partial", models.BooleanField(default=False)),
                ("aborted", models.BooleanField(default=False)),
                ("fingerprint", models.CharField(help_text="see ingest.configs", max_length=64)),
                ("clock_start_s", models.FloatField(blank=True, null=True)),
                ("clock_end_s", models.FloatField(blank=True, null=True)),
                ("ran_at", models.DateTimeField(blank=True, null=True)),
                ("doubted", models.BooleanField(blank=True, null=True)),
                ("requests_per_second", models.FloatField(blank=True, null=True)),
                ("complete_requests", models.BigIntegerField(blank=True, null=True)),
                ("failed_requests", models.BigIntegerField(blank=True, null=True)),
                ("concurrency", models.FloatField(blank=True, null=True)),
                ("duration_s", models.FloatField(blank=True, null=True)),
                ("keepalive", models.BooleanField(blank=True, null=True)),
                ("mean_ms", models.FloatField(blank=True, null=True)),
                ("max_ms", models.FloatField(blank=True, null=True)),
                ("percentiles_ms", models.JSONField(default=dict)),
                ("server_software", models.CharField(blank=True, max_length=200)),
                ("hostname", models.CharField(blank=True, max_length=255)),
                ("port", models.PositiveIntegerField(blank=True, null=True)),
                ("path", models.CharField(blank=True, max_length=500)),
                ("values", models.JSONField(default=dict)),
                (
                    "figure_lines",
                    models.JSONField(
                        blank=True, default=dict, help_text="{figure: its line}, see parsers.catalogue.CITED"
                    ),
                ),
                ("tags", models.JSONField(default=list)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "build",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="runs.build",
                    ),
                ),
                (
                    "config",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs",
                        to="runs.config",
                    ),
                ),
                (
                    "deletion",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="runs.deletion",
                    ),
                ),
                (
                    "experiment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs",
                        to="runs.experiment",
                    ),
                ),
                (
                    "facet_command",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        help_text="its command",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="runs.facet",
                    ),
                ),
                (
                    "facet_config",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        help_text="its config's name",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="runs.facet",
                    ),
                ),
                (
                    "facet_server",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        help_text="its server_software",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="runs.facet",
                    ),
                ),
                (
                    "host",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="runs",
                        to="runs.host",
                    ),
                ),
                (
                    "upload",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="%(class)ss", to="runs.upload"
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["tool", "-id"], name="run_tool"),
                    models.Index(fields=["experiment", "-id"], name="run_experiment"),
                    models.Index(fields=["config", "-id"], name="run_config"),
                    models.Index(fields=["host", "-id"], name="run_host"),
                    models.Index(fields=["fingerprint", "-id"], name="run_fingerprint"),
                    models.Index(fields=["facet_config", "-id"], name="run_facet_config"),
                    models.Index(fields=["facet_command", "-id"], name="run_facet_command"),
                    models.Index(fields=["facet_server", "-id"], name="run_facet_server"),
                    models.Index(fields=["build", "-id"], name="run_build"),
                    models.Index(fields=["created_at"], name="run_created"),
                    models.Index(fields=["requests_per_second", "id"], name="run_rps"),
                    models.Index(
                        condition=models.Q(("deletion__isnull", True), _negated=True),
                        fields=["deletion"],
                        name="run_deletion",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("deletion__isnull", True)),
                        fields=("upload", "block_key"),
                        name="run_block_of_upload",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Capture",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("block_key", models.CharField(help_text="its key in the draft", max_length=16)),
                ("line_first", models.PositiveIntegerField()),
                ("line_last", models.PositiveIntegerField()),
                (
                    "quotes",
                    models.JSONField(default=list, help_text="[[first, last], ...] where the same figures stand again"),
                ),
                ("tool", models.CharField(max_length=32)),
                (
                    "phase",
                    models.CharField(
                        blank=True,
                        choices=[("before", "Before"), ("during", "During"), ("after", "After")],
                        max_length=8,
                    ),
                ),
                ("label", models.CharField(blank=True, max_length=300)),
                ("command", models.TextField(blank=True)),
                ("clock_first", models.CharField(blank=True, help_text="HH:MM:SS as printed", max_length=8)),
                ("clock_last", models.CharField(blank=True, max_length=8)),
                ("n_samples", models.PositiveIntegerField(default=1)),
                ("partial", models.BooleanField(default=False)),
                ("values", models.JSONField(default=dict)),
                (
                    "programs",
                    models.JSONField(
                        blank=True, default=dict, help_text="sums of each sample by program: [mean, most]"
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "config",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="captures",
                        to="runs.config",
                    ),
                ),
                (
                    "deletion",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="runs.deletion",
                    ),
                ),
                (
                    "experiment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="captures", to="runs.experiment"
                    ),
                ),
                (
                    "host",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="captures",
                        to="runs.host",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="captures",
                        to="runs.run",
                    ),
                ),
                (
                    "upload",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="%(class)ss", to="runs.upload"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(fields=["tool", "-id"], name="capture_tool"),
                    models.Index(fields=["created_at"], name="capture_created"),
                    models.Index(
                        condition=models.Q(("deletion__isnull", True), _negated=True),
                        fields=["deletion"],
                        name="capture_deletion",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RunTag",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "facet",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="runs.facet"
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="taggings", to="runs.run"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("facet", "run"), name="tag_of_run")],
            },
        ),
        migrations.CreateModel(
            name="Series",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("metric", models.CharField(max_length=32)),
                ("pid", models.PositiveBigIntegerField(blank=True, null=True)),
                ("user", models.CharField(blank=True, max_length=64)),
                ("command", models.CharField(blank=True, max_length=500)),
                ("group", models.CharField(blank=True, max_length=100)),
                ("n", models.PositiveIntegerField()),
                ("min", models.FloatField()),
                ("mean", models.FloatField()),
                ("max", models.FloatField()),
                ("last", models.FloatField()),
                ("samples", models.BinaryField()),
                (
                    "capture",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="series",
                        to="runs.capture",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "series",
                "ordering": ["id"],
                "indexes": [models.Index(fields=["capture", "metric"], name="series_capture_metric")],
            },
        ),
        migrations.CreateModel(
            name="Trend",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("fingerprint", models.CharField(max_length=64)),
                ("day", models.DateField()),
                ("n", models.PositiveBigIntegerField(default=0)),
                ("total", models.FloatField(default=0, help_text="sum of requests per second")),
                ("sum_log", models.FloatField(default=0)),
                ("sum_log2", models.FloatField(default=0)),
                ("least", models.FloatField()),
                ("most", models.FloatField()),
                ("n_ms", models.PositiveBigIntegerField(default=0)),
                ("sum_ms", models.FloatField(default=0)),
                (
                    "newest_build",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="runs.build",
                    ),
                ),
            ],
            options={
                "ordering": ["fingerprint", "day"],
                "constraints": [models.UniqueConstraint(fields=("fingerprint", "day"), name="trend_day")],
            },
        ),
        migrations.CreateModel(
            name="TrendLine",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("fingerprint", models.CharField(max_length=64, unique=True)),
                ("n", models.PositiveBigIntegerField(default=0, help_text="runs on all its days")),
                ("n_days", models.PositiveIntegerField(default=0)),
                ("first_day", models.DateField()),
                ("last_day", models.DateField()),
            ],
            options={
                "ordering": ["-n", "-id"],
                "indexes": [models.Index(fields=["-n", "-id"], name="trendline_most")],
            },
        ),
        migrations.CreateModel(
            name="Timing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("block_key", models.CharField(help_text="its key in the draft", max_length=16)),
                ("line_first", models.PositiveIntegerField()),
                ("line_last", models.PositiveIntegerField()),
                (
                    "quotes",
                    models.JSONField(default=list, help_text="[[first, last], ...] where the same figures stand again"),
                ),
                ("tool", models.CharField(max_length=32)),
                ("n", models.PositiveBigIntegerField(blank=True, null=True)),
                ("percentiles_ms", models.JSONField(default=dict)),
                ("histogram", models.BinaryField(default=bytes)),
                ("seconds", models.BinaryField(default=bytes)),
                ("values", models.JSONField(default=dict)),
                (
                    "deletion",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="runs.deletion",
                    ),
                ),
                (
                    "experiment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="timings", to="runs.experiment"
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="timings",
                        to="runs.run",
                    ),
                ),
                (
                    "upload",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="%(class)ss", to="runs.upload"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("deletion__isnull", True), _negated=True),
                        fields=["deletion"],
                        name="timing_deletion",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Piece",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("first_line", models.PositiveBigIntegerField()),
                ("size_bytes", models.PositiveIntegerField()),
                ("data", models.BinaryField()),
                (
                    "upload",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pieces",
                        to="runs.upload",
                    ),
                ),
            ],
            options={
                "ordering": ["upload", "number"],
                "constraints": [models.UniqueConstraint(fields=("upload", "number"), name="piece_number_in_upload")],
            },
        ),
        migrations.CreateModel(
            name="Override",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("rule", models.CharField(help_text="the id of a rule of runs/analysis", max_length=40)),
                ("line", models.PositiveIntegerField(blank=True, help_text="the run's first line", null=True)),
                ("reason", models.CharField(blank=True, max_length=500)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                (
                    "config",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="overrides",
                        to="runs.config",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="overrides",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "withdrawn_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "upload",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="overrides",
                        to="runs.upload",
                    ),
                ),
            ],
            options={
                "db_table": "runs_ruling",
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["upload", "line"], name="ruling_run")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("config__isnull", True), ("line__isnull", False), ("upload__isnull", False)),
                            models.Q(("config__isnull", False), ("line__isnull", True), ("upload__isnull", True)),
                            _connector="OR",
                        ),
                        name="ruling_about_one_thing",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ConfigText",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("block_key", models.CharField(help_text="its key in the draft", max_length=16)),
                ("line_first", models.PositiveIntegerField()),
                ("line_last", models.PositiveIntegerField()),
                (
                    "quotes",
                    models.JSONField(default=list, help_text="[[first, last], ...] where the same figures stand again"),
                ),
                ("path", models.CharField(blank=True, max_length=500)),
                ("text", models.TextField()),
                ("sha256", models.CharField(max_length=64)),
                (
                    "config",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="texts",
                        to="runs.config",
                    ),
                ),
                (
                    "deletion",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="runs.deletion",
                    ),
                ),
                (
                    "experiment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="texts", to="runs.experiment"
                    ),
                ),
                (
                    "upload",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="%(class)ss", to="runs.upload"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("deletion__isnull", True), _negated=True),
                        fields=["deletion"],
                        name="configtext_deletion",
                    )
                ],
            },
        ),
        migrations.RunPython(name_search.add_indexes, name_search.remove_indexes),
    ]
