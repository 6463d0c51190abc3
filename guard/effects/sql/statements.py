"""What the statements of an SQL text do, transactions counted (M5).

First words decide by `tables/sql.toml`; a query is parsed and its whole tree walked, because a
`WITH` can delete and a function can act. What the parser cannot read is never a read.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Literal

import msgspec
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from guard.effects.globs import Glob, Globs, globs
from guard.effects.model import Certainty
from guard.effects.sql.pieces import Piece, pieces_of
from guard.effects.tables import table

# Its warnings speak of statements that it keeps as text; those are judged by their first words.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)

Does = Literal["read", "write", "call", "file", "message"]
Verdict = Literal[
    "read", "write", "query", "explain", "copy", "pragma", "call", "message", "begin", "commit",
    "rollback", "savepoint", "prepare", "execute", "block", "guarded", "temp",
]  # fmt: skip

MOST_CHARACTERS = 40_000
MOST_WORDS = 2_000
"""Words of a query whose tree is walked: the parser needs about 0.1 ms for each."""
MOST_STATEMENTS = 200
_VARIABLE = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|\$[A-Za-z_]\w*(?![\w$])|`shellvar`")
_SWITCHED_OFF = (["FALSE"], ["OFF"], ["0"])
_WRITING = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Create, exp.Drop, exp.TruncateTable)
_WORDS_THAT_WRITE = frozenset(
    [
        "INSERT",
        "UPDATE",
        "DELETE",
        "MERGE",
        "TRUNCATE",
        "DROP",
        "ALTER",
        "CREATE",
        "GRANT",
        "REVOKE",
        "REPLACE",
        "COPY",
        "EXEC",
        "EXECUTE",
        "CALL",
        "INTO",
    ]
)


class Statement(msgspec.Struct, frozen=True):
    """What one statement does. `kept`: no rollback takes it back."""

    does: Does
    why: str
    certainty: Certainty = "proven"
    kept: bool = False


class _Row(msgspec.Struct, frozen=True):
    words: tuple[Globs, ...]
    verdict: Verdict
    why: str


@cache
def _rows() -> tuple[_Row, ...]:
    return tuple(
        _Row(
            tuple(globs(words.split("|")) for words in first.split()),
            verdict,
            why,
        )
        for first, verdict, why in table("sql")["statements"]
    )


@lru_cache(maxsize=1024)
def statements(text: str, dialect: str = "postgres") -> tuple[Statement, ...]:
    """What a text does once all of it ran; rolled back writes are not in it."""
    if len(text) > MOST_CHARACTERS:
        return (Statement("call", "an SQL text too long to be judged in time", "possible"),)
    try:
        pieces = pieces_of(_VARIABLE.sub("shellvar", text), dialect)
    except SqlglotError:
        return (
            Statement("call", "the SQL could not be read; a well-formed one would be", "possible"),
        )
    if len(pieces) > MOST_STATEMENTS:
        return (Statement("call", "more statements than are judged", "possible"),)
    return tuple(_Session(dialect).run(pieces))


class _Session:
    """The statements of one session in their order, with what a rollback would take back."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.done: list[Statement] = []
        self.open: list[Statement | str] = []
        self.inside = False
        self.prepared: dict[str, Statement] = {}
        self.temporary: set[str] = set()

    def run(self, pieces: Sequence[Piece]) -> list[Statement]:
        for piece in pieces:
            self._one(piece)
        why = "the transaction is not closed in this text"
        self.done += [
            msgspec.structs.replace(one, certainty="possible", why=f"{one.why}; {why}")
            for one in self.open
            if isinstance(one, Statement)
        ]
        return self.done

    def _one(self, piece: Piece) -> None:
        words = piece.words
        row = _row(words)
        match row.verdict if row is not None else "call":
            case "begin":
                self.inside = True
            case "commit":
                self._close(keep=True)
            case "rollback":
                self._roll_back(words)
            case "savepoint":
                self.open.append(words[-1])
            case "temp":
                self.temporary.update(name.lower() for name in words[2:8])
            case "prepare":
                self.prepared[words[1] if len(words) > 1 else ""] = self._inner(piece, "AS", "FROM")
            case "execute" if len(words) > 1 and words[1] in self.prepared:
                self._add(self.prepared[words[1]])
            case _:
                self._add(self._judged(piece, row))

    def _judged(self, piece: Piece, row: _Row | None) -> Statement:
        words = piece.words
        if row is None:
            return Statement("call", f"{words[0]} is no statement of the table", "possible")
        match row.verdict:
            case "read" | "write" | "message":
                if row.verdict == "write" and self._on_temporary(words):
                    return Statement("read", "a table of the session only")
                return Statement(row.verdict, row.why)
            case "query":
                return _query(piece, self.dialect)
            case "explain":
                return self._explain(piece)
            case "copy":
                return _copy(words)
            case "pragma":
                acts = "=" in words or (
                    words[1:2] and words[1].lower() in table("sql")["pragma_acts"]
                )
                return Statement("write" if acts else "read", row.why)
            case "block" | "guarded":
                return _scanned(words, row.why)
            case _:
                return _code(piece, row.why)

    def _on_temporary(self, words: Sequence[str]) -> bool:
        named = [word.lower() for word in words[1:4]]
        return any(name in self.temporary or name.startswith("#") for name in named)

    def _explain(self, piece: Piece) -> Statement:
        """A plan only, unless ANALYZE runs the statement."""
        words = piece.words
        start = next((at for at, word in enumerate(words) if at and _starts(word)), len(words))
        runs = [at for at in range(1, start) if words[at] in {"ANALYZE", "ANALYSE"}]
        if not any(words[at + 1 : at + 2] not in _SWITCHED_OFF for at in runs):
            return Statement("read", "a plan only")
        if start == len(words):
            return Statement(
                "call", "EXPLAIN ANALYZE runs a statement that is not known", "possible"
            )
        inner = piece.tail(start)
        found = self._judged(inner, _row(inner.words))
        return msgspec.structs.replace(found, why=f"ANALYZE runs it: {found.why}")

    def _inner(self, piece: Piece, *marks: str) -> Statement:
        """The statement that a PREPARE names."""
        start = next((at + 1 for at, word in enumerate(piece.words) if word in marks), None)
        if start is None or start >= len(piece.words):
            return Statement("call", "prepared from a text that is not known", "possible")
        inner = piece.tail(start)
        return self._judged(inner, _row(inner.words))

    def _add(self, statement: Statement) -> None:
        if self.inside and not statement.kept and not self._commits_by_itself(statement):
            self.open.append(statement)
        else:
            self.done.append(statement)

    def _commits_by_itself(self, statement: Statement) -> bool:
        """In MySQL and Oracle a change of the schema ends the transaction."""
        return self.dialect in {"mysql", "oracle"} and statement.why.startswith(
            "changes the schema"
        )

    def _close(self, *, keep: bool) -> None:
        self.done += [one for one in self.open if keep and isinstance(one, Statement)]
        self.open, self.inside = [], False

    def _roll_back(self, words: Sequence[str]) -> None:
        if "TO" not in [word.upper() for word in words]:
            self._close(keep=False)
            return
        names = [one for one in self.open if isinstance(one, str)]
        if words[-1] in names:
            del self.open[len(self.open) - self.open[::-1].index(words[-1]) :]


def _row(words: Sequence[str]) -> _Row | None:
    """The first row whose words begin a statement; past its end stands a `;`."""
    for row in _rows_of(words[0]):
        rest = [*words[1 : len(row.words)], *[";"] * (len(row.words) - len(words))]
        if all(
            patterns.fit(word) or patterns.fit(word.lower())
            for patterns, word in zip(row.words[1:], rest, strict=True)
        ):
            return row
    return None


@lru_cache(maxsize=512)
def _rows_of(word: str) -> tuple[_Row, ...]:
    """The rows that a statement's first word can begin."""
    return tuple(row for row in _rows() if row.words[0].fit(word))


def _starts(word: str) -> bool:
    row = _row([word])
    return row is not None and word not in {"ANALYZE", "ANALYSE", "("}


def _query(piece: Piece, dialect: str) -> Statement:
    """A query's tree, walked: what in it writes, and which functions it calls."""
    if len(piece.words) > MOST_WORDS:
        return _scanned(piece.words, "a query too long to be judged in time")
    try:
        trees = sqlglot.parse(piece.text, read=dialect)
    except (SqlglotError, RecursionError):
        return _scanned(piece.words, "a query that could not be parsed")
    nodes = [node for tree in trees if tree is not None for node in tree.walk()]
    writing = next((node for node in nodes if isinstance(node, _WRITING)), None)
    if writing is not None:
        return Statement("write", f"a {type(writing).__name__.upper()} runs inside the query")
    if any(isinstance(node, exp.Into) and not _temporary(node) for node in nodes):
        return Statement("write", "SELECT INTO makes a table")
    if any(isinstance(node, exp.Command) for node in nodes) or not trees:
        return _scanned(piece.words, "a query that could not be parsed")
    return _functions(name.lower() for node in nodes for name in _called(node))


def _called(node: exp.Expr) -> Iterator[str]:
    if isinstance(node, exp.Anonymous):
        yield node.name
        if isinstance(node.parent, exp.Dot):
            yield f"{node.parent.this.name}.{node.name}"
    elif isinstance(node, exp.Func) and type(node).__name__ in {"NextValueFor", "SetConfig"}:
        yield "nextval"


def _functions(names: Iterator[str]) -> Statement:
    unknown = None
    for name in names:
        for pattern, does, kept, why in table("sql")["function_acts"]:
            if Glob(pattern).matches(name):
                return Statement(does, f"{name}(): {why}", "proven", kept == "now")
        if "." not in name and not _pure().fit(name):
            unknown = name
    if unknown is not None:
        why = f"{unknown}() is no function of the table; what it does stands in the database"
        return Statement("call", why, "possible")
    return Statement("read", "only a query")


@cache
def _pure() -> Globs:
    return globs(table("sql")["function_reads"])


def _temporary(into: exp.Into) -> bool:
    name = into.this.name if isinstance(into.this, exp.Expression) else ""
    return bool(into.args.get("temporary")) or name.startswith(("#", "@")) or "#" in into.sql()


def _copy(words: Sequence[str]) -> Statement:
    depth = 0
    for at, word in enumerate(words):
        depth += (word == "(") - (word == ")")
        if depth == 0 and word in {"FROM", "INTO"}:
            return Statement("write", "loads rows")
        if depth == 0 and word == "TO":
            return _copied_to(words[at + 1 : at + 2])
    return Statement("call", "a COPY that could not be read", "possible")


def _copied_to(target: Sequence[str]) -> Statement:
    if target == ["PROGRAM"]:
        return Statement("call", "COPY TO PROGRAM runs a command of the server", "possible")
    if target and target[0].startswith("'") and not target[0].startswith("'/dev/std"):
        return Statement("file", "COPY writes a file of the server")
    return Statement("read", "COPY prints rows")


def _scanned(words: Sequence[str], why: str) -> Statement:
    """A text without a tree: a write if a word says so, never a read."""
    writes = next((word for word in words if word in _WORDS_THAT_WRITE), None)
    if writes is not None:
        return Statement("write", f"{why}; {writes} stands in it", "possible")
    return Statement("call", why, "possible")


def _code(piece: Piece, why: str) -> Statement:
    """A block whose text is on record (`DO $$ ... $$`), or a call of one that is not."""
    for word in piece.words:
        if word.startswith("$$"):
            return _scanned(re.findall(r"\w+", word.upper()), why)
    return Statement("call", why, "possible")
