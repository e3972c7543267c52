"""Verify a kernel at its launch against the pattern's NumPy reference, or against its reference variant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.model import Proof
from shflbench.core.words import one_or_many
from shflbench.cuda.backends.base import OTHER_POISON
from shflbench.measure.agreement import agreement, mismatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shflbench.cuda.backends.base import Array, OpenKernel
    from shflbench.measure.agreement import Agreement
    from shflbench.measure.workload import Workload

UNWRITTEN = "it does not write"  # how the sentence on outputs that a kernel leaves as they were begins


def verify(kernel: OpenKernel, workload: Workload, launch: str) -> Proof:
    """Run `kernel` on every input set, at every iteration count used for verification.

    LaunchError if it crashes, PatternError if a function of the pattern fails.
    """
    return _proof(kernel, workload, launch)


def verify_reference(kernel: OpenKernel, workload: Workload, launch: str) -> Proof:
    """Run the reference variant's `kernel` twice each time; its result is the reference if both runs agree.

    Errors as for `verify`. Afterwards the other variants can be verified, unless the results differed.
    """
    proof = _proof(kernel, workload, launch, decides=True)
    if proof.complete:
        return proof
    workload.discard_expected()
    return replace(proof, mismatch=_another(proof.mismatch))


def _another(mismatch: str) -> str:
    may = "the order of threads may decide on it, as where atomics hand out places (`bench` has --any-order for that)"
    return f"the reference gives another result the second time: {mismatch}; {may}"


def fill(kernel: OpenKernel, workload: Workload) -> None:
    """Leave the buffers of `kernel` as verification leaves those of the same kernel; errors as for `verify`."""
    kernel.run(workload.inputs(workload.input_sets - 1), workload.verify_iterations[-1])


def _proof(kernel: OpenKernel, workload: Workload, launch: str, *, decides: bool = False) -> Proof:
    matched, first, sets = 0, "", workload.input_sets
    by_median = other_zeros = 0
    for index in range(sets):
        wrong = ""
        for iterations in workload.verify_iterations:
            if decides:
                workload.accept_expected(kernel.run(workload.inputs(index), iterations), index, iterations)
            got = kernel.run(workload.inputs(index), iterations)
            agreed = agreement_with(workload, got, index, iterations)
            by_median, other_zeros = max(by_median, agreed.by_median), max(other_zeros, agreed.other_zeros)
            wrong = wrong or find_unwritten(kernel, workload, got, index, iterations) or agreed.mismatch
            if wrong and not first:
                first = f"{after(workload, iterations)}on input {index}, {wrong}"
        matched += not wrong
    written_bytes = _written_bytes(workload) if matched == sets else 0
    if first and (unwritten_read := _reads_unwritten(kernel, workload)):
        first = f"{unwritten_read}; {first}"
    return Proof(
        matched,
        sets,
        workload.verify_iterations,
        launch,
        first,
        written_bytes,
        relative_tolerance=workload.pattern.declaration.relative_tolerance,
        by_median=by_median,
        other_zeros=other_zeros,
        not_compared=workload.pattern.declaration.not_compared,
    )


def _reads_unwritten(kernel: OpenKernel, workload: Workload) -> str:
    """Return that results depend on what was in a buffer before a kernel of the case wrote it; empty if they do not.

    Each launch finds other bytes in such buffers than the one before, and the same as the second before.
    """
    if all(buffer.compared for buffer in workload.buffers):
        return ""
    one, two, three = (kernel.run(workload.inputs(0), workload.verify_iterations[0]) for _ in range(3))
    if mismatch(one, three, 0.0) or not mismatch(one, two, 0.0):
        return ""
    return "one of its kernels reads elements of a buffer that no kernel wrote before"


def _written_bytes(workload: Workload) -> int:
    """Return the bytes of the results that differ from what was there before, for the last input set.

    0 for patterns, whose declaration says what a launch moves.
    """
    if not workload.pattern.declaration.fixed_sizes:
        return 0
    index = workload.input_sets - 1
    given = dict(zip([item.name for item in workload.buffers if item.read], workload.inputs(index), strict=True))
    outputs = [buffer for buffer in workload.buffers if buffer.is_output]
    total = 0
    for buffer, result in zip(outputs, workload.expected(index, workload.verify_iterations[-1]), strict=True):
        bits = f"u{result.dtype.itemsize}"
        before = np.ascontiguousarray(given[buffer.name] if buffer.read else buffer.before()).reshape(-1)
        changed = np.ascontiguousarray(result).reshape(-1).view(bits) != before.view(bits)
        total += int(np.count_nonzero(changed)) * result.dtype.itemsize
    return total


def find_unwritten(kernel: OpenKernel, workload: Workload, got: Sequence[Array], index: int, iterations: int) -> str:
    """Return which elements keep what was in an output before the launch and not in the reference, in words.

    A kernel that may leave some is launched again with other contents in its outputs: results that happen to be equal
    to what was there before are not. Only of kernels of a file, whose declaration does not say what they write; empty
    if there is none.
    """
    if not workload.pattern.declaration.fixed_sizes:
        return ""
    outputs = [buffer for buffer in workload.buffers if buffer.is_output]
    again: Sequence[Array] = ()
    for place, (buffer, actual) in enumerate(zip(outputs, got, strict=True)):
        if buffer.read:
            continue
        reference = np.ascontiguousarray(workload.expected(index, iterations)[place]).reshape(-1)
        is_untouched = _is_as(buffer.before(), actual) & ~_is_as(buffer.before(), reference)
        if is_untouched.any():
            again = again or kernel.run(workload.inputs(index), iterations, OTHER_POISON)
            is_untouched &= _is_as(buffer.before(fill=OTHER_POISON), again[place])
        if is_untouched.any():
            number, first = int(np.count_nonzero(is_untouched)), int(np.argmax(is_untouched))
            return f"{UNWRITTEN} {number} of {is_untouched.size} elements of `{buffer.name}`, from element {first} on"
    return ""


def _is_as(before: Array, after: Array) -> NDArray[np.bool_]:
    """Return where two arrays have the same bits."""
    bits = f"u{after.dtype.itemsize}"
    return np.asarray(before.view(bits) == after.view(bits))


def after(workload: Workload, iterations: int) -> str:
    """Return the iteration count in words; empty for a pattern of one pass."""
    if workload.pattern.declaration.one_pass:
        return ""
    return f"after {iterations} {one_or_many(iterations, 'iteration', 'iterations')} "


def difference(workload: Workload, got: Sequence[Array], index: int, iterations: int) -> str:
    """Return the first difference of `got` from the reference for input set `index`, in words; empty if none."""
    return agreement_with(workload, got, index, iterations).mismatch


def agreement_with(workload: Workload, got: Sequence[Array], index: int, iterations: int) -> Agreement:
    """Return how `got` agrees with the reference for input set `index`."""
    tolerance = workload.tolerance(index, iterations)
    relative = workload.relative_tolerances
    is_named = any(relative) or workload.pattern.declaration.fixed_sizes
    names = [buffer.name for buffer in workload.buffers if buffer.is_output] if is_named else []
    return agreement(got, workload.expected(index, iterations), tolerance, workload.unordered, relative, names)
