"""A program that no table describes: its content is not on record (E9)."""

from __future__ import annotations

from guard.effects.commands import Command
from guard.effects.lexicon import act_of, dry_flags, service_of, words_of
from guard.effects.model import Part, Reversibility, opaque, read

_MOST_WORDS = 6


def unknown_program(command: Command) -> Part:
    """Unknown, unless its own words claim a dry run, or name a service and a clear act."""
    name = command.name.rsplit("/", 1)[-1]
    claimed = next((word for word in command.words if word.split("=", 1)[0] in dry_flags()), None)
    if claimed is not None and not claimed.endswith(("=false", "=none", "=0", "=no")):
        why = f"the program's own word: {claimed}"
        return read(why, "unknown program: dry flag", "possible", command.text)
    if "/" not in command.name and (part := _by_words(name, command)) is not None:
        return part
    why = f"{name} is no program of the tables; a row or a rule of the team would make it known"
    return opaque(why, "unknown program", summary=command.text)


def _by_words(name: str, command: Command) -> Part | None:
    service = service_of(words_of(name))
    said = [word for word in command.words if not word.startswith("-")][:_MOST_WORDS]
    acts = [act for word in said if (act := act_of(words_of(word))) is not None]
    if service is None or not acts or "neutral" in acts:
        return None
    domain, leaves = service
    rule = f"unknown program: {domain} by name"
    if "write" not in acts:
        return read(f"{name} names a service and an act that looks", rule, "possible", command.text)
    why = f"{name} names a service and an act that changes it"
    sort: Reversibility = "irreversible" if leaves else "unknown"
    return Part(True, sort, domain, "possible", why, rule, command.text)
