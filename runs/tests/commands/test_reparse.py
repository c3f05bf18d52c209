"""`manage.py reparse` goes on past what cannot be read, and says where it stopped."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError

from runs import ingest
from runs.models import Run, Upload
from runs.tests.ingest.texts import session
from runs.tests.installation import MANAGE, WITHIN_S, create_database, environment


def store(*rates: int) -> list[int]:
    return [ingest.submit(session(rate).encode(), origin="web", name=f"{rate}").upload.pk for rate in rates]


@pytest.mark.django_db
def test_it_goes_on_past_an_upload_that_cannot_be_read(caplog):
    first, broken, last = store(500, 600, 700)
    Upload.objects.filter(pk=broken).update(raw=b"\x28\xb5\x2f\xfdnot zstd")
    out = StringIO()
    with pytest.raises(CommandError, match=rf"1 of 3 cannot be read and stay as they were: {broken}\."):
        call_command("reparse", stdout=out)
    lines = out.getvalue().splitlines()
    assert [line.split("  ")[:2] for line in lines] == [["1/3", f"{first}"], ["2/3", f"{broken}"], ["3/3", f"{last}"]]
    assert "cannot be read: ZstdError" in lines[1]
    assert Run.objects.count() == 3
    assert "Traceback" in caplog.text


@pytest.mark.django_db
def test_where_the_database_goes_away_it_says_how_to_go_on(monkeypatch):
    first, second = store(500, 600)
    monkeypatch.setattr("time.sleep", lambda _: None)
    reparse: Callable[[int], Upload] = ingest.reparse

    def fail_at_second(pk: int) -> Upload:
        if pk == second:
            raise OperationalError("the server closed the connection")
        return reparse(pk)

    monkeypatch.setattr(ingest, "reparse", fail_at_second)
    out, err = StringIO(), StringIO()
    with pytest.raises(OperationalError):
        call_command("reparse", stdout=out, stderr=err)
    assert out.getvalue().startswith(f"1/2  {first}  ready")
    assert f"python manage.py reparse --from {second}" in err.getvalue()
    monkeypatch.setattr(ingest, "reparse", reparse)
    out = StringIO()
    call_command("reparse", "--from", str(second), stdout=out)
    assert out.getvalue().startswith(f"1/1  {second}  ready")


def test_several_are_read_at_a_time(tmp_path, django_db_setup, django_db_blocker):
    data = tmp_path / "data"
    with django_db_blocker.unblock():
        create_database(data)
    files = []
    for rate in (500, 600, 700):
        (tmp_path / f"{rate}.txt").write_text(session(rate))
        files.append(str(tmp_path / f"{rate}.txt"))
    subprocess.run(
        [*MANAGE, "import_log", *files], env=environment(data), check=True, capture_output=True, timeout=WITHIN_S
    )
    command = [*MANAGE, "reparse", "--jobs", "2"]
    ended = subprocess.run(command, env=environment(data), capture_output=True, text=True, timeout=WITHIN_S)
    assert ended.returncode == 0, ended.stderr
    assert [line.split("  ")[0] for line in ended.stdout.splitlines()] == ["1/3", "2/3", "3/3"]
