"""`/api/v1`: for runtimes and machines. Tokens ask, send and read; they never answer a gate."""

from __future__ import annotations

from typing import Any

from ninja import NinjaAPI, Swagger

from dashboard.api import calls, gates, judging, receive, runs
from dashboard.api.parsing import StrictParser
from dashboard.api.problems import install

JSON, PROBLEM_JSON = "application/json", "application/problem+json"


class Api(NinjaAPI):
    """Says in its schema that errors have a media type of their own."""

    def get_openapi_schema(self, *args: Any, **more: Any) -> dict[str, Any]:
        schema = super().get_openapi_schema(*args, **more)
        for methods in schema["paths"].values():
            for operation in methods.values():
                for answer in operation["responses"].values():
                    _name_problems(answer.get("content", {}))
        return schema


def _name_problems(content: dict[str, Any]) -> None:
    if content.get(JSON, {}).get("schema", {}).get("$ref", "").endswith("/Problem"):
        content[PROBLEM_JSON] = content.pop(JSON)


api = Api(
    title="Journal Guard",
    version="1",
    description=(
        "Send journals of agent runs, ask before an irreversible effect, read verdicts. "
        "Every error is `application/problem+json` with a stable `code`."
    ),
    urls_namespace="api",
    docs=Swagger(settings={"persistAuthorization": False, "validatorUrl": None}),
    parser=StrictParser(),
)
api.add_router("", runs.router)
api.add_router("", receive.router)
api.add_router("", judging.router)
api.add_router("", calls.router)
api.add_router("", gates.router)
install(api)

__all__ = ["api"]
