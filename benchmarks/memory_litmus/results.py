"""Results of the litmus tests that are forbidden to sound rows, and broken rows that lack a wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.memory_litmus import kernels
from tests.litmus.bulk_table import FIRST, SECOND, BulkLitmus
from tests.litmus.table import CLUSTER, Litmus

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BULK_WORD = 1  # of the four words of a copy, that the other thread accesses


def is_forbidden(row: Litmus | BulkLitmus, words: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Return for each instance, a row of words of memory, whether it shows what a sound row forbids."""
    place, expected = _place(row) if isinstance(row, Litmus) else _place_bulk(row)
    result: npt.NDArray[np.bool_] = words[:, place] != expected
    return result


def is_void(row: Litmus | BulkLitmus, words: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Return for each instance whether its wait for a flag did not end."""
    is_flag = isinstance(row, Litmus) and row.mechanism == "flag"
    result: npt.NDArray[np.bool_] = (words[:, kernels.FLAG] == 0) & is_flag
    return result


def _place(row: Litmus) -> tuple[int, int]:
    """Return the word with a result of a row, and what it is where all accesses are in order."""
    if row.access == "RAW":
        return kernels.READ_BY_SECOND, kernels.FIRST_VALUE
    if row.access == "WAR":
        return kernels.READ_BY_FIRST, 0
    return (kernels.SHARED_WORD if row.memory == "shared" else 0), kernels.SECOND_VALUE  # of atomics: the sum of both


def _place_bulk(row: BulkLitmus) -> tuple[int, int]:
    """Return the same for a row with a bulk copy, from shared memory to global memory or back."""
    is_load, is_first = row.copy == "load", row.by == FIRST
    copied, old = kernels.OLD_GLOBAL, kernels.OLD_SHARED
    if not is_load:
        copied, old = old, copied
    if row.access == "read":
        return (kernels.READ_BY_SECOND, copied) if is_first else (kernels.READ_BY_FIRST, old)
    target = kernels.SHARED_WORD if is_load else BULK_WORD
    takes_written = is_first == (row.side == "target")
    return target, kernels.WRITTEN if takes_written else copied


def is_without_wait(row: Litmus | BulkLitmus) -> bool:
    """Whether nothing lets the second thread wait for the first one, or for the copy."""
    if isinstance(row, Litmus):
        return row.mechanism == "block barrier" and row.together == CLUSTER
    return (not row.barrier and row.wait != SECOND) or (row.by == FIRST and not row.wait)
