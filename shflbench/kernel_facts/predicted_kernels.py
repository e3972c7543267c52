"""Compile kernels for one residency, and predict the cycles of their loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.limits.constants import PREDICTED_ARCH
from shflbench.core.environment import cache_folder
from shflbench.kernel_facts.estimates import with_predictions
from shflbench.kernel_facts.inspector import Inspector
from shflbench.kernel_facts.residency import ResidentBlocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.core.reporter import Reporter
    from shflbench.cuda.compile.toolchain import Toolchain
    from shflbench.kernel_facts.inspected_kernel import InspectedKernel
    from shflbench.kernel_facts.pattern_checks.targets import KernelSubject


def common_blocks(
    toolchain: Toolchain, subjects: Sequence[KernelSubject], arch: str, block: int, reporter: Reporter
) -> int:
    """Return how many blocks an SM holds at a time of every safe kernel of which one fits; at least one."""
    inspector = Inspector(toolchain, cache_folder(), ResidentBlocks(1, block, fill=True), reporter)
    inspected = inspector.inspect(subjects, [arch], with_kernels=False)
    fitting = [one.occupancy.blocks for one in inspected if one.subject.variant.safe and one.occupancy]
    return min(filter(None, fitting), default=1)


def predicted_kernels(
    toolchain: Toolchain, subjects: Sequence[KernelSubject], arch: str, resident: ResidentBlocks, reporter: Reporter
) -> list[InspectedKernel]:
    """Return each kernel with its limit, which includes bank conflicts, and its prediction where one is known.

    One that does not compile has an `error`. Uses all cores.
    """
    inspector = Inspector(toolchain, cache_folder(), resident, reporter)
    inspected = list(inspector.inspect(subjects, [arch], with_kernels=True))
    requests = inspector.requests(inspected)
    inspected = list(inspector.with_accesses(inspected, requests))
    if arch != PREDICTED_ARCH:
        return inspected
    counted = {subject: made for subject, made in requests.items() if not isinstance(made, Exception)}
    return list(with_predictions(inspected, counted, resident))
