from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from shflbench.errors import PatternError
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.model import WARP
from shflbench.patterns.declare import Input, Output
from shflbench.patterns.discover import LoadedPattern, builtin, load
from tests.measure.prepared import NEIGHBOR, THREADS, case, workload

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np


@pytest.mark.parametrize("unroll", [1, 2, 3, 4, 16])
def test_verifying_iterations_are_odd_and_one_runs_the_unrolled_body_three_times(unroll: int) -> None:
    pattern = replace(NEIGHBOR, declaration=replace(NEIGHBOR.declaration, unroll=unroll))
    counts = Workload.of(pattern, case(), THREADS, seed=0).verify_iterations
    assert all(count % 2 for count in counts)
    assert min(counts) == 1
    assert max(counts) // unroll >= 3


@pytest.mark.parametrize("name", builtin())
def test_unrolled_trips_of_a_verification_are_no_full_turn_of_a_warp(name: str) -> None:
    unroll = load(builtin()[name]).declaration.unroll
    count = max(workload().verify_iterations)
    assert count // unroll * unroll % WARP


def test_input_sets_differ_and_are_drawn_once() -> None:
    data = workload()
    assert len({data.inputs(index)[0].tobytes() for index in range(INPUT_SETS)}) == INPUT_SETS
    assert data.inputs(3)[0] is data.inputs(3)[0]
    assert data.expected(3, 5)[0] is data.expected(3, 5)[0]


def test_seed_decides_about_the_inputs() -> None:
    assert workload(seed=1).inputs(0)[0].tobytes() == workload(seed=1).inputs(0)[0].tobytes()
    assert workload(seed=1).inputs(0)[0].tobytes() != workload(seed=2).inputs(0)[0].tobytes()


def in_place(values: np.ndarray, iterations: int) -> np.ndarray:
    values += iterations
    return values


def swapped(left: np.ndarray, right: np.ndarray, iterations: int, how: str) -> tuple[np.ndarray, ...]:
    return (right, left) if how == "crossed" and iterations % 2 else (right + 1, left + 1)


def own_workload(**functions: object) -> Workload:
    """Return the workload of a pattern like `neighbor` whose pattern.py has these functions."""
    module = ModuleType("own")
    vars(module).update(functions)
    return Workload.of(replace(NEIGHBOR, module=module), case(), THREADS, seed=0)


def test_buffers_have_the_sizes_that_the_pattern_declares() -> None:
    module = ModuleType("swap")
    vars(module)["reference"] = swapped
    buffers = (Input("left"), Input("right", per_thread=2), Output("first", per_thread=2), Output("second"))
    pattern = LoadedPattern("swap", NEIGHBOR.folder, replace(NEIGHBOR.declaration, buffers=buffers), module)
    data = Workload.of(pattern, replace(case(), options=(("how", "crossed"),)), THREADS, seed=0)
    assert (data.input_elements, data.output_elements) == ((THREADS, 2 * THREADS), (2 * THREADS, THREADS))
    left, right = data.inputs(0)
    assert (left.shape, right.shape) == ((4, WARP), (4, 2 * WARP))
    assert [array.tolist() for array in data.expected(0, 1)] == [right.tolist(), left.tolist()]


def test_reference_that_works_in_place_cannot_spoil_the_inputs() -> None:
    data = own_workload(reference=in_place)
    before = data.inputs(0)[0].tolist()
    with pytest.raises(PatternError, match="`reference` fails: "):
        data.expected(0, 1)
    assert data.inputs(0)[0].tolist() == before


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        (lambda values: (values, values), "returns 2 arrays for 1 buffers"),
        (lambda values: values.tolist(), "returns list, not a NumPy array"),
        (lambda values: values.astype("float64"), "returns 128 elements of float64, not 128 of float32"),
        (lambda values: values[:, :16], "returns 64 elements of float32, not 128 of float32"),
        (lambda _: 1 // 0, "fails: ZeroDivisionError: integer division or modulo by zero"),
    ],
)
def test_reference_that_returns_something_else_is_one_sentence(
    result: Callable[[np.ndarray], object], problem: str
) -> None:
    data = own_workload(reference=lambda values, iterations: result(values + 0 * iterations))
    with pytest.raises(PatternError) as caught:
        data.expected(0, 1)
    assert caught.value.message == f"{NEIGHBOR.folder}/pattern.py: `reference` {problem}"


def test_pattern_s_own_inputs_are_checked_as_well() -> None:
    data = own_workload(inputs=lambda _rng, _dtype, warps: [0] * warps)
    with pytest.raises(PatternError, match="`inputs` returns list, not a NumPy array"):
        data.inputs(0)
