"""What the native format forbids inside strings, replaced by U+FFFD before a line is decoded.

A journal holds neither NUL nor a lone surrogate (`journal-format.md` 6); runtimes store both, since
they store what a tool printed.
"""

from __future__ import annotations

import re

_NUL = re.compile(rb"(?<!\\)((?:\\\\)*)\\u0000")
_LONE = re.compile(
    rb"(?<!\\)((?:\\\\)*)"
    rb"(?:(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


def mend(line: bytes) -> tuple[bytes, int]:
    """A JSON line with NUL and lone surrogates in its strings replaced by U+FFFD, and how many."""
    count = 0
    if b"\\u0000" in line:
        line, count = _NUL.subn(rb"\1\\ufffd", line)
    if b"\\ud" in line or b"\\uD" in line:
        line, lone = _replace_lone(line)
        count += lone
    return line, count


def _replace_lone(line: bytes) -> tuple[bytes, int]:
    count = 0

    def swap(match: re.Match[bytes]) -> bytes:
        nonlocal count
        if match[2]:
            return match[0]
        count += 1
        return match[1] + b"\\ufffd"

    return _LONE.sub(swap, line), count
