"""Vendored files are what their list says; pages ask no other host for anything."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient

ROOT = Path(__file__).parent.parent.parent.parent
VENDOR = ROOT / "static" / "vendor"
LISTED = re.findall(
    r"^\| `([^`]+)` \|.*`([0-9a-f]{64})` \|$", (VENDOR / "README.md").read_text(), re.MULTILINE
)
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
PARTLY_OURS = {"cases/file.html"}


@pytest.mark.parametrize(("name", "digest"), LISTED)
def test_a_vendored_file_is_the_one_that_was_taken(name: str, digest: str) -> None:
    assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == digest


def test_every_vendored_script_is_listed() -> None:
    assert {path.name for path in VENDOR.glob("*.js")} == {name for name, _ in LISTED}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_template_has_no_inline_script_style_or_foreign_address(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"\son\w+\s*=", text)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", text)
    if str(path.relative_to(ROOT / "templates")) not in PARTLY_OURS:
        assert " style=" not in text
        assert "<style" not in text


def test_every_link_that_htmx_follows_is_a_plain_link_too() -> None:
    for path in TEMPLATES:
        for tag in re.findall(r"<a\b[^>]*hx-get[^>]*>", path.read_text()):
            assert "href=" in tag, path


def test_no_colour_stands_outside_the_tokens() -> None:
    css = (ROOT / "static/css/app.css").read_text() + (ROOT / "static/css/plot.css").read_text()
    assert set(re.findall(r"#[0-9a-fA-F]{3,8}\b", css)) <= {"#000", "#fff"}


@pytest.mark.filterwarnings("error")
def test_an_asynchronous_server_gets_a_file_in_the_form_it_wants() -> None:
    async def read() -> tuple[bool, bytes]:
        answer = await AsyncClient().get("/static/js/app.js")
        return answer.is_async, b"".join([block async for block in answer.streaming_content])

    is_async, data = async_to_sync(read)()
    assert is_async
    assert data == (ROOT / "static/js/app.js").read_bytes()
