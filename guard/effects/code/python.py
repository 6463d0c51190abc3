"""Python text, parsed and walked: which names are called, and what they stand for."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterator
from functools import cache

from guard.effects.code.acts import Site, act_for, parts_of_site, pure, services
from guard.effects.commands import Command, Machine, doubted
from guard.effects.lexicon import act_of, words_of
from guard.effects.model import Domain, Part, opaque, read

MOST_CHARACTERS = 60_000
MOST_CALLS = 500
_BUILT_IN = frozenset({"open", "eval", "exec", "compile", "__import__"})


def python_parts(text: str, command: Command, machine: Machine) -> list[Part]:
    """What a Python text does when it runs; what cannot be parsed is not on record."""
    rule = "code: python"
    if len(text) > MOST_CHARACTERS:
        return [opaque("a Python text too long to be judged in time", rule)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        walk = _Walk(command, machine)
        parts = walk.block(tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [opaque("the Python text could not be parsed in time", rule, summary=command.text)]
    if parts:
        return parts
    foreign = next(iter(walk.foreign()), None)
    if foreign is not None:
        why = f"only computes and prints; {foreign} runs its own text when it is imported"
        return [read(why, rule, "possible", command.text)]
    return [read("only computes and prints", rule, summary=command.text)]


class _Walk:
    """One text: names that imports and assignments gave, functions it defines, parts found."""

    def __init__(self, command: Command, machine: Machine) -> None:
        self.command = command
        self.machine = machine
        self.names: dict[str, str] = {}
        self.modules: set[str] = set()
        self.functions: dict[str, list[ast.stmt]] = {}
        self.seen: set[str] = set()
        self.calls = 0

    def block(self, statements: list[ast.stmt]) -> list[Part]:
        return [part for statement in statements for part in self._statement(statement)]

    def _statement(self, node: ast.stmt) -> list[Part]:
        match node:
            case ast.Import() | ast.ImportFrom():
                self._import(node)
                return []
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.functions[node.name] = node.body
                return self._expressions(node.decorator_list)
            case ast.ClassDef():
                methods = [m for m in node.body if isinstance(m, ast.FunctionDef)]
                self.functions[node.name] = [line for m in methods for line in m.body]
                return []
            case ast.If():
                return self._if(node)
            case ast.For() | ast.AsyncFor() | ast.While():
                return self._loop(node)
            case ast.Try():
                handlers = [line for handler in node.handlers for line in handler.body]
                sure = self.block(node.body) + self.block(node.finalbody)
                return sure + doubted(self.block(handlers + node.orelse))
            case ast.With() | ast.AsyncWith():
                return self._with(node) + self.block(node.body)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.names[name] = self._dotted(value)
                return self._expressions([value])
            case ast.Delete():
                return []
            case _:
                return self._expressions([node])

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                top = alias.name if alias.asname else alias.name.split(".")[0]
                self.names[alias.asname or top] = top
                self.modules.add(top.split(".")[0])
            else:
                module = "." * node.level + (node.module or "")
                self.names[alias.asname or alias.name] = f"{module}.{alias.name}"
                self.modules.add(module.split(".")[0])

    def _if(self, node: ast.If) -> list[Part]:
        parts = self._expressions([node.test])
        main = "__name__" in ast.dump(node.test)
        body = self.block(node.body)
        return parts + (body if main else doubted(body)) + doubted(self.block(node.orelse))

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> list[Part]:
        head = node.test if isinstance(node, ast.While) else node.iter
        sure = _is_listed(head)
        body = self.block(node.body)
        return self._expressions([head]) + (body if sure else doubted(body))

    def _with(self, node: ast.With | ast.AsyncWith) -> list[Part]:
        for item in node.items:
            if isinstance(item.optional_vars, ast.Name):
                self.names[item.optional_vars.id] = self._dotted(item.context_expr)
        return self._expressions([item.context_expr for item in node.items])

    def _expressions(self, nodes: list[ast.expr] | list[ast.stmt] | list[ast.AST]) -> list[Part]:
        walked = [one for node in nodes for one in ast.walk(node)]
        calls = [one for one in walked if isinstance(one, ast.Call)]
        parts = [part for call in calls for part in self._call(call)]
        loops = [one.iter for one in walked if isinstance(one, ast.comprehension)]
        return parts if all(map(_is_listed, loops)) else doubted(parts)

    def _dotted(self, node: ast.expr) -> str:
        """What an expression stands for, as a dotted name without brackets."""
        trail: list[str] = []
        while True:
            match node:
                case ast.Attribute(value=inner, attr=attr):
                    trail.append(attr)
                    node = inner
                case ast.Call(func=inner) | ast.Subscript(value=inner) | ast.Await(value=inner):
                    node = inner
                case ast.Name(id=name):
                    trail.append(self.names.get(name, name))
                    return ".".join(reversed(trail))
                case ast.Constant(value=str()):
                    trail.append("str")
                    return ".".join(reversed(trail))
                case _:
                    trail.append("")
                    return ".".join(reversed(trail))

    def _call(self, call: ast.Call) -> list[Part]:
        self.calls += 1
        if self.calls > MOST_CALLS:
            raise RecursionError
        name = self._dotted(call.func)
        if name in self.functions and name not in self.seen:
            self.seen.add(name)
            return self.block(self.functions[name])
        act = act_for("python", name)
        if act is not None and not _is_text_method(name):
            site = _site(name, call)
            return parts_of_site("python", site, act, self.command, self.machine)
        return self._unlisted(name)

    def _unlisted(self, name: str) -> list[Part]:
        root = name.split(".", maxsplit=1)[0]
        domain = _service(root)
        if domain is not None and "." in name:
            return _by_service(name, domain)
        if root not in self.modules or root in _standard() or root in pure("python"):
            return []
        why = f"{root} is no module of the table; what {name} does stands elsewhere"
        return [opaque(why, "code: python import", summary=name)]

    def foreign(self) -> list[str]:
        """Imported modules that no table knows."""
        known = _standard() | pure("python")
        return sorted(root for root in self.modules if root not in known and _service(root) is None)


def _site(name: str, call: ast.Call) -> Site:
    inner = call.func.value if isinstance(call.func, ast.Attribute) else None
    own = inner.args if isinstance(inner, ast.Call) and _is_path(name) else []
    given = [*own, *call.args, *(keyword.value for keyword in call.keywords)]
    texts = [node.value for node in given if isinstance(node, ast.Constant)]
    first = call.args[0] if call.args else None
    words = list(_words(first)) if isinstance(first, ast.List | ast.Tuple) else None
    computed = first is not None and not _is_text(first) and words is None
    raw = " ".join(ast.unparse(node) for node in [*call.args, *call.keywords])
    return Site(name, [text for text in texts if isinstance(text, str)], words, raw, computed)


def _is_path(name: str) -> bool:
    return name.startswith("pathlib.")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _words(node: ast.List | ast.Tuple) -> Iterator[str]:
    for element in node.elts:
        yield str(element.value) if isinstance(element, ast.Constant) else "$"


def _is_listed(node: ast.expr) -> bool:
    """Whether what a loop goes over stands in the text."""
    match node:
        case ast.List() | ast.Tuple() | ast.Constant() | ast.Call(func=ast.Name(id="range")):
            return True
        case _:
            return False


def _is_text_method(name: str) -> bool:
    """`"".replace(...)` and methods of built-in names are no acts; `open` and `eval` are."""
    return name.startswith("str.") and name not in _BUILT_IN


@cache
def _standard() -> frozenset[str]:
    return frozenset(sys.stdlib_module_names)


def _service(root: str) -> Domain | None:
    for domain, modules in services("python").items():
        if root in modules:
            return domain  # type: ignore[return-value]
    return None


def _by_service(name: str, domain: Domain) -> list[Part]:
    act = act_of(words_of(name.rsplit(".", 1)[-1]))
    if act != "write":
        return []
    why = f"{name} names an act that changes the service"
    rule = "code: python service"
    return [Part(True, "irreversible", domain, "proven", why, rule, name)]
