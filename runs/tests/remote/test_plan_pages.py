"""The pages on which machines are registered and plans written, as a person uses them."""

from __future__ import annotations

import html
import re

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from runs.remote.models import LoadGenerator, Plan, Switch, Target
from runs.remote.planning import register_this_machine, validate_plan
from runs.templatetags.remote import duration
from runs.tests import factories

from . import rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def planner():
    return rows.planner()


@pytest.fixture
def browser(planner) -> Client:
    return client_of(planner)


def client_of(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def text_of(response) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


TARGET = {
    "host_name": "shop",
    "addresses": "http://192.0.2.10\nhttps://192.0.2.10:8443/",
    "reach": "none",
    "most_requests": "1000",
    "most_concurrency": "20",
    "most_duration_s": "60",
    "readable": "/etc/nginx",
    "enabled": "on",
}
PLAN = {
    "name": "Keep-alive",
    "tool": "ab",
    "method": "GET",
    "path": "/hello",
    "headers": "Accept-Language: en\r\nAuthorization: Bearer {secret:API}",
    "body": "",
    "content_type": "",
    "requests": "100",
    "duration_s": "",
    "levels": "1, 10",
    "timeout_s": "30",
    "repeats": "3",
    "warmups": "1",
    "cooldown_s": "1",
    "order": "interleaved",
    "rse_limit_pct": "",
    "most_repeats": "",
    "interval_s": "1",
    "variants-TOTAL_FORMS": "3",
    "variants-INITIAL_FORMS": "0",
    "variants-0-name": "off",
    "variants-0-keepalive": "False",
    "variants-1-name": "on",
    "variants-1-keepalive": "True",
}


def plan_data(target: Target, **fields: str) -> dict[str, str]:
    generator = LoadGenerator.objects.first() or rows.generator()
    return PLAN | {"address": str(target.addresses.all()[0].pk), "generator": str(generator.pk)} | fields


def again_data(plan: Plan, **fields: str) -> dict[str, str]:
    """What the form of a saved plan sends back when nothing is touched."""
    variants = list(plan.variants.all())
    data = plan_data(plan.target, **{"variants-INITIAL_FORMS": str(len(variants)), "variants-TOTAL_FORMS": "5"})
    return data | {f"variants-{at}-id": str(variant.pk) for at, variant in enumerate(variants)} | fields


def test_a_new_user_registers_this_machine_with_one_button(browser, settings):
    page = browser.get(reverse("remote"))
    assert "Register this machine" in text_of(page)
    answer = browser.post(reverse("this-machine"), follow=True)
    plan = Plan.objects.get()
    assert answer.redirect_chain[-1][0] == plan.get_absolute_url()
    assert [address.base for address in plan.target.addresses.all()] == [f"http://127.0.0.1:{settings.PORT}"]
    assert validate_plan(plan).levels == (1, 4)
    text = text_of(answer)
    assert "16 runs of ab" in text
    assert f"ab -n 200 -c 4 -k -s 30 http://127.0.0.1:{settings.PORT}/login/" in text
    assert 'id="start"' in answer.content.decode()


def test_registering_this_machine_twice_changes_nothing(planner):
    assert register_this_machine(planner, 8000) == register_this_machine(planner, 8000)
    assert (Plan.objects.count(), Target.objects.count(), LoadGenerator.objects.count()) == (1, 1, 1)


def test_what_was_registered_otherwise_is_left_as_it_is(browser, planner):
    Target.objects.filter(pk=register_this_machine(planner, 8000).target_id).update(enabled=False)
    Plan.objects.all().delete()
    assert "disabled" in text_of(browser.post(reverse("this-machine"), follow=True))
    assert not Plan.objects.exists()


def test_the_button_is_not_there_for_who_may_not(db):
    client = client_of(rows.user("run_plan"))
    assert "Register this machine" not in text_of(client.get(reverse("remote")))
    assert client.post(reverse("this-machine")).status_code == 403
    assert not Target.objects.exists()


def places() -> dict[str, str]:
    """Every page that changes something, with a permission that it needs."""
    plan = rows.plan()
    target, generator = plan.target_id, plan.generator_id
    return {
        reverse("new-target"): "add_target",
        reverse("edit-target", args=[target]): "change_target",
        reverse("delete-target", args=[target]): "delete_target",
        reverse("new-generator"): "add_loadgenerator",
        reverse("edit-generator", args=[generator]): "change_loadgenerator",
        reverse("delete-generator", args=[generator]): "delete_loadgenerator",
        reverse("new-plan"): "add_plan",
        reverse("edit-plan", args=[plan.pk]): "change_plan",
        reverse("delete-plan", args=[plan.pk]): "delete_plan",
        reverse("this-machine"): "add_target",
    }


def test_every_page_that_changes_something_needs_its_permission():
    every = places()
    for url, permission in every.items():
        others = {*every.values(), "run_plan", "add_loadgenerator", "add_plan"} - {permission}
        client = client_of(rows.user(*others))
        assert client.post(url).status_code == 403, url
        assert client.get(url).status_code in (403, 405), url


def test_writing_plans_needs_the_permission_to_run_them():
    rows.plan()
    client = client_of(rows.user("add_plan", "change_plan"))
    assert client.get(reverse("new-plan")).status_code == 403
    assert client.get(reverse("edit-plan", args=[Plan.objects.get().pk])).status_code == 403


def test_strangers_see_nothing_even_where_reading_is_public(settings):
    settings.PUBLIC_READ = True
    plan = rows.plan()
    for url in (reverse("remote"), plan.get_absolute_url(), plan.target.get_absolute_url(), *places()):
        answer = Client().get(url)
        assert answer.status_code == 405 or answer["Location"].startswith("/login/"), url
    assert "Remote" not in text_of(Client().get("/"))


def test_who_may_not_run_plans_sees_no_button_for_it():
    plan = rows.plan()
    client = client_of(rows.user())
    for url in (reverse("remote"), plan.get_absolute_url(), plan.target.get_absolute_url()):
        page = client.get(url).content.decode()
        assert "New plan" not in page and 'id="start"' not in page and "Delete" not in page


def test_a_target_is_registered_with_its_addresses_in_one_spelling(browser, planner):
    answer = browser.post(reverse("new-target"), TARGET)
    target = Target.objects.get(host__name="shop")
    assert answer["Location"] == target.get_absolute_url()
    assert {(one.base, *one.resolved) for one in target.addresses.all()} == {
        ("http://192.0.2.10:80", "192.0.2.10"),
        ("https://192.0.2.10:8443", "192.0.2.10"),
    }
    assert target.created_by == planner
    assert "http://192.0.2.10:80" in text_of(browser.get(answer["Location"]))


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"addresses": "http://me:word@192.0.2.10"}, "user name or password"),
        ({"addresses": "http://2130706433"}, "plain form"),
        ({"addresses": "http://192.0.2.10 http://192.0.2.11"}, "no IP address"),
        ({"addresses": "http://192.0.2.10\nhttp://192.0.2.10:80/"}, "twice"),
        ({"addresses": "\n".join(f"http://192.0.2.10:{port}" for port in range(1, 102))}, "at most 100"),
        ({"addresses": " \n"}, "required"),
        ({"addresses": "http://shop.invalid"}, "add its IP addresses after"),
        ({"reach": "ssh"}, "no ssh destination"),
        ({"reach": "ssh", "ssh_destination": "-oProxyCommand=id"}, "no ssh destination"),
        ({"reach": "ssh", "ssh_destination": "web1", "identity_file": "../key"}, "absolute path"),
        ({"reach": "telnet"}, "valid choice"),
        ({"readable": "/etc/nginx\n/"}, "no plain absolute path"),
        ({"readable": "/etc/nginx/../.."}, "no plain absolute path"),
        ({"readable": "//"}, "no plain absolute path"),
        ({"readable": "//etc/ssl"}, "no plain absolute path"),
        ({"readable": "/proc/self"}, "contains no config files"),
        ({"readable": "/etc"}, "more than config files"),
        ({"readable": "/root/.ssh"}, "keys, passwords or hidden files"),
        ({"readable": f"{settings.DATA_DIR}/spool"}, "its own data"),
        ({"readable": str(settings.DATA_DIR.parent)}, f"holds {settings.DATA_DIR}, where benchdash keeps its own data"),
        ({"addresses": "http://shop.invalid 169.254.169.254"}, "link-local"),
        ({"reach": "ssh", "ssh_destination": "me@-oProxyCommand"}, "no ssh destination"),
        ({"host_name": "taken"}, "is already a target"),
    ],
)
def test_a_target_that_is_none_is_refused_in_words(browser, fields, word):
    rows.target()
    taken = Target.objects.get()
    taken.host.name = "taken"
    taken.host.save()
    answer = browser.post(reverse("new-target"), TARGET | fields)
    assert answer.status_code == 200
    assert word in text_of(answer)
    assert Target.objects.count() == 1


def test_a_name_that_only_the_generator_knows_keeps_the_numbers_written_for_it(browser):
    browser.post(reverse("new-target"), TARGET | {"addresses": "http://shop.invalid 192.0.2.10, 192.0.2.11"})
    target = Target.objects.get()
    assert [(one.base, one.resolved) for one in target.addresses.all()] == [
        ("http://shop.invalid:80", ["192.0.2.10", "192.0.2.11"])
    ]
    form = browser.get(reverse("edit-target", args=[target.pk]))
    assert "http://shop.invalid:80 192.0.2.10 192.0.2.11" in text_of(form)


def test_a_known_host_becomes_the_target_and_is_not_made_twice(browser):
    host = factories.host("shop")
    browser.post(reverse("new-target"), TARGET | {"host_name": host.name})
    assert Target.objects.get().host == host


def test_an_address_that_a_plan_loads_cannot_go(browser):
    plan = rows.plan(of=rows.target("http://192.0.2.10:80", "http://192.0.2.10:81"))
    url = reverse("edit-target", args=[plan.target_id])
    data = TARGET | {"host_name": plan.target.host.name}
    assert "is used by a plan: Keep-alive" in text_of(browser.post(url, data | {"addresses": "http://192.0.2.10:81"}))
    assert plan.target.addresses.count() == 2
    browser.post(url, data | {"addresses": "http://192.0.2.10:80"})
    assert [one.base for one in plan.target.addresses.all()] == ["http://192.0.2.10:80"]


def test_what_is_not_reached_by_ssh_keeps_no_destination(browser):
    browser.post(reverse("new-target"), TARGET | {"reach": "local", "ssh_destination": "web1", "identity_file": "/k"})
    assert (Target.objects.get().ssh_destination, Target.objects.get().identity_file) == ("", "")


def test_only_who_may_change_a_target_sees_how_it_is_reached():
    target = rows.target(reach="ssh", ssh_destination="bench@web1", identity_file="/keys/bench")
    assert "bench@web1" in text_of(client_of(rows.planner()).get(target.get_absolute_url()))
    seen = text_of(client_of(rows.user("run_plan")).get(target.get_absolute_url()))
    assert "bench@web1" not in seen and "/keys/bench" not in seen


def test_a_target_with_plans_is_not_deleted(browser):
    plan = rows.plan()
    answer = browser.post(reverse("delete-target", args=[plan.target_id]), follow=True)
    assert "is used by plans: Keep-alive" in text_of(answer)
    plan.delete()
    browser.post(reverse("delete-target", args=[plan.target_id]))
    assert not Target.objects.exists()


def test_a_load_generator_is_registered_changed_and_deleted(browser):
    data = {"name": "load1", "kind": "ssh", "ssh_destination": "bench@load1", "identity_file": "/keys/bench"}
    browser.post(reverse("new-generator"), data)
    made = LoadGenerator.objects.get()
    assert (made.queue, made.ssh_destination) == ("remote", "bench@load1")
    browser.post(reverse("edit-generator", args=[made.pk]), data | {"kind": "worker"})
    made.refresh_from_db()
    assert (made.queue, made.ssh_destination) == ("load.load1", "")
    assert "python manage.py worker --host load1" in text_of(browser.get(reverse("remote")))
    browser.post(reverse("delete-generator", args=[made.pk]))
    assert not LoadGenerator.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        *({"name": "load 1"}, {"name": "load;id"}, {"kind": ""}),
        *({"ssh_destination": "-F/tmp/x"}, {"ssh_destination": "root@169.254.169.254"}),
        *({"identity_file": "-oX"}, {"identity_file": "/proc/1/environ"}),
    ],
)
def test_a_load_generator_that_is_none_is_refused(browser, fields):
    data = {"name": "load1", "kind": "ssh", "ssh_destination": "load1", "identity_file": ""}
    assert browser.post(reverse("new-generator"), data | fields).status_code == 200
    assert not LoadGenerator.objects.exists()


def test_a_plan_is_written_and_shows_what_it_will_run(browser, planner):
    target = rows.target()
    answer = browser.post(reverse("new-plan"), plan_data(target), follow=True)
    plan = Plan.objects.get()
    assert (plan.levels, plan.created_by) == ([1, 10], planner)
    assert plan.headers == [["Accept-Language", "en"], ["Authorization", "Bearer {secret:API}"]]
    text = text_of(answer)
    assert "16 runs of ab" in text
    assert (
        "ab -n 100 -c 10 -k -s 30 -H 'Accept-Language: en' -H 'Authorization: Bearer {secret:API}' http://192.0.2.10:80/hello"
    ) in text
    assert "BENCHDASH_SECRET_API" in text


def test_the_only_target_and_generator_are_chosen_already(browser):
    rows.target()
    rows.generator()
    page = browser.get(reverse("new-plan")).content.decode()
    assert page.count("selected") >= 2


def test_of_several_targets_one_is_asked_for(browser):
    first, _ = rows.target(), rows.target("http://198.51.100.7:80")
    rows.generator()
    page = browser.get(reverse("new-plan"))
    assert "Choose a target:" in text_of(page)
    form = text_of(browser.get(f"{reverse('new-plan')}?target={first.pk}"))
    assert rows.BASE in form and "198.51.100.7" not in form


def test_no_plan_is_aimed_at_another_targets_address(browser):
    target, other = rows.target(), rows.target("http://198.51.100.7:80")
    data = plan_data(target) | {"address": str(other.addresses.get().pk)}
    answer = browser.post(f"{reverse('new-plan')}?target={target.pk}", data)
    assert "valid choice" in text_of(answer)
    assert not Plan.objects.exists()


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"levels": "1, many"}, "not a number of clients"),
        ({"levels": "500"}, "exceeds the maximum concurrency"),
        ({"requests": ""}, "either"),
        ({"path": "//evil.example/"}, "two slashes"),
        ({"headers": "Host: evil.example"}, "address of the target"),
        ({"headers": "Cookie: a=1"}, "BENCHDASH_SECRET_NAME"),
        ({"headers": "no colon"}, "has no colon"),
        ({"tool": "wrk"}, "needs a duration"),
        ({"tool": "sh"}, "valid choice"),
        (
            {"variants-0-name": "", "variants-0-keepalive": "", "variants-1-name": "", "variants-1-keepalive": ""},
            "1 to 20 variants",
        ),
        ({"variants-1-name": "off"}, "duplicate"),
        ({"variants-1-path": "x"}, "does not begin with a slash"),
    ],
)
def test_a_plan_that_must_not_run_is_not_saved_and_keeps_what_was_typed(browser, fields, word):
    target = rows.target()
    answer = browser.post(reverse("new-plan"), plan_data(target, **fields))
    assert word in text_of(answer)
    assert not Plan.objects.exists()
    assert fields.get("path", "/hello") in answer.content.decode()


def test_a_plan_is_changed_and_its_variants_swap_names(browser):
    plan = rows.plan()
    data = again_data(plan, name="Other", **{"variants-0-name": "on", "variants-1-name": "off"})
    browser.post(reverse("edit-plan", args=[plan.pk]), data)
    plan.refresh_from_db()
    assert plan.name == "Other"
    assert [(one.name, one.keepalive) for one in plan.variants.all()] == [("on", False), ("off", True)]


def test_a_variant_is_left_out_and_another_added(browser):
    plan = rows.plan()
    changes = {"variants-0-DELETE": "on", "variants-2-name": "third", "variants-2-keepalive": ""}
    browser.post(reverse("edit-plan", args=[plan.pk]), again_data(plan, **changes))
    assert [(one.name, one.keepalive) for one in plan.variants.all()] == [("on", True), ("third", None)]


def test_a_change_that_is_refused_leaves_the_plan_as_it_was(browser):
    plan = rows.plan()
    answer = browser.post(reverse("edit-plan", args=[plan.pk]), again_data(plan, name="Other", levels="9999"))
    assert "exceeds the maximum concurrency" in text_of(answer)
    plan.refresh_from_db()
    assert plan.name == "Keep-alive"
    assert [one.name for one in plan.variants.all()] == ["off", "on"]


def test_an_untouched_plan_stays_the_same(browser):
    plan = rows.plan(warmups=1, headers=[["Accept-Language", "en"], ["Authorization", "Bearer {secret:API}"]])
    before = validate_plan(plan)
    browser.post(reverse("edit-plan", args=[plan.pk]), again_data(plan))
    after = validate_plan(Plan.objects.get())
    assert (after.variants, after.headers, after.levels, after.requests) == (
        before.variants,
        before.headers,
        before.levels,
        before.requests,
    )


def test_a_bodys_lines_end_as_they_were_typed(browser):
    data = plan_data(rows.target(), method="POST", body="a=1\r\n b=2\r\n", content_type="text/plain")
    browser.post(reverse("new-plan"), data)
    assert Plan.objects.get().body == "a=1\n b=2\n"


def test_a_plan_that_has_become_impossible_says_why_and_offers_no_start(browser):
    plan = rows.plan()
    Target.objects.update(enabled=False)
    page = browser.get(plan.get_absolute_url())
    assert "disabled" in text_of(page)
    assert 'id="start"' not in page.content.decode()


def test_a_stored_run_fills_in_a_new_plan(browser):
    rows.target()
    rows.generator()
    config = factories.config(factories.experiment("MPMs"), "event")
    run = factories.run(config, factories.upload(), command="ab -n 77 -c 7 -k -l http://192.0.2.10/x?a=1")
    page = browser.get(f"/runs/{run.pk}/")
    assert f"{reverse('new-plan')}?run={run.pk}" in page.content.decode()
    form = browser.get(f"{reverse('new-plan')}?run={run.pk}")
    content = form.content.decode()
    assert 'value="77"' in content and 'value="/x?a=1"' in content and 'value="event"' in content
    assert "answers may differ in length" in text_of(form)


def test_the_next_runs_of_an_experiment_are_offered_where_a_load_generator_is(browser):
    experiment = factories.experiment("MPMs")
    for name, rate in (("event", 100), ("worker", 120)):
        config = factories.config(experiment, name)
        command = "ab -n 7700 -c 7 http://192.0.2.10/"  # of more than a minute, else longer runs are advised
        factories.run(config, factories.upload(), command=command, requests_per_second=rate)
    assert "Run it for me" not in text_of(browser.get(f"/experiments/{experiment.pk}/"))
    rows.generator()
    page = browser.get(f"/experiments/{experiment.pk}/")
    assert "Run it for me" in text_of(page)
    address = re.search(rf"{reverse('new-plan')}\?run=[\d,]+&(?:amp;)?repeats=\d+", page.content.decode())
    rows.target()
    form = browser.get(html.unescape(address[0])).content.decode()
    assert 'value="worker"' in form and 'value="event"' in form


def test_a_run_that_cannot_be_repeated_says_why(browser):
    config = factories.config(factories.experiment("MPMs"), "event")
    run = factories.run(config, factories.upload(), command="ab -n 77 http://198.51.100.7/")
    page = browser.get(f"{reverse('new-plan')}?run={run.pk}")
    assert "not an address of any target" in text_of(page)


def test_who_may_not_run_plans_is_not_offered_to_run_again():
    config = factories.config(factories.experiment("MPMs"), "event")
    run = factories.run(config, factories.upload(), command="ab -n 77 http://192.0.2.10/")
    assert "Run this again" not in text_of(client_of(rows.user("add_plan")).get(f"/runs/{run.pk}/"))


@pytest.mark.parametrize("query", ["run=x", "run=9", "target=x", "target=9", "run=9999999999999999999999"])
def test_an_odd_query_is_no_page(browser, query):
    rows.target()
    assert browser.get(f"{reverse('new-plan')}?{query}").status_code == 404


def test_a_plan_is_deleted(browser):
    plan = rows.plan()
    assert browser.post(reverse("delete-plan", args=[plan.pk]))["Location"] == reverse("remote")
    assert not Plan.objects.exists()


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (119.6, "120 s"), (600, "10 min"), (7200, "2 h"), (9600, "2 h 40 min")]
)
def test_a_time_is_told_as_exactly_as_it_is_known(seconds, words):
    assert duration(seconds) == words


def switch_data(argv: str) -> dict[str, str]:
    return {"target": str(rows.target().pk), "name": "config B", "argv": argv, "timeout_s": "30"}


def test_an_administrator_writes_a_switch():
    admin = client_of(rows.user("add_switch", "view_target", is_staff=True))
    admin.post(reverse("admin:remote_switch_add"), switch_data('["systemctl", "reload", "nginx"]'))
    assert Switch.objects.get().argv == ["systemctl", "reload", "nginx"]


@pytest.mark.parametrize(
    "argv",
    [
        '"reload nginx"',
        "[]",
        '[""]',
        '["systemctl", ""]',
        '["systemctl", 1]',
        '["../x"]',
        '["-x"]',
        '["a b"]',
        '["sh", "a\\nb"]',
        "{}",
    ],
)
def test_a_switch_that_is_no_list_of_words_is_refused(argv):
    admin = client_of(rows.user("add_switch", is_staff=True))
    assert admin.post(reverse("admin:remote_switch_add"), switch_data(argv)).status_code == 200
    assert not Switch.objects.exists()


def test_who_writes_plans_writes_no_switch(planner):
    planner.is_staff = True
    planner.save()
    assert client_of(planner).post(reverse("admin:remote_switch_add"), switch_data('["true"]')).status_code == 403
    assert not Switch.objects.exists()


def aimed_at(**fields: str) -> dict[str, str]:
    return TARGET | {"host_name": Target.objects.get().host.name, "reach": "ssh", "ssh_destination": "staging"} | fields


@pytest.mark.parametrize(
    "fields", [{"ssh_destination": "root@production"}, {"reach": "local"}, {"identity_file": "/home/other/key"}]
)
def test_a_switch_stays_with_the_machine_that_an_administrator_wrote_it_for(browser, fields):
    target = rows.target(reach="ssh", ssh_destination="staging")
    Switch.objects.create(target=target, name="B", argv=["systemctl", "restart", "nginx"])
    answer = browser.post(reverse("edit-target", args=[target.pk]), aimed_at(**fields))
    assert "were written for the current machine" in text_of(answer)
    target.refresh_from_db()
    assert (target.reach, target.ssh_destination, target.identity_file) == ("ssh", "staging", "")


def test_an_administrator_may_aim_a_target_with_switches_anew():
    target = rows.target(reach="ssh", ssh_destination="staging")
    Switch.objects.create(target=target, name="B", argv=["true"])
    client_of(rows.user("change_target", "change_switch")).post(
        reverse("edit-target", args=[target.pk]), aimed_at(ssh_destination="staging2")
    )
    target.refresh_from_db()
    assert target.ssh_destination == "staging2"


def test_the_rest_of_a_target_with_switches_is_its_registrars(browser):
    target = rows.target(reach="ssh", ssh_destination="staging")
    Switch.objects.create(target=target, name="B", argv=["true"])
    browser.post(reverse("edit-target", args=[target.pk]), aimed_at(most_requests="77"))
    target.refresh_from_db()
    assert target.most_requests == 77


def test_the_admin_writes_no_plan_and_no_target():
    admin = client_of(rows.user("add_plan", "add_target", "change_target", "add_job", is_staff=True))
    for model in ("plan", "target", "job", "loadgenerator"):
        assert admin.get(reverse(f"admin:remote_{model}_add")).status_code == 403


@pytest.mark.parametrize("name", ["remote", "plan", "target"])
def test_a_page_takes_as_many_queries_for_many_rows(browser, name, django_assert_num_queries):
    def fill(n: int) -> str:
        target = rows.target(*(f"http://192.0.2.10:{8000 + at}" for at in range(n)))
        plans = [rows.plan(tuple(f"v{at}" for at in range(n)), of=target) for _ in range(n)]
        return reverse(name, args=[] if name == "remote" else [plans[0].pk if name == "plan" else target.pk])

    url = fill(2)
    browser.get(url)
    with CaptureQueriesContext(connection) as few:
        browser.get(url)
    url = fill(9)
    with django_assert_num_queries(len(few)):
        browser.get(url)
