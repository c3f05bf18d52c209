"""A database of the time when remote runs belonged to the app `runs`: rows, permissions and the admin's log stay."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import ADDITION, LogEntry
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection

from runs.remote import planning
from runs.remote.models import Job, Plan
from runs.tests.remote import rows

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE = "0013"


@pytest.fixture
def migrate(transactional_db):
    def to(app: str, name: str = "") -> None:
        call_command("migrate", app, *filter(None, [name]), verbosity=0)
        ContentType.objects.clear_cache()

    yield to
    call_command("migrate", verbosity=0)


def test_rows_permissions_and_log_entries_of_before_are_kept(migrate):
    migrate("remote", "zero")
    migrate("runs", BEFORE)
    assert not ContentType.objects.filter(app_label="remote").exists()
    user = rows.user()
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="runs", codename="run_plan"))
    plan = rows.plan()
    plan_type = ContentType.objects.get(app_label="runs", model="plan")
    entry = LogEntry.objects.create(user=user, content_type=plan_type, object_id=plan.pk, action_flag=ADDITION)
    tables = set(connection.introspection.table_names())

    migrate("runs")
    migrate("remote")
    assert set(connection.introspection.table_names()) == tables | {"runs_build"}
    assert not ContentType.objects.filter(app_label="runs", model__in=("plan", "job", "target", "switch")).exists()
    assert Permission.objects.filter(codename="run_plan").count() == 1
    user = User.objects.get(pk=user.pk)
    assert user.has_perm("remote.run_plan")
    entry.refresh_from_db()
    assert entry.get_edited_object() == plan
    job = planning.start_job(Plan.objects.get(), user)
    assert Job.objects.get().steps.count() == job.steps.count() == 12
