"""Compare the buffers that a kernel leaves behind under different schedules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.runs.evidence import OutputDifference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.emulator.explore import ScheduleResult


def differences(results: Sequence[ScheduleResult], names: Sequence[str]) -> Iterator[OutputDifference]:
    """Yield, for each schedule, the first byte of each buffer that differs from the first schedule's.

    Outputs that have pages are not kept, so that they are not compared.
    """
    complete = [result for result in results if result.error is None and result.outputs]
    for result in complete[1:]:
        for name, first, other in zip(names, complete[0].outputs, result.outputs, strict=True):
            differs = first.view(np.uint8) != other.view(np.uint8)
            if differs.any():
                yield OutputDifference(result.policy, name, int(np.argmax(differs)))
