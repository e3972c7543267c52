"""A variant as the reference: what it proves, and what it does not."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from shflbench.backends.base import POISON, Array, Burst
from shflbench.errors import PatternError
from shflbench.measure.verify import verify, verify_reference
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests.cases import workload as workload_of

Outputs = Callable[[Sequence[Array], int], list[Array]]

NEIGHBOR = load(builtin()["neighbor"])
BY_VARIANT = replace(NEIGHBOR, declaration=replace(NEIGHBOR.declaration, reference_variant="smem"))


class Scripted:
    """A kernel whose results are computed by a function of its inputs and of how often it has been launched."""

    def __init__(self, outputs: Outputs) -> None:
        self._outputs, self._launches = outputs, 0

    def run(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        del iterations
        self._launches += 1
        return self._outputs(inputs, self._launches)

    def burst(self, iterations: int, samples: int, launches: int = 1) -> Burst:
        raise NotImplementedError

    def close(self) -> None:
        pass


def same(inputs: Sequence[Array], _: int) -> list[Array]:
    return [inputs[0].reshape(-1).copy()]


def unsteady(inputs: Sequence[Array], launch: int) -> list[Array]:
    outputs = inputs[0].reshape(-1).copy()
    outputs[3] += launch
    return [outputs]


def silent(inputs: Sequence[Array], _: int) -> list[Array]:
    return [np.full(inputs[0].nbytes, POISON, np.uint8).view(inputs[0].dtype)]


@pytest.fixture
def workload() -> Workload:
    return workload_of(BY_VARIANT, "i32")


def test_a_reference_is_right_if_it_gives_the_same_again(workload: Workload) -> None:
    proof = verify_reference(Scripted(same), workload, "2x64")
    assert (proof.matched, proof.inputs, proof.mismatch) == (8, 8, "")


def test_the_others_are_held_against_it(workload: Workload) -> None:
    verify_reference(Scripted(same), workload, "2x64")
    assert verify(Scripted(same), workload, "2x64").complete
    other = verify(Scripted(unsteady), workload, "2x64")
    assert (other.matched, other.inputs) == (0, 8)
    assert other.mismatch.startswith("after 1 iteration on input 0, element 3 is ")


def test_a_reference_that_changes_is_told_and_decides_nothing(workload: Workload) -> None:
    proof = verify_reference(Scripted(unsteady), workload, "2x64")
    assert proof.matched == 0
    assert proof.mismatch.startswith("the reference gives another result the second time: after 1 iteration on input 0")
    with pytest.raises(PatternError, match="the reference variant `smem` gave no result"):
        verify(Scripted(same), workload, "2x64")


def test_a_reference_that_writes_nothing_is_told(workload: Workload) -> None:
    with pytest.raises(PatternError, match="the reference variant `smem` writes nothing to `result`"):
        verify_reference(Scripted(silent), workload, "2x64")


def test_nothing_can_be_verified_before_the_reference(workload: Workload) -> None:
    with pytest.raises(PatternError, match="there is nothing to compare with"):
        verify(Scripted(same), workload, "2x64")
