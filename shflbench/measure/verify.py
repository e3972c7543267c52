"""Verify a kernel at its own launch against the pattern's NumPy reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.model import Proof

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.backends.base import Array, OpenKernel


def verify(kernel: OpenKernel, workload: Workload, launch: str) -> Proof:
    """Run `kernel` on every input set at every verifying iteration count.

    LaunchError if it crashes, PatternError if the pattern's own functions fail.
    """
    matched, first = 0, ""
    for index in range(INPUT_SETS):
        wrong = ""
        for iterations in workload.verify_iterations:
            got = kernel.run(workload.inputs(index), iterations)
            tolerance = workload.pattern.tolerance(workload.dtype, iterations)
            wrong = wrong or mismatch(got, workload.expected(index, iterations), tolerance)
            if wrong and not first:
                trips = "1 iteration" if iterations == 1 else f"{iterations} iterations"
                first = f"after {trips} on input {index}, {wrong}"
        matched += not wrong
    return Proof(matched, INPUT_SETS, workload.verify_iterations, launch, first)


def mismatch(got: Sequence[Array], expected: Sequence[Array], tolerance: float) -> str:
    """Return the first difference in words, empty if there is none.

    Without a tolerance the bits must agree; with one, the absolute error of each element.
    """
    for actual, right in zip(got, expected, strict=True):
        flat, wanted = actual.reshape(-1), right.reshape(-1)
        wrong = _differs(flat, wanted, tolerance)
        if wrong.any():
            thread = int(np.argmax(wrong))
            count = int(np.count_nonzero(wrong))
            return f"element {thread} is {flat[thread]}, not {wanted[thread]} ({count} of {wrong.size} are wrong)"
    return ""


def _differs(actual: Array, right: Array, tolerance: float) -> Array:
    if not tolerance:
        unsigned = f"u{right.dtype.itemsize}"
        return np.asarray(actual.view(unsigned) != right.view(unsigned))
    # Not `abs(difference) > tolerance`, which a NaN would pass.
    difference = actual.astype(np.float64) - right.astype(np.float64)
    return np.asarray(~(np.abs(difference) <= tolerance))
