"""OTLP over HTTP, as an exporter speaks it: taken once, answered by the book, judged as a run."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from dashboard import working
from dashboard.models import Chunk, File, Job, Redaction, Run, Source, Verdict
from tests.dashboard.making import incident

pytestmark = pytest.mark.django_db
SAMPLES = Path(__file__).parent.parent / "samples" / "otlp"
TRACES = (SAMPLES / "constructed-genai-compaction.traces.json").read_bytes()
PACKED = (SAMPLES / "constructed-genai-compaction.traces.pb").read_bytes()
LOGS = (SAMPLES / "constructed-codex-decisions.logs.pb").read_bytes()
JSON, PROTOBUF = "application/json", "application/x-protobuf"


@pytest.fixture
def export(token: Callable[[str], str]) -> Callable[..., Any]:
    secret = token("ingest")

    def send(body: bytes, kind: str = "traces", media: str = JSON, **headers: str) -> Any:
        sent = {"authorization": f"Bearer {secret}"} | headers
        sent = {name.replace("_", "-"): value for name, value in sent.items()}
        return Client().post(f"/v1/{kind}", body, content_type=media, headers=sent)

    return send


def span(name: str = "chat", trace: str = "0a" * 16, **attributes: str) -> dict[str, Any]:
    pairs = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return {"traceId": trace, "spanId": "0b" * 8, "name": name, "attributes": pairs}


def body(*spans: dict[str, Any]) -> bytes:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [*spans]}]}]}).encode()


def judged() -> list[Verdict]:
    for job in Job.objects.filter(state=Job.State.PENDING):
        assert working.work_on(job.pk)
    return list(Verdict.objects.filter(current=True))


@pytest.mark.parametrize(
    ("data", "kind", "media"),
    [(TRACES, "traces", JSON), (PACKED, "traces", PROTOBUF), (LOGS, "logs", PROTOBUF)],
)
@pytest.mark.parametrize("packing", ["", "gzip"])
def test_a_body_becomes_a_judged_run_once(
    export: Callable[..., Any], data: bytes, kind: str, media: str, packing: str
) -> None:
    sent = gzip.compress(data) if packing else data
    headers = {"content_encoding": packing} if packing else {}
    for _ in range(2):
        answer = export(sent, kind, media, **headers)
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, media)
        assert answer.content in {b"{}", b""}
    assert Chunk.objects.count() == Run.objects.count() == 1
    (verdict,) = judged()
    assert verdict.events > 1
    assert File.objects.get().adapter == "otlp"


def test_json_and_protobuf_of_the_same_spans_are_the_same_run(export: Callable[..., Any]) -> None:
    export(TRACES)
    export(PACKED, media=PROTOBUF)
    assert Run.objects.count() == 1
    assert Job.objects.count() == 1


def test_each_conversation_and_each_trace_without_one_is_a_run(export: Callable[..., Any]) -> None:
    chat = {"gen_ai.operation.name": "chat"}
    answer = export(
        body(
            span(trace="01" * 16, **chat, **{"gen_ai.conversation.id": "c1"}),
            span("tool", trace="01" * 16),
            span(trace="02" * 16, **chat),
            span(trace="03" * 16, **chat, **{"session.id": "c1"}),
        )
    )
    assert answer.content == b"{}"
    assert {run.external_id for run in Run.objects.all()} == {"c1", "02" * 16}
    export(body(span("later", trace="02" * 16, **chat)))
    assert Run.objects.count() == 2
    assert File.objects.get(run__external_id="02" * 16).chunks.count() == 2


def test_what_is_of_no_agent_is_told_as_partial_success(export: Callable[..., Any]) -> None:
    web = [span("GET /", trace="09" * 16, **{"http.method": "GET"}) for _ in range(3)]
    chat = span(**{"gen_ai.operation.name": "chat"})
    told = export(body(*web, chat)).json()["partialSuccess"]
    assert told["rejectedSpans"] == "3"
    assert "no agent" in told["errorMessage"]
    sent = ExportTraceServiceRequest()
    packed = sent.resource_spans.add().scope_spans.add().spans.add(name="GET /")
    packed.trace_id, packed.span_id = b"\x09" * 16, b"\x0b" * 8
    answer = export(sent.SerializeToString(), media=PROTOBUF)
    answer = ExportTraceServiceResponse.FromString(answer.content)
    assert answer.partial_success.rejected_spans == 1
    assert Run.objects.count() == 1


def test_a_live_run_takes_no_telemetry_and_says_so(
    export: Callable[..., Any], token: Callable[[str], str]
) -> None:
    headers = {"authorization": f"Bearer {token('ingest')}"}
    opened = Client().post(
        "/api/v1/runs/c1/events", incident("c1"), "application/x-ndjson", headers=headers
    )
    assert opened.status_code == 202
    told = export(body(span(**{"gen_ai.conversation.id": "c1"}))).json()["partialSuccess"]
    assert told["rejectedSpans"] == "1"
    assert "event by event" in told["errorMessage"]


@pytest.mark.parametrize(
    ("data", "kind", "media", "headers", "status"),
    [
        (b"{", "traces", JSON, {}, 400),
        (b"[]", "traces", JSON, {}, 400),
        (b"[" * 100_000, "traces", JSON, {}, 400),
        (b'{"resourceLogs": []}', "traces", JSON, {}, 400),
        (b'{"a": "\\ud800"}', "traces", JSON, {}, 400),
        (b"\xff\xff\xff", "traces", PROTOBUF, {}, 400),
        (TRACES, "traces", "text/plain", {}, 415),
        (TRACES, "traces", JSON, {"content_encoding": "br"}, 415),
        (b"not gzip", "traces", JSON, {"content_encoding": "gzip"}, 400),
        (TRACES, "traces", JSON, {"authorization": "Bearer jg_wrong"}, 401),
        (TRACES, "traces", JSON, {"authorization": ""}, 401),
        (TRACES, "metrics", JSON, {}, 404),
    ],
)
def test_what_is_refused_is_stored_nowhere(
    export: Callable[..., Any],
    data: bytes,
    kind: str,
    media: str,
    headers: dict[str, str],
    status: int,
) -> None:
    answer = export(data, kind, media, **headers)
    assert answer.status_code == status
    if status in {400, 401} and media == JSON:
        assert answer.json()["message"]
    assert not Run.objects.exists()


def test_a_token_that_may_not_send_is_refused(token: Callable[[str], str]) -> None:
    headers = {"authorization": f"Bearer {token('read')}"}
    assert Client().post("/v1/traces", TRACES, JSON, headers=headers).status_code == 403
    assert Client().get("/v1/traces").status_code == 405


def test_a_refusal_in_protobuf_is_a_status_with_a_message(export: Callable[..., Any]) -> None:
    answer = export(TRACES, media=PROTOBUF, content_encoding="br")
    assert answer.headers["Content-Type"] == PROTOBUF
    # Field 2 of `google.rpc.Status` is its message, as field 2 of a partial success is.
    told = ExportLogsServiceResponse().partial_success.FromString(answer.content)
    assert "packing" in told.error_message


def test_secrets_are_taken_out_of_telemetry_too(export: Callable[..., Any]) -> None:
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9"
    export(body(span(**{"gen_ai.prompt": f"use {secret}"})))
    export(body(span(**{"gen_ai.prompt": f"use {secret}"})))
    assert Redaction.objects.get().counts == {"github-token": 1}


def test_telemetry_beside_a_session_file_spoils_nothing(
    export: Callable[..., Any], source: Source
) -> None:
    from dashboard import ingest

    sample = SAMPLES.parent / "pi" / "constructed-v3-tree-compaction.jsonl"
    ingest.receive(source, "c1", sample.name, 0, sample.read_bytes())
    (before,) = judged()
    export(body(span(**{"gen_ai.conversation.id": "c1"})))
    (after,) = judged()
    assert (after.events, after.integrity) == (before.events, before.integrity)
