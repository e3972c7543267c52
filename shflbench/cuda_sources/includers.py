"""Find the CUDA files that include a file, directly or through headers, in its repository or beside it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from shflbench.core.files import read_regular
from shflbench.cuda_sources.host_code import BLANKS
from shflbench.cuda_sources.includes import MAXIMUM_BYTES, is_file
from shflbench.cuda_sources.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

MAXIMUM_NEAR = 200  # files of a folder that are searched for an #include
MAXIMUM_FILES = 3000  # of a repository
_SUFFIXES = frozenset({".cu", ".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl"})
_INCLUDE = re.compile(rb"""^[ \t]*#[ \t]*include[ \t]*["<]([^">\r\n]+)[">]""", re.MULTILINE)
_KERNEL = re.compile(rb"\b__global__\b[^;{}]{0,400}?\b((?!__)\w+)\s*\((?=[^;{}]*\{)")


def includers(path: Path) -> list[Path]:
    """Return the `.cu` files that include a file: with the fewest headers between them first, then the nearest."""
    return list(_Includers(path.resolve()).programs)


def users(path: Path) -> list[Path]:
    """Return the `.cu` files that include a header, small ones first that name its kernels, also by other headers."""
    search = _Includers(path.resolve())
    return sorted(search.programs, key=lambda outer: (not search.programs[outer], len(search.texts[outer])))


class _Includers:
    """The `.cu` files that include a file, each with whether it or a header between them names a kernel of the file."""

    def __init__(self, inner: Path) -> None:
        self.texts = {near: text for near in _candidates(inner) if (text := _text(near))}
        including: dict[str, list[tuple[Path, str]]] = {}  # by the last part of the name in #include
        for outer, text in self.texts.items():
            for match in _INCLUDE.findall(text):
                name = match.decode(errors="replace").strip()
                including.setdefault(name.rpartition("/")[2], []).append((outer, name))
        kernels = set(_KERNEL.findall(_text(inner)))
        self.programs: dict[Path, bool] = {}
        names_kernels = {inner: False}
        waiting = [inner]
        while waiting:
            file = waiting.pop(0)
            for outer, name in including.get(file.name, []):
                if outer not in names_kernels and _means(outer, name, file):
                    words = self.texts[outer].translate(BLANKS).split()
                    names_kernels[outer] = names_kernels[file] or not kernels.isdisjoint(words)
                    waiting.append(outer)
                    if outer.suffix == ".cu":
                        self.programs[outer] = names_kernels[outer]


def _candidates(inner: Path) -> list[Path]:
    """Return the files of the repository, or of the file's folder and its parent without one."""
    files = Repository(inner).files(_SUFFIXES)[:MAXIMUM_FILES]
    if files:
        return files
    try:
        near = [
            item for place in (inner.parent, inner.parent.parent) for item in sorted(place.iterdir())[:MAXIMUM_NEAR]
        ]
    except OSError:  # a folder that cannot be read
        return []
    return [item for item in near if item.suffix in _SUFFIXES and is_file(item)]


def _means(outer: Path, name: str, file: Path) -> bool:
    """Whether a name in an `#include` is a file: beside the including one, or as a folder of headers has it."""
    parts = tuple(part for part in name.split("/") if part != ".")
    if ".." not in parts and file.parts[-len(parts) :] == parts:
        beside = outer.parent / name
        return not is_file(beside) or beside.samefile(file)
    beside = outer.parent / name
    return is_file(beside) and beside.samefile(file)


def _text(path: Path) -> bytes:
    try:
        return read_regular(path, MAXIMUM_BYTES)
    except OSError:
        return b""
