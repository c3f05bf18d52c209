"""Pages that have not changed answer 304, in few queries; whatever a person changes makes them new."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs.ingest import changes
from runs.models import Capture, Run
from runs.remote.models import Job
from runs.tests import factories
from runs.tests.remote import job_rows

pytestmark = pytest.mark.django_db
MOST = 8


@pytest.fixture
def experiment(db: None):
    return factories.wsgi_experiment(n_configs=2, n_repeats=3)


def pages(experiment) -> list[str]:
    run, capture = (model.objects.filter(experiment=experiment)[:1].get() for model in (Run, Capture))
    return [thing.get_absolute_url() for thing in (experiment, run, capture)]


def visit(browser, url: str, etag: str = ""):
    return browser.get(url, headers={"If-None-Match": etag} if etag else {})


def etag_of(browser, url: str) -> str:
    visit(browser, url)  # sets the cookie that forms need
    return str(visit(browser, url).headers["ETag"])


def test_an_unchanged_page_is_not_made_again(browser, experiment):
    for url in pages(experiment):
        etag = etag_of(browser, url)
        with CaptureQueriesContext(connection) as queries:
            again = visit(browser, url, etag)
        assert (again.status_code, again.content, len(queries) <= MOST) == (304, b"", True)


def test_another_person_gets_a_page_of_their_own(browser, experiment, django_user_model):
    url = experiment.get_absolute_url()
    etag = etag_of(browser, url)
    browser.force_login(django_user_model.objects.create_user("other"))
    assert visit(browser, url, etag).status_code == 200


def test_who_loses_a_permission_gets_a_page_without_it(browser, experiment, django_user_model):
    person = django_user_model.objects.create_user("other")
    person.user_permissions.set(Permission.objects.filter(content_type__app_label="remote"))
    browser.force_login(person)
    urls = pages(experiment)
    etags = [etag_of(browser, url) for url in urls]
    assert visit(browser, urls[0], etags[0]).status_code == 304
    person.user_permissions.clear()
    assert [visit(browser, url, etag).status_code for url, etag in zip(urls, etags, strict=True)] == [200] * 3


def test_who_was_logged_out_or_shut_out_gets_no_page(browser, experiment, django_user_model):
    person = django_user_model.objects.create_user("other")
    browser.force_login(person)
    urls = pages(experiment)
    etags = [etag_of(browser, url) for url in urls]
    django_user_model.objects.filter(pk=person.pk).update(is_active=False)
    assert [visit(browser, url, etag).status_code for url, etag in zip(urls, etags, strict=True)] == [302] * 3
    django_user_model.objects.filter(pk=person.pk).update(is_active=True)
    assert browser.post("/logout/").headers["Clear-Site-Data"] == '"cache"'
    assert [visit(browser, url, etag).status_code for url, etag in zip(urls, etags, strict=True)] == [302] * 3


def test_a_page_to_which_a_job_adds_is_always_new(browser, experiment):
    adding = job_rows.job(state="done", experiment=experiment)
    url = experiment.get_absolute_url()
    etag = etag_of(browser, url)
    for state, answered in (("running", 200), ("done", 304)):
        Job.objects.filter(pk=adding.pk).update(state=state)
        assert visit(browser, url, etag).status_code == answered


CHANGES = {
    "rename the experiment": lambda made: changes.rename_experiment(made, "new"),
    "rename a config": lambda made: changes.rename_config(made.configs.first(), "new"),
    "rename the host": lambda made: changes.rename_host(made.runs.first().host, "new"),
    "leave a run out": lambda made: changes.set_counted(made.runs.first(), False),
    "move a run": lambda made: changes.move_runs([made.runs.last()], made.configs.last()),
    "number a run": lambda made: changes.set_repeat(made.runs.first(), 7),
    "delete a run": lambda made: made.runs.last().delete(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_changed_makes_it_new(browser, experiment, change):
    urls = pages(experiment)
    etags = [etag_of(browser, url) for url in urls]
    CHANGES[change](experiment)
    assert [visit(browser, url, etag).status_code for url, etag in zip(urls, etags, strict=True)] != [304, 304, 304]
    assert visit(browser, urls[0], etags[0]).status_code == 200


def test_a_page_without_repeats_has_no_etag(browser):
    url = factories.mpm_experiment().get_absolute_url()
    assert "ETag" not in visit(browser, url).headers
