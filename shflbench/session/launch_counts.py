"""Count what the launches of a run do, after it has been timed.

Counts depend on the code of the kernel and on the files of its pattern, and not on the machine: they are cached.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.model import (
    AccessKind,
    AccessRequests,
    AccessSpace,
    AtomicAddress,
    Kernel,
    KernelRequests,
    LaunchCounts,
    MatchRequests,
    MemoryFootprint,
    OperationRequests,
    WarpOperation,
)
from shflbench.cuda.compile.data_cache import DataCache
from shflbench.errors import KernelError
from shflbench.kernel_facts.launch_counts import counts_of_all
from shflbench.session.events import Counting
from shflbench.session.kernels import key
from shflbench.store.counts_file import CaseCounts

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from shflbench.core.model import Case
    from shflbench.patterns.discover import LoadedPattern
    from shflbench.session.kernels import CompiledKernels
    from shflbench.session.plan import Plan

COUNTS = "launch-counts"  # ending of the files
CLASSES = (
    LaunchCounts,
    KernelRequests,
    AccessRequests,
    MatchRequests,
    MemoryFootprint,
    OperationRequests,
    AtomicAddress,
    AccessSpace,
    AccessKind,
    WarpOperation,
)


def count_launches(plan: Plan, compiled: CompiledKernels) -> Generator[Counting, None, list[CaseCounts]]:
    """Return what each case of a kernel without a timed loop does, in the order of the suite; yields the progress."""
    cases = [case for case in plan.suite.cases if plan.patterns[case.pattern].declaration.one_pass]
    kernels = {
        case: compiled.kernels.get(key(case, plan.patterns[case.pattern].declaration, plan.arch)) for case in cases
    }
    jobs = [
        (plan.patterns[case.pattern], case, kernel) for case, kernel in kernels.items() if isinstance(kernel, Kernel)
    ]
    yield Counting(0, len(jobs))
    cache = DataCache(plan.cache_folder, COUNTS, CLASSES)
    paths = [_path(cache, *job) for job in jobs]
    known = {path: counts for path in paths if isinstance(counts := cache.read(path), LaunchCounts)}
    new = iter(counts_of_all([job for job, path in zip(jobs, paths, strict=True) if path not in known]))
    counted = []
    for (_, case, _), path in zip(jobs, paths, strict=True):
        counts = known[path] if path in known else next(new)
        if isinstance(counts, KernelError):
            counted.append(CaseCounts(case.id, reason=counts.message))
        else:
            cache.write(None if path in known else path, counts)
            counted.append(CaseCounts(case.id, counts))
        yield Counting(len(counted), len(jobs))
    return counted


def _path(cache: DataCache, pattern: LoadedPattern, case: Case, kernel: Kernel) -> Path | None:
    """Return the entry of a launch; None if there is no cache, or if a file of the pattern cannot be read."""
    try:
        files = [
            (path.name, path.read_bytes())
            for path in sorted(pattern.folder.rglob("*"))
            if path.is_file() and path.suffix != ".pyc"
        ]
    except OSError:
        return None
    texts = [kernel.arch, *((item.symbol, item.ptx) for item in (kernel, *kernel.later))]
    return cache.path(files, case, texts)
