"""What every answer carries, and what no request may bring."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable

from asgiref.sync import sync_to_async
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.core.handlers.asgi import ASGIRequest
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile

from dashboard.api.problems import problem

# The second hash is that of an empty style element, which plotly adds for its toolbar.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
OPEN_PATHS = ("/api/v1/", "/v1/", "/healthz", "/readyz", "/metrics", "/login", "/static/")


class SecurityHeaders(MiddlewareMixin):
    """Adds the content security policy; pages with what people wrote are not kept by anyone."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if not request.path.startswith("/static/"):
            response.headers.setdefault("Cache-Control", "no-store")
        return response


class PlainAddresses(MiddlewareMixin):
    """Refuses NUL in an address: no id holds one, and PostgreSQL cannot compare it."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if "\x00" not in request.path and "%00" not in request.META.get("QUERY_STRING", ""):
            return None
        text = "NUL in the address"
        if request.path.startswith("/api/"):
            return problem(400, "address", text)
        return HttpResponse(f"{text}\n", status=400, content_type="text/plain")


class StaticFiles(WhiteNoiseMiddleware):
    """Hands a file to an asynchronous server in the form it wants, read in a thread."""

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> FileResponse:
        response = WhiteNoiseMiddleware.serve(static_file, request)
        if isinstance(request, ASGIRequest):
            response.streaming_content = _read(response.streaming_content)
        return response


async def _read(blocks: Iterable[bytes]) -> AsyncIterator[bytes]:
    for block in await sync_to_async(list)(blocks):
        yield block


class SignInRequired(LoginRequiredMiddleware):
    """Every page needs a sign-in, unless it is one of the few that cannot have one."""

    def process_view(self, request, view_func, view_args, view_kwargs):  # type: ignore[no-untyped-def]
        if request.path.startswith(OPEN_PATHS):
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)
