"""Wrappers whose inner command stands where no table can say: a text, an option, what flows in."""

from __future__ import annotations

import msgspec

from guard.effects.commands import Running, doubted, lifted
from guard.effects.model import Part, opaque, read
from guard.effects.places import file_part
from guard.effects.readers.shells import fed


def fed_shell(run: Running) -> list[Part]:
    """A shell with other rights, fed by what flows in (`sudo -s`, `su`)."""
    return fed(run.command, run.machine)


def env_split(run: Running) -> list[Part]:
    """`env -S TEXT WORDS`."""
    text = run.argv.value("-S", "--split-string") or ""
    return run.machine.run_text(" ".join([text, *run.argv.positionals]), run.command.stdin)


def with_output(run: Running) -> list[Part]:
    """`time -o FILE WORDS`: the words run, and a report is written."""
    paths = run.argv.values("-o", "--output")
    return [
        file_part(paths, "writes a report", f"{run.command.name} -o", cwd=run.command.cwd),
        *run.machine.run_words(run.argv.after(0), run.command),
    ]


def coproc(run: Running) -> list[Part]:
    """`coproc [NAME] COMMAND`; the grammar reads its braces as words."""
    words = [word for word in run.command.words if word != "{"]
    if words and words[0].isupper() and len(words) > 1:
        words = words[1:]
    return run.machine.run_words(words, run.command)


def flock(run: Running) -> list[Part]:
    """`flock FILE WORDS` or `flock FILE -c TEXT`."""
    words = list(run.argv.after(1))
    if words[:1] in (["-c"], ["--command"]) and len(words) > 1:
        return run.machine.run_text(words[1], run.command.stdin)
    return run.machine.run_words(words, run.command) or [read("only a lock", "flock")]


def script_log(run: Running) -> list[Part]:
    """`script -c TEXT FILE`: the text runs, what it prints is written."""
    text = run.argv.value("-c", "--command") or ""
    paths = run.argv.positionals[-1:] or ["typescript"]
    return [
        file_part(paths, "writes a log", "script", cwd=run.command.cwd),
        *run.machine.run_text(text),
    ]


def at(run: Running) -> list[Part]:
    """`at TIME`: what flows in runs later."""
    if run.command.stdin.sort == "text":
        return run.machine.run_text(run.command.stdin.text)
    return [opaque("runs later a text that is not on record", "at", summary=run.command.text)]


def fd_exec(run: Running) -> list[Part]:
    """`fd PATTERN -x WORDS`."""
    marks = {"-x", "-X", "--exec", "--exec-batch"}
    start = next((n for n, word in enumerate(run.command.words) if word in marks), None)
    words = list(run.command.words[start + 1 :]) if start is not None else []
    inner = run.machine.run_words(words, run.command, supplied=True)
    return doubted(inner, "for what matches, if anything does") or [read("looks", "fd")]


def tool_exec(run: Running) -> list[Part]:
    """`nvm exec 18 WORDS`, `pyenv exec WORDS`, `mise exec NAME -- WORDS`."""
    if run.argv.dashes is not None:
        return run.machine.run_words(run.argv.after(0, dashed=True), run.command)
    versioned = run.command.name in {"nvm", "fnm", "n", "volta", "sdk"}
    return run.machine.run_words(run.argv.after(2 if versioned else 1), run.command)


def nix_command(run: Running) -> list[Part]:
    """`nix develop -c WORDS`."""
    start = next(
        (n for n, word in enumerate(run.command.words) if word in {"-c", "--command"}), None
    )
    words = run.command.words[start + 1 :] if start is not None else ()
    return run.machine.run_words(words, run.command) or [read("a shell with nothing to run", "nix")]


def new_session(run: Running) -> list[Part]:
    """`tmux new -d WORDS`: a session that runs them."""
    words = list(run.argv.after(1))
    parts = (
        run.machine.run_text(words[0])
        if len(words) == 1
        else run.machine.run_words(words, run.command)
    )
    why = "starts a session"
    started = Part(True, "unknown", "process", "proven", why, "tmux new", run.command.text)
    return [started, *parts]


def salt(run: Running) -> list[Part]:
    """`salt TARGET cmd.run TEXT`."""
    return lifted(run.machine.run_text(" ".join(run.argv.positionals[2:]))) or [
        read("nothing", "salt")
    ]


def python_module(run: Running) -> list[Part]:
    """`uv run -m MODULE WORDS`, `coverage run -m MODULE WORDS`."""
    named = run.argv.value("-m", "--module")
    words = run.argv.after(1)
    return run.machine.run_words(["python", "-m", *([named] if named else []), *words], run.command)


def timeit(run: Running) -> list[Part]:
    """`python -m timeit TEXT`."""
    texts = [*run.argv.values("-s"), *run.argv.positionals]
    plain = msgspec.structs.replace(run.command, name="python")
    return run.machine.run_words(["python", "-c", "\n".join(texts)], plain)


def git_lfs(run: Running) -> list[Part]:
    """`git-lfs WORDS` is `git lfs WORDS`."""
    return run.machine.run_words(["git", "lfs", *run.command.words], run.command)


def sqlx(run: Running) -> list[Part]:
    """`cargo sqlx WORDS` is `sqlx WORDS`."""
    return run.machine.run_words(["sqlx", *run.argv.after(1)], run.command)


def kubectl(run: Running) -> list[Part]:
    """`minikube kubectl -- WORDS` is `kubectl WORDS`."""
    return run.machine.run_words(["kubectl", *run.argv.after(1, dashed=True)], run.command)
