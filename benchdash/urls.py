"""Every address of the site but /healthz, which asgi.py answers; those of the API are under /api/v1/."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView
from rest_framework.routers import SimpleRouter

from benchdash.views import readyz
from runs.accounts.views import log_in_to_admin
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

admin.autodiscover()

urlpatterns = [
    path("readyz", readyz, name="readyz"),
    path("admin/login/", log_in_to_admin),
    path("admin/password_change/", RedirectView.as_view(pattern_name="password")),  # which counts wrong ones
    path("admin/", admin.site.urls),
    path("api/v1/compare/", views.CompareView.as_view(), name="api-compare"),
    path("api/v1/schema/", views.SchemaView.as_view(), name="api-schema"),
    path("api/v1/", include(router.urls)),
    path("", include("runs.urls")),
    path("", include("runs.remote.urls")),
]

handler400 = "benchdash.views.bad_request"
handler403 = "benchdash.views.permission_denied"
handler404 = "benchdash.views.page_not_found"
handler500 = "benchdash.views.server_error"
