"""Key-shaped secrets out of bytes before they are stored; the hash of the original stays.

Only what has the shape of a key is taken: a vendor's prefix, a private key block, a token in a URL
or a header. Words that merely look secret stay, since a journal without its texts proves nothing.
Each shape has literals that must occur; without one, its pattern is never tried.
What stands in place of a secret is exactly as long, so that every other byte keeps its place.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from guard.events import Hash

# Bytes are JSON as a rule: a secret may follow an escape such as `\n`, whose letter is no word.
_START = rb"(?:(?<![A-Za-z0-9_])|(?<=\\[nrtbf]))"
_END = rb"(?![A-Za-z0-9_])"
_IN_URL = "url-password"
"""Its cover has no brackets: a URL ends there, and the host behind it would be no fact."""


class Shape(Struct, frozen=True):
    """One kind of secret. `pattern` begins with one of the literals and is tried only there.

    Group 1, where there is one, is the secret itself; what stands around it stays.
    """

    name: str
    literals: tuple[bytes, ...]
    pattern: re.Pattern[bytes]


class Redaction(Struct, frozen=True):
    """Bytes without secrets, how many of each kind there were, and the hash of what came."""

    data: bytes
    counts: Counter[str]
    original: Hash

    @property
    def total(self) -> int:
        """How many secrets were taken out."""
        return self.counts.total()


def _key(name: str, literals: str, body: bytes) -> Shape:
    """A token that stands alone and begins with one of the literals (space between them)."""
    found = tuple(word.encode() for word in literals.split())
    begin = b"|".join(map(re.escape, found))
    return Shape(name, found, re.compile(_START + b"(?:" + begin + b")" + body + _END))


def _in(name: str, literals: tuple[bytes, ...], pattern: bytes) -> Shape:
    return Shape(name, literals, re.compile(pattern))


SHAPES: tuple[Shape, ...] = (
    _key("aws-access-key", "AKIA ASIA", rb"[0-9A-Z]{16}"),
    _in(
        "aws-secret-key",
        (b"aws_secret_access_key", b"AWS_SECRET_ACCESS_KEY", b"SecretAccessKey"),
        rb"[A-Za-z_]{15,21}[\\\"'\s:=]{1,8}((?:[A-Za-z0-9+]|\\?/){40})(?![A-Za-z0-9+/=])",
    ),
    _key("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", rb"[A-Za-z0-9]{36,255}"),
    _key("github-token", "github_pat_", rb"[A-Za-z0-9_]{22,255}"),
    _key("gitlab-token", "glpat- gldt- glrt-", rb"[A-Za-z0-9_-]{20,}"),
    _key("slack-token", "xoxa- xoxb- xoxp- xoxr- xoxs- xapp-", rb"[A-Za-z0-9-]{10,}"),
    _in(
        "slack-webhook",
        (b"hooks.slack.com",),
        rb"hooks\.slack\.com\\?/services\\?/(T[A-Za-z0-9]+\\?/B[A-Za-z0-9]+\\?/[A-Za-z0-9]{16,})",
    ),
    _key("anthropic-key", "sk-ant-", rb"[A-Za-z0-9_-]{20,}"),
    _key("openai-key", "sk-proj- sk-svcacct-", rb"[A-Za-z0-9_-]{20,}"),
    _key("openai-key", "sk-", rb"[A-Za-z0-9]{40,}"),
    _key("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", rb"[A-Za-z0-9]{16,}"),
    _key("google-key", "AIza", rb"[A-Za-z0-9_-]{35}"),
    _key("google-token", "ya29. GOCSPX-", rb"[A-Za-z0-9_-]{20,}"),
    _key("npm-token", "npm_", rb"[A-Za-z0-9]{36}"),
    _key("pypi-token", "pypi-AgE", rb"[A-Za-z0-9_-]{50,}"),
    _key("sendgrid-key", "SG.", rb"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    _key("huggingface-token", "hf_", rb"[A-Za-z0-9]{34}"),
    _key("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", rb"[a-f0-9]{64}"),
    _key("databricks-token", "dapi", rb"[a-f0-9]{32}"),
    _key("vault-token", "hvs. hvb.", rb"[A-Za-z0-9_-]{24,}"),
    _key("jwt", "eyJ", rb"[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}"),
    _in(
        "azure-key",
        (b"AccountKey=", b"SharedAccessKey="),
        rb"[A-Za-z]+=((?:[A-Za-z0-9+]|\\?/){42,86}={1,2})",
    ),
    _in(
        "private-key",
        (b"-----BEGIN ",),
        rb"-----BEGIN [A-Z ]{0,24}PRIVATE KEY-----(?!\[redacted)([^-]{40,16000})"
        rb"-----END [A-Z ]{0,24}PRIVATE KEY",
    ),
    _in(
        "bearer-token",
        (b"Bearer ", b"bearer "),
        rb"[Bb]earer {1,4}([A-Za-z0-9._~+/-]{20,}={0,2})",
    ),
    _in(
        "basic-credentials",
        (b"Basic ", b"basic "),
        rb"[Bb]asic {1,4}((?=[A-Za-z]{0,64}(?:[0-9+/=]|[a-z][A-Z]))[A-Za-z0-9+/]{16,}={0,2})"
        rb"(?![A-Za-z0-9+/=._-])",
    ),
    _in(
        _IN_URL,
        (b"://",),
        rb"://[^\s/:@\"'\\<>$\[\]{}]{1,64}:(?!\*+@|\*\*[a-z2-7]{6}\**@)([^\s/:@\"'\\<>$\[\]{}]{4,128})@",
    ),
)


def redact(
    data: bytes, shapes: Iterable[Shape] = SHAPES, *, before: bytes = b"", key: bytes = b""
) -> Redaction:
    """Put `[redacted:<kind>]`, or as much of it as has room, and stars in place of each secret.

    With a `key`, a tag of six characters is put in where there is room for eight bytes: equal
    secrets have equal tags, and without the key no guess can be checked.

    Give it whole lines: a cut secret has no shape. `before` is what stands before `data` on its
    first line: it is looked at, so that a secret that ends in `data` is known, and stays as it is.
    What is put in needs no escape inside a JSON string, and lines stay lines.
    """
    original = Hash("sha256:" + hashlib.sha256(data).hexdigest())
    whole = before + data
    kept: list[bytes] = []
    counts: Counter[str] = Counter()
    done = len(before)
    for start, end, name in sorted(span for shape in shapes for span in _found(whole, shape)):
        if end > done:
            counts[name] += 1
            cover = _cover(name, whole[max(start, done) : end], key)
            kept += (whole[done : max(start, done)], cover)
            done = end
    return Redaction(b"".join((*kept, whole[done:])), counts, original)


def _cover(name: str, secret: bytes, key: bytes) -> bytes:
    """As many bytes as the secret has, its line ends among them."""
    tag = f":{_tag(secret, key)}" if key else ""
    words = [f"[redacted:{name}{tag}]", f"[redacted{tag}]", f"**{tag[1:]}", ""]
    if name == _IN_URL:
        words = words[2:]
    word = next(word for word in words if len(word) <= len(secret))
    cover = word.encode().ljust(len(secret), b"*")
    if b"\n" not in secret:
        return cover
    return bytes(old if old == ord("\n") else new for old, new in zip(secret, cover, strict=True))


def _tag(secret: bytes, key: bytes) -> str:
    """30 bits of its keyed hash: two secrets of one run look alike once in 10^9."""
    return base64.b32encode(hmac.digest(key, secret, "sha256"))[:6].decode().lower()


def _found(data: bytes, shape: Shape) -> Iterator[tuple[int, int, str]]:
    group = 1 if shape.pattern.groups else 0
    for literal in shape.literals:
        place = data.find(literal)
        while place >= 0:
            match = shape.pattern.match(data, place)
            if match is not None:
                yield (*match.span(group), shape.name)
            place = data.find(literal, place + len(literal))
