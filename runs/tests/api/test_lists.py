"""Lists, rows, series and comparisons over REST."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from runs import ingest
from runs.ingest import Hints
from runs.models import Capture, Config, Experiment, Host, Run, Series, Upload
from runs.series import pack_samples
from runs.tests.ingest.texts import session

pytestmark = pytest.mark.django_db
API = "/api/v1/"
MODELS = {
    "runs": Run,
    "hosts": Host,
    "configs": Config,
    "experiments": Experiment,
    "uploads": Upload,
    "captures": Capture,
}


@pytest.fixture
def api() -> Client:
    client = Client()
    client.force_login(User.objects.create_user("joe"))
    return client


def store(*rates: float, heading: str = "worker", **hints) -> Upload:
    return ingest.submit(session(*rates, heading=heading).encode(), origin="rest", hints=Hints(**hints)).upload


def get(api: Client, path: str):
    answer = api.get(API + path)
    assert answer.status_code == 200, answer.content
    return answer.json()


def rates(api: Client, query: str) -> list[float]:
    return [run["requests_per_second"] for run in get(api, f"runs/?{query}")["results"]]


def test_every_row_can_be_asked_for_alone(api):
    store(500)
    for name, model in MODELS.items():
        row = get(api, f"{name}/{model.objects.get().pk}/")
        assert row["id"] == model.objects.get().pk and row["url"].startswith("http://testserver/")


def test_pages_follow_one_another(api):
    store(500, 600, 700)
    first = get(api, "runs/?limit=2")
    second = api.get(first["next"]).json()
    seen = [run["requests_per_second"] for run in first["results"] + second["results"]]
    assert seen == [700, 600, 500] and second["next"] is None


def test_runs_are_narrowed_by_what_is_asked(api):
    store(500, 600, experiment="July", host="web1", tags=("nightly",))
    store(700, heading="event:", experiment="August", host="web2")
    assert rates(api, "experiment=July") == [600, 500]
    assert rates(api, f"experiment={Experiment.objects.get(name='August').pk}") == [700]
    assert rates(api, "config=event") == rates(api, "host=web2") == [700]
    assert rates(api, "min_rps=550&max_rps=650") == [600]
    assert rates(api, "tag=nightly") == [600, 500]
    assert rates(api, "tool=siege") == rates(api, "since=2999-01-01") == []
    assert len(rates(api, "since=2000-01-01&tool=ab")) == 3


def test_a_filter_that_makes_no_sense_is_named(api):
    answer = api.get(API + "runs/?min_rps=fast")
    assert answer.status_code == 400 and answer.json()["errors"][0]["message"].startswith("min_rps: ")


def test_a_run_says_what_stands_beside_it(api):
    store(500)
    run = get(api, f"runs/{Run.objects.get().pk}/")
    assert run["values"]["complete_requests"] == 1000 and run["percentiles_ms"]["99"] == 1205
    assert [(c["tool"], c["phase"]) for c in run["captures"]] == [("meminfo", "before")]


def test_the_series_of_a_run(api):
    store(500)
    body = get(api, f"runs/{Run.objects.get().pk}/series/?metric=mem_free_kb")
    assert "mem_total_kb" in body["metrics"]
    assert [(s["pid"], s["samples"], s["sample_numbers"], s["clock_s"]) for s in body["series"]] == [
        (None, [500], [0], None)
    ]
    assert body["truncated"] is False


def test_of_thousands_of_processes_the_largest_are_told_and_it_says_so(api):
    store(500)
    run, capture = Run.objects.get(), Capture.objects.get()
    rows = [
        {"capture": capture, "metric": "rss_kb", "pid": pid, "command": "httpd", "group": "httpd"} for pid in range(700)
    ]
    figures = [{name: float(row["pid"]) for name in ("min", "mean", "max", "last")} for row in rows]
    both = zip(rows, figures, strict=True)
    Series.objects.bulk_create(Series(**row, **told, n=1, samples=pack_samples([told["mean"]])) for row, told in both)
    body = get(api, f"runs/{run.pk}/series/?metric=rss_kb")
    assert body["truncated"] is True
    assert [one["pid"] for one in body["series"]] == list(range(200, 700))


def test_a_senseless_number_of_points_is_refused(api):
    store(500)
    for points in ("1", "x", "20001", "-5", ""):
        answer = api.get(f"{API}runs/{Run.objects.get().pk}/series/?points={points}")
        assert answer.status_code == 400 and "from 2 to 20000" in answer.json()["errors"][0]["message"]


def test_a_comparison_begins_with_its_baseline(api):
    store(500, 600)
    slow, quick = Run.objects.order_by("requests_per_second")
    body = get(api, f"compare/?runs={quick.pk},{slow.pk}")
    assert body["baseline"] == quick.pk and [run["id"] for run in body["runs"]] == [quick.pk, slow.pk]
    assert body["runs"][1]["delta_pct"]["requests_per_second"] == pytest.approx(-100 / 6)
    assert body["runs"][1]["values"]["p99_ms"] == 1205
    assert "failed_requests" not in body["runs"][1]["delta_pct"]  # no per cent of zero


@pytest.mark.parametrize(("query", "status"), [("", 400), ("runs=a", 400), ("runs=999", 404)])
def test_a_senseless_comparison_is_refused(api, query, status):
    answer = api.get(f"{API}compare/?{query}")
    assert answer.status_code == status and answer.json()["errors"][0]["message"]


def test_the_schema_describes_the_uploads(api):
    answer = api.get(API + "schema/?format=json")
    schema = answer.json()
    assert schema["openapi"].startswith("3.")
    assert set(schema["paths"]["/api/v1/uploads/"]["post"]["responses"]) >= {
        "200",
        "201",
        "202",
        "400",
        "413",
        "415",
        "422",
    }


def test_the_schema_is_made_without_a_warning(capsys):
    from django.core.management import call_command

    call_command("spectacular", validate=True, fail_on_warn=True)
    assert "openapi" in capsys.readouterr().out


def test_with_public_read_anybody_reads_and_nobody_writes(settings):
    settings.PUBLIC_READ = True
    assert Client().get(API + "runs/").status_code == 200
    assert Client().post(API + "uploads/", data=session(500), content_type="text/plain").status_code == 401


HUGE = "9" * 30


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"runs/{HUGE}/", 404),
        (f"runs/{HUGE}/series/", 404),
        ("runs/x/", 404),
        (f"compare/?runs={HUGE}", 400),
        (f"runs/?experiment={HUGE}", 200),
        (f"captures/?run={HUGE}", 400),
        ("runs/?cursor=x", 404),
        ("runs/?experiment=%00", 400),
        ("runs/?tag=%00", 400),
        ("runs/?min_rps=nan", 400),
        ("uploads/?status=lost", 400),
    ],
)
def test_senseless_numbers_and_words_are_no_failure(api, path, status):
    store(500)
    assert api.get(API + path).status_code == status


def test_the_schema_is_drawn_up_once_and_has_an_etag(api, monkeypatch):
    first = api.get(API + "schema/?format=json")
    monkeypatch.setattr(SchemaGenerator, "get_schema", None)
    again = api.get(API + "schema/?format=json&version=2", headers={"accept-encoding": "identity"})
    assert again.content == first.content and again.headers["Content-Type"].startswith("application/")
    assert api.get(API + "schema/?format=json", headers={"if-none-match": again.headers["ETag"]}).status_code == 304
