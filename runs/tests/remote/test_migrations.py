"""A database of the time when remote runs belonged to the app `runs`: rows, permissions and the admin's log stay."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import ADDITION, LogEntry
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from runs.remote import planning
from runs.remote.models import Job, LoadGenerator, Plan
from runs.tests.remote import rows

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE, SQUASHED = "0013_names", ("runs", "0001_squashed_0022")


@pytest.fixture
def before(transactional_db):
    """The test database as of BEFORE, by the steps that the squashed migration replaces."""
    executor = MigrationExecutor(connection)
    loader = executor.loader
    loader.replace_migrations = False
    loader.build_graph()
    loader.graph.remove_replacement_node(SQUASHED, loader.get_migration(*SQUASHED).replaces)
    executor.migrate([("remote", None), ("runs", BEFORE)])
    ContentType.objects.clear_cache()
    yield
    call_command("migrate", verbosity=0)


def plan_of_then() -> int:
    """The key of a plan with two variants, written with the models as they were after BEFORE."""
    then = MigrationLoader(connection, replace_migrations=False).project_state(("runs", BEFORE)).apps
    host = then.get_model("runs", "Host").objects.create(name="shop")
    target = then.get_model("runs", "Target").objects.create(host=host)
    address = target.addresses.create(base=rows.BASE, resolved=["192.0.2.10"])
    generator = then.get_model("runs", "LoadGenerator").objects.create(name="load", kind=LoadGenerator.Kind.WORKER)
    fields = {"path": "/hello", "requests": 100, "levels": [1, 10], "repeats": 3, "warmups": 0, "generator": generator}
    plan = then.get_model("runs", "Plan").objects.create(name="Keep-alive", target=target, address=address, **fields)
    for position, name in enumerate(("off", "on")):
        plan.variants.create(name=name, keepalive=name == "on", position=position)
    return int(plan.pk)


def test_rows_permissions_and_log_entries_of_before_are_kept(before):
    assert not ContentType.objects.filter(app_label="remote").exists()
    user = rows.user()
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="runs", codename="run_plan"))
    number = plan_of_then()
    plan_type = ContentType.objects.get(app_label="runs", model="plan")
    entry = LogEntry.objects.create(user=user, content_type=plan_type, object_id=number, action_flag=ADDITION)
    tables = set(connection.introspection.table_names())

    call_command("migrate", verbosity=0)
    ContentType.objects.clear_cache()
    now = set(connection.introspection.table_names())
    assert tables <= now and not [name for name in now if name.startswith("remote_")]
    assert not ContentType.objects.filter(app_label="runs", model__in=("plan", "job", "target", "switch")).exists()
    assert Permission.objects.filter(codename="run_plan").count() == 1
    user = User.objects.get(pk=user.pk)
    assert user.has_perm("remote.run_plan")
    entry.refresh_from_db()
    plan = Plan.objects.get()
    assert plan.pk == number and entry.get_edited_object() == plan
    job = planning.start_job(plan, user)
    assert Job.objects.get().steps.count() == job.steps.count() == 12
