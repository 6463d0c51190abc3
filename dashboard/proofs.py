"""Signatures and trees that anybody can check: Ed25519 (RFC 8032, 6), Merkle trees (RFC 9162, 2.1).

Standard library only, since a part of it goes into the bundle that an outsider checks. Signing is
not constant in time: it is done by our own server, about once a checkpoint.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

_P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)
Point = tuple[int, int, int, int]
Pair = tuple[bytes, bytes]


def sha512(data: bytes) -> int:
    return int.from_bytes(hashlib.sha512(data).digest(), "little")


def _add(one: Point, other: Point) -> Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c = 2 * one[3] * other[3] * _D % _P
    d = 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % _P, g * h % _P, f * g % _P, e * h % _P)


def times(factor: int, point: Point) -> Point:
    total: Point = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            total = _add(total, point)
        point = _add(point, point)
        factor >>= 1
    return total


def _x_of(y: int, sign: int) -> int:
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if y >= _P or (x * x - square) % _P or (x == 0 and sign):
        raise ValueError("not a point of the curve")
    return _P - x if x & 1 != sign else x


def spell(point: Point) -> bytes:
    inverse = pow(point[2], _P - 2, _P)
    x, y = point[0] * inverse % _P, point[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _point(spelled: bytes) -> Point:
    y = int.from_bytes(spelled, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    x = _x_of(y, sign)
    return (x, y, 1, x * y % _P)


_GY = 4 * pow(5, _P - 2, _P) % _P
_GX = _x_of(_GY, 0)
BASE: Point = (_GX, _GY, 1, _GX * _GY % _P)


def signed_by(key: str, text: bytes, signature: str) -> bool:
    """Whether the holder of the key signed this text. All in lower-case hex."""
    try:
        public, given = bytes.fromhex(key), bytes.fromhex(signature)
        point, commitment = _point(public), _point(given[:32])
    except ValueError:
        return False
    answer = int.from_bytes(given[32:], "little")
    if len(public) != 32 or len(given) != 64 or answer >= ORDER:
        return False
    challenge = sha512(given[:32] + public + text) % ORDER
    return spell(times(answer, BASE)) == spell(_add(commitment, times(challenge, point)))


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def leaf(entry_hash: str) -> bytes:
    return hashlib.sha256(b"\0" + bytes.fromhex(entry_hash)).digest()


def split(count: int) -> int:
    """The largest power of two below `count`: where a tree is divided."""
    return 1 << (count - 1).bit_length() - 1


def root_from(found: bytes, index: int, count: int, proof: list[bytes]) -> bytes:
    """The root that a leaf and its proof lead to. Takes the steps off the end of `proof`."""
    if count <= 1:
        return found
    half, step = split(count), proof.pop()
    if index < half:
        return node(root_from(found, index, half, proof), step)
    return node(step, root_from(found, index - half, count - half, proof))


def roots_from(old: bytes, first: int, count: int, proof: list[bytes], whole: bool = True) -> Pair:
    """The roots of the first leaves and of all, by a proof of consistency."""
    if first == count:
        same = old if whole else proof.pop()
        return same, same
    half, step = split(count), proof.pop()
    if first <= half:
        before, now = roots_from(old, first, half, proof, whole)
        return before, node(now, step)
    before, now = roots_from(old, first - half, count - half, proof, False)
    return node(step, before), node(step, now)


def public_key(seed: bytes) -> str:
    """The key (hex) that goes with 32 secret bytes."""
    return spell(times(_scalar(seed), BASE)).hex()


def sign(seed: bytes, text: bytes) -> str:
    """The signature (hex) of a text by the holder of 32 secret bytes."""
    key, scalar = bytes.fromhex(public_key(seed)), _scalar(seed)
    nonce = sha512(hashlib.sha512(seed).digest()[32:] + text) % ORDER
    commitment = spell(times(nonce, BASE))
    answer = (nonce + sha512(commitment + key + text) % ORDER * scalar) % ORDER
    return (commitment + answer.to_bytes(32, "little")).hex()


def _scalar(seed: bytes) -> int:
    low = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
    return low & (1 << 254) - 8 | 1 << 254


class Tree:
    """The Merkle tree over leaves: its root and the proofs that `root_from`, `roots_from` read."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self.leaves = leaves
        self._known: dict[tuple[int, int], bytes] = {}

    def root(self, start: int = 0, end: int | None = None) -> bytes:
        """The root of the leaves from `start` to before `end`."""
        end = len(self.leaves) if end is None else end
        if end - start <= 1:
            return self.leaves[start] if self.leaves else hashlib.sha256(b"").digest()
        if (start, end) not in self._known:
            middle = start + split(end - start)
            self._known[start, end] = node(self.root(start, middle), self.root(middle, end))
        return self._known[start, end]

    def inclusion(self, index: int) -> list[bytes]:
        """The proof that leaf `index`, from 0, is in the tree."""
        steps, start, end = [], 0, len(self.leaves)
        while end - start > 1:
            middle = start + split(end - start)
            if index < middle:
                steps.append(self.root(middle, end))
                end = middle
            else:
                steps.append(self.root(start, middle))
                start = middle
        return steps[::-1]

    def consistency(self, first: int) -> list[bytes]:
        """The proof that the tree begins with the tree of its `first` leaves, at least one."""
        steps, start, end, whole = [], 0, len(self.leaves), True
        while first != end:
            middle = start + split(end - start)
            if first <= middle:
                steps.append(self.root(middle, end))
                end = middle
            else:
                steps.append(self.root(start, middle))
                start, whole = middle, False
        if not whole:
            steps.append(self.root(start, end))
        return steps[::-1]
