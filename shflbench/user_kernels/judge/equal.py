"""Compare what a candidate leaves in memory with what the reference leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.measure.agreement import mismatch
from shflbench.user_kernels.judge.judge_input import POISON
from shflbench.user_kernels.judge.tensors import BFLOAT16, numbers
from shflbench.user_kernels.judge.verdict import Question, ReasonCode, VerdictReason
from shflbench.user_kernels.stored_pattern import TOLERANCES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shflbench.user_kernels.judge.expectation import Arrays, ExpectedResults
    from shflbench.user_kernels.judge.request import JudgeRules


def difference(outputs: Arrays, expected: ExpectedResults, rules: JudgeRules) -> VerdictReason | None:
    """Return the first difference; None if all results agree, and no other array has changed."""
    name = expected.input.name
    for place, wanted in expected.results.items():
        got = outputs[place]
        if unwritten := _unwritten(got, wanted):
            text = f"it does not write {unwritten} of argument {place}, with {name}"
            return VerdictReason(Question.EQUAL, ReasonCode.UNWRITTEN, text, input=name)
        kind = expected.input.tensors.get(place)
        usual = TOLERANCES["bf16"] if kind == BFLOAT16 else tolerance_of(wanted.dtype)
        values = [_real(numbers(array, kind)) for array in (got, wanted)]
        share = usual if rules.tolerance is None else rules.tolerance
        tiny = float(np.finfo(values[1].dtype).smallest_normal) if values[1].dtype.kind == "f" and share else 0.0
        wrong = mismatch(values[:1], values[1:], tiny, (place in rules.unordered,), (share,))
        if wrong:
            parts = ", real and imaginary parts counted one by one" if wanted.dtype.kind == "c" else ""
            text = f"in argument {place}, {wrong}{parts}, with {name}"
            return VerdictReason(Question.EQUAL, ReasonCode.WRONG_RESULT, text, input=name)
    return changed_input(outputs, expected, rules)


def changed_input(outputs: Arrays, expected: ExpectedResults, rules: JudgeRules) -> VerdictReason | None:
    """Return that an array has changed which the reference only reads; None if none has."""
    name = expected.input.name
    for place, got in outputs.items():
        if place not in (*expected.results, *rules.contents.workspace) and _bytes(got) != _bytes(
            expected.input.arguments[place]
        ):
            text = f"it changes argument {place}, which the reference only reads, with {name}"
            return VerdictReason(Question.EQUAL, ReasonCode.INPUT_CHANGED, text, input=name)
    return None


def writes_nothing(outputs: Arrays, expected: ExpectedResults) -> bool:
    """Whether all results hold the bytes that mean nothing, as before the launch."""
    return bool(outputs) and all((_bits(outputs[place]) == POISON).all() for place in expected.results)


def tolerance_of(dtype: np.dtype[Any]) -> float:
    """Return the usual relative tolerance of a type; 0: bits are compared."""
    bits = {"f": 8, "c": 4}.get(dtype.kind, 0) * dtype.itemsize  # of a number, or of the parts of a complex one
    return TOLERANCES.get(f"f{bits}", 0.0)


def _real(array: NDArray[Any]) -> NDArray[Any]:
    """Return complex numbers as their real and imaginary parts, one after the other, and all others as they are."""
    if array.dtype.kind != "c":
        return array
    return array.ravel(order="K").view(f"f{array.dtype.itemsize // 2}")


def _bits(array: NDArray[Any]) -> NDArray[np.uint8]:
    return array.ravel(order="K").view(np.uint8)


def _bytes(array: NDArray[Any]) -> bytes:
    return array.ravel(order="K").tobytes()


def _unwritten(got: NDArray[Any], wanted: NDArray[Any]) -> str:
    """Return which elements keep what was there before the launch and not in the reference; empty if there are none."""
    bytes_of = [array.ravel(order="K").view(np.uint8).reshape(array.size, -1) for array in (got, wanted)]
    if not got.size:
        return ""
    kept = (bytes_of[0] == POISON).all(axis=1) & ~(bytes_of[1] == POISON).all(axis=1)
    count = int(kept.sum())
    return f"{count} of {kept.size} elements, from element {int(np.argmax(kept))} on" if count else ""
