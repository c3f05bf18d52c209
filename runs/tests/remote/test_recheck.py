"""What was allowed when a job was made is asked again when it runs, however long it waited to be resumed."""

from __future__ import annotations

import pytest

from runs.remote import checks, planning
from runs.remote.addresses import NotAllowed
from runs.remote.models import Job, LoadGenerator, Target
from runs.remote.snapshots import from_dict
from runs.tests.remote import rows

pytestmark = pytest.mark.django_db


def made() -> Job:
    """A job against a target that is reached by ssh, from a generator that is too."""
    of = rows.target(reach="ssh", ssh_destination="bench@web1")
    generator = rows.generator(kind="ssh", ssh_destination="bench@load1")
    return planning.start_job(rows.plan(of=of, generator=generator), rows.user("run_plan"))


def check(job: Job) -> list[str]:
    fresh = Job.objects.get(pk=job.pk)
    return [load.url for load in checks.recheck(from_dict(fresh.snapshot), fresh)]


def test_what_is_still_as_it_was_is_allowed():
    job = made()
    Target.objects.get().host.save()
    assert check(job) == ["http://192.0.2.10:80/hello"] * 4


@pytest.mark.parametrize(
    "fields",
    [{"ssh_destination": "root@web1"}, {"identity_file": "/keys/other"}, {"reach": "local"}, {"reach": "none"}],
)
def test_a_target_that_is_reached_in_another_way_by_now_is_left_alone(fields):
    job = made()
    Target.objects.update(**fields)
    with pytest.raises(NotAllowed, match="accessed in another way"):
        check(job)


@pytest.mark.parametrize("fields", [{"ssh_destination": "load2"}, {"kind": "worker"}, {"identity_file": "/keys/other"}])
def test_a_generator_that_is_reached_in_another_way_by_now_sends_nothing(fields):
    job = made()
    LoadGenerator.objects.update(**fields)
    with pytest.raises(NotAllowed, match="accessed in another way"):
        check(job)


def test_another_name_for_the_same_machine_is_no_matter():
    job = made()
    LoadGenerator.objects.update(name="load-one")
    host = Target.objects.get().host
    host.name = "shop-one"
    host.save()
    assert check(job)


def test_the_ip_addresses_of_a_name_are_those_of_today():
    job = made()
    target = Target.objects.get()
    assert checks.find_current_addresses(job.target_id) == {"http://192.0.2.10:80": ["192.0.2.10"]}
    target.addresses.update(resolved=["192.0.2.11"])
    assert checks.find_current_addresses(job.target_id) == {"http://192.0.2.10:80": ["192.0.2.11"]}
    Target.objects.update(enabled=False)
    assert checks.find_current_addresses(job.target_id) == {}
