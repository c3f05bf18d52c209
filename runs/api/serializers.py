"""Rows as JSON, and what the OpenAPI description says of every operation: how tokens are sent, and the errors that any may answer.

Figures carry the names that their tool's parser gives them; units are in the names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from django.db.models import Model
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema_field
from rest_framework import serializers

from runs.analysis.facts import FIGURES, HARDWARE
from runs.database import ID_DIGITS
from runs.ingest.validation import MOST_REPEATS
from runs.models import Build, Capture, Config, ConfigText, Deletion, Experiment, Host, Run, Timing, Upload

M = TypeVar("M", bound=Model)
LINES = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)


@extend_schema_field(OpenApiTypes.URI)
class PageField(serializers.Field[Any, Any, str, Any]):
    def __init__(self, **more: Any) -> None:
        super().__init__(source="*", read_only=True, **more)

    def to_representation(self, value: Any) -> str:
        path: str = value.get_absolute_url()
        request = self.context.get("request")
        return request.build_absolute_uri(path) if request else path


@extend_schema_field(LINES)
class LinesField(serializers.Field[Any, Any, list[int], Any]):
    def __init__(self, **more: Any) -> None:
        super().__init__(source="*", read_only=True, **more)

    def to_representation(self, value: Any) -> list[int]:
        return [value.line_first, value.line_last]


# Of these fields each has those that its Meta.fields names. No docstring: it would be shown as that of each.
class RowSerializer(serializers.ModelSerializer[M]):
    url = PageField()
    lines = LinesField()
    experiment = serializers.CharField(source="experiment.name")
    host = serializers.CharField(source="host.name", default=None, allow_null=True)


class ErrorSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField(allow_null=True)
    message = serializers.CharField()


class DecisionSerializer(serializers.Serializer[Any]):
    """What to do after a round of two configs that are run in turn."""

    action = serializers.ChoiceField(
        ["more", "stop", "fixed"],
        help_text="fixed: the runs cannot be compared, so a fixed number is to be run",
    )
    level = serializers.IntegerField(required=False, help_text="of a search for the highest load: the next load")
    text = serializers.CharField()


class ErrorsSerializer(serializers.Serializer[Any]):
    errors = ErrorSerializer(many=True)  # type: ignore[assignment]


class RunCaptureSerializer(RowSerializer[Capture]):
    """A capture as its run names it."""

    class Meta:
        model = Capture
        fields = ("id", "url", "tool", "phase", "lines")


class TimingSerializer(RowSerializer[Timing]):
    """A file of what each request of the run took; `values` are what it says as a whole."""

    class Meta:
        model = Timing
        fields = ("id", "tool", "upload_id", "lines", "n", "percentiles_ms", "values")


class CaptureSerializer(RowSerializer[Capture]):
    """`values`: the last sample's figures, without its processes (see a run's series for those)."""

    config = serializers.CharField(source="config.name", default=None, allow_null=True)

    class Meta:
        model = Capture
        fields = (
            *("id", "url", "tool", "phase", "label", "command", "run_id", "upload_id", "lines"),
            *("experiment", "experiment_id", "config", "config_id", "host", "host_id"),
            *("clock_first", "clock_last", "n_samples", "partial", "values", "created_at"),
        )


class BuildSerializer(serializers.ModelSerializer[Build]):
    class Meta:
        model = Build
        fields = ("commit", "branch", "version", "pr", "url")


ABOUT_RUN = (
    *("id", "url", "tool", "tool_version", "heading", "note", "command", "upload_id", "lines"),
    *("experiment", "experiment_id", "config", "config_id", "host", "host_id"),
    *("repeat", "counted", "partial", "aborted", "fingerprint", "tags", "build", "ran_at", "created_at"),
)


class RunSerializer(RowSerializer[Run]):
    """`values`: all that the tool printed. The columns beside it mean the same for every tool."""

    heading = serializers.CharField(source="label")
    build = BuildSerializer(allow_null=True, help_text="the tested build, as given by the sender")
    config = serializers.CharField(source="config.name")

    class Meta:
        model = Run
        fields: tuple[str, ...] = (*ABOUT_RUN, *(name for name in FIGURES if name not in ABOUT_RUN), "values")


class RunDetailSerializer(RunSerializer):
    captures = RunCaptureSerializer(many=True)
    timings = TimingSerializer(many=True)

    class Meta(RunSerializer.Meta):
        fields = (*RunSerializer.Meta.fields, "captures", "timings")


class HostSerializer(RowSerializer[Host]):
    class Meta:
        model = Host
        fields = ("id", "url", "name", *HARDWARE, "fingerprint", "price_per_hour", "passport")


class ConfigSerializer(RowSerializer[Config]):
    class Meta:
        model = Config
        fields: tuple[str, ...] = ("id", "url", "name", "group", "position", "experiment", "experiment_id")


class TextSerializer(RowSerializer[ConfigText]):
    class Meta:
        model = ConfigText
        fields = ("id", "path", "text", "sha256", "upload_id", "lines")


class ConfigDetailSerializer(ConfigSerializer):
    texts = TextSerializer(many=True)

    class Meta(ConfigSerializer.Meta):
        fields = (*ConfigSerializer.Meta.fields, "texts")


class ExperimentSerializer(RowSerializer[Experiment]):
    note = serializers.CharField(source="notes")
    notes = serializers.CharField(help_text="the same as note; deprecated")
    n_runs = serializers.IntegerField()
    n_configs = serializers.IntegerField()

    class Meta:
        model = Experiment
        fields: tuple[str, ...] = (
            *("id", "url", "name", "note", "notes", "host", "host_id", "n_runs", "n_configs", "archived", "created_at"),
        )


class ExperimentDetailSerializer(ExperimentSerializer):
    configs = ConfigSerializer(many=True)

    class Meta(ExperimentSerializer.Meta):
        fields = (*ExperimentSerializer.Meta.fields, "configs")


class UploadSerializer(RowSerializer[Upload]):
    door = serializers.CharField(source="origin", read_only=True, help_text="the same as origin; deprecated")
    n_runs = serializers.IntegerField()
    n_captures = serializers.IntegerField()

    class Meta:
        model = Upload
        fields = (
            *("id", "url", "name", "sha256", "status", "error", "origin", "door", "size_bytes", "encoding", "n_lines"),
            *("n_secrets", "n_runs", "n_captures", "parser_version", "created_at"),
        )


class WordsSerializer(serializers.Serializer[Any]):
    words = serializers.ListField(
        child=serializers.CharField(max_length=10_000), default=list, help_text="further words to redact"
    )


class ResultCaptureSerializer(serializers.Serializer[Any]):
    tool = serializers.CharField()
    phase = serializers.CharField(allow_null=True)
    lines = LINES


class ResultRunSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    url = serializers.CharField()
    tool = serializers.CharField()
    experiment = serializers.CharField()
    host = serializers.CharField(allow_null=True)
    config = serializers.CharField()
    repeat = serializers.IntegerField()
    heading = serializers.CharField(allow_null=True)
    lines = LINES
    values = serializers.DictField()
    captures = ResultCaptureSerializer(many=True)


class ResultStandaloneCaptureSerializer(ResultCaptureSerializer):
    id = serializers.IntegerField()
    url = serializers.CharField()
    run = serializers.IntegerField(allow_null=True)
    config = serializers.CharField(allow_null=True)
    host = serializers.CharField(allow_null=True)
    samples = serializers.IntegerField()
    values = serializers.DictField()


class ResultTimingSerializer(serializers.Serializer[Any]):
    """A file of what each request took; run null: it waits for its run."""

    tool = serializers.CharField()
    lines = LINES
    n = serializers.IntegerField(allow_null=True)
    run = serializers.IntegerField(allow_null=True)


class UploadProgressSerializer(serializers.Serializer[Any]):
    bytes_read = serializers.IntegerField()
    size_bytes = serializers.IntegerField()
    blocks_found = serializers.IntegerField()


class ResultSerializer(serializers.Serializer[Any]):
    """An upload and what was read from it: `ingest.describe_result`."""

    id = serializers.IntegerField()
    url = serializers.CharField()
    page = serializers.CharField(help_text="the experiment, or the upload if it has no run")
    sha256 = serializers.CharField()
    status = serializers.ChoiceField(Upload.Status.choices)
    error = serializers.CharField(allow_blank=True)
    n_secrets = serializers.IntegerField(
        allow_null=True, help_text="number of possible secrets in the stored text; null if not counted"
    )
    runs = ResultRunSerializer(many=True)
    captures = ResultStandaloneCaptureSerializer(many=True)
    timings = ResultTimingSerializer(many=True)
    problems = ErrorSerializer(many=True)
    unread_lines = serializers.ListField(child=LINES)
    progress = UploadProgressSerializer(required=False, help_text="while the text waits or is read")


class SeriesSerializer(serializers.Serializer[Any]):
    capture = serializers.IntegerField()
    tool = serializers.CharField()
    phase = serializers.CharField(allow_blank=True)
    pid = serializers.IntegerField(allow_null=True)
    user = serializers.CharField(allow_blank=True)
    command = serializers.CharField(allow_blank=True)
    group = serializers.CharField(allow_blank=True)
    n = serializers.IntegerField()
    min = serializers.FloatField()
    mean = serializers.FloatField()
    max = serializers.FloatField()
    last = serializers.FloatField()
    sample_numbers = serializers.ListField(child=serializers.IntegerField(), help_text="indexes of the samples, from 0")
    clock_s = serializers.ListField(
        child=serializers.FloatField(), allow_null=True, help_text="seconds of the day; null without a clock"
    )
    samples = serializers.ListField(child=serializers.FloatField(allow_null=True))


class DeletionSerializer(serializers.ModelSerializer[Deletion]):
    """What DELETE put into the bin; `counts` is all that went along, `purged_at` when it is gone for good."""

    counts = serializers.DictField(child=serializers.IntegerField())
    purged_at = serializers.DateTimeField()

    class Meta:
        model = Deletion
        fields = ("id", "kind", "object_id", "name", "counts", "deleted_at", "purged_at")


class ChangeSerializer(serializers.Serializer[Any]):
    """Fields that PATCH takes, all optional; any other one is refused."""

    def to_internal_value(self, data: Any) -> Any:
        unknown = sorted(map(str, data.keys() - self.fields.keys())) if isinstance(data, Mapping) else []
        if unknown:
            expected = ", ".join(self.fields)
            raise serializers.ValidationError(dict.fromkeys(unknown, f"cannot be changed; expected {expected}"))
        return super().to_internal_value(data)


class NameField(serializers.CharField):
    """A text: DRF would also take a number, as Python writes it (1e+30)."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class NameChange(ChangeSerializer):
    name = NameField(max_length=300)


class HostChange(NameChange):
    price_per_hour = serializers.FloatField(
        allow_null=True, min_value=0, max_value=1e9, help_text="in any currency; gives the cost of a million requests"
    )


class ExperimentChange(NameChange):
    note = serializers.CharField(allow_blank=True, max_length=20_000)
    baseline = serializers.IntegerField(min_value=0, max_value=10**ID_DIGITS, help_text="id of the baseline config")
    tags = serializers.ListField(
        child=serializers.CharField(max_length=300), max_length=50, help_text="of all its runs"
    )
    archived = serializers.BooleanField(help_text="hidden in lists of experiments")


class ConfigChange(NameChange):
    """A name that another config of the experiment has makes the two one."""

    baseline = serializers.ChoiceField([True], help_text="baseline of the comparison")
    counted = serializers.BooleanField(help_text="false excludes all its runs from comparisons")


class RunChange(ChangeSerializer):
    note = serializers.CharField(allow_blank=True, max_length=20_000)
    tags = serializers.ListField(child=serializers.CharField(max_length=300), max_length=50)
    counted = serializers.BooleanField(help_text="false excludes it from comparisons")
    repeat = serializers.IntegerField(min_value=1, max_value=MOST_REPEATS)
    config = serializers.IntegerField(min_value=0, max_value=10**ID_DIGITS, help_text="id of the config to move it to")


class RunSeriesSerializer(serializers.Serializer[Any]):
    run = serializers.IntegerField()
    metric = serializers.CharField()
    metrics = serializers.ListField(child=serializers.CharField(), help_text="all metrics of this run")
    truncated = serializers.BooleanField(help_text="there are more series; these have the highest means")
    series = SeriesSerializer(many=True)


ERRORS = {
    "400": "invalid parameter",
    "401": "no token, or an unknown or revoked one",
    "404": "not found: row, page or format",
    "429": "too many requests; retry after Retry-After",
}


class Bearer(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the OpenAPI description says that tokens are sent."""

    target_class = "runs.accounts.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "A token created at /tokens/"}


class Schema(AutoSchema):
    def _get_response_bodies(self, direction: Any = "response") -> Any:
        bodies = super()._get_response_bodies(direction)
        for code, why in ERRORS.items():
            if code not in bodies:
                answer = OpenApiResponse(ErrorsSerializer, description=why)
                bodies[code] = self._get_response_for_code(answer, code)  # type: ignore[no-untyped-call]
        return dict(sorted(bodies.items()))
