import numpy as np
import pytest

from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels
from tests.patterns.iterations import after, hidden

TRANSPOSE = load(builtin()["transpose8"])
WARP, SIDE = 32, 16


def workload() -> Workload:
    return cases.workload(TRANSPOSE, "i8", launch="1x64")


def elements_of(words: list[int]) -> dict[tuple[int, int, int], int]:
    """Return the elements of a warp, by matrix, row and column."""
    return {
        (number // 2, 2 * (lane // 4) + number % 2, 4 * (lane % 4) + byte): word >> 8 * byte & 0xFF
        for number in range(4)
        for lane, word in enumerate(words[number * WARP : (number + 1) * WARP])
        for byte in range(4)
    }


def transposed(words: list[int]) -> list[int]:
    elements = elements_of(words)
    return [
        sum(elements[number // 2, 4 * (lane % 4) + byte, 2 * (lane // 4) + number % 2] << 8 * byte for byte in range(4))
        for number in range(4)
        for lane in range(WARP)
    ]


@pytest.mark.parametrize("iterations", [0, 1, 2, 5])
def test_reference_transposes_each_matrix_and_changes_each_word(iterations: int) -> None:
    (values,) = workload().inputs(0)
    warps = values.view(np.uint32).reshape(-1, 4 * WARP).tolist()
    for _ in range(iterations):
        warps = [[(word * 0x9E3779B1 + 1) % 2**32 for word in transposed(words)] for words in warps]
    assert after(workload(), iterations, values).view(np.uint32).reshape(-1, 4 * WARP).tolist() == warps


def test_an_element_that_does_not_move_in_any_iteration_is_visible_at_the_end() -> None:
    def keep(before: Array, values: Array) -> None:
        """Let lane 1 keep the last word of the last matrix, which holds elements 4 to 7 of row 1."""
        values.view(np.uint32)[-31] = (int(before.view(np.uint32)[-31]) * 0x9E3779B1 + 1) % 2**32

    assert hidden(workload(), keep) == []


def test_two_transpositions_that_are_left_out_are_visible() -> None:
    (values,) = workload().inputs(0)
    assert (after(workload(), 2, values).view(np.uint32) != values.view(np.uint32)).all()


@pytest.mark.parametrize(
    ("variant", "opcode"),
    [("ldmatrix", "LDSM.16.MT88.4"), ("stmatrix", "STSM.16.MT88.4"), ("movmatrix", "MOVM.16.MT88")],
)
def test_the_mechanism_is_in_the_machine_code(variant: str, opcode: str) -> None:
    kernel = kernels.compiled(f"transpose8/{variant}/i8")
    assert kernel.sass is not None
    assert opcode in {instruction.opcode for instruction in kernel.sass}
