"""Files that a digest names."""

from __future__ import annotations

import pytest

from guard.digest.scopes import files_in


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("- .env.example: `timeout` is `2m`", ".env.example"),
        ("deploy/.env.local sets it", ".env.local"),
        ("it stands in .env.", ".env"),
        ("prod.env has it", "prod.env"),
        ("config/retry.json: 3", "retry.json"),
    ],
)
def test_a_file_is_known_by_its_base_name(text: str, name: str) -> None:
    assert files_in(text) == {name}
