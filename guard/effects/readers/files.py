"""File tools whose words are a language: dd, tar, sed, awk, and copies between machines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guard.effects.commands import Command, Running
from guard.effects.model import Part, opaque, read
from guard.effects.places import file_part

_REMOTE = re.compile(r"(?!\w:[\\/])(?:[\w.+-]+://|\[?[\w.@$+{}-]+\]?:|[\w.@$-]*\$\{?\w+\}?:)")
_LOCAL_URL = re.compile(r"file://")
_SED_WRITES = re.compile(r"(?:^|[;{}\n]|\d|\$|/)\s*[wW]\s+\S|/[gIip\d]*w\s+\S")
_SED_RUNS = re.compile(
    r"(?:^|[;{}\n])\s*(?:\d+|\$|/[^/]*/)?\s*e(?:\s|$)|/[gIip\d]*e[gIip\d]*(?:$|[;}\s])"
)
_AWK_TEXT = re.compile(r'"(?:[^"\\]|\\.?)*(?:"|\Z)')
_AWK_PATTERN = re.compile(r"(?:(?<=[~(,!{&|;\s])|^)/(?:[^/\\\n]|\\.)*/")
_TAR_MODES = {
    "x": "extract",
    "c": "create",
    "t": "list",
    "r": "append",
    "u": "append",
    "A": "append",
    "d": "list",
}
_TAR_WORDS = {
    "--extract": "x", "--get": "x", "--create": "c", "--list": "t", "--append": "r",
    "--update": "u", "--concatenate": "A", "--delete": "r", "--diff": "d", "--compare": "d",
    "--test-label": "t",
}  # fmt: skip


def dd(run: Running) -> list[Part]:
    """dd: `of=` is a file, or a device whose content is gone."""
    target = next((word[3:] for word in run.command.words if word.startswith("of=")), None)
    if target is None:
        return [read("prints what it reads", "dd", summary=run.command.text)]
    return [
        file_part(
            [target], "writes blocks", "dd of=", cwd=run.command.cwd, summary=run.command.text
        )
    ]


def tar(run: Running) -> list[Part]:
    """tar: what it does is its first letter, with or without a dash."""
    letters = [word.lstrip("-") for word in run.command.words if re.fullmatch(r"-?[A-Za-z]+", word)]
    bundled = next((word for word in letters[:1] if set(word) & set(_TAR_MODES)), "")
    named = next((_TAR_WORDS[name] for name in run.argv.options if name in _TAR_WORDS), "")
    short = next(
        (name[1] for name in run.argv.options if len(name) == 2 and name[1] in _TAR_MODES), ""
    )
    mode = _TAR_MODES.get(named or short or next((x for x in bundled if x in _TAR_MODES), ""), "")
    archive = run.argv.value("-f", "--file") or _after_bundle(run.command.words)
    rule = f"tar {mode or '?'}"
    if mode == "list" or run.argv.has("--to-stdout") or (mode == "extract" and run.argv.has("-O")):
        return [read("lists or prints an archive", rule, summary=run.command.text)]
    if mode == "create" and archive in {"-", "/dev/null", "/dev/stdout"}:
        return [read("prints an archive", rule, summary=run.command.text)]
    paths = (
        [archive]
        if archive and mode in {"create", "append"}
        else run.argv.values("-C", "--directory")
    )
    return [
        file_part(
            paths, f"{mode or 'packs'} files", rule, cwd=run.command.cwd, summary=run.command.text
        )
    ]


def _after_bundle(words: Sequence[str]) -> str | None:
    """The archive after `czf` without a dash."""
    if words and not words[0].startswith("-") and "f" in words[0] and len(words) > 1:
        return words[1]
    return None


def sed(run: Running) -> list[Part]:
    """sed: prints, unless in place or by its own commands `w` and `e`."""
    scripts = run.argv.values("-e", "--expression")
    files = list(run.argv.positionals)
    if not scripts and not run.argv.has("-f") and not run.argv.has("--file") and files:
        scripts = [files.pop(0)]
    if (
        run.argv.has("-i")
        or run.argv.has("--in-place")
        or any(n.startswith("-i") for n in run.argv.options)
    ):
        kept = [path for path in files if path]
        return [
            file_part(
                kept,
                "changes files in place",
                "sed -i",
                cwd=run.command.cwd,
                summary=run.command.text,
            )
        ]
    if any(_SED_RUNS.search(script) for script in scripts):
        return [opaque("its script runs commands", "sed e", summary=run.command.text)]
    if any(_SED_WRITES.search(script) for script in scripts):
        return [file_part([], "its script writes a file", "sed w", summary=run.command.text)]
    certainty = "possible" if run.argv.has("-f") or run.argv.has("--file") else "proven"
    return [
        read(
            "prints changed text",
            "sed",
            "possible" if certainty == "possible" else "proven",
            run.command.text,
        )
    ]


def awk(run: Running) -> list[Part]:
    """awk: prints, unless its program redirects, runs something or works in place."""
    if "inplace" in run.argv.values("-i", "--include"):
        why = "changes files in place"
        paths = run.argv.positionals[1:]
        return [
            file_part(paths, why, "awk -i inplace", cwd=run.command.cwd, summary=run.command.text)
        ]
    if run.argv.has("-f") or run.argv.has("--file"):
        return [opaque("its program stands in a file", "awk -f", summary=run.command.text)]
    program = run.argv.positionals[0] if run.argv.positionals else ""
    texts = _AWK_TEXT.findall(program)
    bare = _AWK_PATTERN.sub(" ", _AWK_TEXT.sub('""', program))
    if re.search(r"\bsystem\s*\(|\|&?\s*(?:\"\"|\w)|\"\"\s*\|\s*getline", bare):
        parts = [part for text in texts for part in run.machine.run_text(text[1:-1])]
        acts = [part for part in parts if part.write and not part.opaque]
        return acts or [opaque("its program runs commands", "awk system", summary=run.command.text)]
    if re.search(r"(?:print|printf)\b[^;}\n]*>", bare):
        paths = [text[1:-1] for text in texts][-1:]
        if paths and paths[0] in {"/dev/stderr", "/dev/stdout", "/dev/null"}:
            return [read("prints", "awk", summary=run.command.text)]
        return [file_part(paths, "its program writes a file", "awk >", summary=run.command.text)]
    return [read("prints", "awk", summary=run.command.text)]


def copy_between(run: Running) -> list[Part]:
    """scp and rsync: to another machine it leaves, from one it is a local file (E6)."""
    name = run.command.name.rsplit("/", 1)[-1]
    words = run.argv.positionals
    if run.argv.has("--list-only") or len(words) < 2:
        return [read("lists files", f"{name}: list", summary=run.command.text)]
    target = words[-1]
    if _is_remote(target) or (run.command.supplied and any(map(_is_remote, words))):
        why = "files go to another machine"
        return [
            Part(True, "irreversible", "network", "proven", why, name, run.command.text, target)
        ]
    parts = [
        file_part(
            [target], "copies files here", name, cwd=run.command.cwd, summary=run.command.text
        )
    ]
    if run.argv.has("--remove-source-files") and any(_is_remote(word) for word in words[:-1]):
        why = "deletes files of another machine after the copy"
        parts.append(Part(True, "irreversible", "network", "proven", why, name, run.command.text))
    return parts


def _is_remote(path: str) -> bool:
    return _REMOTE.match(path) is not None and _LOCAL_URL.match(path) is None


def batch_copy(run: Running) -> list[Part]:
    """sftp, ftp, lftp: their commands flow in or stand in a batch."""
    texts = [
        *run.argv.values("-e", "-c"),
        run.command.stdin.text if run.command.stdin.sort == "text" else "",
    ]
    lines = [line.strip() for text in texts for line in re.split(r"[;\n]", text) if line.strip()]
    if not lines:
        why = "what is copied stands in a batch that is not on record"
        return [opaque(why, f"{run.command.name}: batch", "network", run.command.text)]
    return [_batch_line(line, run.command) for line in lines]


def _batch_line(line: str, command: Command) -> Part:
    verb, *words = line.split()
    rule = f"{command.name}: {verb}"
    if verb in {"get", "mget", "reget", "pget"} or (verb == "mirror" and "-R" not in words):
        return file_part([], "downloads files", rule, summary=line)
    reads = {
        "ls",
        "dir",
        "cd",
        "lcd",
        "pwd",
        "lpwd",
        "open",
        "user",
        "bye",
        "quit",
        "exit",
        "binary",
    }
    if verb in reads | {"ascii", "passive", "prompt", "help", "version", "set", "lls", "df", "cat"}:
        return read("looks", rule, summary=line)
    return Part(True, "irreversible", "network", "proven", "changes another machine", rule, line)
