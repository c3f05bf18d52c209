"""/api/v1/compare/ says all that the page says."""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs.models import Override, Run
from runs.tests import factories

API = "/api/v1/compare/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("script"))
    return client


def get(api, **query):
    answer = api.get(API, query)
    assert answer.status_code == 200, answer.content
    # Strict: no NaN or Infinity, which JSON does not know.
    return json.loads(answer.content, parse_constant=lambda word: pytest.fail(word))


def ids(made):
    return ",".join(str(run.pk) for run in made.runs.order_by("config__position", "repeat"))


def test_runs_configs_and_an_experiment_give_the_same_comparison(api):
    made = factories.wsgi_experiment()
    configs = ",".join(str(config.pk) for config in made.configs.all())
    by_runs, by_configs, whole = get(api, runs=ids(made)), get(api, configs=configs), get(api, experiment=made.pk)
    for key in ("baseline", "metrics", "summary", "runs"):
        assert by_runs[key] == by_configs[key] == whole[key], key


def test_each_cell_has_its_verdict_with_interval_and_test(api):
    made = factories.wsgi_experiment()
    body = get(api, experiment=made.pk)
    rate = next(row for row in body["table"] if row["key"] == "requests_per_second")
    assert rate["cells"][0]["verdict"] is None
    verdict = rate["cells"][1]["verdict"]
    assert verdict["kind"] == "undecided"
    assert verdict["low"] < verdict["ratio"] < verdict["high"]
    assert (verdict["n"], verdict["n_base"], verdict["base"]) == (2, 2, 0)
    assert "Welch" in verdict["test"]
    assert verdict["needed"] > 2


def test_the_headline_has_the_fields_that_scripts_rely_on(api):
    made = factories.wsgi_experiment()
    body = get(api, experiment=made.pk)
    found = body["headline"]
    assert set(found) == {
        *("outcome", "metric", "winner", "loser", "change_pct", "low_pct", "high_pct", "n_winner", "n_loser", "p"),
        *("against", "next", "sentence"),
    }
    rate = next(row for row in body["table"] if row["key"] == "requests_per_second")["cells"][1]
    assert found["change_pct"] == pytest.approx((rate["ratio_to_baseline"] - 1) * 100)
    assert rate["ratio_to_baseline"] == pytest.approx(rate["verdict"]["ratio"])
    assert found["low_pct"] < found["change_pct"] < found["high_pct"]


def test_an_experiment_s_page_as_json_has_the_same_headline(api):
    made = factories.mpm_experiment()
    page = api.get(f"/experiments/{made.pk}.json").json()
    assert page["headline"] == get(api, experiment=made.pk)["headline"]
    assert (page["headline"]["outcome"], page["headline"]["winner"]) == ("failed", "worker, keep-alive MPM")


def test_doubts_come_with_lines_that_are_whole_addresses(api):
    doubts = get(api, experiment=factories.mpm_experiment().pk)["doubts"]
    assert doubts[0]["severity"] == "fatal"
    assert "172,849 of 1,000,000" in doubts[0]["text"]
    assert doubts[0]["sources"][0]["url"].startswith("http://testserver/uploads/")
    assert doubts[0]["basis"]


def test_an_overruled_doubt_says_who_and_why(api, django_user_model):
    made = factories.mpm_experiment()
    run = Run.objects.get(failed_requests=172849)
    rule = get(api, experiment=made.pk)["doubts"][0]["rule"]
    by = django_user_model.objects.create_user("ann")
    Override.objects.create(rule=rule, upload=run.upload, line=run.line_first, made_by=by, reason="it is meant so")
    doubt = next(doubt for doubt in get(api, experiment=made.pk)["doubts"] if doubt["rule"] == rule)
    assert doubt["overruled"] is True
    assert doubt["parts"][0]["ruling"]["by"] == "ann"
    assert doubt["parts"][0]["ruling"]["reason"] == "it is meant so"


def test_cost_scaling_and_config_differences_are_there(api):
    body = get(api, experiment=factories.memory_experiment().pk)
    taken = next(row for row in body["cost"]["rows"] if row["key"] == "per_process")
    assert len(taken["cells"]) == len(body["configs"]) == 3
    assert body["scaling"][0]["missing"] > 0
    differ = get(api, experiment=factories.wsgi_experiment().pk)["config_differences"]
    assert differ["files"][0]["name"] == "vhost.conf"


def test_figures_and_their_distance_from_the_baseline_stay_as_they_were(api):
    made = factories.mpm_experiment()
    body = get(api, runs=ids(made))
    assert body["runs"][1]["values"]["requests_per_second"] == 11064.69
    assert body["runs"][1]["delta_pct"]["requests_per_second"] == pytest.approx(-35.52, abs=0.01)
    assert body["runs"][0]["url"].startswith("http://testserver/runs/")


def test_many_runs_need_as_many_queries_as_few(api):
    made = factories.wsgi_experiment(n_configs=8, n_repeats=5, n_processes=2)
    every = ids(made).split(",")
    counts = []
    for wanted in (every[:2], every):
        with CaptureQueriesContext(connection) as counted:
            get(api, runs=",".join(wanted))
        counts.append(len(counted))
    assert counts[0] == counts[1] <= 14


def test_an_experiment_without_runs_is_an_answer_without_a_baseline(api):
    body = get(api, experiment=factories.experiment("empty").pk)
    assert body["baseline"] is None
    assert body["runs"] == []
    assert body["summary"]


def test_figures_that_are_no_numbers_do_not_break_the_json(api):
    made = factories.experiment()
    for name in ("a", "b"):
        setup = factories.config(made, name)
        factories.run(setup, factories.upload(), requests_per_second=0.0, mean_ms=0.0, values={"failed_length": None})
    assert get(api, experiment=made.pk)["table"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({}, 400),
        ({"runs": "1", "experiment": "1"}, 400),
        ({"experiment": "1,2"}, 400),
        ({"experiment": "x"}, 400),
        ({"configs": "-1"}, 400),
        ({"experiment": "999999"}, 404),
        ({"configs": "999999"}, 404),
        ({"runs": "999999"}, 404),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(api, query, status):
    answer = api.get(API, query)
    assert answer.status_code == status
    assert answer.json()["errors"][0]["message"]


def test_the_schema_describes_verdicts_and_doubts(api):
    schema = api.get("/api/v1/schema/?format=json").json()["components"]["schemas"]
    assert {"low", "high", "p_adjusted", "needed"} <= set(schema["Verdict"]["properties"])
    assert {"rule", "severity", "sources"} <= set(schema["Doubt"]["properties"])
    assert {"outcome", "change_pct", "against", "next", "sweep"} <= set(schema["Headline"]["properties"])
    assert {"headline", "summary", "doubts", "table", "cost", "scaling"} <= set(schema["Comparison"]["properties"])
