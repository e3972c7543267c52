import numpy as np
import pytest

from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels
from tests.patterns.iterations import after, hidden

TRANSPOSE = load(builtin()["transpose16"])


def workload() -> Workload:
    return cases.workload(TRANSPOSE, "i16", launch="1x64")


@pytest.mark.parametrize("iterations", [0, 1, 2, 5])
def test_reference_transposes_each_matrix_and_changes_each_word(iterations: int) -> None:
    (values,) = workload().inputs(0)
    matrices = values.view("u2").reshape(-1, 8, 8).tolist()
    for _ in range(iterations):
        changed = []
        for matrix in matrices:
            rows = [[matrix[column][row] for column in range(8)] for row in range(8)]
            words = [[(row[i] + (row[i + 1] << 16)) * 0x9E3779B1 + 1 for i in range(0, 8, 2)] for row in rows]
            changed.append([[part % 2**16 for word in row for part in (word, word >> 16)] for row in words])
        matrices = changed
    assert after(workload(), iterations, values).view("u2").reshape(-1, 8, 8).tolist() == matrices


def test_an_element_that_does_not_move_in_any_iteration_is_visible_at_the_end() -> None:
    def keep(before: Array, values: Array) -> None:
        """Let lane 1 of the last matrix keep its word, which holds elements 2 and 3 of row 0."""
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
    kernel = kernels.compiled(f"transpose16/{variant}/i16")
    assert kernel.sass is not None
    assert opcode in {instruction.opcode for instruction in kernel.sass}
