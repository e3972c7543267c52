"""Many threads on one address: the same as one thread after the other, by NumPy's own functions."""

import numpy as np
import pytest

from shflbench.emulator.opcodes.memory_access import UPDATES
from shflbench.emulator.opcodes.sequences import sequence

PLACES = np.array([5, 2, 5, 5, 9, 5, 2, 5, 5, 5, 5, 2])
WRAPS = {"u4": 2**32 - 3, "i4": 2**31 - 3, "u8": 2**64 - 3, "i8": -(2**63)}


@pytest.mark.parametrize(
    ("name", "type_"),
    [(name, type_) for name in UPDATES for type_ in WRAPS if type_ == "u4" or name not in {"inc", "dec"}],
)
def test_threads_on_few_addresses_update_them_in_their_order(name: str, type_: str) -> None:
    data = np.array([0, 7, 3, 4, 4, WRAPS[type_], 6, 6, 1, 0], type_)
    operands = [np.array([WRAPS[type_], 3, 6, 6, 2, 1, 8, 8, 0, 4, 3, 9], type_)]
    if name == "cas":
        operands.append(np.array([6, 8, 0, 2, 5, 9, 9, 1, 3, 3, 7, 2], type_))
    expected, old = data.copy(), []
    with np.errstate(all="ignore"):
        for thread, place in enumerate(PLACES.tolist()):
            old.append(expected[place])
            expected[place] = UPDATES[name](expected[place], *(operand[thread] for operand in operands))
        before = sequence(UPDATES[name], data, PLACES, operands)
    assert before is not None
    assert before.tolist() == [int(value) for value in old]
    assert data.tolist() == expected.tolist()


def test_single_precision_sums_are_rounded_after_each_thread() -> None:
    data, values = np.array([1e8], "f4"), np.full(100, 3, "f4")
    before = sequence(UPDATES["add"], data, np.zeros(100, np.int64), [values])
    assert before is not None
    assert (before[:2].tolist(), data.tolist()) == ([1e8, 1e8], [1e8])


def test_threads_on_as_many_addresses_take_turns() -> None:
    assert sequence(UPDATES["add"], np.zeros(4, "u4"), np.array([0, 1, 2, 0]), [np.ones(4, "u4")]) is None
