"""One word of a command line: quotes taken off, expansions named, patterns noticed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node as Tree

from guard.effects.shell.syntax import (
    Piece,
    Substitution,
    Template,
    Unresolved,
    Variable,
    Word,
)

_ESCAPED = re.compile(r"\\(\n|.)", re.DOTALL)
_ESCAPED_IN_QUOTES = re.compile(r'\\([$`"\\\n])')
_ESCAPED_IN_BACKTICKS = re.compile(r"\\([$`\\])")
_GLOB = re.compile(r"(?<!\\)[*?\[]")
_ANSI = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|[0-7]{1,3}|.)", re.DOTALL)
_ANSI_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "0": "\0"}
_BACKTICKS = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_RUNNING = frozenset({"command_substitution", "process_substitution"})


def text(tree: Tree | None) -> str:
    """The source of a node."""
    return (tree.text or b"").decode(errors="replace") if tree is not None else ""


def word(tree: Tree) -> Word:
    """The word of a node: plain text where the text alone decides it."""
    if tree.type == "command_name" and tree.child_count == 1:
        tree = tree.children[0]
    if tree.type == "word":
        return unescaped(text(tree))
    return _joined(list(_pieces(tree, quoted=False)))


def has_pattern(source: str) -> bool:
    """Whether an unquoted word holds a sign of a pattern."""
    found = "*" in source or "?" in source or "[" in source
    return found and _GLOB.search(source) is not None


def is_glob(tree: Tree) -> bool:
    """Whether an unquoted pattern stands in a word."""
    match tree.type:
        case "word" | "extglob_pattern" | "regex":
            return has_pattern(text(tree))
        case "concatenation":
            return any(is_glob(child) for child in tree.children)
        case _:
            return False


def runs(tree: Tree, but: Tree | None = None) -> Iterator[str]:
    """The commands that run inside a node of any kind, as text, without those under `but`."""
    waiting = [child for child in tree.children if child != but]
    while waiting:
        node = waiting.pop()
        if node.type in _RUNNING:
            yield _inside(node)
        elif node.type in {"command", "pipeline", "list"}:
            yield text(node)
        else:
            waiting.extend(node.children)


def heredoc(tree: Tree) -> Word:
    """The body of a here-document; behind a quoted name nothing in it expands."""
    start = next((one for one in tree.children if one.type == "heredoc_start"), None)
    body = next((one for one in tree.children if one.type == "heredoc_body"), None)
    if body is None:
        return ""
    if any(sign in text(start) for sign in "\"'\\"):
        return text(body)
    pieces = _quoted_pieces(body, inside=(body.start_byte, body.end_byte))
    return _joined([found for piece in pieces for found in _backticks(piece)])


def _backticks(piece: Piece) -> Iterator[Piece]:
    if not isinstance(piece, str) or "`" not in piece:
        yield piece
        return
    for at, found in enumerate(_BACKTICKS.split(piece)):
        yield Substitution(found, f"`{found}`", quoted=True) if at % 2 else found


def _joined(pieces: list[Piece]) -> Word:
    if all(isinstance(piece, str) for piece in pieces):
        return "".join(piece for piece in pieces if isinstance(piece, str))
    return Template(tuple(pieces))


def _pieces(tree: Tree, *, quoted: bool) -> Iterator[Piece]:
    match tree.type:
        case "word" | "extglob_pattern" | "number" | "variable_name" | "string_content":
            yield unescaped(text(tree))
        case "string":
            yield from _quoted_pieces(tree, (tree.start_byte + 1, tree.end_byte - 1))
        case "raw_string":
            yield text(tree)[1:-1]
        case "ansi_c_string":
            yield _ANSI.sub(_ansi_sign, text(tree)[2:-1])
        case "translated_string":
            for child in tree.children[1:]:
                yield from _pieces(child, quoted=True)
        case "concatenation" | "command_name":
            for child in tree.children:
                yield from _pieces(child, quoted=quoted)
        case "simple_expansion":
            yield Variable(text(tree)[1:].lstrip("$"), text(tree).strip(), quoted)
        case "expansion" if tree.child_count == 3 and tree.children[1].type == "variable_name":
            yield Variable(text(tree.children[1]), text(tree).strip(), quoted)
        case "command_substitution" | "process_substitution":
            yield Substitution(_inside(tree), text(tree).strip(), quoted)
        case _:
            yield Unresolved(text(tree), tuple(runs(tree)))


def _inside(tree: Tree) -> str:
    """The text between the signs of a substitution."""
    source = text(tree).strip()
    if source.startswith("`"):
        return _ESCAPED_IN_BACKTICKS.sub(r"\1", source[1:-1])
    return source[2:-1]


def _quoted_pieces(tree: Tree, inside: tuple[int, int]) -> Iterator[Piece]:
    """The pieces between double quotes; what the grammar leaves between its nodes is text."""
    at, end = inside
    source = tree.text or b""
    for child in tree.children:
        if child.type in {'"', "string_content", "heredoc_content", "$"}:
            continue
        yield _unescape_quoted(source[at - tree.start_byte : child.start_byte - tree.start_byte])
        yield from _pieces(child, quoted=True)
        at = child.end_byte
    yield _unescape_quoted(source[at - tree.start_byte : end - tree.start_byte])


def unescaped(source: str) -> str:
    """An unquoted word without its backslashes."""
    return _ESCAPED.sub(_plain_sign, source) if "\\" in source else source


def _plain_sign(found: re.Match[str]) -> str:
    return "" if found[1] == "\n" else found[1]


def _unescape_quoted(source: bytes) -> str:
    plain = source.decode(errors="replace")
    return _ESCAPED_IN_QUOTES.sub(_plain_sign, plain) if "\\" in plain else plain


def _ansi_sign(found: re.Match[str]) -> str:
    sign = found[1]
    if sign[0] in "xu" and len(sign) > 1:
        return chr(int(sign[1:], 16))
    if sign[0] in "01234567":
        return chr(int(sign, 8) & 0xFF)
    return _ANSI_SIGNS.get(sign, sign)
