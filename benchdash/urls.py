"""Every address of the site but /healthz, which asgi.py answers."""

from django.contrib import admin
from django.urls import include, path

from benchdash.views import readyz

urlpatterns = [
    path("readyz", readyz, name="readyz"),
    path("admin/", admin.site.urls),
    path("api/v1/", include("runs.api.urls")),
    path("", include("runs.urls")),
    path("", include("runs.remote.urls")),
]

handler400 = "benchdash.views.bad_request"
handler403 = "benchdash.views.permission_denied"
handler404 = "benchdash.views.page_not_found"
handler500 = "benchdash.views.server_error"
