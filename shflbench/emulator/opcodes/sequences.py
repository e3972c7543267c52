"""Atomics of many threads on one address, one after the other, without an array operation per thread."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from shflbench.emulator.opcodes.forms import Apply, Values
from shflbench.emulator.opcodes.memory_access import UPDATES

# Returns the value after each thread, given the value before and the operands of all threads in their order.
Sequential = Callable[[Values, Sequence[Values]], Values]


def _accumulated(function: np.ufunc) -> Sequential:
    def after(before: Values, operands: Sequence[Values]) -> Values:
        result: Values = function.accumulate(np.concatenate([before, operands[0]]), dtype=before.dtype)
        return result[1:]

    return after


def _stored(_: Values, operands: Sequence[Values]) -> Values:
    return operands[0]


def _one_by_one(step: Callable[..., int]) -> Sequential:
    """Return the sequence of a function of Python's integers: a tenth of the time of NumPy's for one element."""

    def after(before: Values, operands: Sequence[Values]) -> Values:
        value, values = int(before[0]), []
        for items in zip(*(operand.tolist() for operand in operands), strict=True):
            value = step(value, *items)
            values.append(value)
        return np.array(values, before.dtype)

    return after


def _swapped(old: int, expected: int, value: int) -> int:
    return value if old == expected else old


def _incremented(old: int, limit: int) -> int:
    return 0 if old >= limit else old + 1


def _decremented(old: int, limit: int) -> int:
    return limit if old == 0 or old > limit else old - 1


SEQUENCES: Mapping[Apply, Sequential] = {
    UPDATES["add"]: _accumulated(np.add),
    UPDATES["min"]: _accumulated(np.minimum),
    UPDATES["max"]: _accumulated(np.maximum),
    UPDATES["and"]: _accumulated(np.bitwise_and),
    UPDATES["or"]: _accumulated(np.bitwise_or),
    UPDATES["xor"]: _accumulated(np.bitwise_xor),
    UPDATES["exch"]: _stored,
    UPDATES["cas"]: _one_by_one(_swapped),
    UPDATES["inc"]: _one_by_one(_incremented),
    UPDATES["dec"]: _one_by_one(_decremented),
}


def sequence(update: Apply, data: Values, index: Values, operands: Sequence[Values]) -> Values | None:
    """Update `data[index]` in the order of the threads, and return the values before; None if turns are faster.

    Turns, in each of which every address occurs at most once, are as many as threads address one place.
    """
    after = SEQUENCES.get(update)
    if after is None or index.size < 2:  # noqa: PLR2004  (nothing to order)
        return None
    order = np.argsort(index, kind="stable")
    ordered = index[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    ends = np.append(starts[1:], index.size)
    if starts.size >= (ends - starts).max():
        return None
    old = np.empty(index.shape, data.dtype)
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        threads, place = order[start:end], int(ordered[start])
        values = after(data[place : place + 1], [operand[threads] for operand in operands])
        old[threads[0]], old[threads[1:]] = data[place], values[:-1]
        data[place] = values[-1]
    return old
