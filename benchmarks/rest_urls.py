"""The site and, beside it, the least that a JSON view with one insert can be: what uploads by REST are compared with."""

from __future__ import annotations

import json

from django.contrib.auth.decorators import login_not_required
from django.db import models
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

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


def insert_one(body: bytes) -> dict[str, object]:
    """One row from a JSON body {"tool", "rate"}, and what is answered."""
    given = json.loads(body)
    row = Reference(tool=given["tool"], rate=given["rate"])
    row.save()
    return {"id": row.pk, "tool": row.tool, "rate": row.rate}


@csrf_exempt
@login_not_required
def reference(request: HttpRequest) -> JsonResponse:
    """Neither token nor limit nor transaction around it."""
    return JsonResponse(insert_one(request.body), status=201)


class BehindTheDoor(APIView):
    """The same as the API has it: with its token, its limits and its JSON."""

    def post(self, request: Request) -> Response:
        return Response(insert_one(request.body), 201)


urlpatterns = [path("reference/", reference), path("reference/token/", BehindTheDoor.as_view()), *site]
