"""Verify a kernel once more after it was timed: somebody else's kernel may do less when it is launched again.

In verification outputs contain a fixed pattern of bits, and in a timed launch what the launch before left there. Memory
of a kernel's own, a `__device__` variable, keeps counts and results of earlier launches. So a kernel can be right when
it is verified and leave its work out when it is timed. Afterwards its launches get other inputs than all before: first
as a timed one, with the outputs as they are, then with overwritten ones. Contents that somebody specifies are the same
in all inputs; for kernels that can have results without reading them, and where all elements are equal, they change as
well.

A kernel can also do less where its loop has many iterations. So somebody else's kernel is launched with the iteration
counts that are timed, too. NumPy takes minutes for these: the results of a trusted variant are the reference.
"""

from __future__ import annotations

from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from shflbench.measure.verify import after, difference, find_unwritten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from shflbench.cuda.backends.base import Array, OpenKernel
    from shflbench.measure.workload import Workload

NEW_LAUNCHES = 2  # of a kernel that is opened anew: a race may give another result each time
STALE = "its result depends on earlier launches"  # how the sentence on such a kernel begins


def expect_again(reference: OpenKernel, workload: Workload) -> None:
    """Make the reference for the launches after timing; errors as for `verify`.

    Before all other launches, so that no buffer of the reference variant contains these results later.
    """
    _expect(reference, workload, workload.later_set)
    if any(variant.other_inputs for variant in workload.pattern.declaration.variants):
        for index in workload.other_sets:
            _expect(reference, workload, index)
            if _is_finite(workload, index):
                break


def expect_timed(trusted: OpenKernel, workload: Workload, counts: Iterable[int]) -> None:
    """Make results of a verified variant the reference at the iteration counts that are timed; errors as for `verify`.

    Once for all variants of a workload.
    """
    for iterations in counts:
        if iterations not in workload.verify_iterations:
            outputs = trusted.run(workload.inputs(workload.later_set), iterations)
            workload.accept_trusted(outputs, workload.later_set, iterations)


def _expect(reference: OpenKernel, workload: Workload, index: int) -> None:
    for iterations in workload.verify_iterations:
        workload.accept_expected(reference.run(workload.inputs(index), iterations), index, iterations)


def _later_sets(workload: Workload, *, others: bool) -> tuple[int, ...]:
    """Return the later input set and, with `others`, the first of these for which all results are finite."""
    finite = (index for index in workload.other_sets if _is_finite(workload, index))
    return (workload.later_set, *islice(finite, 1 if others else 0))


def wrong_again(
    kernel: OpenKernel,
    workload: Workload,
    open_new: Callable[[], OpenKernel],
    *,
    others: bool = False,
    timed: Sequence[int] = (),
) -> str:
    """Return how the results of launches after timing differ from the reference, as a sentence; empty if they agree.

    With `others`, results of the pattern's `other_inputs` are compared, too. `timed` are further iteration counts.
    `open_new` opens the same kernel with no launch before: if that is right, earlier launches are the cause.
    LaunchError if a kernel crashes.
    """
    for index in _later_sets(workload, others=others):
        for iterations in dict.fromkeys((*workload.verify_iterations, *timed)):
            if wrong := _wrong_with(kernel, workload, index, iterations):
                with closing(open_new()) as new:
                    launches = [_wrong_if_overwritten(new, workload, index, iterations) for _ in range(NEW_LAUNCHES)]
                is_stale = not any(launches)
                return f"{STALE}: launched again {wrong}" if is_stale else f"launched {wrong}"
    return ""


def _wrong_with(kernel: OpenKernel, workload: Workload, index: int, iterations: int) -> str:
    if not workload.is_added_to:
        got = kernel.run_again(workload.inputs(index), iterations)
        if wrong := difference(workload, _where_written(workload, got, index, iterations), index, iterations):
            return f"{after(workload, iterations)}with other inputs, {wrong}"
    if wrong := _wrong_if_overwritten(kernel, workload, index, iterations):
        return f"{after(workload, iterations)}with other inputs and overwritten outputs, {wrong}"
    return ""


def _wrong_if_overwritten(kernel: OpenKernel, workload: Workload, index: int, iterations: int) -> str:
    got = kernel.run(workload.inputs(index), iterations)
    return find_unwritten(kernel, workload, got, index, iterations) or difference(workload, got, index, iterations)


def _is_finite(workload: Workload, index: int) -> bool:
    """Whether the reference has no infinity and no NaN; where it has, kernels may differ that are equally right."""
    return all(
        np.issubdtype(array.dtype, np.integer) or bool(np.isfinite(array.astype(np.float64)).all())
        for iterations in workload.verify_iterations
        for array in workload.expected(index, iterations)
    )


def _where_written(workload: Workload, got: Sequence[Array], index: int, iterations: int) -> list[Array]:
    """Return results of a launch whose outputs were not overwritten, without what the reference does not write."""
    outputs = [buffer for buffer in workload.buffers if buffer.is_output]
    results = []
    compared = zip(outputs, got, workload.expected(index, iterations), workload.unordered, strict=True)
    for buffer, actual, reference, is_unordered in compared:
        if buffer.variable:  # which keeps what earlier launches wrote, and is compared in the first one only
            results.append(np.ascontiguousarray(reference).reshape(-1))
            continue
        if buffer.read:
            results.append(actual)
            continue
        bits, flat = f"u{actual.dtype.itemsize}", np.ascontiguousarray(reference).reshape(-1)
        is_unwritten = flat.view(bits) == buffer.before().view(bits)
        if is_unordered and is_unwritten.any():  # nobody knows where the kernel has these
            results.append(flat)
            continue
        kept = actual.copy()
        kept[is_unwritten] = flat[is_unwritten]
        results.append(kept)
    return results
