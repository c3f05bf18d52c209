"""axe-core finds nothing serious on any page, light and dark, and none is wider than a phone."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from runs.management.commands.first_start import load_samples
from runs.models import Capture, Config, Experiment, Host, Run, TrendLine, Upload
from runs.tests.pages.test_browser import _static, chromium, no_sideways_scroll, page  # noqa: F401  (fixtures)

MODELS = (Experiment, Run, Config, Host, Upload, Capture)
SERIOUS = {"serious", "critical"}


@pytest.fixture
def everything(page: Any) -> list[str]:  # noqa: F811
    """The address of every kind of page, with the samples stored."""
    load_samples()
    things: list[Any] = [model.objects.order_by("pk").first() for model in MODELS]
    line = TrendLine.objects.get(pk=TrendLine.objects.values("pk")[:1])
    pages = ["/", "/experiments/", "/experiments/?archived=1", "/runs/", "/hosts/", "/trends/", "/uploads/", "/bin/"]
    pages += ["/search/?q=ab", "/search/?q=nothing-like-it", "/api/", "/tokens/", "/password/", "/remote/"]
    pages += [thing.get_absolute_url() for thing in things] + [f"/trends/{line.fingerprint}/"]
    pages += [f"/experiments/{things[0].pk + 3}/"]
    return [*pages, f"/compare/?experiments={things[0].pk},{things[0].pk + 1}", f"/runs/{things[1].pk}/manage/"]


def complaints(page: Any) -> list[str]:  # noqa: F811
    found = Axe().run(page).response["violations"]
    return [
        f"{page.url}: {one['id']} ({one['impact']}): {node['html'][:160]}"
        for one in found
        if one["impact"] in SERIOUS
        for node in one["nodes"][:3]
    ]


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (400, "dark")])
def test_no_page_has_a_serious_fault(page, everything, live_server, width, scheme):  # noqa: F811
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    found = []
    for url in dict.fromkeys(everything):
        page.goto(live_server.url + url)
        found += complaints(page)
        found += [] if no_sideways_scroll(page) else [f"{url} is wider than the window"]
    assert found == []


def test_lists_and_legends_are_printed(page, everything, live_server):  # noqa: F811
    page.emulate_media(media="print")
    for url in ("/experiments/", "/runs/", "/hosts/", "/uploads/"):
        page.goto(live_server.url + url)
        assert page.locator("main :is(.exp, tbody tr)").first.is_visible(), url
        assert not page.locator("main :is(button, select):visible").count(), url
    page.goto(live_server.url + Experiment.objects.order_by("pk")[1].get_absolute_url())
    assert page.locator(".chart-key :is(span, button):visible").count()


MOST_TAB_STOPS = 60
# What Tab reaches with all sections folded: shown, not taken out of the order, not inside a closed <details>.
TAB_STOPS = """() => [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')].filter(
  (one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ visibilityProperty: true }) &&
    !(one.parentElement.closest('details:not([open])') && !one.matches('details > summary:first-child')) &&
    !(one.parentElement.closest('details')?.parentElement.closest('details:not([open])'))
).length"""


def test_the_end_of_an_experiment_page_is_at_most_60_tab_stops_away(page, live_server):  # noqa: F811
    load_samples()
    found = {}
    for made in Experiment.objects.all():
        page.goto(live_server.url + made.get_absolute_url())
        found[made.name] = page.evaluate(TAB_STOPS)
    assert found
    assert {name: n for name, n in found.items() if n > MOST_TAB_STOPS} == {}
