"""Compile a file that is a part of another one, and does not compile alone, with the file that includes it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.cuda_sources.includes import MAXIMUM_BYTES, is_file
from shflbench.cuda_sources.kernel_file import SourceNote
from shflbench.cuda_sources.messages import RemovedFeatureError, SourceError
from shflbench.errors import CompileError, InputError, KernelError
from shflbench.files import read_regular, relative

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shflbench.cuda_sources.kernel_file import KernelFile

MAXIMUM_NEAR = 200  # files of a folder that are searched for an #include
MAXIMUM_ATTEMPTS = 3  # of compiling a file that includes the other: each takes a second
_INCLUDE = re.compile(rb"""^[ \t]*#[ \t]*include[ \t]*["<]([^">\r\n]+)[">]""", re.MULTILINE)


def read_with_includer(path: Path, read: Callable[[Path], KernelFile]) -> KernelFile:
    """Return the kernels of a file as `read` does, or those that a file has that includes it, if it fails to compile.

    CompileError of the file alone if that does not compile either, or has none of its kernels; a missing header or what
    CUDA removed is an error at once.
    """
    try:
        return read(path)
    except SourceError as error:
        if isinstance(error, RemovedFeatureError):
            raise
        for outer in _includers(path):
            try:
                file = read(outer)
            except (CompileError, KernelError, InputError):
                continue
            if (part := _part(file, path)) is not None:
                return part
        raise error from None


def _part(file: KernelFile, path: Path) -> KernelFile | None:
    """Return what a file has of one that it includes; None if it has no kernel of that."""
    kernels = tuple(item for item in file.kernels if item.place is not None and _is_same(item.place.file, path))
    uninstantiated, instances, rejected = (
        tuple(item for item in items if _is_same(item.place.file, path))
        for items in (file.uninstantiated, file.rejected_instances, file.rejected)
    )
    if not kernels:
        return None
    shown = relative(file.path.resolve(), Path.cwd())
    note = SourceNote("build", f"compiled as a part of {shown}, which includes it: it does not compile alone")
    others = [
        item
        for item in file.notes
        if item.kind == "template" and item.line is not None and not _is_same(item.line.file, path)
    ]
    return replace(
        file,
        path=path,
        kernels=kernels,
        notes=(note, *(item for item in file.notes if item not in others)),
        rejected=rejected,
        uninstantiated=uninstantiated,
        rejected_instances=instances,
    )


def _includers(path: Path) -> Iterator[Path]:
    """Yield the CUDA files of the file's folder and its parent that include it, and those that include these."""
    folder = path.resolve().parent
    texts = {near: text for near in _near(folder) if (text := _text(near))}
    reached = {path.resolve()}
    waiting = [path.resolve()]
    while waiting:
        inner = waiting.pop(0)
        for outer, text in texts.items():
            if outer not in reached and any(_is_same(outer.parent / name, inner) for name in _names(text, inner)):
                reached.add(outer)
                waiting.append(outer)
                if len(reached) <= MAXIMUM_ATTEMPTS + 1:
                    yield outer


def _near(folder: Path) -> list[Path]:
    try:
        return [item for place in (folder, folder.parent) for item in sorted(place.glob("*.cu"))[:MAXIMUM_NEAR]]
    except OSError:  # a folder that cannot be read
        return []


def _text(path: Path) -> bytes:
    try:
        return read_regular(path, MAXIMUM_BYTES)
    except OSError:
        return b""


def _names(text: bytes, inner: Path) -> list[str]:
    names = (match.decode(errors="replace").strip() for match in _INCLUDE.findall(text))
    return [name for name in names if name.rpartition("/")[2] == inner.name]


def _is_same(file: Path, other: Path) -> bool:
    return is_file(file) and is_file(other) and file.samefile(other)
