"""Shell text to syntax, by tree-sitter-bash.

Known traps of that grammar (0.25): `time` and `coproc` read as commands; backticks in a
here-document stay text; a word after a redirection's target is a second target; text after `<<EOF`
on its line stands inside the redirection; a line continuation inside a word splits it; `{` after
`!` or `time` reads as a command; a pipe after a redirection takes the whole chain before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal

import tree_sitter_bash
from tree_sitter import Language, Parser
from tree_sitter import Node as Tree

from guard.effects.shell import words as word_of
from guard.effects.shell.plain import plain
from guard.effects.shell.syntax import (
    Assignment,
    Case,
    Chain,
    Check,
    For,
    Function,
    Group,
    If,
    Negated,
    Node,
    Pipe,
    Redirect,
    Script,
    Simple,
    While,
    Word,
)

MOST_CHARACTERS = 131_072
"""Longer command lines are not judged: what nobody can read in time is unknown."""
MOST_DEPTH = 40
"""Nesting of statements and substitutions; written by hand it stays under ten."""
MOST_NODES = 20_000
"""Nodes of the parsed tree: words, signs, lines. A here-document of any length is one."""
MOST_NESTED = 400
"""`$(`, `<(` and `(` that stand open at once; the parser itself is slow beyond."""

_JOINED = re.compile(r"(?<=\s)\d?>&\d(?=\s|$)")
_CONTINUED = re.compile(r"(?<=[^\s\\])\\\r?\n")
_BLOCKS = frozenset(
    {"if_statement", "while_statement", "for_statement", "case_statement", "c_style_for_statement"}
)
_SKIP = frozenset(
    [
        ";",
        ";;",
        "&",
        "\n",
        "comment",
        "(",
        ")",
        "{",
        "}",
        "if",
        "then",
        "fi",
        "do",
        "done",
        "while",
        "until",
        "for",
        "in",
        "case",
        "esac",
        "((",
        "))",
        "heredoc_end",
        "heredoc_start",
        "<<",
        "<<-",
        "heredoc_body",
    ]
)


class TooDeep(ValueError):
    """A command line nested beyond what is judged."""


def parse(text: str) -> Script:
    """The statements of a text. Raises `TooDeep`; a syntax error only marks the script broken."""
    return _parse(text)


@lru_cache(maxsize=1024)
def _parse(text: str) -> Script:
    if "\\\n" in text or "\\\r" in text:
        text = _CONTINUED.sub("", text)
    if len(text) > MOST_CHARACTERS or _open_at_once(text) > MOST_NESTED:
        raise TooDeep
    return plain(text) or parse_tree(text)


def parse_tree(text: str) -> Script:
    """The statements by the full grammar."""
    root = _tree(text)
    if root.has_error:
        root = _again(text, root)
    items = tuple(statements(root, 0))
    return Script(items, broken=root.has_error)


def _tree(text: str) -> Tree:
    root = _parser().parse(text.encode(errors="replace")).root_node
    if root.descendant_count > MOST_NODES:
        raise TooDeep
    return root


def _again(text: str, root: Tree) -> Tree:
    """A second try without `2>&1`, which moves nothing out and trips the grammar before `<<<`."""
    other = _tree(_JOINED.sub(" ", text))
    return root if other.has_error else other


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def _open_at_once(text: str) -> int:
    """How many opening signs stand open at the worst place, however they are quoted."""
    if len(text) <= MOST_NESTED:
        return 0
    depth = most = 0
    for sign in re.findall(r"[(){}\[\]]", text):
        depth = depth + 1 if sign in "({[" else max(0, depth - 1)
        most = max(most, depth)
    return most


def script(tree: Tree, depth: int) -> Script:
    """The statements under a node."""
    return Script(tuple(statements(tree, depth)))


def statements(tree: Tree, depth: int) -> Iterator[Node]:
    if depth > MOST_DEPTH:
        raise TooDeep
    for child in tree.children:
        if child.type not in _SKIP:
            yield from statement(child, depth + 1)


def statement(tree: Tree, depth: int) -> Iterator[Node]:
    """What a node runs; a node of a kind not named here gives whatever runs inside it."""
    match tree.type:
        case "command" | "declaration_command" | "unset_command":
            yield from _command(tree, depth)
        case "variable_assignment" | "variable_assignments":
            assigned = [tree] if tree.type == "variable_assignment" else tree.children
            yield Simple(assigns=tuple(map(_assignment, assigned)))
        case "redirected_statement":
            yield _redirected(tree, depth)
        case "list":
            yield _chain(tree, depth)
        case "pipeline":
            yield _pipe(tree, depth)
        case "negated_command":
            yield from (Negated(node) for node in statements_but(tree, depth, "!"))
        case "subshell":
            yield Group(script(tree, depth), subshell=True)
        case "compound_statement" if tree.child_count and tree.children[0].type != "((":
            yield Group(script(tree, depth))
        case kind if kind in _BLOCKS:
            yield _block(tree, depth)
        case "function_definition":
            yield _function(tree, depth)
        case _:
            yield Check(runs=tuple(word_of.runs(tree)))


def statements_but(tree: Tree, depth: int, *signs: str) -> Iterator[Node]:
    for child in tree.children:
        if child.type not in signs and child.type not in _SKIP:
            yield from statement(child, depth + 1)


def _pipe(tree: Tree, depth: int) -> Node:
    """A pipeline; a `!` before it is read by the grammar as part of its first stage.

    So is a chain whose last command has a redirection: `a && b 2>&1 | c` is `a && { b 2>&1 | c; }`.
    """
    match tuple(statements_but(tree, depth, "|", "|&")):
        case (Negated(first), *others):
            return Negated(Pipe((first, *others)))
        case (Chain(first, (*before, (operator, last))), *others):
            return Chain(first, (*before, (operator, Pipe((last, *others)))))
        case stages:
            return Pipe(stages)


def _command(tree: Tree, depth: int) -> Iterator[Node]:
    words: list[Word] = []
    assigns: list[Assignment] = []
    redirects: list[Redirect] = []
    inner: list[Node] = []
    globbed = False
    if tree.type != "command":
        words.append(word_of.text(tree.children[0]))
    for child in tree.children if tree.type == "command" else tree.children[1:]:
        match child.type:
            case "variable_assignment":
                assigns.append(_assignment(child))
            case "file_redirect" | "herestring_redirect" | "heredoc_redirect":
                redirects.extend(_redirect(child, depth, words))
            case "subshell" | "compound_statement":
                inner.extend(statement(child, depth + 1))
            case "word":
                raw = word_of.text(child)
                globbed = globbed or word_of.has_pattern(raw)
                words.append(word_of.unescaped(raw) if "\\" in raw else raw)
            case _:
                globbed = globbed or (bool(words) and word_of.is_glob(child))
                words.append(word_of.word(child))
    yield Simple(tuple(assigns), tuple(words), tuple(redirects), globbed)
    yield from inner


def _assignment(tree: Tree) -> Assignment:
    name = tree.child_by_field_name("name")
    value = tree.child_by_field_name("value")
    plain = name is not None and name.type == "variable_name" and b"+=" not in _head(tree)
    known: Word = "" if value is None else word_of.word(value)
    return Assignment(word_of.text(name) if name is not None and plain else "", known)


def _head(tree: Tree) -> bytes:
    return tree.children[1].text or b"" if tree.child_count > 1 else b""


def _redirected(tree: Tree, depth: int) -> Node:
    """A statement with redirections, and what stands after a here-document's name on its line."""
    body: list[Node] = []
    more: list[Word] = []
    redirects: list[Redirect] = []
    tails: list[Tree] = []
    for child in tree.children:
        if child.type.endswith("_redirect"):
            redirects.extend(_redirect(child, depth, more))
            tails.extend([child] if child.type == "heredoc_redirect" else [])
        else:
            body.extend(statement(child, depth + 1))
    node = _with(body, tuple(redirects), tuple(more))
    for tail in tails:
        node = _heredoc_tail(node, tail, depth)
    return node


def _with(body: list[Node], redirects: tuple[Redirect, ...], more: tuple[Word, ...]) -> Node:
    match body:
        case [Simple(assigns, words, own, globbed)]:
            return Simple(assigns, words + more, own + redirects, globbed)
        case []:
            return Simple(words=more, redirects=redirects)
        case [Chain(first, rest)] if rest:
            operator, last = rest[-1]
            return Chain(first, (*rest[:-1], (operator, _with([last], redirects, more))))
        case [Pipe(stages)]:
            return Pipe((*stages[:-1], _with([stages[-1]], redirects, more)))
        case _:
            return Group(Script(tuple(body)), redirects)


def _heredoc_tail(node: Node, tree: Tree, depth: int) -> Node:
    for child in tree.children:
        if child.type == "pipeline" and child != tree.child_by_field_name("right"):
            node = Pipe((node, *statements_but(child, depth, "|", "|&")))
    operator = tree.child_by_field_name("operator")
    right = tree.child_by_field_name("right")
    if operator is None or right is None:
        return node
    sign: Literal["&&", "||"] = "||" if operator.type == "||" else "&&"
    return Chain(node, tuple((sign, each) for each in statement(right, depth + 1)))


def _redirect(tree: Tree, depth: int, words: list[Word]) -> Iterator[Redirect]:
    """The redirections of a node; words that belong to the command go to `words`."""
    if tree.type == "heredoc_redirect":
        yield Redirect("<<", word_of.heredoc(tree))
        for child in tree.children_by_field_name("redirect"):
            yield from _redirect(child, depth, words)
        words.extend(word_of.word(one) for one in tree.children_by_field_name("argument"))
        return
    if tree.type == "herestring_redirect":
        yield Redirect("<<<", word_of.word(tree.children[-1]))
        return
    targets = tree.children_by_field_name("destination")
    operator = next((one.type for one in tree.children if not one.is_named), "")
    if targets:
        yield Redirect(operator, word_of.word(targets[0]))
    words.extend(word_of.word(one) for one in targets[1:])


def _chain(tree: Tree, depth: int) -> Node:
    """A list, unrolled: it nests to the left, once for each operator."""
    rest: list[tuple[Literal["&&", "||"], Node]] = []
    while tree.type == "list":
        left, *middle = tree.children
        operator: Literal["&&", "||"] = "&&"
        for child in middle:
            if child.type in {"&&", "||"}:
                operator = "||" if child.type == "||" else "&&"
            elif child.type not in _SKIP:
                rest.extend((operator, node) for node in statement(child, depth + 1))
        tree = left
    first, *more = statement(tree, depth + 1)
    following = (*(("&&", node) for node in more), *reversed(rest))
    if isinstance(first, Chain):
        return Chain(first.first, (*first.rest, *following))
    return Chain(first, following)


def _block(tree: Tree, depth: int) -> Node:
    body = tree.child_by_field_name("body")
    inside = script(body, depth) if body is not None else Script()
    match tree.type:
        case "if_statement":
            return _if(tree, depth)
        case "while_statement":
            condition = _fields(tree, "condition", depth)
            return While(condition, inside, until=tree.children[0].type == "until")
        case "for_statement":
            name = tree.child_by_field_name("variable")
            listed = any(child.type == "in" for child in tree.children)
            values = [word_of.word(one) for one in tree.children_by_field_name("value")]
            return For(word_of.text(name), tuple(values) if listed else None, inside)
        case "c_style_for_statement":
            return While(Script((Check(tuple(word_of.runs(tree, but=body))),)), inside)
        case _:
            items = [child for child in tree.children if child.type == "case_item"]
            subject = tree.child_by_field_name("value")
            known: Word = word_of.word(subject) if subject is not None else ""
            return Case(known, tuple(_case_item(item, depth) for item in items))


def _case_item(tree: Tree, depth: int) -> Script:
    start = next((at for at, child in enumerate(tree.children) if child.type == ")"), -1)
    nodes = [
        node
        for child in tree.children[start + 1 :]
        if child.type not in _SKIP and child.type not in {";&", ";;&"}
        for node in statement(child, depth + 1)
    ]
    return Script(tuple(nodes))


def _if(tree: Tree, depth: int) -> If:
    arms = [(_fields(tree, "condition", depth), _then(tree, depth))]
    otherwise = None
    for child in tree.children:
        if child.type == "elif_clause":
            at = next((n for n, one in enumerate(child.children) if one.type == "then"), 0)
            before, after = child.children[1:at], child.children[at + 1 :]
            arms.append((_script_of(before, depth), _script_of(after, depth)))
        elif child.type == "else_clause":
            otherwise = _script_of(child.children[1:], depth)
    return If(tuple(arms), otherwise)


def _then(tree: Tree, depth: int) -> Script:
    at = next((n for n, one in enumerate(tree.children) if one.type == "then"), 0)
    inside = [
        child
        for child in tree.children[at + 1 :]
        if child.type not in {"elif_clause", "else_clause"}
    ]
    return _script_of(inside, depth)


def _fields(tree: Tree, field: str, depth: int) -> Script:
    return _script_of(tree.children_by_field_name(field), depth)


def _script_of(trees: list[Tree], depth: int) -> Script:
    if depth > MOST_DEPTH:
        raise TooDeep
    kept = [tree for tree in trees if tree.type not in _SKIP]
    return Script(tuple(node for tree in kept for node in statement(tree, depth + 1)))


def _function(tree: Tree, depth: int) -> Function:
    name = tree.child_by_field_name("name")
    body = tree.child_by_field_name("body")
    inside = list(statement(body, depth + 1)) if body is not None else []
    return Function(word_of.text(name), inside[0] if inside else Check())
