"""Programs that run others in ways no table can say: xargs, find, parallel, ssh, docker run."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from guard.effects.commands import Command, Running, doubted, lifted
from guard.effects.model import Part, opaque, read
from guard.effects.places import file_part
from guard.effects.tables import table
from guard.effects.targets import reach_of_host

_UNKNOWN = "$ARG"
_SUPPLIED = "its words come from another command"


def xargs(run: Running) -> list[Part]:
    """xargs: an inner command whose last words come from what flows in."""
    words = list(run.argv.after(0))
    if not words:
        return [read("prints what flows in", "xargs", summary=run.command.text)]
    given = run.command.stdin.text.split() if run.command.stdin.sort == "text" else []
    mark = run.argv.value("-I", "-J", "--replace") or ("{}" if run.argv.has("-i") else "")
    if mark:
        whole = run.command.stdin.text.strip() if given else _UNKNOWN
        words = [word.replace(mark, whole) for word in words]
    else:
        words += given or [_UNKNOWN]
    inner = msgspec.structs.replace(
        run.command, stdin=msgspec.structs.replace(run.command.stdin, sort="none")
    )
    return doubted(run.machine.run_words(words, inner, supplied=True), _SUPPLIED)


def parallel(run: Running) -> list[Part]:
    """GNU parallel: a command line per argument, run by a shell."""
    words = list(run.argv.after(0))
    if run.argv.has("--dry-run"):
        return [
            read("prints the command lines only", "parallel --dry-run", summary=run.command.text)
        ]
    at = next((n for n, word in enumerate(words) if word.startswith(":::")), len(words))
    line, given = words[:at], words[at + 1 :]
    if not given and run.command.stdin.sort == "text":
        given = run.command.stdin.text.splitlines()
    if not line:
        parts = [part for text in given for part in run.machine.run_text(text)]
        return parts if given else [opaque(_SUPPLIED, "parallel", summary=run.command.text)]
    first = given[0] if given else _UNKNOWN
    filled = [word.replace("{}", first) for word in line]
    if filled == line:
        filled.append(first)
    return doubted(run.machine.run_words(filled, run.command, supplied=True), _SUPPLIED)


def find(run: Running) -> list[Part]:
    """find: it only prints, unless told to delete, to write a list or to run something."""
    words = run.command.words
    parts: list[Part] = []
    for at, word in enumerate(words):
        match word:
            case "-delete":
                why = "deletes what matches, if anything does"
                paths = _starts(words)
                parts.append(
                    file_part(paths, why, "find -delete", cwd=run.command.cwd, certainty="possible")
                )
            case "-exec" | "-execdir" | "-ok" | "-okdir":
                inner = run.machine.run_words(_until_end(words, at + 1), run.command, supplied=True)
                parts.extend(doubted(inner, "for what matches, if anything does"))
            case "-fprint" | "-fprintf" | "-fls" | "-fprint0":
                path = words[at + 1 : at + 2]
                parts.append(file_part(path, "writes a list", f"find {word}", cwd=run.command.cwd))
    return parts or [read("only looks for files", "find", summary=run.command.text)]


def _starts(words: Sequence[str]) -> list[str]:
    at = next((n for n, word in enumerate(words) if word.startswith(("-", "(", "!"))), len(words))
    return [word.rstrip("/") + "/*" for word in words[:at]]


def _until_end(words: Sequence[str], start: int) -> list[str]:
    found: list[str] = []
    for at in range(start, len(words)):
        if words[at] in {";", "+", "\\;"}:
            break
        found.append(words[at])
    return found


def ssh(run: Running) -> list[Part]:
    """ssh: the words after the host are a command line of the other machine."""
    host, *words = run.argv.positionals or [""]
    rule = "ssh"
    if run.argv.has("-V") or run.argv.has("-Q") or run.argv.has("-G"):
        return [read("prints settings", rule, summary=run.command.text)]
    if words:
        return _there(host, run.machine.run_text(" ".join(words)), run.command)
    if run.command.stdin.sort == "text":
        return _there(host, run.machine.run_text(run.command.stdin.text), run.command)
    if host.startswith("git@"):
        return [read("a forge answers with a greeting", rule, summary=run.command.text)]
    if run.argv.has("-N") or run.argv.has("-O") or run.argv.has("-f"):
        why = "starts or ends a tunnel"
        return [Part(True, "unknown", "process", "proven", why, rule, run.command.text, host)]
    why = "what is run on the other machine is not on record"
    return [opaque(why, rule, "network", run.command.text)]


def _there(host: str, parts: list[Part], command: Command) -> list[Part]:
    if not parts:
        return [read("nothing runs there", "ssh", summary=command.text)]
    return parts if reach_of_host(host.rsplit("@", 1)[-1]) == "local" else lifted(parts)


def send_keys(run: Running) -> list[Part]:
    """tmux send-keys: what is typed runs once Enter is sent."""
    lists = table("shells")
    typed = [word for word in run.argv.positionals[1:] if word not in lists["keys"]]
    entered = any(word in lists["enter_keys"] for word in run.argv.positionals[1:])
    if not typed:
        why = "sends keys to a program that is not on record"
        return [opaque(why, "tmux send-keys", summary=run.command.text)]
    parts = run.machine.run_text(" ".join(typed))
    if entered or typed[-1].endswith("\n"):
        return parts
    return doubted(parts, "typed, not entered")


def screen(run: Running) -> list[Part]:
    """screen: `-X stuff TEXT` types, words after the options are a command."""
    words = list(run.argv.positionals)
    if run.argv.has("-X"):
        typed = [*run.argv.values("-X"), *words]
        if typed[:1] == ["stuff"] and len(typed) > 1:
            return run.machine.run_text(typed[1].replace("\\n", "\n").rstrip("^M\n\r"))
        why = "ends or changes a session"
        return [Part(True, "unknown", "process", "proven", why, "screen -X", run.command.text)]
    if run.argv.has("-ls") or run.argv.has("-list") or not (words or run.argv.options):
        return [read("lists sessions", "screen -ls", summary=run.command.text)]
    return (
        run.machine.run_words(words, run.command)
        if words
        else [opaque("opens a session", "screen", summary=run.command.text)]
    )


def docker_run(run: Running) -> list[Part]:
    """docker run: a container starts; one that is thrown away and only looks leaves nothing."""
    verbs = next((n for n, word in enumerate(run.argv.positionals) if word in {"run", "create"}), 0)
    words = list(run.argv.after(verbs + 2))
    entry = run.argv.value("--entrypoint")
    if entry:
        words = [entry, *words]
    rule = "docker run"
    inner = run.machine.run_words(words, run.command) if words else []
    looks = bool(inner) and not any(part.write for part in inner)
    if run.argv.has("--rm") and looks and not run.argv.has("-d") and not run.argv.has("--detach"):
        why = "a container that is thrown away; inside it only looks"
        return [read(why, f"{rule} --rm", "possible", run.command.text)]
    why = "a container is started; what it keeps would make it known"
    started = Part(True, "unknown", "host", "proven", why, rule, run.command.text)
    return [started, *(part for part in inner if part.reversibility == "irreversible")]
