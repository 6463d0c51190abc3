"""Signing in and out: counted by account and address, and remembered with its time."""

from __future__ import annotations

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from dashboard import access


class SignIn(LoginView):
    """Template `account/login.html`; `wait_s` is how long a throttled person has to wait."""

    template_name = "account/login.html"

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        wait_s = access.wait_before_sign_in(self._account(), access.address_of(request))
        if not wait_s:
            return super().post(request, *args, **kwargs)
        context = self.get_context_data(form=self.get_form_class()(request), wait_s=wait_s)
        answer = self.render_to_response(context, status=429)
        answer.headers["Retry-After"] = str(wait_s)
        return answer

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        access.forget_failures(self._account(), access.address_of(self.request))
        answer = super().form_valid(form)
        access.mark_sign_in(self.request)
        return answer

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        access.count_failure(self._account(), access.address_of(self.request))
        return self.render_to_response(self.get_context_data(form=form), status=422)

    def _account(self) -> str:
        return self.request.POST.get("username", "")[:254]
