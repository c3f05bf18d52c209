"""Log in, log out, API tokens."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from runs.access import views

urlpatterns = [
    path("login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", views.revoke, name="token-revoke"),
]
