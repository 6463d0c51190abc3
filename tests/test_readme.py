"""What the README says about settings and commands is what the code has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from guard.cli import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
READ = re.compile(
    r"""(?:env\.(?:flag|number|words|choice)\(|environ(?:\.get)?[\[(])\s*"([A-Z][A-Z_]+)\"""",
    re.VERBOSE,
)


def test_every_setting_stands_in_the_table() -> None:
    sources = [ROOT / "dashboard" / name for name in ("settings.py", "environment.py")]
    names = {name for path in sources for name in READ.findall(path.read_text())}
    assert "GUARD_LEASE_S" in names
    missing = {name for name in names - {"DJANGO_SETTINGS_MODULE"} if f"`{name}`" not in README}
    assert missing == set()


@pytest.mark.parametrize("command", ["judge", "convert", "coverage", "rollback", "explain"])
def test_commands_of_the_readme_exist(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"guard {command}" in README
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert command in capsys.readouterr().out
