"""The pages' addresses. A page that shows data also answers with .json, .csv or .md before its final slash or query."""

from __future__ import annotations

from django.urls import path, re_path

from runs.accounts import views as accounts
from runs.database import ID
from runs.responses import page_routes
from runs.views import api, experiments, manage, runs, uploads

TREND = r"trends/(?P<fingerprint>[-\w]{1,64})"
MANAGED = rf"(?P<of>experiments|configs|runs|hosts|uploads)/(?P<pk>{ID})/"
OVER_TIME = rf"^(?P<kind>captures|runs)/(?P<pk>{ID})/figures/(?P<what>\w{{1,40}})\.(?P<fmt>json|csv|svg|html)$"

urlpatterns = [
    path("", uploads.home, name="home"),
    path("api/", api.api, name="api"),
    path("search/", experiments.search, name="search"),
    path("bd", api.client, name="client"),
    path("preview/", uploads.preview, name="preview"),
    path("uploads/send/", uploads.send_file, name="send"),
    *page_routes("experiments/", experiments.experiment_list, "experiments"),
    *page_routes("experiments/<pk>/", experiments.experiment_detail, "experiment", ("html",)),
    path("experiments/<id:pk>/<slug:what>.svg", experiments.experiment_picture, name="experiment-picture"),
    *page_routes("compare/", experiments.compare, "compare", ("html",)),
    path("compare/<slug:what>.svg", experiments.compare_picture, name="compare-picture"),
    *page_routes("runs/", runs.run_list, "runs"),
    *page_routes("runs/<pk>/", runs.run_detail, "run"),
    path("runs/<id:pk>/latency.svg", runs.run_picture, name="run-picture"),
    *page_routes("hosts/", experiments.host_list, "hosts"),
    *page_routes("hosts/<pk>/", experiments.host_detail, "host"),
    *page_routes("configs/<pk>/", experiments.config_detail, "config"),
    *page_routes("trends/", runs.trend_list, "trends"),
    path("trends/<slug:fingerprint>/", runs.trend, name="trend"),
    re_path(rf"^{TREND}/?\.(?P<fmt>json|csv|md)/?$", runs.trend, name="trend-as"),
    *page_routes("uploads/", uploads.upload_list, "uploads"),
    *page_routes("uploads/<pk>/", uploads.upload_detail, "upload"),
    path("uploads/<id:pk>/reading/", uploads.upload_progress, name="upload-reading"),
    *page_routes("captures/<pk>/", runs.capture_detail, "capture"),
    re_path(OVER_TIME, runs.figure, name="over-time"),
    re_path(rf"^{MANAGED}manage/$", manage.manage, name="manage"),
    re_path(rf"^{MANAGED}delete/$", manage.delete, name="delete"),
    path("undo/", manage.undo, name="undo"),
    path("samples/put-away/", manage.put_away_samples, name="put-away-samples"),
    path("bin/", manage.show_bin, name="bin"),
    path("bin/<id:pk>/restore/", manage.restore, name="restore"),
    path("bin/<id:pk>/purge/", manage.purge, name="purge"),
    path("overrides/", manage.override_doubt, name="overrule"),
    path("overrides/<id:pk>/withdraw/", manage.withdraw_override, name="withdraw"),
    path("uploads/<id:pk>/redact/", manage.black_out, name="black-out"),
    path("uploads/<id:pk>/cancel/", manage.cancel_upload, name="cancel-upload"),
    path("captures/<id:pk>/move/", manage.move_capture, name="move-capture"),
    path("login/", accounts.Login.as_view(), name="login"),
    path("logout/", accounts.Logout.as_view(), name="logout"),
    path("password/", accounts.PasswordChange.as_view(), name="password"),
    path("tokens/", accounts.tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", accounts.revoke, name="token-revoke"),
]
