"""The first start shows samples and makes a user; later starts change nothing."""

from __future__ import annotations

import gzip
import re
from io import StringIO
from pathlib import Path

import brotli
import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

from runs.management.commands.first_start import collect_static_when_changed, load_samples
from runs.models import Experiment, Host, Run, TrendLine, Upload

# Requests (ab) or transactions (siege) per second that each sample prints, in its own order.
RATES = {
    "1-mod_wsgi-preloading.txt": [617.01, 878.81, 722.23, 887.55],
    "2-python-and-ruby-frameworks.txt": [175.59, 576.02, 854.67, 380.65],
    "3-mod_wsgi-and-fastcgi.txt": [316.08, 170.46, 230.84],
    "4-itk-and-peruser.txt": [8.96, 292.56, 12.35, 12.47, 13.36, 15.98],
    "5-event-and-worker.txt": [17160.13, 11064.69, 29219.55, 11735.33],
    "6-maxclients.txt": [3.07, 2.82, 4.62],
}


def call(command: str) -> str:
    out = StringIO()
    call_command(command, stdout=out)
    return out.getvalue()


@pytest.fixture
def _own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    settings.STATIC_ROOT = tmp_path / "static"


@pytest.mark.django_db
def test_every_sample_comes_out_with_its_figures():
    assert load_samples() == 6
    for name, rates in RATES.items():
        runs = Run.objects.filter(upload__name=name).order_by("line_first")
        assert [run.requests_per_second for run in runs] == rates, name
    assert set(Upload.objects.values_list("origin", "status")) == {("sample", "ready")}


@pytest.mark.django_db
def test_every_sample_is_one_experiment_with_a_name():
    load_samples()
    names = list(Experiment.objects.values_list("name", flat=True))
    assert len(names) == len(set(names)) == 6


@pytest.mark.django_db
def test_loading_them_again_stores_nothing():
    load_samples()
    before = Run.objects.count()
    assert load_samples() == 0
    assert Run.objects.count() == before


@pytest.mark.django_db
@pytest.mark.usefixtures("_own_folder")
def test_the_first_start_loads_samples_and_makes_admin_and_the_next_does_nothing():
    first = call("first_start")
    assert "6 sample sessions loaded" in first
    assert "Created the user admin; the password is in " in first
    assert call("first_start") == ""
    assert User.objects.get().username == "admin"


@pytest.mark.django_db
@pytest.mark.usefixtures("_own_folder")
def test_the_samples_are_counted_before_the_first_page_is_opened():
    call("first_start")
    assert sum(Host.objects.values_list("n_runs", flat=True)) == Run.objects.exclude(host=None).count() > 0
    assert TrendLine.objects.exists()


@pytest.mark.django_db
@pytest.mark.usefixtures("_own_folder")
def test_deleted_samples_do_not_come_back():
    call("first_start")
    Upload.objects.all().delete()
    call("first_start")
    assert not Upload.objects.exists()


@pytest.mark.usefixtures("_own_folder")
def test_static_files_are_collected_when_they_have_changed_only(tmp_path, settings):
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.css").write_text("a {}")
    settings.STATICFILES_DIRS = [source]
    assert collect_static_when_changed()
    assert not collect_static_when_changed()
    (source / "a.css").write_text("a { color: red }")
    assert collect_static_when_changed()
    assert "red" in (tmp_path / "static" / "a.css").read_text()


@pytest.mark.usefixtures("_own_folder")
def test_static_files_lie_there_compressed_under_hashed_names_only(tmp_path, settings):
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.css").write_text("a { color: red }" * 1000)
    settings.STATICFILES_DIRS = [source]
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": "benchdash.staticfiles.Storage"}}
    assert collect_static_when_changed()
    found = {re.sub(r"\.[0-9a-f]{12}\.", ".#.", path.name): path for path in (tmp_path / "static").glob("a.*")}
    assert set(found) == {"a.#.css", "a.#.css.br", "a.#.css.gz"}
    whole = found["a.#.css"].read_bytes()
    assert brotli.decompress(found["a.#.css.br"].read_bytes()) == whole
    assert gzip.decompress(found["a.#.css.gz"].read_bytes()) == whole


def test_only_plotlys_script_is_taken_out_of_its_package():
    patterns = apps.get_app_config("staticfiles").ignore_patterns
    files = [file for finder in get_finders() for file in finder.list(patterns)]
    assert [name for name, storage in files if getattr(storage, "prefix", "") == "plotly"] == ["plotly.min.js"]


def test_the_samples_are_where_the_command_looks():
    assert {file.name for file in (Path(settings.BASE_DIR) / "runs" / "samples").iterdir()} == set(RATES)
