"""Verify a kernel at its launch against the pattern's NumPy reference, or against its reference variant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from shflbench.model import Proof
from shflbench.words import one_or_many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.backends.base import Array, OpenKernel
    from shflbench.measure.workload import Workload

UNWRITTEN = "it does not write"  # how the sentence on outputs that a kernel leaves as they were begins
CHUNK = 2**16  # numbers at a time: their copies in double precision fit the cache


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
    for index in range(sets):
        wrong = ""
        for iterations in workload.verify_iterations:
            if decides:
                workload.accept_expected(kernel.run(workload.inputs(index), iterations), index, iterations)
            got = kernel.run(workload.inputs(index), iterations)
            wrong = (
                wrong
                or find_unwritten(workload, got, index, iterations)
                or difference(workload, got, index, iterations)
            )
            if wrong and not first:
                first = f"{after(workload, iterations)}on input {index}, {wrong}"
        matched += not wrong
    written_bytes = _written_bytes(workload) if matched == sets else 0
    if first and (unwritten_read := _reads_unwritten(kernel, workload)):
        first = f"{unwritten_read}; {first}"
    return Proof(matched, sets, workload.verify_iterations, launch, first, written_bytes)


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


def find_unwritten(workload: Workload, got: Sequence[Array], index: int, iterations: int) -> str:
    """Return which elements keep what was in an output before the launch and not in the reference, in words.

    Only of kernels of a file, whose declaration does not say what they write; empty if there is none.
    """
    if not workload.pattern.declaration.fixed_sizes:
        return ""
    outputs = [buffer for buffer in workload.buffers if buffer.is_output]
    for buffer, actual, reference in zip(outputs, got, workload.expected(index, iterations), strict=True):
        if buffer.read:
            continue
        bits = f"u{actual.dtype.itemsize}"
        before, mine = buffer.before().view(bits), actual.view(bits)
        is_untouched = (mine == before) & (np.ascontiguousarray(reference).reshape(-1).view(bits) != before)
        if is_untouched.any():
            number, first = int(np.count_nonzero(is_untouched)), int(np.argmax(is_untouched))
            return f"{UNWRITTEN} {number} of {is_untouched.size} elements of `{buffer.name}`, from element {first} on"
    return ""


def after(workload: Workload, iterations: int) -> str:
    """Return the iteration count in words; empty for a pattern of one pass."""
    if workload.pattern.declaration.one_pass:
        return ""
    return f"after {iterations} {one_or_many(iterations, 'iteration', 'iterations')} "


def difference(workload: Workload, got: Sequence[Array], index: int, iterations: int) -> str:
    """Return the first difference of `got` from the reference for input set `index`, in words; empty if none."""
    tolerance = workload.pattern.tolerance(workload.setting, iterations)
    relative = workload.pattern.declaration.relative_tolerance
    return mismatch(got, workload.expected(index, iterations), tolerance, workload.unordered, relative)


def mismatch(
    got: Sequence[Array],
    expected: Sequence[Array],
    tolerance: float,
    unordered: Sequence[bool] = (),
    relative: float = 0.0,
) -> str:
    """Return the first difference in words; empty if there is none.

    Without a tolerance, the bits must agree. With a tolerance, the absolute error of each floating-point number must
    not exceed it; with a `relative` one, not this share of the reference's magnitude or, where that is smaller, of the
    mean magnitude of the whole output, because sums that nearly cancel have larger errors. Equal bits always agree. In
    an output that is `unordered`, each row (the last axis of the reference) may have any order.
    """
    for number, (actual, reference) in enumerate(zip(got, expected, strict=True)):
        rows, wanted = actual.reshape(reference.shape), reference
        if number < len(unordered) and unordered[number]:
            rows, wanted = np.sort(rows, axis=-1), np.sort(wanted, axis=-1)
        flat, wanted = rows.reshape(-1), wanted.reshape(-1)
        wrong = _differs(flat, wanted, tolerance)
        if relative and not np.issubdtype(wanted.dtype, np.integer) and wrong.any():
            wrong = np.logical_and(wrong, _is_beyond(flat, wanted, relative))
        if wrong.any():
            element = int(np.argmax(wrong))
            count = int(np.count_nonzero(wrong))
            what = f"element {element} is {flat[element]}, not {wanted[element]} ({count} of {wrong.size} are wrong)"
            return what if len(expected) == 1 else f"in output {number + 1}, {what}"
    return ""


def _differs(actual: Array, reference: Array, tolerance: float) -> Array:
    if not tolerance or np.issubdtype(reference.dtype, np.integer):
        unsigned = f"u{reference.dtype.itemsize}"
        return np.asarray(actual.view(unsigned) != np.ascontiguousarray(reference).view(unsigned))
    wrong = np.empty(actual.shape, bool)
    for start in range(0, actual.size, CHUNK):
        part = slice(start, start + CHUNK)
        difference = actual[part].astype(np.float64) - reference[part].astype(np.float64)
        wrong[part] = ~(np.abs(difference) <= tolerance)  # not `abs(difference) > tolerance`, which accepts NaN
    return wrong


def _is_beyond(actual: Array, reference: Array, relative: float) -> Array:
    """Return where the error exceeds the share `relative` of the magnitude of the reference; a NaN exceeds it."""
    magnitude = np.abs(reference.astype(np.float64))
    finite = magnitude[np.isfinite(magnitude)]
    allowed = relative * np.maximum(magnitude, finite.mean() if finite.size else 0.0)
    return np.asarray(~(np.abs(actual.astype(np.float64) - reference.astype(np.float64)) <= allowed))
