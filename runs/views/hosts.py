"""The list of hosts."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from runs.analysis.sheet import Sheet
from runs.models import Host
from runs.selectors.lists import paginate
from runs.views.answer import answer

COLUMNS = ("id", "name", "cpu_model", "cores", "mhz", "ram_kb", "swap_kb", "os", "kernel", "runs")


def host_list(request: HttpRequest, fmt: str = "") -> HttpResponse:
    page = paginate(request.GET, Host.objects.all())
    rows = tuple(
        (host.pk, host.name, host.cpu_model, host.cores, host.mhz, host.ram_kb, host.swap_kb, host.os, host.kernel)
        + (host.n_runs,)
        for host in page.rows
    )
    return answer(request, "hosts.html", {"page": page}, Sheet("Hosts", COLUMNS, rows), fmt=fmt)
