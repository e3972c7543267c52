"""Sources that a process reads again: a file that was checked is read once more to be timed, or for its gains.

What a source knows does not change: its definitions, and the launches of its host code, which take longest to find.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from shflbench.cuda.compile.data_cache import digest_of
from shflbench.cuda_sources.host.machine import HostBudget
from shflbench.cuda_sources.source import CudaSource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cuda_sources.includes import SourceUnit
    from shflbench.cuda_sources.kernel_file import HostChange
    from shflbench.emulator.file_budget import FileBudget

MOST = 2  # sources that are kept, whose syntax trees take memory
_recent: OrderedDict[bytes, CudaSource] = OrderedDict()


def recent_source(  # noqa: PLR0913, PLR0917  (as of CudaSource)
    unit: SourceUnit,
    define: Sequence[str],
    words: Sequence[str] | None,
    usual: Sequence[str],
    change: HostChange,
    budget: FileBudget,
) -> CudaSource:
    """Return the source of a unit, with what is known of it if all that determines the host code is the same."""
    files = [(file.path, file.name, file.text) for file in (*unit.files, *unit.neighbors, *unit.launchers)]
    counts = len(unit.headers), len(unit.sources), len(unit.neighbors)
    of_unit = (files, counts, [*unit.versions])
    numbers = dict(change.numbers)
    given = ([*define], words, [*usual], numbers, change.instance, float(HostBudget(budget).most_work))
    key = digest_of((of_unit, given))
    known = _recent.get(key)
    if known is None or known.has_timed_out:
        source = CudaSource(unit, define, words, usual, change, budget)
    else:
        source = known.of_equal(unit, budget)
    _recent[key] = source
    _recent.move_to_end(key)
    while len(_recent) > MOST:
        _recent.popitem(last=False)
    return source
