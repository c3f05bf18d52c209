"""The API's addresses, under /api/v1/."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView
from rest_framework.routers import SimpleRouter

from runs.api import uploads, views
from runs.remote import api as remote_api

router = SimpleRouter()
for name, view in {
    "run": views.RunViews,
    "host": views.HostViews,
    "config": views.ConfigViews,
    "experiment": views.ExperimentViews,
    "upload": uploads.UploadViews,
    "capture": views.CaptureViews,
    "plan": remote_api.PlanViews,
    "job": remote_api.JobViews,
    "target": remote_api.TargetViews,
    "generator": remote_api.GeneratorViews,
}.items():
    router.register(f"{name}s", view, basename=f"api-{name}")

urlpatterns = [
    path("compare/", views.CompareView.as_view(), name="api-compare"),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    *router.urls,
]
