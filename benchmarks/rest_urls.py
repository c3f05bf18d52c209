"""The site and, beside it, what uploads by REST are compared with: a trivial view of the API, and the least that one can be."""

from __future__ import annotations

import json

from django.contrib.auth.decorators import login_not_required
from django.db import models
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from rest_framework import serializers
from rest_framework.generics import CreateAPIView
from rest_framework.parsers import JSONParser

from benchdash.urls import urlpatterns as site

TABLE = "CREATE TABLE reference (id bigserial PRIMARY KEY, tool text NOT NULL, rate float8 NOT NULL)"


class Reference(models.Model):
    """The row that both views insert; its table is made by the benchmark."""

    tool = models.TextField()
    rate = models.FloatField()

    class Meta:
        app_label = "runs"
        db_table = "reference"
        managed = False

    def __str__(self) -> str:
        return f"{self.tool} {self.rate}"


class ReferenceSerializer(serializers.ModelSerializer[Reference]):
    class Meta:
        model = Reference
        fields = ("id", "tool", "rate")


class Trivial(CreateAPIView[Reference]):
    """As one writes it here: with the token, the limits and the JSON that the API has everywhere, and one insert."""

    queryset = Reference._default_manager.all()
    serializer_class = ReferenceSerializer
    parser_classes = (JSONParser,)


@csrf_exempt
@login_not_required
def bare(request: HttpRequest) -> JsonResponse:
    """The same insert with neither token nor limit nor a look at what came."""
    given = json.loads(request.body)
    row = Reference(tool=given["tool"], rate=given["rate"])
    row.save()
    return JsonResponse({"id": row.pk, "tool": row.tool, "rate": row.rate}, status=201)


urlpatterns = [path("reference/", Trivial.as_view()), path("reference/bare/", bare), *site]
