"""The published sessions through the real door: what serving cost in them, what their configs set, how they scale."""

from __future__ import annotations

import pytest

from runs import ingest
from runs.analysis import Judged
from runs.models import Experiment
from runs.selectors import comparison_data, judging

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(shared):
    """ "000", a part of the experiment's name -> its conclusions."""

    def get(number: str, name: str = "") -> Judged:
        ingest.submit(next(shared.glob(f"seeds/{number}_*.txt")).read_bytes(), origin="rest")
        experiments = Experiment.objects.filter(name__contains=name).order_by("id")
        return judging.compare_and_judge(comparison_data.load_experiment(experiments[0]))[1]

    return get


def cells(found: Judged, key: str) -> list[str]:
    """What a row of the cost table says, column by column."""
    assert found.cost is not None
    row = next(row for row in found.cost.rows if row.key == key)
    return [f"{cell.bound} {cell.text}: {cell.how}".strip() if cell else "" for cell in row.cells]


def test_seed_004_a_process_took_2_and_then_2_3_mb(judged):
    found = judged("004")
    first, second, third = cells(found, "per_process")
    assert first.endswith("= 2022 kB, about 2.0 MB")
    assert second.endswith("= 2282 kB, about 2.3 MB")
    assert third == ""  # 285 of 600 failed
    assert cells(found, "rss_apache2")[0].startswith("12.04 MiB each")
    assert any("MemFree + Inactive" in note for note in found.cost.notes)


def test_seed_004_tells_no_number_of_processes_where_five_of_fifty_lines_are_quoted(shared, client, admin_user):
    ingest.submit(next(shared.glob("seeds/004_*.txt")).read_bytes(), origin="rest")
    client.force_login(admin_user)
    page = client.get(Experiment.objects.get().get_absolute_url()).content.decode()
    assert "5 shown" in page and "5 processes shown" in page
    assert "× 5<" not in page and "apache2: processes" not in page and "apache2: all together" not in page


def test_seed_004_has_two_levels_that_count_and_lacks_two(judged):
    (sweep,) = judged("004").sweeps
    assert [level.n for level in sweep.levels] == [50, 100]
    assert "2 more are missing" in sweep.sentence
    assert "concurrency 150" in sweep.notes[0]


def test_seed_000_sets_httpd_and_ruby_apart(judged):
    found = judged("000", "Rails")
    assert [row.key for row in found.cost.rows if row.key.startswith("rss_")] == ["rss_httpd", "rss_ruby"]
    assert cells(found, "rss_ruby")[0].startswith("31 MiB each")
    assert cells(found, "rss_httpd")[0].startswith("1.844 MiB each")
    assert cells(found, "rss_httpd")[2] == "at least 200: 20 × 10 MiB of the 20 shown (65 tasks)"


def test_seed_000_screens_show_a_part_of_the_processes_only(judged):
    found = judged("000", "WSGIImportScript")
    assert cells(found, "per_mib")[0] == "at most 3.380: 878.8 requests/s / 260 MiB of httpd"
    assert cells(found, "per_core")[0].endswith("/ 1 core")


def test_seed_000_two_directives_differ(judged):
    (file,) = judged("000", "WSGIImportScript").differences.files
    assert [row.name for row in file.rows] == ["WSGIApplicationGroup", "WSGIImportScript"]
    assert [cell.state for cell in file.rows[0].cells] == ["not set", "set"]
    assert file.same == 13


def test_seed_003_shows_its_settings_for_no_config_in_particular(judged):
    found = judged("003").differences
    assert found.files == ()
    assert "no difference follows from it" in found.sentences[0]


@pytest.mark.parametrize("number", ["001", "002", "003"])
def test_seeds_without_monitors_have_no_cost(number, judged):
    assert judged(number).cost is None
