"""What is planned is what runs: validated as a whole, written down, and read back the same."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from runs.remote.checks import Refused
from runs.remote.models import LoadGenerator, Plan, Switch, Target, TargetAddress, Variant
from runs.remote.planning import estimate, list_commands, start_job, validate_plan
from runs.remote.snapshots import find_variant, from_dict, load_for

from . import rows

pytestmark = pytest.mark.django_db


def refusals(plan: Plan) -> dict[str, str]:
    """{field: messages} of what stands in the way of a plan."""
    with pytest.raises(Refused) as caught:
        validate_plan(plan)
    assert caught.value.errors
    found: dict[str, str] = {}
    for error in caught.value.errors:
        found[error["field"]] = f"{found.get(error['field'], '')} {error['message']}".strip()
    return found


def test_a_snapshot_survives_its_way_through_json():
    plan = rows.plan(
        headers=[["X-Api-Key", "{secret:API}"]], method="POST", body="a=1", rse_limit_pct=2.0, most_repeats=9
    )
    snapshot = validate_plan(plan)
    assert from_dict(json.loads(json.dumps(asdict(snapshot)))) == snapshot


def test_a_variant_takes_from_the_plan_what_it_leaves_empty():
    target = rows.target("http://192.0.2.10:80", "http://192.0.2.10:8080")
    plan = rows.plan(("plain", "other"), of=target, keepalive=True)
    Variant.objects.filter(name="plain").update(keepalive=None)
    second = target.addresses.last()
    Variant.objects.filter(name="other").update(address=second, path="/other?a=1", keepalive=False)
    snapshot = validate_plan(plan)
    plain, other = snapshot.variants
    assert (plain.base, plain.path, plain.keepalive) == ("http://192.0.2.10:80", "/hello", True)
    assert (other.base, other.path, other.keepalive) == ("http://192.0.2.10:8080", "/other?a=1", False)


def test_every_step_is_written_down_before_anything_runs():
    job = start_job(rows.plan(warmups=1), rows.planner())
    assert job.state == "queued"
    assert [(s.variant, s.level, s.repeat) for s in job.steps.all()][:6] == [
        ("off", 1, 0),
        ("off", 1, 1),
        ("on", 1, 0),
        ("on", 1, 1),
        ("on", 1, 2),
        ("off", 1, 2),
    ]
    assert job.steps.count() == 2 * 2 * (1 + 3)
    assert [step.position for step in job.steps.all()] == list(range(1, 17))


def test_a_jobs_snapshot_stays_when_its_plan_changes():
    plan = rows.plan()
    job = start_job(plan, rows.planner())
    Plan.objects.update(path="/changed", levels=[3])
    job.refresh_from_db()
    assert {variant.path for variant in from_dict(job.snapshot).variants} == {"/hello"}


def test_who_may_not_run_plans_starts_nothing():
    plan = rows.plan()
    for person in (rows.user("add_plan"), rows.user("run_plan", is_active=False), None):
        with pytest.raises(Refused, match="may not run plans"):
            start_job(plan, person)
    assert plan.jobs.count() == 0


def test_a_schedule_of_a_deleted_user_still_starts_its_plan():
    assert start_job(rows.plan(), None, scheduled=True).created_by is None


@pytest.mark.parametrize(
    ("fields", "field", "word"),
    [
        ({"requests": None}, "requests", "either"),
        ({"duration_s": 5}, "requests", "either"),
        ({"requests": 200_000}, "requests", "may send"),
        ({"requests": None, "duration_s": 601}, "duration_s", "may take"),
        ({"levels": []}, "levels", "at least one level"),
        ({"levels": [0]}, "levels", "at least one level"),
        ({"levels": ["8; rm"]}, "levels", "at least one level"),
        ({"levels": [True]}, "levels", "at least one level"),
        ({"levels": [4, 4]}, "levels", "different levels"),
        ({"levels": [201]}, "levels", "exceeds the maximum concurrency"),
        ({"levels": [101]}, "tool", "at least as many requests"),
        ({"repeats": 0}, "repeats", "from 1"),
        ({"repeats": 101}, "repeats", "to 100"),
        ({"warmups": 11}, "warmups", "to 10"),
        ({"cooldown_s": 601.0}, "cooldown_s", "to 600"),
        ({"interval_s": 0.5}, "interval_s", "from 1 to 60"),
        ({"timeout_s": 0}, "timeout_s", "from 1"),
        ({"rse_limit_pct": 2.0}, "most_repeats", "both"),
        ({"rse_limit_pct": 2.0, "most_repeats": 2}, "most_repeats", "at least the number of repeats"),
        ({"tool": "curl"}, "tool", "no load tool"),
        ({"tool": "wrk"}, "tool", "needs a duration"),
        ({"method": "TRACE"}, "method", "none of"),
        ({"method": "-k"}, "method", "none of"),
        ({"body": "a=1"}, "body", "has no body"),
        ({"method": "POST", "body": "x" * 70_000}, "body", "up to"),
        ({"method": "POST", "body": "user=a&password=hunter22"}, "body", "secret"),
        ({"path": "//evil.example/"}, "path", "two slashes"),
        ({"path": "/login?password=hunter22"}, "path", "secret"),
        ({"path": "/login?t={secret:API}"}, "path", "must not contain a secret"),
        ({"content_type": "a/b\r\nX: y"}, "content_type", "content type"),
        ({"headers": [["Host", "evil.example"]]}, "headers", "address of the target"),
        ({"headers": [["X-A", "b\r\nHost: evil"]]}, "headers", "in one line"),
        ({"headers": [["-H", "b"]]}, "headers", "not a header name"),
        ({"headers": [["Authorization", "Bearer abcdefgh"]]}, "headers", "BENCHDASH_SECRET_"),
        ({"headers": [["X-A", "1"]] * 41}, "headers", "At most 40"),
        ({"name": " "}, "name", "needs a name"),
        ({"name": "two\nlines"}, "name", "one line"),
        ({"order": "random"}, "order", "no order"),
    ],
)
def test_it_refuses_what_no_run_should_be(fields, field, word):
    assert word in refusals(rows.plan(**fields))[field]


def test_all_faults_are_told_at_once():
    assert set(refusals(rows.plan(levels=[], path="x", repeats=0))) == {"levels", "path", "repeats"}


def test_an_address_of_another_target_is_refused():
    plan = rows.plan()
    plan.address = rows.target("http://198.51.100.7:80").addresses.get()
    assert "not an address of" in refusals(plan)["address"]


def test_a_variants_address_of_another_target_is_refused():
    plan = rows.plan()
    Variant.objects.filter(name="on").update(address=rows.target("http://198.51.100.7:80").addresses.get())
    assert "not an address of" in refusals(plan)["variants"]


def test_an_address_that_was_smuggled_into_the_table_is_refused():
    target = rows.target()
    TargetAddress.objects.update(base="http://user@192.0.2.10:80")
    assert "user name or password" in refusals(rows.plan(of=target))["address"]


def test_a_switch_of_another_target_is_refused():
    plan = rows.plan()
    other = Switch.objects.create(target=rows.target(), name="B", argv=["true"])
    Variant.objects.filter(name="on").update(switch=other)
    assert "is not one of" in refusals(plan)["variants"]


def test_a_switch_needs_a_target_that_is_reached():
    plan = rows.plan()
    Variant.objects.filter(name="on").update(switch=Switch.objects.create(target=plan.target, name="B", argv=["true"]))
    assert "has no access" in refusals(plan)["variants"]


def test_a_switch_stands_in_the_snapshot_word_by_word():
    target = rows.target(reach="local")
    plan = rows.plan(of=target)
    switch = Switch.objects.create(target=target, name="B", argv=["nginx", "-s", "reload; rm"], timeout_s=7)
    Variant.objects.update(switch=switch)
    on = find_variant(validate_plan(plan), "on")
    assert (on.switch, on.switch_timeout_s) == (("nginx", "-s", "reload; rm"), 7)


def test_a_variant_without_a_switch_would_run_as_the_others_switch_leaves_the_target():
    target = rows.target(reach="local")
    plan = rows.plan(of=target)
    Variant.objects.filter(name="on").update(switch=Switch.objects.create(target=target, name="B", argv=["true"]))
    assert "Either each variant has a switch or none" in refusals(plan)["variants"]


@pytest.mark.parametrize(
    "path",
    ["/etc/shadow", "/root/.ssh/id_rsa", "/etc/nginx/../shadow", "/etc/nginx/tls/site.key", "/etc/nginxfake/a", "-n"],
)
def test_no_file_outside_a_targets_folders_is_shown(path):
    plan = rows.plan(of=rows.target(reach="local"))
    Variant.objects.filter(name="on").update(config_files=[path])
    assert path in refusals(plan)["variants"]


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/varnish/secret", "/etc/nginx/site.key.bak", "/etc/nginx/site.pem~", "/etc/nginx/privkey"),
        *("/etc/ssh/ssh_host_rsa_key", "/etc/nginx/passwd", "/etc/caddy/credentials.json", "/etc/app/prod.env"),
        *("/srv/benchdash/var/secret_key", "/srv/benchdash/var/benchdash.sqlite3-wal"),
        *("/proc/self/environ", "/var/run/secrets/token", "//proc/self/environ"),
    ],
)
def test_a_file_of_keys_passwords_or_memory_is_shown_of_no_folder(path):
    readable = [f"/etc/{name}" for name in ("varnish", "nginx", "ssh", "caddy", "app")]
    plan = rows.plan(of=rows.target(reach="local", readable=[*readable, "/srv", "/proc", "/var/run", "//proc"]))
    Variant.objects.filter(name="on").update(config_files=[path])
    assert path in refusals(plan)["variants"]


@pytest.mark.parametrize(("place", "path"), [("/etc", "/etc/nginx/nginx.conf"), ("/srv", "/srv/bench/var/notes.txt")])
def test_a_file_is_shown_neither_of_a_folder_that_is_too_wide_nor_of_our_own(settings, place, path):
    settings.DATA_DIR = Path("/srv/bench/var")
    plan = rows.plan(of=rows.target(reach="local", readable=[place]))
    Variant.objects.filter(name="on").update(config_files=[path])
    assert path in refusals(plan)["variants"]


@pytest.mark.parametrize("name", ["keys_zone.conf", "keycloak.conf", "sites-enabled/tokenizer.conf", "dbpool.conf"])
def test_a_config_file_whose_name_only_begins_so_is_shown(name):
    plan = rows.plan(of=rows.target(reach="local"))
    Variant.objects.filter(name="on").update(config_files=[f"/etc/nginx/{name}"])
    assert find_variant(validate_plan(plan), "on").config_files == (f"/etc/nginx/{name}",)


def test_a_config_file_in_a_targets_folder_is_shown():
    plan = rows.plan(of=rows.target(reach="local"))
    Variant.objects.filter(name="on").update(config_files=["/etc/nginx/nginx.conf"])
    assert find_variant(validate_plan(plan), "on").config_files == ("/etc/nginx/nginx.conf",)


def test_a_target_that_is_switched_off_gets_no_load():
    assert "is disabled" in refusals(rows.plan(of=rows.target(enabled=False)))["target"]


@pytest.mark.parametrize("destination", ["-oProxyCommand=id", "", "web1 -F x", "web1;id", "web1\nid"])
def test_an_ssh_destination_is_never_an_option(destination):
    kind = LoadGenerator.Kind.SSH
    assert (
        "ssh destination"
        in refusals(rows.plan(generator=rows.generator(kind=kind, ssh_destination=destination)))["generator"]
    )
    target = rows.target(reach=Target.Reach.SSH, ssh_destination=destination)
    assert "ssh destination" in refusals(rows.plan(of=target))["target"]


def test_loopback_on_another_machine_is_not_the_target():
    target = rows.target("http://127.0.0.1:80", reach=Target.Reach.SSH, ssh_destination="web1")
    target.addresses.update(resolved=["127.0.0.1"])
    assert "wrong machine" in refusals(rows.plan(of=target))["address"]


def test_a_generator_may_load_itself():
    target = rows.target("http://127.0.0.1:80", reach=Target.Reach.LOCAL)
    target.addresses.update(resolved=["127.0.0.1"])
    assert validate_plan(rows.plan(of=target)).target is not None


def test_too_many_runs_are_no_plan():
    assert "More than 1000 runs" in refusals(rows.plan(levels=list(range(1, 21)), repeats=26))["repeats"]


def test_the_runs_that_a_limit_of_error_may_add_count_too():
    plan = rows.plan(levels=list(range(1, 21)), repeats=3, rse_limit_pct=1.0, most_repeats=26)
    assert "More than 1000 runs" in refusals(plan)["repeats"]


def test_an_estimate_counts_requests_and_time():
    told = estimate(validate_plan(rows.plan(warmups=1, rse_limit_pct=3.0, most_repeats=5, cooldown_s=2.0)))
    assert (told.runs, told.most_runs, told.requests) == (16, 24, 1600)
    assert (told.least_s, told.most_s) == (32.0, 24 * 602.0)


def test_what_is_shown_names_secrets_and_does_not_hold_them():
    plan = rows.plan(headers=[["Cookie", "session={secret:SESSION}"]])
    (_, line), *_ = list_commands(validate_plan(plan))
    assert line == "ab -n 100 -c 1 -s 30 -H 'Cookie: session={secret:SESSION}' http://192.0.2.10:80/hello"


def test_it_says_when_a_tool_sends_less_than_it_was_asked_for():
    assert any("sends 96 of 100" in note for note in validate_plan(rows.plan(tool="hey", levels=[32])).notes)


def test_it_says_when_nothing_makes_the_variants_differ():
    plan = rows.plan()
    plan.variants.update(keepalive=False)
    assert any("do not differ" in note for note in validate_plan(plan).notes)


def test_a_steps_load_is_what_was_planned():
    job = start_job(rows.plan(), rows.planner())
    snapshot = from_dict(job.snapshot)
    step = job.steps.get(variant="on", level=10, repeat=2)
    load = load_for(snapshot, step.variant, step.level)
    assert (load.base, load.path, load.concurrency, load.keepalive) == (rows.BASE, "/hello", 10, True)
