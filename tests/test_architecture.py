"""The house as a table: who may import whom, how long a file and a function may be."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LONGEST_FILE = 400
LONGEST_FUNCTION = 40

# From the ground up. A module may import from its own floor and from those below it.
GUARD_FLOORS = (
    ("errors",),
    ("events", "order", "bits", "listing", "subset", "timeline", "fates"),
    ("canonical", "chain", "lines", "members", "packing", "repeats", "journal"),
    ("facts", "effects", "digest", "redaction"),
    ("answers", "course", "ledger", "edits", "integrity", "rooms"),
    ("closure", "gates", "intervals", "retention", "units", "window", "worlds"),
    ("epochs", "prefix", "status"),
    ("appraisal", "proposals", "reach", "veil"),
    ("authorization", "soundness"),
    ("sweep",),
    ("state",),
    ("rules", "asking", "replay"),
    ("report",),
    ("judge", "decide", "rollback", "undo_region", "undo"),
    ("adapters", "client", "hooks", "hook", "langchain", "shipping", "cli", "__main__"),
)
DASHBOARD_FLOORS = (
    ("environment", "clock", "clean", "limits", "logs", "times", "visible", "words", "checks"),
    ("proofs", "bodies"),
    ("verify",),
    ("models", "placing"),
    (
        *("access", "tokens", "facts", "jobs", "journals", "ledger", "health", "exports", "forms"),
        *("overrides", "fulltext"),
    ),
    (
        *("templatetags", "cases", "configure", "derive", "effect_rules", "live", "redacting"),
        *("signin", "waiting"),
    ),
    ("receiving",),
    ("notifications",),
    ("ingest", "recording"),
    ("gates",),
    ("queries", "working", "sweeping", "imports", "case_files", "alerts", "retention"),
    ("bundle",),
    ("charts", "tasks", "embedded"),
    ("api", "views", "admin", "middleware", "demo"),
    ("management",),
)
# Modules that wire the rest together may import everything.
WIRING = {
    *("settings", "urls", "page_urls", "apps", "celery", "asgi", "wsgi"),
    *("migrations", "__init__"),
}


def modules(package: str) -> Iterator[Path]:
    for path in sorted((ROOT / package).rglob("*.py")):
        if "migrations" not in path.parts:
            yield path


def first_part(path: Path, package: str) -> str:
    return path.relative_to(ROOT / package).parts[0].removesuffix(".py")


def imported_parts(path: Path, package: str) -> set[str]:
    """First name below `package` of everything that a file imports from it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == package and len(parts) > 1:
                found.add(parts[1])
    return found


def imported_tops(path: Path) -> set[str]:
    """First names of all modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def floors(table: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    return {name: floor for floor, names in enumerate(table) for name in names}


@pytest.mark.parametrize(
    ("package", "table"), [("guard", GUARD_FLOORS), ("dashboard", DASHBOARD_FLOORS)]
)
def test_imports_go_down_only(package: str, table: tuple[tuple[str, ...], ...]) -> None:
    floor_of = floors(table)
    wrong = []
    for path in modules(package):
        own = first_part(path, package)
        if own in WIRING:
            continue
        assert own in floor_of, f"{path.relative_to(ROOT)} has no floor in the table"
        wrong += [
            f"{path.relative_to(ROOT)} imports {package}.{part}"
            for part in imported_parts(path, package)
            if part in floor_of and floor_of[part] > floor_of[own]
        ]
    assert wrong == []


def test_the_judge_knows_nothing_of_django() -> None:
    for path in modules("guard"):
        source = path.read_text()
        assert "import django" not in source, path
        assert "from django" not in source, path
        assert not imported_parts(path, "dashboard"), path


def test_what_is_imported_is_in_the_lock_of_those_who_only_run_it() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    locked = {match.lower() for match in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)}
    givers = packages_distributions()
    missing = {
        f"{path.relative_to(ROOT)}: {top}"
        for path in (*modules("guard"), *modules("dashboard"))
        if path != ROOT / "guard" / "langchain.py"
        for top in imported_tops(path) - {"guard", "dashboard", *sys.stdlib_module_names}
        if not locked & {giver.lower().replace("_", "-") for giver in givers.get(top, ())}
    }
    assert missing == set()


def test_what_runs_inside_an_agent_needs_the_standard_library_only() -> None:
    hooks = sorted((ROOT / "guard" / "hooks").glob("*.py"))
    for path in (ROOT / "guard" / "client.py", ROOT / "guard" / "hook.py", *hooks):
        foreign = imported_tops(path) - {*sys.stdlib_module_names, "guard"}
        assert not foreign, f"{path.name} imports {foreign}"


def test_charts_see_rows_and_never_models() -> None:
    for path in (ROOT / "dashboard" / "charts").rglob("*.py"):
        assert "models" not in imported_parts(path, "dashboard"), path


def test_files_and_functions_stay_short() -> None:
    long = []
    for package in ("guard", "dashboard"):
        for path in modules(package):
            source = path.read_text()
            if source.count("\n") > LONGEST_FILE:
                long.append(f"{path.relative_to(ROOT)}: {source.count(chr(10))} lines")
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    lines = (node.end_lineno or node.lineno) - node.lineno + 1
                    if lines > LONGEST_FUNCTION:
                        long.append(f"{path.relative_to(ROOT)}:{node.name}: {lines} lines")
    assert long == []


def test_every_rule_file_is_registered_and_has_its_journals() -> None:
    from guard.rules import RULES

    registered = {rule.code.lower() for rule in RULES}
    files = {path.name[:5] for path in (ROOT / "guard" / "rules").glob("jg*.py")}
    assert files == registered
    for code in registered:
        journals = list((ROOT / "tests" / "journals" / code.upper()).glob("*.ndjson"))
        assert len(journals) >= 2, f"{code}: one journal that fires and one near miss"


def test_every_adapter_file_is_registered() -> None:
    from guard.adapters import ADAPTERS

    for adapter in ADAPTERS:
        assert adapter.name
        assert adapter.runtime
    assert len({adapter.name for adapter in ADAPTERS}) == len(ADAPTERS)
