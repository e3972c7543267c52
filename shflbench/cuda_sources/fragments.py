"""Compile a file that is a part of another one, and does not compile alone, with the file that includes it."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.files import relative
from shflbench.cuda_sources.includers import includers, users
from shflbench.cuda_sources.includes import is_file
from shflbench.cuda_sources.kernel_file import SourceNote
from shflbench.cuda_sources.messages import RemovedFeatureError, SourceError
from shflbench.errors import CompileError, InputError, KernelError, TemplatesError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from shflbench.cuda_sources.kernel_file import KernelFile

MAXIMUM_ATTEMPTS = 3  # of compiling a file that includes the other: each takes a second
MAXIMUM_USERS = 2  # of a header in a library, each of which takes longer


def read_with_includer(path: Path, read: Callable[[Path], KernelFile]) -> KernelFile:
    """Return the kernels of a file as `read` does, or those that a file has that includes it, if it fails to compile.

    The same holds for a header of which no instance is known. The error of the file alone is raised if no other file
    has its kernels; a missing header or what CUDA removed is an error at once.
    """
    try:
        return read(path)
    except RemovedFeatureError:
        raise
    except SourceError as error:
        part = _first_part(path, islice(includers(path), MAXIMUM_ATTEMPTS), read, "it does not compile alone")
        if part is None:
            raise error from None
    except TemplatesError as error:
        if path.suffix == ".cu":
            raise
        part = _first_part(path, islice(users(path), MAXIMUM_USERS), read, "it has only templates")
        if part is None:
            raise error from None
    return part


def _first_part(
    path: Path, outer: Iterable[Path], read: Callable[[Path], KernelFile], reason: str
) -> KernelFile | None:
    """Return what the first of the `outer` files has of one that it includes; None if none has a kernel of that."""
    for item in outer:
        try:
            file = read(item)
        except (CompileError, KernelError, InputError):
            continue
        if (part := _part(file, path, reason)) is not None:
            return part
    return None


def _part(file: KernelFile, path: Path, reason: str) -> KernelFile | None:
    """Return what a file has of one that it includes; None if it has no kernel of that."""
    kernels = tuple(item for item in file.kernels if item.place is not None and _is_same(item.place.file, path))
    uninstantiated, instances, rejected = (
        tuple(item for item in items if _is_same(item.place.file, path))
        for items in (file.uninstantiated, file.rejected_instances, file.rejected)
    )
    if not kernels:
        return None
    shown = relative(file.path.resolve(), Path.cwd())
    note = SourceNote("build", f"compiled as a part of {shown}, which includes it: {reason}")
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


def _is_same(file: Path, other: Path) -> bool:
    return is_file(file) and is_file(other) and file.samefile(other)
