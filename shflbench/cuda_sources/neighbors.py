"""Find the other files of a program: those that call functions of a file, or define functions that it calls.

Files are joined as a linker joins them, by the names that they define and call: from the file with `main` on. They are
read and never executed; sources of device functions that a file calls are compiled with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from shflbench.core.files import read_regular
from shflbench.cuda_sources.build_files import build_folders
from shflbench.cuda_sources.expansion import MOST_LEVELS
from shflbench.cuda_sources.host_code import UserFile
from shflbench.cuda_sources.includes import is_file, read_limited, read_unit
from shflbench.cuda_sources.lexer import code_only, without_comments
from shflbench.emulator.file_budget import NEVER, FileBudget
from shflbench.errors import CompileError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from shflbench.cuda_sources.includes import SourceUnit

SUFFIXES = frozenset({".cu", ".cpp", ".cc", ".cxx", ".c"})
MAXIMUM_NEAR = 200  # files of a folder that may belong to a program
MAXIMUM_BYTES = 2**18  # of one of them
MAXIMUM_JOINED = 12  # files of a program beside the checked one
MAXIMUM_LAUNCHING = 3  # files that launch kernels of one without a program
_MAIN = b"main"
_NAME = re.compile(rb"[A-Za-z_]\w*")
# Possessive, and from the beginning of a word on: the time is linear in the length of any word.
_CALL = re.compile(rb"\b([A-Za-z_]\w*+)\s*+(?:<[\w\s,:*]{0,200}>\s*)?(?=\(|<<<)")
_LAUNCH = re.compile(rb"\b([A-Za-z_]\w*+)\s*+(?:<[\w\s,:*]{0,200}>\s*)?<<<")
_DEFINITION = re.compile(rb"\b([A-Za-z_]\w*+)\s*+\([^;{}]{0,1000}\)\s*(?:(?:const|noexcept|override)\s*)*\{")
_BRACE = re.compile(rb"([;{}])")
_PARAMETERIZED = re.compile(rb"\btemplate\s*<\s*[^>\s]")  # not `template <>`, which specializes
_NAMED = re.compile(rb"\b([A-Za-z_]\w*+)\s*+(?:<[\w\s,:*]{0,200}>\s*)?\(")
_MACRO = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(.*)", re.MULTILINE)
_CONSTANT = re.compile(rb"^(?:static|const|constexpr)\b([\w \t:*]*+)\s*+(?:\[[^\]\n]*+\]\s*+)*+=", re.MULTILINE)
_GLOBAL = b"__global__"
_STATEMENTS = frozenset({b"if", b"for", b"while", b"switch", b"catch", b"constexpr"})  # `if constexpr (…) {`


@dataclass(frozen=True, eq=False)
class _Source:
    """A file that the compiler would be given; what is in it is searched for when it is asked for."""

    path: Path
    text: bytes

    @cached_property
    def code(self) -> bytes:
        """The text without comments, directives and strings."""
        return code_only(self.text)

    @cached_property
    def functions(self) -> frozenset[bytes]:
        """The names of the functions and kernels that have a body."""
        return frozenset(_DEFINITION.findall(self.code)) - _STATEMENTS

    @cached_property
    def certain_kernels(self) -> frozenset[bytes]:
        """The names of the kernels that are no templates: each file that includes them compiles them."""
        if _GLOBAL not in self.text:
            return frozenset()
        parts = _BRACE.split(self.code)
        heads = (head for head, end in zip(parts[::2], parts[1::2], strict=False) if end == b"{" and _GLOBAL in head)
        return frozenset(filter(None, map(_certain_kernel, heads)))

    @cached_property
    def constants(self) -> frozenset[bytes]:
        return frozenset(name for text in _CONSTANT.findall(self.code) for name in _NAME.findall(text)[-1:])

    @cached_property
    def macros(self) -> Mapping[bytes, bytes]:
        return {name: b" ".join(body.split()) for name, body in _MACRO.findall(without_comments(self.text))}

    @property
    def called(self) -> frozenset[bytes]:
        return frozenset(_CALL.findall(self.code)) - _STATEMENTS

    @property
    def launched(self) -> frozenset[bytes]:
        """The names of kernels that the text launches."""
        return frozenset(_LAUNCH.findall(self.code)) if b"<<<" in self.text else frozenset()

    @property
    def has_main(self) -> bool:
        return _MAIN in self.text and _MAIN in self.functions

    def uses(self, other: _Source) -> bool:
        return not other.functions.isdisjoint(_NAME.findall(self.code))

    def fits(self, other: _Source) -> bool:
        """Whether no name stands for two things, of which the host code could mean either."""
        macros = self.macros.keys() & other.macros.keys()
        return (
            self.functions.isdisjoint(other.functions)
            and self.constants.isdisjoint(other.constants)
            and all(self.macros[name] == other.macros[name] for name in macros)
        )


def neighbors(unit: SourceUnit, include: Sequence[Path], budget: FileBudget = NEVER) -> list[UserFile]:
    """Return the files of the program that a file belongs to, without those of its own unit; none if it is not known.

    Of several programs that use the file, the first one by the names of their files counts. Without a program, as in a
    library, these are the files that launch kernels of the file, or of its headers, which it does not launch itself.
    TimeLimitError if the time of the `budget` is up meanwhile.
    """
    main = _Source(unit.main.path, unit.main.text)
    near = []
    for path in _near(unit.main.path):
        budget.check_time()
        if (source := _read(path)) is not None:
            near.append(source)
    headers = [_Source(file.path, file.text) for file in unit.headers.values()]
    included = _Included(headers)
    if main.has_main:
        return _files(unit, _linked([main], near, included), include)
    for start in near:
        budget.check_time()
        if start.has_main and main.fits(start):
            joined = _linked([main, start], near, included)
            if any(source.uses(main) for source in joined[1:]):
                return _files(unit, joined, include)
    launching = _launching(main, near, _unlaunched(main, headers))
    return _files(unit, [main, *launching], include) if launching else []


def launching_files(unit: SourceUnit) -> list[UserFile]:
    """Return the neighbors that launch kernels of a file which belongs to no known program."""
    sources = {file.path: _Source(file.path, file.text) for file in (unit.main, *unit.neighbors)}
    if any(source.has_main for source in sources.values()):
        return []
    headers = [_Source(file.path, file.text) for file in unit.headers.values()]
    unlaunched = _unlaunched(sources[unit.main.path], headers)
    return [file for file in unit.neighbors if not unlaunched.isdisjoint(sources[file.path].launched)]


def definers(unit: SourceUnit, names: frozenset[bytes], include: Sequence[Path]) -> list[SourceUnit]:
    """Return the other sources, with their headers, that define functions of these names."""
    joined = [_Source(file.path, file.text) for file in (unit.main, *unit.sources)]
    known = len(joined)
    for path in _near(unit.main.path):
        source = _read(path)
        if source is not None and not names.isdisjoint(source.functions) and all(map(source.fits, joined)):
            joined.append(source)
    return [read for source in joined[known:] if (read := _unit(source.path, include)) is not None]


def _certain_kernel(head: bytes) -> bytes:
    """Return the name of the kernel before its body; empty for a template, of which a file compiles what it uses."""
    before, _, after = head.partition(_GLOBAL)
    names = (name for name in _NAMED.findall(after) if not name.startswith(b"__"))
    return b"" if _PARAMETERIZED.search(before) else next(names, b"")


def _unlaunched(main: _Source, headers: Sequence[_Source]) -> frozenset[bytes]:
    """Return the functions of a file, and the kernels of its headers that it compiles, which none of them launches."""
    certain = frozenset[bytes]().union(*(header.certain_kernels for header in headers))
    in_headers = frozenset[bytes]().union(*(header.launched for header in headers)) if certain else frozenset[bytes]()
    return (main.functions | (certain - in_headers)) - main.launched


def _launching(main: _Source, near: Sequence[_Source], unlaunched: frozenset[bytes]) -> list[_Source]:
    """Return the sources that launch kernels of a file which it does not launch; no two define one name."""
    chosen: list[_Source] = []
    for source in near:
        if not unlaunched.isdisjoint(source.launched) and all(source.fits(item) for item in (main, *chosen)):
            chosen.append(source)
    return chosen[:MAXIMUM_LAUNCHING]


class _Included:
    """The functions of headers, which are read only for a name in their text."""

    def __init__(self, headers: Sequence[_Source]) -> None:
        self._headers = headers

    def define(self, name: bytes) -> bool:
        """Whether a header has a function of this name with a body."""
        return any(name in header.text and name in header.functions for header in self._headers)


def _linked(sources: list[_Source], near: Sequence[_Source], included: _Included) -> list[_Source]:
    """Return the sources, and those that define what they call and no header has `included`.

    Two that define one name belong to two programs.
    """
    joined = list(sources)
    waiting = list(sources)
    while waiting and len(joined) <= MAXIMUM_JOINED:
        called = waiting.pop().called
        for source in near:
            missing = (called & source.functions).difference(*(item.functions for item in joined))
            is_called = any(not included.define(name) for name in missing)
            if is_called and all(source.fits(item) for item in joined):
                joined.append(source)
                waiting.append(source)
    return joined


def _files(unit: SourceUnit, joined: Sequence[_Source], include: Sequence[Path]) -> list[UserFile]:
    """Return the joined files but the first, with their headers, without the files of the unit."""
    files: dict[Path, UserFile] = {}
    for source in joined[1:]:
        read = _unit(source.path, include)
        shallow = (file for file in read.files if file.lexed.levels <= MOST_LEVELS) if read is not None else ()
        files |= {file.path.resolve(): file for file in shallow}
    known = {file.path.resolve() for file in unit.files}
    return [file for path, file in files.items() if path not in known]


def _unit(path: Path, include: Sequence[Path]) -> SourceUnit | None:
    """Return a source with its headers; None if it cannot be read."""
    try:
        return read_unit(UserFile.of(path, str(path), read_limited(path)), include, ())
    except CompileError:
        return None


def _near(path: Path) -> Iterator[Path]:
    """Yield the sources of the folder of a file, of `src` beside it, and of its parent in the same repository."""
    folders = list(islice(build_folders(path), 2))
    for place in dict.fromkeys((*folders[:1], *(folder / "src" for folder in folders[1:]), *folders[1:])):
        try:
            listed = sorted(item for item in place.iterdir() if item.suffix in SUFFIXES)[:MAXIMUM_NEAR]
        except OSError:  # no folder, or one that cannot be read
            continue
        yield from (item for item in listed if item != path.resolve() and is_file(item))


def _read(path: Path) -> _Source | None:
    """Return a source; None if it cannot be read, or is too large for one that people write."""
    try:
        text = read_regular(path, MAXIMUM_BYTES)
    except OSError:
        return None
    return _Source(path, text) if len(text) <= MAXIMUM_BYTES else None
