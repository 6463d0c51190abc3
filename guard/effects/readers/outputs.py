"""Options that may name a file or a format, and images that may go to a registry or a folder."""

from __future__ import annotations

from guard.effects.commands import Running
from guard.effects.model import Part, read
from guard.effects.places import file_part


def report(run: Running) -> list[Part]:
    """`-o` of a checker: a value with a dot or a slash is a file, any other a format."""
    values = run.argv.values("-o", "--output", "--output-file", "--out", "--out-file")
    paths = [value for value in values if "." in value or "/" in value]
    rule = f"{run.command.name} -o"
    if not paths:
        return [read("prints", rule, summary=run.command.text)]
    return [
        file_part(paths, "writes a report", rule, cwd=run.command.cwd, summary=run.command.text)
    ]


def image(run: Running) -> list[Part]:
    """`docker buildx build -o`: into a folder, the local store, or a registry."""
    value = ",".join(run.argv.values("-o", "--output"))
    rule = "docker build -o"
    if "push=true" in value or "type=registry" in value:
        why = "the image is uploaded"
        return [Part(True, "irreversible", "registry", "proven", why, rule, run.command.text)]
    if value == "-" or "dest=-" in value:
        return [read("prints what it builds", rule, summary=run.command.text)]
    if "type=docker" in value or "type=image" in value:
        why = "an image of this machine"
        return [Part(True, "unknown", "host", "proven", why, rule, run.command.text)]
    return [file_part([], "writes what it builds into a folder", rule, summary=run.command.text)]


def copied_image(run: Running) -> list[Part]:
    """`skopeo copy`: where the last name leads."""
    target = run.argv.positionals[-1]
    scheme = target.split(":", 1)[0]
    rule = "skopeo copy"
    if scheme in {"dir", "oci", "oci-archive", "docker-archive", "tarball", "sif"}:
        return [file_part([], "writes an image into files", rule, summary=run.command.text)]
    if scheme in {"docker-daemon", "containers-storage"}:
        why = "an image of this machine"
        return [Part(True, "unknown", "host", "proven", why, rule, run.command.text)]
    why = "the image is uploaded"
    return [Part(True, "irreversible", "registry", "proven", why, rule, run.command.text, target)]


def pip_install(run: Running) -> list[Part]:
    """`pip install`: inside the project's environment or folder, else the machine (1.2)."""
    folder = run.command.name.rpartition("/")[0]
    inside = (
        any(word in folder for word in ("venv", "virtualenvs", ".tox", ".nox", "/env/"))
        or folder.startswith("env/")
        or "VIRTUAL_ENV" in run.command.env
        or run.argv.has("-t")
        or run.argv.has("--target")
        or run.argv.has("--prefix")
        or "venv" in (run.argv.value("--python") or "")
    )
    domain_why = "packages of the project's environment" if inside else "packages of the machine"
    rule = "pip install"
    if inside:
        return [Part(True, "unknown", "worktree", "proven", domain_why, rule, run.command.text)]
    return [Part(True, "unknown", "host", "proven", domain_why, rule, run.command.text)]
