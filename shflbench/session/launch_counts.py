"""Count what the launches of a run do, after it has been timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.errors import KernelError
from shflbench.measure.launch_counts import counts_of_all
from shflbench.model import Kernel
from shflbench.session.events import Counting
from shflbench.session.kernels import key
from shflbench.store.counts_file import CaseCounts

if TYPE_CHECKING:
    from collections.abc import Generator

    from shflbench.session.kernels import CompiledKernels
    from shflbench.session.plan import Plan


def count_launches(plan: Plan, compiled: CompiledKernels) -> Generator[Counting, None, list[CaseCounts]]:
    """Return what each case of a kernel without a timed loop does, in the order of the suite; yields the progress."""
    cases = [case for case in plan.suite.cases if plan.patterns[case.pattern].declaration.one_pass]
    kernels = {case: compiled.kernels.get(key(case, plan.patterns[case.pattern].declaration)) for case in cases}
    jobs = [
        (plan.patterns[case.pattern], case, kernel) for case, kernel in kernels.items() if isinstance(kernel, Kernel)
    ]
    yield Counting(0, len(jobs))
    counted = []
    for (_, case, _), counts in zip(jobs, counts_of_all(jobs), strict=True):
        counted.append(
            CaseCounts(case.id, reason=counts.message)
            if isinstance(counts, KernelError)
            else CaseCounts(case.id, counts)
        )
        yield Counting(len(counted), len(jobs))
    return counted
