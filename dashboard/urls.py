"""Where everything is. Pages stand in `page_urls.py`, the API in `api/`."""

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import include, path

from dashboard import health
from dashboard.api import api, otlp
from dashboard.signin import SignIn

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("login/", SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("api/v1/", api.urls),
    path("v1/traces", otlp.traces, name="otlp_traces"),
    path("v1/logs", otlp.logs, name="otlp_logs"),
    path("", include("dashboard.page_urls")),
]
