"""Browser tools: what a click means hangs on the text of its element (M4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from guard.effects.code.scripts import script_parts
from guard.effects.commands import Command, Machine
from guard.effects.globs import globs
from guard.effects.http import verb_of_change
from guard.effects.labels import parse_label
from guard.effects.lexicon import words_of
from guard.effects.model import Domain, Part, read
from guard.effects.places import file_part
from guard.effects.tables import table

_BROWSERS = frozenset(
    [
        "browser",
        "playwright",
        "puppeteer",
        "chrome",
        "selenium",
        "chromedevtools",
        "devtools",
        "webdriver",
        "browserbase",
        "stagehand",
        "firefox",
        "safari",
    ]
)
_ELEMENT = (
    "element",
    "text",
    "label",
    "selector",
    "name",
    "title",
    "description",
    "target",
    "button",
)
_FILES = ("filename", "path", "filePath", "file_path", "savePath", "output")


def is_browser(tool: str) -> bool:
    return bool(_BROWSERS & set(words_of(tool)))


def browser_parts(tool: str, given: Mapping[str, Any], machine: Machine) -> list[Part]:
    """What a browser tool does. A tool that no row names may submit something."""
    act = "_".join(word for word in words_of(tool) if word not in _BROWSERS and word != "mcp")
    act = (
        str(given.get("action") or given.get("kind") or act)
        if act in {"", "action", "use"}
        else act
    )
    rule = f"browser: {act}"
    for names, does, why in table("browser")["acts"]:
        if globs(names.split("|")).fit(act.lower()):
            return _act(does, why, rule, given, machine)
    return [Part(True, "unknown", "network", "possible", "may act on the page", rule, tool)]


def _act(does: str, why: str, rule: str, given: Mapping[str, Any], machine: Machine) -> list[Part]:
    saved = next((str(given[name]) for name in _FILES if given.get(name)), None)
    match does:
        case "visit":
            verb = verb_of_change(str(given.get("url") or ""))
            if verb is not None:
                why = f"the address is a verb of change ({verb})"
                return [Part(True, "unknown", "network", "possible", why, rule)]
            return [read(why, rule, "possible")]
        case "shot" | "save" if saved or does == "save":
            return [file_part([saved or "page.pdf"], "saves the page into a file", rule)]
        case "shot" | "read":
            return [read(why, rule)]
        case "look":
            return [read(why, rule, "possible")]
        case "type":
            if not given.get("submit") and not str(given.get("text", "")).endswith("\n"):
                return [read(why, rule, "possible")]
            return [_pressed(given, "typed and submitted", rule)]
        case "code":
            text = next(
                (
                    str(given[n])
                    for n in ("function", "script", "code", "expression")
                    if given.get(n)
                ),
                "",
            )
            return script_parts("javascript", text, Command("browser", ()), machine)
        case "act":
            return [_pressed(given, why, rule)]
        case label:
            known = parse_label(label)
            return [Part(True, known.reversibility, known.domain, known.certainty, why, rule)]


def _pressed(given: Mapping[str, Any], why: str, rule: str) -> Part:
    text = " ".join(
        str(given[name]) for name in _ELEMENT if isinstance(given.get(name), str)
    ).lower()
    words = set(re.findall(r"[^\W\d_]+", text))
    lists = table("browser")["elements"]
    if not words & set(lists["leads"]):
        for domain, names in lists.items():
            named = next((name for name in names if set(name.split()) <= words), None)
            if domain != "leads" and named is not None:
                what = f"the element's text names the act: {named}"
                reached = cast(Domain, domain)
                return Part(True, "irreversible", reached, "possible", what, rule, text[:80])
    return Part(True, "unknown", "network", "possible", why, rule, text[:80])
