"""An experiment's page: the page that a blog post would be. compare.py shows any selection in the same way."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404

from runs import excerpts, reads
from runs.analysis import differences, sheet, summary, table, textdiff
from runs.models import Experiment
from runs.views.answer import answer
from runs.views.charts import all_charts, lines, wants_log

MOST_OPTIONS = 1000


def experiment(request: HttpRequest, pk: int, fmt: str = "") -> HttpResponse:
    found = get_object_or_404(Experiment.objects.select_related("host"), pk=pk)
    material = reads.of_experiment(found)
    context, comparison = comparison_context(request, material)
    context |= {
        "experiment": found,
        "title": found.name,
        "excerpts": excerpts.of_experiment(found.pk),
        "configs": material.setups,
    }
    payload = {"id": found.pk, "name": found.name, "url": found.get_absolute_url()} | context["payload"]
    flat = sheet.of_comparison(found.name, comparison)
    markdown = sheet.for_people(found.name, comparison, context["sentence"])
    return answer(request, "experiment.html", context, flat, fmt=fmt, payload=payload, markdown=markdown)


def comparison_context(request: HttpRequest, material: reads.Material) -> tuple[dict[str, Any], table.Comparison]:
    """Everything that the parts of a comparison page need, and the comparison itself."""
    comparison = table.compare(material.setups, material.runs, material.looks)
    asked = request.GET.get("y", "")
    differ, same = differences.of_columns(comparison.columns)
    hosts_differ, hosts_same = differences.of_hosts([vars(host) for host in material.hosts])
    remarks = summary.remarks(comparison, material.looks)
    sentence = summary.sentence(comparison)
    return {
        "comparison": comparison,
        "sentence": sentence,
        "remarks": remarks,
        "charts": all_charts(comparison, material.looks, asked=asked),
        "log": wants_log(asked, lines(comparison)),
        "differ": differ,
        "same": same,
        "hosts": material.hosts,
        "hosts_differ": hosts_differ,
        "hosts_same": hosts_same,
        "texts": material.texts,
        "diffs": textdiff.of_texts(
            [setup.id for setup in material.setups],
            [textdiff.Text(text.config_id, text.path, text.text) for text in material.texts],
        ),
        "setup_names": {setup.id: setup.name for setup in material.setups},
        # A select of every config in every row grows with their product; beyond this a run is moved on its own page.
        "movable": len(material.runs) * len(material.setups) <= MOST_OPTIONS,
        "runs": material.runs,
        "looks": material.looks,
        "payload": {
            "summary": sentence,
            "remarks": [{"text": remark.text, "source": remark.source} for remark in remarks],
        }
        | sheet.structure(comparison),
    }, comparison
