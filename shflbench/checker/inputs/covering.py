"""A derived launch with as many threads as a size that the user gives: `--arg n=1000` without `--launch`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.checker.inputs.argument import Origin
from shflbench.checker.inputs.launches import PlannedLaunch, is_special
from shflbench.checker.inputs.numbers import ArgumentNumbers
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.checker.inputs.size_bound import evaluated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.checker.inputs.wishes import Wishes
    from shflbench.checker.sources.kernel_file import SourceKernel

MOST_THREADS = 1 << 14  # more take seconds; that the size is not reached is reported


def with_covering(plan: Sequence[PlannedLaunch], kernel: SourceKernel, wishes: Wishes) -> list[PlannedLaunch]:
    """Return a plan with a launch whose last threads are beyond the largest given size, if no other launch has them.

    Only for launches of one dimension: in several, each size limits one of them, and which one is not known.
    """
    usual = [item for item in plan if item.origin is Origin.DERIVED and not is_special(item)]
    if not usual or len(usual) < sum(not is_special(item) for item in plan):
        return list(plan)
    last = max(usual, key=lambda item: item.shape.threads_per_block)
    threads = last.shape.threads_per_block
    needed = max(_needed_threads(kernel, last, wishes), default=0)
    enough = any(item.shape.threads >= needed for item in usual)
    several = last.shape.grid[1:] != (1, 1) or last.shape.block[1:] != (1, 1) or last.shape.grid[0] == 1
    if enough or several or needed > MOST_THREADS:
        return list(plan)
    shape = LaunchShape((-(-needed // threads), 1, 1), last.shape.block)
    return [
        *plan, PlannedLaunch(shape, Origin.DERIVED, last.host, "threads for the given size", suggested=last.suggested)
    ]  # fmt: skip


def _needed_threads(kernel: SourceKernel, launch: PlannedLaunch, wishes: Wishes) -> Iterator[int]:
    """Yield a thread more than each given size, for which the guard does not hold; without a guard, the size itself."""
    numbers = dict(ArgumentNumbers(kernel, launch, wishes).integers())
    given = {byte: int(number.value) for byte, number in numbers.items() if number.origin is Origin.GIVEN}
    for bounds in wishes.bounds.values():
        for bound in bounds:
            limit = evaluated(bound.limit, given)
            if limit is not None and not bound.in_loop:
                yield limit if bound.unread else limit + 1
