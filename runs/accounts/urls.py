"""Log in, log out, password, API tokens."""

from django.contrib.auth.views import PasswordChangeView
from django.urls import path, reverse_lazy

from runs.accounts import views

urlpatterns = [
    path("login/", views.Login.as_view(), name="login"),
    path("logout/", views.Logout.as_view(), name="logout"),
    path("password/", PasswordChangeView.as_view(success_url=reverse_lazy("home")), name="password"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", views.revoke, name="token-revoke"),
]
