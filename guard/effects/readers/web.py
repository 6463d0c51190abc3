"""Command-line HTTP clients: curl, wget, httpie."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guard.effects.commands import Command, Running
from guard.effects.http import address, request
from guard.effects.model import Part, opaque, read
from guard.effects.options import Argv
from guard.effects.places import file_part

_DATA = (
    "-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json",
    "-F", "--form", "--form-string", "--url-query-body",
)  # fmt: skip
_SAVES = ("-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--trace-ascii")
_NAMES = ("-O", "--remote-name", "--remote-name-all", "-J", "--remote-header-name")
_METHOD = re.compile(r"[A-Z]+")
_ITEM = re.compile(r"[^\s:=@]*(:=|==|=|:|@)")


def curl(run: Running) -> list[Part]:
    """curl: every URL once, plus the files it writes."""
    if run.argv.has("-K") or run.argv.has("--config"):
        return [_hidden("curl --config", run.command)]
    urls = [*run.argv.values("--url"), *run.argv.positionals]
    if not urls:
        return [read("no address: it prints usage", "curl", summary=run.command.text)]
    parts = [_curl_request(url, run.command, run.argv) for url in urls]
    saved = run.argv.values(*_SAVES)
    if any(run.argv.has(name) for name in _NAMES):
        saved.append(urls[-1].rsplit("/", 1)[-1] or "download")
    return parts + _saved(saved, "curl writes what it gets into a file", "curl -o", run.command)


def _curl_request(url: str, command: Command, argv: Argv) -> Part:
    summary = command.text
    if argv.has("--unix-socket"):
        return _socket(argv, summary)
    scheme = url.split("://", 1)[0].lower() if "://" in url else "http"
    if scheme in {"smtp", "smtps"}:
        return Part(True, "irreversible", "message", "proven", "sends mail", "curl: smtp", summary)
    body = _body(command, argv)
    if scheme in {"file", "dict", "gopher"}:
        return read("reads a local or dictionary address", f"curl: {scheme}", summary=summary)
    if scheme in {"ftp", "ftps", "sftp", "scp"}:
        acts = argv.has("-T") or argv.has("--upload-file") or argv.has("-Q") or argv.has("--quote")
        return request("PUT" if acts else "GET", url, summary=summary)
    return request(_curl_method(argv), url, body, summary=summary)


def _curl_method(argv: Argv) -> str:
    named = argv.value("-X", "--request")
    if named is not None:
        return named
    if argv.has("-I") or argv.has("--head") or argv.has("-G") or argv.has("--get"):
        return "GET"
    if argv.has("-T") or argv.has("--upload-file"):
        return "PUT"
    return "POST" if any(argv.has(name) for name in _DATA) else "GET"


def _body(command: Command, argv: Argv) -> str:
    body = "&".join(argv.values(*_DATA))
    return command.stdin.text if body in {"@-", "-"} else body


def _socket(argv: Argv, summary: str) -> Part:
    method = _curl_method(argv).upper()
    if method in {"GET", "HEAD"}:
        return read("asks a local socket", "curl --unix-socket", summary=summary)
    why = f"{method} to a local service"
    return Part(True, "unknown", "host", "proven", why, "curl --unix-socket", summary)


def _saved(paths: Sequence[str], why: str, rule: str, command: Command) -> list[Part]:
    kept = [path for path in paths if path not in {"-", ""}]
    return [file_part(kept, why, rule, cwd=command.cwd, summary=command.text)] if kept else []


def _hidden(rule: str, command: Command) -> Part:
    why = "method and body stand in a file; its text would make them known"
    return opaque(why, rule, "network", command.text)


def wget(run: Running) -> list[Part]:
    """wget: a request for every URL, and files unless it prints or only checks."""
    named = run.argv.value("--method")
    posts = run.argv.has("--post-data") or run.argv.has("--post-file")
    body = run.argv.value("--post-data", "--body-data") or ""
    method = named or ("POST" if posts else "GET")
    parts = [request(method, url, body, summary=run.command.text) for url in run.argv.positionals]
    target = run.argv.value("-O", "--output-document")
    if run.argv.has("--spider") or target in {"-", "/dev/null"}:
        return parts or [read("writes no file", "wget", summary=run.command.text)]
    paths = (
        [target] if target else [address(url).rsplit("/", 1)[-1] for url in run.argv.positionals]
    )
    why = "wget writes what it gets into a file"
    return [*parts, file_part(paths, why, "wget", cwd=run.command.cwd, summary=run.command.text)]


def httpie(run: Running) -> list[Part]:
    """httpie: items make a body, and a body makes a POST."""
    words = list(run.argv.positionals)
    method = words.pop(0) if words and _METHOD.fullmatch(words[0]) else None
    if not words or run.argv.has("--offline"):
        return [read("builds the request only", "httpie --offline", summary=run.command.text)]
    url, *items = words
    url = re.sub(r"^(:\d*)?/", lambda found: f"localhost{found[1] or ''}/", url)
    url = f"localhost{url}" if re.match(r":\d+", url) else url
    body = (
        any(_is_body(item) for item in items)
        or run.argv.has("--raw")
        or _piped(run.command, run.argv)
    )
    part = request(
        method or ("POST" if body else "GET"), url, _raw(run.argv), summary=run.command.text
    )
    saved = run.argv.values("-o", "--output")
    if run.argv.has("-d") or run.argv.has("--download"):
        saved = saved or [address(url).rsplit("/", 1)[-1] or "download"]
    return [
        part,
        *_saved(saved, "httpie writes what it gets into a file", "httpie -o", run.command),
    ]


def _raw(argv: Argv) -> str:
    return argv.value("--raw") or ""


def _piped(command: Command, argv: Argv) -> bool:
    return command.stdin.sort in {"text", "file"} and not argv.has("--ignore-stdin")


def _is_body(item: str) -> bool:
    found = _ITEM.match(item)
    return found is not None and found[1] in {":=", "=", "@"}
