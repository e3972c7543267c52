"""Notes on what the files leave open about the host code, so that nothing of it is taken from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.cuda_sources.kernel_file import SourceNote

if TYPE_CHECKING:
    from shflbench.cuda_sources.source import CudaSource

MOST_NOTES = 4  # of each kind


def open_notes(source: CudaSource) -> list[SourceNote]:
    """Return a note for each condition, and for each call, that the files do not decide."""
    conditions, calls = source.undecided
    condition = "the files do not say which branch is compiled: values that differ between them are taken as unknown"
    call = "the files do not say which of several functions `{}` is: its result is taken as unknown"
    return [
        *(SourceNote("host-code", condition, line) for line in conditions[:MOST_NOTES]),
        *(SourceNote("host-code", call.format(name), line) for name, line in calls[:MOST_NOTES]),
    ]
