"""Rows that are inserted by statements spelt once are the rows that Django would have inserted."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from runs.models import Config, Experiment, Run, Upload
from runs.statements import Query, at_once, insert, made, partly, together

pytestmark = pytest.mark.django_db
VALUES = {"a": [1, 2.5, None, "é"], "n": 2**70, "deep": {"x": {}}}


def upload(key: str = "k") -> Upload:
    return Upload(sha256="s", text_key=key, raw=b"\0%s'", size_bytes=4, encoding="utf-8", door="rest", status="ready")


def run(of: Upload, config: Config, number: int, **own: Any) -> Run:
    where = {"experiment": config.experiment, "config": config, "upload": of, "block_key": f"b{number}"}
    return Run(**where, line_first=1, line_last=2, tool="ab", fingerprint="f", **own)


def place() -> Config:
    experiment = Experiment.objects.create(name="x % y's")
    return Config.objects.create(experiment=experiment, name="n")


def columns(row: Any, *, but: tuple[str, ...]) -> dict[str, Any]:
    stored = type(row).objects.filter(pk=row.pk).values().get()
    return {name: value for name, value in stored.items() if name not in but}


@pytest.mark.parametrize(
    "own", [{}, {"values": VALUES, "keepalive": False, "mean_ms": 10**20, "label": "%s; 'é'", "port": 80}]
)
def test_a_row_is_what_django_makes_of_it(own):
    config, text = place(), upload()
    text.save()
    plain, quick = run(text, config, 1, **own), run(text, config, 2, **own)
    plain.save()
    insert([quick])
    but = ("id", "block_key", "created_at")
    assert columns(quick, but=but) == columns(plain, but=but)
    assert not quick._state.adding and quick.created_at.utcoffset() is not None


def test_what_is_made_at_the_insert_is_made():
    text = upload()
    insert([text])
    assert Upload.objects.get().created_at == text.created_at
    assert bytes(Upload.objects.get().raw) == b"\0%s'"


def test_many_rows_get_their_ids_in_order_and_some_keep_theirs():
    config, text = place(), upload()
    insert([text])
    rows = [run(text, config, number) for number in range(100)]
    rows[50].pk = 1_000_000
    insert(rows)
    assert {row.pk: row.block_key for row in Run.objects.all()} == {row.pk: row.block_key for row in rows}
    assert rows[50].pk == 1_000_000
    insert([])


def test_rows_go_out_together():
    none = Query(0, lambda: Run.objects.values_list("pk")[:1])
    _, drawn = at_once((none, ()), draw=(Experiment, Config, Upload, Run))
    with transaction.atomic(), together(drawn):
        experiment = Experiment(name="x")
        insert([experiment])
        configs = [Config(experiment=experiment, name=name) for name in "abc"]
        insert(configs)
        text = upload()
        insert([text])
        insert([run(text, configs[2], number) for number in range(3)])
    assert [each.config.name for each in Run.objects.select_related("config")] == ["c"] * 3
    assert list(Config.objects.values_list("pk", "name")) == [(config.pk, config.name) for config in configs]


def test_what_breaks_down_on_the_way_sends_nothing_then_or_later():
    with pytest.raises(OSError, match="full"), transaction.atomic(), together({}):
        insert([upload("lost")])
        raise OSError("full")
    insert([upload("kept")])
    assert list(Upload.objects.values_list("text_key", flat=True)) == ["kept"]


def test_a_key_that_is_there_is_told_as_ever():
    insert([upload()])
    with pytest.raises(IntegrityError), transaction.atomic(), together({}):
        insert([upload()])


def test_queries_of_one_value_are_asked_at_once():
    of_key = Query(1, lambda key: Upload.objects.filter(text_key=key).order_by().values_list("pk"))
    there = upload("a % b")
    insert([there])
    values, drawn = at_once((of_key, ("a % b",)), (of_key, ("none",)), draw=(Upload, Run))
    assert values == [there.pk, None]
    assert [len(ids) for ids in drawn.values()] == ([1, 1] if connection.vendor == "postgresql" else [])


def test_a_query_is_asked_with_other_texts_each_time():
    of_key = Query(
        1, lambda key: Upload.objects.filter(text_key=key).exclude(status="failed").values_list("pk", "door")
    )
    first, second = upload("a % b"), upload("c")
    insert([first, second])
    assert of_key("a % b") == [(first.pk, "rest")] and of_key("c") == [(second.pk, "rest")] and of_key("d") == []


def test_a_row_that_is_made_is_what_its_model_makes():
    config, text = place(), upload()
    text.save()
    values = {"upload": text, "config": config, "experiment_id": config.experiment_id, "host": None, "tool": "ab"}
    one, other = made(Run, **values), Run(**values)
    assert one._state.adding and one._state.fields_cache == other._state.fields_cache
    assert {**one.__dict__, "_state": 0, "created_at": 0} == {**other.__dict__, "_state": 0, "created_at": 0}
    assert (one.config, one.host, one.experiment) == (config, None, config.experiment)
    assert one.values is not made(Run, **values).values


def test_of_a_row_that_is_partly_known_the_rest_is_fetched(django_assert_num_queries):
    config = place()
    row = partly(Config, id=config.pk, experiment=partly(Experiment, id=config.experiment_id))
    with django_assert_num_queries(2):
        assert (row.name, row.experiment.name) == ("n", "x % y's")
    assert row == config
    row.name = "m"
    row.save()
    assert Config.objects.get().name == "m"
