"""Runners of packages and of programs in an environment: npx, uvx, `poetry run`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guard.effects.commands import Command, Machine, Running
from guard.effects.model import Part, opaque, read
from guard.effects.naming import program_of
from guard.effects.tables import programs, table

_VERSION = re.compile(r"(?<=.)@[^/]*$")


def package(run: Running) -> list[Part]:
    """`npx PACKAGE WORDS`: a program of the tables under its name, any other is unknown content."""
    text = run.argv.value("-c", "--call")
    if text is not None:
        return run.machine.run_text(text)
    verbs = run.argv.positionals[:1]
    skip = 1 if verbs and verbs[0] in {"dlx", "exec", "x", "run", "tool", "create"} else 0
    skip += int(run.argv.positionals[:2] == ["tool", "run"])
    return inner_package(run.argv.after(skip, dashed=not skip), run.command, run.machine)


def project_run(run: Running) -> list[Part]:
    """`hatch run NAME WORDS`: a script of the project goes before a program of that name."""
    words = run.argv.after(1)
    if words and words[0] not in table("words")["script_names"]:
        return run.machine.run_words(words, run.command)
    why = "a script of the project; its text would make it known"
    return [opaque(why, f"{run.command.name} run", summary=run.command.text)]


def versioned_run(run: Running) -> list[Part]:
    """`volta run node x`, `nvm run 18 x` run words; `mise run NAME` runs a task of the project."""
    if run.command.name in {"volta", "rustup"}:
        return run.machine.run_words(
            run.argv.after(2 if run.command.name == "rustup" else 1), run.command
        )
    if run.command.name in {"nvm", "fnm"}:
        return run.machine.run_words(["node", *run.argv.after(2)], run.command)
    why = "a task of the project; its text would make it known"
    return [opaque(why, f"{run.command.name} run", summary=run.command.text)]


def inner_package(words: Sequence[str], command: Command, machine: Machine) -> list[Part]:
    if not words:
        return [read("no package named", command.name, summary=command.text)]
    name = (
        _VERSION.sub("", words[0]).split("/")[-1]
        if words[0][0] == "@"
        else _VERSION.sub("", words[0])
    )
    known = program_of(_scoped(_VERSION.sub("", words[0])) or name)
    if known is None or known not in programs():
        why = f"{name} is a program of unknown content"
        claimed = next(
            (w for w in words[1:] if w in {"--dry-run", "--help", "--version", "--check"}), ""
        )
        if claimed:
            return [read(f"the program's own word: {claimed}", "package", "possible", command.text)]
        return [opaque(why, f"{command.name} PACKAGE", summary=command.text)]
    return machine.run_words([known, *words[1:]], command)


def _scoped(name: str) -> str | None:
    """Programs whose package has another name."""
    return {
        "@angular/cli": "ng",
        "@biomejs/biome": "biome",
        "@playwright/test": "playwright",
        "@vue/cli": "vue",
        "typescript": "tsc",
        "vercel": "vercel",
        "firebase-tools": "firebase",
        "netlify-cli": "netlify",
        "aws-cdk": "cdk",
        "sequelize-cli": "sequelize",
        "ts-node": "node",
        "tsx": "node",
        "@openapitools/openapi-generator-cli": "openapi-generator",
        "@railway/cli": "railway",
        "@sentry/cli": "sentry-cli",
        "@changesets/cli": "changeset",
    }.get(name)
