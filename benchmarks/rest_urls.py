"""The site and, beside it, the least that a JSON view with one insert can be: what uploads by REST are compared with."""

from __future__ import annotations

import json

from django.contrib.auth.decorators import login_not_required
from django.db import models
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from benchdash.urls import urlpatterns as site

TABLE = "CREATE TABLE reference (id bigserial PRIMARY KEY, tool text NOT NULL, rate float8 NOT NULL)"


class Reference(models.Model):
    """The row that the view inserts; its table is made by the benchmark."""

    tool = models.TextField()
    rate = models.FloatField()

    class Meta:
        app_label = "runs"
        db_table = "reference"
        managed = False

    def __str__(self) -> str:
        return f"{self.tool} {self.rate}"


@csrf_exempt
@login_not_required
def reference(request: HttpRequest) -> JsonResponse:
    """One row from a JSON body {"tool", "rate"}; neither token nor limit nor transaction around it."""
    given = json.loads(request.body)
    row = Reference(tool=given["tool"], rate=given["rate"])
    row.save()
    return JsonResponse({"id": row.pk, "tool": row.tool, "rate": row.rate}, status=201)


urlpatterns = [path("reference/", reference), *site]
