"""Find the user's own headers, and decide what stands for the others."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass, field
from itertools import chain, count
from typing import TYPE_CHECKING

from shflbench.core.files import read_regular
from shflbench.cuda.compile.host_headers import is_graphics, stub, substitute
from shflbench.cuda_sources.host_code import UserFile
from shflbench.cuda_sources.utf8 import as_utf8
from shflbench.errors import CompileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_INCLUDE = re.compile(rb'\s*#\s*include\s*(?:"(?P<quoted>[^"\n]+)"|<(?P<angled>[^>\n]+)>)')
MAXIMUM_FILES = 500  # user headers of one file
MAXIMUM_BYTES = 4 * 2**20  # of one file that the grammar reads; 1 MiB takes a second
MAXIMUM_LINE = 100_000  # bytes; for a longer one that is no C++, tree-sitter can take minutes


@dataclass
class SourceUnit:
    """A translation unit: the main file, the user's headers by name in `#include`, and the stubs.

    The `sources` are compiled with the main file, because they have device functions that it calls. Its neighbors are
    the other files of the program, which no compiler is given with it. Of a file that belongs to no known program,
    they are the `launchers` of its kernels, with the headers of these.
    """

    main: UserFile
    headers: dict[str, UserFile] = field(default_factory=dict)
    stubs: dict[str, bytes] = field(default_factory=dict)
    substitutes: list[str] = field(default_factory=list)  # those of them that compute other results than the header
    missing: dict[str, tuple[UserFile, int]] = field(default_factory=dict)  # name → file and line of the #include
    sources: list[UserFile] = field(default_factory=list)
    neighbors: list[UserFile] = field(default_factory=list)
    launchers: list[UserFile] = field(default_factory=list)
    versions: Sequence[str] = ()  # of CUDA, as after -D

    @property
    def files(self) -> list[UserFile]:
        """All files of the user that the compiler reads, the main file first."""
        return [self.main, *self.headers.values(), *self.sources]


def read_unit(main: UserFile, include: Sequence[Path], toolkit: Sequence[Path]) -> SourceUnit:
    """Read the headers that `main` includes, directly or through others; `toolkit` are the folders of CUDA's headers.

    A compiler finds a header beside the file that includes it. Where one name means several headers, or several names
    mean one, the texts name each by a name of its own.
    """
    unit = SourceUnit(main)
    names: dict[Path, str] = {}  # of headers by their real paths
    renamed: dict[str, dict[str, str]] = {}  # by the name of a file, names in its #include and the ones in their place
    waiting = [main]
    while waiting and len(unit.headers) < MAXIMUM_FILES:
        file = waiting.pop(0)
        for name, quoted, line in includes(file):
            folders = (*((file.path.parent, main.path.parent) if quoted else ()), *include)
            searched = () if is_graphics(name) else folders
            path = next((path for folder in searched if is_file(path := folder / name)), None)
            if path is None:
                _refuse_devices(file, name, line, searched)
                _note_foreign(unit, file, name, line, toolkit)
                continue
            real = path.resolve()
            if real not in names:
                names[real] = known = _free_name(unit, main, name, real)
                unit.headers[known] = UserFile.of(path, known, read_limited(path))
                waiting.append(unit.headers[known])
            if names[real] != name:
                renamed.setdefault(file.name, {})[name] = names[real]
    if main.name in renamed:
        unit.main = with_names(main, renamed[main.name])
    unit.headers |= {name: with_names(unit.headers[name], renamed[name]) for name in unit.headers if name in renamed}
    return unit


def _free_name(unit: SourceUnit, main: UserFile, name: str, path: Path) -> str:
    """Return the name of a header that no other one has: as it is included, by its folder, or with a number."""
    yet = (name, os.path.relpath(path, main.path.resolve().parent))
    numbered = (f"{number}/{name}" for number in count(2))
    return next(item for item in chain(yet, numbered) if item not in unit.headers)


def with_names(file: UserFile, names: Mapping[str, str]) -> UserFile:
    """Return a file whose `#include` have other names: those of headers by the ones that stand there."""
    parts: list[bytes] = []
    end = 0
    for span in file.lexed.directives:
        match = _INCLUDE.match(file.text, span.start, span.end)
        group = "angled" if match is not None and match["angled"] else "quoted"
        name = match[group].decode(errors="replace").strip() if match is not None else ""
        if match is not None and name in names:
            parts += [file.text[end : match.start(group)], names[name].encode()]
            end = match.end(group)
    return UserFile.of(file.path, file.name, b"".join([*parts, file.text[end:]]))


def includes(file: UserFile) -> Iterator[tuple[str, bool, int]]:
    """Yield name, whether it is in quotes, and line of each `#include`."""
    line, counted = 1, 0
    for span in file.lexed.directives:
        match = _INCLUDE.match(file.text, span.start, span.end)
        if match is not None:
            name = (match["quoted"] or match["angled"]).decode(errors="replace").strip()
            line, counted = line + file.text.count(b"\n", counted, match.end()), match.end()
            yield name, match["quoted"] is not None, line


def read_limited(path: Path) -> bytes:
    """Return a file as UTF-8 without its byte order mark.

    CompileError if it or a line is too large, or it cannot be read.
    """
    try:
        if path.stat().st_size > MAXIMUM_BYTES:
            raise CompileError(f"{path} is larger than {MAXIMUM_BYTES // 2**20} MiB", "Pass its PTX instead.")
        content = read_regular(path, MAXIMUM_BYTES).removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise CompileError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(content) > MAXIMUM_LINE and any(len(line) > MAXIMUM_LINE for line in content.splitlines()):
        raise CompileError(f"{path} has a line of more than {MAXIMUM_LINE} bytes", "Break the line, or pass PTX.")
    return as_utf8(content)


def is_file(path: Path) -> bool:
    """Return whether a file of this name exists; a damaged file can have any text in place of a name."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that is too long, or has a zero byte
        return False


def is_folder(path: Path) -> bool:
    """Return whether a folder of this name exists, whatever text stands in place of a name."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _refuse_devices(file: UserFile, name: str, line: int, folders: Sequence[Path]) -> None:
    """CompileError if the compiler would read from a pipe or a device, which may never end."""
    for folder in folders:
        with contextlib.suppress(OSError, ValueError):
            if (path := folder / name).exists() and not path.is_dir():
                raise CompileError(f"{file.path}:{line}: {name} is no regular file", "Include a file.")


def _note_foreign(unit: SourceUnit, file: UserFile, name: str, line: int, toolkit: Sequence[Path]) -> None:
    if name in unit.stubs or name in unit.missing:
        return
    text = stub(name)
    if text is not None:
        unit.stubs[name] = text
    elif not any(is_file(folder / name) for folder in toolkit):
        if (text := substitute(name)) is not None:
            unit.stubs[name] = text
            unit.substitutes.append(name)
        else:
            unit.missing[name] = (file, line)
