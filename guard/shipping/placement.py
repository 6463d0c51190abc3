"""Which run a file belongs to and what it is called there, by its content and what is near."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from guard import adapters
from guard.adapters.base import Session, SourceFile
from guard.shipping import content
from guard.shipping.marks import Mark, Marks

NEARBY_FOLDERS = 3
"""A sub-agent's file lies at most so many folders below that of its session."""


def path_of(file: SourceFile) -> str:
    """The path of a file, also of a part that an adapter cut out of it."""
    return file.name.split("?")[0]


def placed(files: Sequence[SourceFile], marks: Marks) -> Iterator[tuple[SourceFile, Mark]]:
    """Files, or their parts, with the marks they have or get; what nobody claims is left out."""
    wanted = {file.name for file in files}
    for session in adapters.sort_out([*files, *_nearby(files, marks)])[0]:
        main = marks.of(session.files[0].name)
        names = names_within(session, main.name if main is not None else None)
        for file, name in zip(session.files, names, strict=True):
            if path_of(file) in wanted:
                yield file, _mark(file, session.external_id, name, marks)


def placed_anew(file: SourceFile, mark: Mark, marks: Marks) -> Mark | None:
    """The mark of a file that now holds another run than its mark says; None when it does not."""
    for session in adapters.sort_out([file, *_nearby([file], marks)])[0]:
        if file in session.files and session.external_id != mark.run:
            name = marks.free_name(session.external_id, Path(file.name).name, file.name)
            return Mark(mark.path, session.external_id, name, inode=mark.inode)
    return None


def names_within(session: Session, main_name: str | None) -> list[str]:
    """Names within a run: the main file keeps the one it first had, the others go beside it."""
    main = Path(session.files[0].name)
    names = [main.name if main_name is None else main_name]
    for file in session.files[1:]:
        path = Path(file.name)
        inside = path.is_relative_to(main.parent)
        names.append(str(path.relative_to(main.parent)) if inside else path.name)
    return names


def _nearby(files: Sequence[SourceFile], marks: Marks) -> Iterator[SourceFile]:
    """Files shipped before that a new one may belong to."""
    own = {file.name for file in files}
    folders = {str(f) for file in files for f in [*Path(file.name).parents][:NEARBY_FOLDERS]}
    for mark in marks:
        path = Path(mark.path)
        if mark.path not in own and str(path.parent) in folders and path.is_file():
            yield SourceFile.of(path)


def _mark(file: SourceFile, run: str, name: str, marks: Marks) -> Mark:
    known = marks.of(file.name)
    return known or Mark(file.name, run, marks.free_name(run, name, file.name))


def moved(path: str, inode: int, marks: Marks) -> Mark | None:
    """The mark of the path that this file had before, when a log was rotated."""
    for mark in marks:
        if mark.inode == inode and mark.offset and not _is_at(mark.path, inode):
            with Path(path).open("rb") as stream:
                begins = content.hash_of(stream, mark.offset)
            if begins is not None and begins.hexdigest() == mark.sha256:
                return mark
    return None


def _is_at(path: str, inode: int) -> bool:
    try:
        return Path(path).stat().st_ino == inode
    except OSError:
        return False
