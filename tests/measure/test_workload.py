from collections.abc import Callable

import numpy as np
import pytest

from shflbench.core.model import WARP
from shflbench.errors import PatternError
from shflbench.measure.workload import FEWEST_INPUT_SETS, INPUT_SETS, Workload
from shflbench.patterns.declare import Input, Output
from shflbench.patterns.discover import builtin, load
from tests import cases
from tests.cases import own_pattern
from tests.measure.prepared import NEIGHBOR, workload


@pytest.mark.parametrize("unroll", [1, 2, 3, 4, 16])
def test_verification_iterations_are_odd_with_three_passes_through_the_unrolled_body(unroll: int) -> None:
    counts = cases.workload(own_pattern(unroll=unroll)).verify_iterations
    assert all(count % 2 for count in counts)
    assert min(counts) == 1
    assert max(counts) // unroll >= 3


@pytest.mark.parametrize("name", builtin())
def test_verification_iterations_do_not_rotate_a_warp_to_its_start(name: str) -> None:
    pattern = load(builtin()[name])
    count, unroll = max(cases.workload(pattern).verify_iterations), pattern.declaration.unroll
    assert pattern.declaration.one_pass or count // unroll * unroll % WARP


def test_input_sets_differ_and_are_generated_once() -> None:
    data = workload()
    assert len({data.inputs(index)[0].tobytes() for index in range(INPUT_SETS)}) == INPUT_SETS
    assert data.inputs(3)[0] is data.inputs(3)[0]
    assert data.expected(3, 5)[0] is data.expected(3, 5)[0]


def test_seed_determines_the_inputs() -> None:
    assert workload(seed=1).inputs(0)[0].tobytes() == workload(seed=1).inputs(0)[0].tobytes()
    assert workload(seed=1).inputs(0)[0].tobytes() != workload(seed=2).inputs(0)[0].tobytes()


def in_place(values: np.ndarray, iterations: int) -> np.ndarray:
    values += iterations
    return values


def swapped(left: np.ndarray, right: np.ndarray, iterations: int, how: str) -> tuple[np.ndarray, ...]:
    return (right, left) if how == "crossed" and iterations % 2 else (right + 1, left + 1)


def own_workload(**functions: object) -> Workload:
    """Return the workload of a pattern like `neighbor` whose pattern.py has these functions."""
    return cases.workload(own_pattern(functions), seed=0)


def test_buffers_have_the_sizes_that_the_pattern_declares() -> None:
    buffers = (Input("left"), Input("right", per_thread=2), Output("first", per_thread=2), Output("second"))
    pattern = own_pattern({"reference": swapped}, buffers=buffers, options={"how": ("crossed", "straight")})
    data = cases.workload(pattern)
    assert [buffer.elements for buffer in data.buffers] == [128, 256, 256, 128]
    assert [buffer.read for buffer in data.buffers] == [True, True, False, False]
    assert [buffer.written for buffer in data.buffers] == [False, False, True, True]
    left, right = data.inputs(0)
    assert (left.shape, right.shape) == ((4, WARP), (4, 2 * WARP))
    assert [array.tolist() for array in data.expected(0, 1)] == [right.tolist(), left.tolist()]


@pytest.mark.parametrize(("dtype", "components"), [("f32x2", 2), ("f32x4", 4)])
def test_components_of_a_vector_are_the_last_axis(dtype: str, components: int) -> None:
    data = cases.workload(own_pattern(buffers=(Input("values", per_thread=3), Output("result"))), dtype)
    (values,) = data.inputs(0)
    assert values.shape == (4, 3 * WARP, components)
    assert [buffer.elements for buffer in data.buffers] == [3 * 128 * components, 128 * components]
    assert data.buffers[1].nbytes == 128 * 4 * components


@pytest.mark.parametrize(
    ("mebibytes", "sets"), [(1, INPUT_SETS), (32, INPUT_SETS), (40, 6), (64, 4), (200, 1), (4096, FEWEST_INPUT_SETS)]
)
def test_large_data_has_fewer_input_sets(mebibytes: int, sets: int) -> None:
    size = mebibytes * 2**20 // 8
    buffers = (Input("values", elements=lambda _: size), Output("result", elements=lambda _: size))
    assert cases.workload(own_pattern(buffers=buffers)).input_sets == sets


def test_pattern_of_one_pass_is_verified_with_one_pass() -> None:
    pattern = own_pattern({"reference": lambda values: values + 1}, one_pass=True)
    data = cases.workload(pattern)
    assert data.verify_iterations == (1,)
    assert data.expected(0, 1)[0].tolist() == (data.inputs(0)[0] + 1).tolist()


def test_reference_variant_replaces_the_reference() -> None:
    data = cases.workload(own_pattern(reference_variant="smem"))
    with pytest.raises(PatternError, match=r"the reference variant `smem` gave no result$"):
        data.expected(0, 1)
    outputs = [np.arange(128, dtype=np.float32)]
    data.accept_expected(outputs, 0, 1)
    assert data.expected(0, 1) == outputs
    data.discard_expected()
    with pytest.raises(PatternError):
        data.expected(0, 1)


def test_reference_variant_that_writes_nothing_is_an_error() -> None:
    data = cases.workload(own_pattern(reference_variant="smem"))
    with pytest.raises(PatternError, match=r"the reference variant `smem` writes nothing to `result`$"):
        data.accept_expected([data.buffers[1].before()], 0, 1)


def test_reference_cannot_change_the_inputs() -> None:
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
        (lambda values: values.astype("float64"), "returns 128 elements of float64 for `result`, not 128 of float32"),
        (lambda values: values[:, :16], "returns 64 elements of float32 for `result`, not 128 of float32"),
        (lambda _: 1 // 0, "fails: ZeroDivisionError: integer division or modulo by zero"),
    ],
)
def test_reference_with_another_result_type_is_one_sentence(
    result: Callable[[np.ndarray], object], problem: str
) -> None:
    data = own_workload(reference=lambda values, iterations: result(values + 0 * iterations))
    with pytest.raises(PatternError) as caught:
        data.expected(0, 1)
    assert caught.value.message == f"{NEIGHBOR.folder}/pattern.py: `reference` {problem}"


def test_inputs_of_the_pattern_are_checked() -> None:
    data = own_workload(inputs=lambda _rng, at: [0] * at.warps)
    with pytest.raises(PatternError, match="`inputs` returns list, not a NumPy array"):
        data.inputs(0)
