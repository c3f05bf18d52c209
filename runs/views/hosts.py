"""The list of hosts, and the page of one with its experiments."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from runs.analysis.columns import compare_hosts
from runs.analysis.export import Sheet
from runs.models import Host
from runs.page_formats import respond
from runs.selectors import lists, summaries

HOST_PAGE_SIZE = 12  # experiments
COLUMNS = ("id", "name", "cpu_model", "cores", "mhz", "ram_kb", "swap_kb", "os", "kernel", "runs")


def host_list(request: HttpRequest, fmt: str = "") -> HttpResponse:
    page = lists.paginate(request.GET, Host.objects.all())
    rows = tuple((*(getattr(host, name) for name in COLUMNS[:-1]), host.n_runs) for host in page.rows)
    return respond(request, "hosts.html", {"page": page}, Sheet("Hosts", COLUMNS, rows), fmt=fmt)


def host_detail(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    host = get_object_or_404(Host, pk=pk)
    _, properties = compare_hosts([vars(host)])
    experiments = summaries.select_experiments(HOST_PAGE_SIZE + 1, lists.id_after(request.GET), host=host)
    page = lists.make_page(request.GET, experiments, size=HOST_PAGE_SIZE)
    alike = Host.objects.filter(fingerprint=host.fingerprint).exclude(pk=pk)[:20] if host.fingerprint else []
    context = {"host": host, "properties": properties, "alike": list(alike)}
    context |= {"summaries": summaries.summarize(page.rows), "page": page}
    rows = tuple(properties)
    return respond(request, "host.html", context, Sheet(f"Host {host.name}", ("name", "value"), rows), fmt=fmt)
