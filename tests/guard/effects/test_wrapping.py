"""Quoting, spacing and wrapping a command never make it look better than it is."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.effects import Call, Judgement, classify

WRITES = [
    "git push origin main",
    "git commit -m wip",
    "git branch -D spike",
    "kubectl delete pod rates-0",
    "kubectl exec deploy/rates -- rm -rf /data/cache",
    "terraform apply -auto-approve",
    "aws s3 rm s3://acme-logs/2025/ --recursive",
    "rm -rf build",
    "rm notes.txt",
    "sed -i s/a/b/ settings.toml",
    "find . -name *.bak -delete",
    "psql -h db.example.net -c 'DELETE FROM rates'",
    "sqlite3 app.db 'DROP TABLE rates'",
    "redis-cli -h cache.example.net FLUSHALL",
    "curl -X DELETE https://api.example.net/v1/rates/9",
    "curl --data-urlencode q=x https://api.example.net/v1/rates",
    "npm publish",
    "docker push registry.example.net/acme/rates:dev",
    "docker compose down",
    "ssh web1.example.net 'systemctl restart nginx'",
    "scp a.txt web1.example.net:/srv/",
    "python -c 'import os; os.remove(\"a\")'",
    'node -e \'require("fs").unlinkSync("a")\'',
    "python manage.py migrate",
    "make deploy",
    "./scripts/deploy.sh --all",
    "stripe refunds create --charge ch_1",
    "dd if=/dev/zero of=/dev/sdb",
    "crontab -r",
    "kill -9 4120",
    "pip install httpx",
    "tee out.txt",
    "gh pr merge 41 --squash",
    "unknown-tool --go",
]

_ORDER = {"reversible": 1, "unknown": 2, "irreversible": 3}

QUOTED: list[Callable[[str], str]] = [
    lambda text: f"bash -c {shlex.quote(text)}",
    lambda text: f"sh -lc {shlex.quote(text)}",
    lambda text: f"eval {shlex.quote(text)}",
    lambda text: f"echo {shlex.quote(text)} | bash",
    lambda text: f"printf '%s\\n' {shlex.quote(text)} | sh -s",
    lambda text: f"bash <<'E{len(text)}'\n{text}\nE{len(text)}",
    lambda text: f"bash <<< {shlex.quote(text)}",
    lambda text: f'CMD={shlex.quote(text)}; eval "$CMD"',
    lambda text: f"su deploy -c {shlex.quote(text)}",
    lambda text: f"env -S {shlex.quote(text)}" if "'" not in text and "\n" not in text else text,
    lambda text: f"tmux send-keys -t x {shlex.quote(text)} Enter",
    lambda text: f"ssh web1.example.net {shlex.quote(text)}",
    lambda text: f"trap {shlex.quote(text)} EXIT",
]
PREFIXED = [
    "sudo", "sudo -u deploy --", "env", "env -i A=1", "A=1 B='x y'", "nohup", "time", "time -p",
    "command", "exec", "timeout 5", "nice -n 5", "stdbuf -oL", "setsid", "coproc", "xargs",
    "ionice -c 3", "flock /tmp/l", "doas", "strace -f",
]  # fmt: skip
AROUND: list[Callable[[str], str]] = [
    lambda text: f"( {text}\n)",
    lambda text: f"{{ {text}\n}}",
    lambda text: f"true && {text}",
    lambda text: f"false || {text}",
    lambda text: f"cd site && {text}",
    lambda text: f"ls; {text}",
    lambda text: f"{text} && echo done" if "\n" not in text else text,
    lambda text: f"if true; then {text}\nfi",
    lambda text: f"for i in 1 2; do {text}\ndone",
    lambda text: f"run() {{ {text}\n}}; run",
    lambda text: f'echo "$( {text}\n)"',
    lambda text: f"X=$( {text}\n)",
    lambda text: f"[ -f x ] && {text}",
    lambda text: f"while read l; do {text}\ndone < list.txt",
    lambda text: f"case $x in a) {text}\n;; esac",
    lambda text: f"cat <( {text}\n)",
    lambda text: f"{text} # then: ls" if "\n" not in text else text,
    lambda text: f"# a note\n\n{text}\n",
    lambda text: f"{text} &" if "\n" not in text else text,
    lambda text: f"{text} > /dev/null 2>&1" if "\n" not in text else text,
    lambda text: f"{text} 2>&1 | tail -3" if "\n" not in text else text,
]


def judged(command: str) -> Judgement:
    return classify(Call("Bash", {"command": command}))


def no_better(found: Judgement, than: Judgement) -> bool:
    return found.write and _ORDER[found.reversibility] >= _ORDER[than.reversibility]


def _spelt(word: str, style: int) -> str:
    """A word in another spelling of the same text."""
    match style:
        case 0:
            return shlex.quote(word)
        case 1:
            return "'" + word.replace("'", "'\\''") + "'"
        case 2:
            return '"' + "".join(f"\\{c}" if c in '"\\$`' else c for c in word) + '"'
        case 3:
            return "".join(c if c.isalnum() else f"\\{c}" for c in word)
        case 4:
            return "$'" + "".join(f"\\x{ord(c):02x}" if ord(c) < 128 else c for c in word) + "'"
        case _:
            middle = len(word) // 2
            return f"{_spelt(word[:middle], 1)}{_spelt(word[middle:], 2)}"


@pytest.mark.parametrize("command", WRITES)
def test_the_plain_command_is_a_write(command: str) -> None:
    assert judged(command).write


@settings(max_examples=300, deadline=None)
@given(
    command=st.sampled_from(WRITES),
    styles=st.lists(st.integers(0, 5), min_size=12, max_size=12),
    gap=st.sampled_from([" ", "  ", "\t", " \\\n  "]),
    start=st.sampled_from(["", " ", "\n\n", "\t"]),
)
def test_quoting_and_spacing_change_nothing(
    command: str, styles: list[int], gap: str, start: str
) -> None:
    words = shlex.split(command)
    spelt = start + gap.join(
        _spelt(word, style) for word, style in zip(words, styles, strict=False)
    )
    plain = judged(shlex.join(words))
    found = judged(spelt)
    assert (found.write, found.reversibility, found.domain) == (
        plain.write,
        plain.reversibility,
        plain.domain,
    ), spelt


@settings(max_examples=300, deadline=None)
@given(
    command=st.sampled_from(WRITES),
    wraps=st.lists(
        st.one_of(st.sampled_from(QUOTED), st.sampled_from(AROUND), st.sampled_from(PREFIXED)),
        min_size=1,
        max_size=3,
    ),
)
def test_wrapping_never_makes_a_command_look_better(
    command: str, wraps: list[Callable[[str], str] | str]
) -> None:
    text, plain = command, True
    for wrap in wraps:
        if isinstance(wrap, str):
            if plain:
                text = f"{wrap} {text}"
        else:
            text, plain = wrap(text), False
    assert no_better(judged(text), judged(command)), text


@pytest.mark.parametrize("wrap", [*QUOTED, *AROUND])
@pytest.mark.parametrize("command", WRITES)
def test_each_wrapping_of_each_command(command: str, wrap: Callable[[str], str]) -> None:
    text = wrap(command)
    assert no_better(judged(text), judged(command)), text


@pytest.mark.parametrize("before", ["!", "time", "coproc"])
@pytest.mark.parametrize("command", WRITES)
def test_a_block_that_the_grammar_misreads_stays_a_write(command: str, before: str) -> None:
    assert judged(f"{before} {{ {command}\n}}").write
    assert judged(f"{before} if true; then {command}\nfi").write
    assert judged(f"{before} for i in 1; do {command}\ndone").write


@pytest.mark.parametrize("prefix", PREFIXED)
@pytest.mark.parametrize("command", WRITES)
def test_each_prefix_of_each_command(command: str, prefix: str) -> None:
    text = f"{prefix} {command}"
    assert no_better(judged(text), judged(command)), text
