"""Separate the kernels of a user's file from those that the compiler adds of libraries and of other sources."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.files import relative
from shflbench.core.words import count_noun
from shflbench.cuda_sources.includes import is_file
from shflbench.cuda_sources.kernel_file import SourceNote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cuda_sources.kernel_file import SourceKernel
    from shflbench.cuda_sources.source import CudaSource


def users_kernels(
    source: CudaSource, kernels: Sequence[SourceKernel]
) -> tuple[tuple[SourceKernel, ...], list[SourceNote]]:
    """Return the kernels of a file and its headers in order of the source, and a note on all others.

    The others are defined in headers of libraries, or in sources that are compiled with the file.
    """
    listed_files = (source.unit.main, *source.unit.headers.values())
    order = {file.path.resolve(): index for index, file in enumerate(listed_files)}
    listed, others = [], []
    for index, item in enumerate(kernels):
        file = item.place.file.resolve() if item.place is not None else None
        if file in order or file is None or not is_file(file):
            listed.append((order.get(file, 0) if file else 0, item.place.line if item.place else 0, index))
        else:
            others.append(item)
    return tuple(kernels[index] for _, _, index in sorted(listed)), [_note(others)] if others else []


def _note(others: Sequence[SourceKernel]) -> SourceNote:
    first = others[0]
    names = f"`{first.name}`"
    if first.place is not None:
        names += f" ({relative(first.place.file.resolve(), Path.cwd())}:{first.place.line})"
    more = f" and {count_noun(len(others) - 1, 'other kernel')}" if len(others) > 1 else ""
    verb = "is" if len(others) == 1 else "are"
    text = f"not checked: {names}{more}, which {verb} defined in headers of libraries or in other sources"
    return SourceNote("instances", text, None, tuple(item.symbol for item in others))
