import numpy as np
import pytest

from shflbench.core.model import DTYPES, WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.patterns.discover import builtin, load
from tests import cases
from tests.patterns.iterations import after, hidden

SCAN = load(builtin()["scan"])
DTYPE_NAMES = SCAN.declaration.dtypes
KINDS = SCAN.declaration.options["kind"]
MODULUS = {"f32": 2**18, "f64": 2**47}


def workload(dtype: str, kind: str) -> Workload:
    return cases.workload(SCAN, dtype, options={"kind": kind})


def lane_by_lane(warp: list[int], dtype: str, kind: str) -> list[int]:
    """Return a warp after one iteration, in Python's whole numbers."""
    bits = 8 * DTYPES[dtype].size
    values = []
    for lane, x in enumerate(warp):
        below = sum(warp[:lane])
        scan, own = (below, 5 * x) if kind == "exclusive" else (below + x, 2 * x)
        if dtype in MODULUS:
            half = MODULUS[dtype] // 2
            values.append((scan + own + half) % MODULUS[dtype] - half)
        else:
            mixed = (scan ^ own) % 2**bits
            values.append(mixed - 2**bits if mixed >= 2 ** (bits - 1) else mixed)
    return values


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize("iterations", [0, 1, 2, 15])
def test_reference_is_the_recurrence_lane_by_lane(dtype: str, kind: str, iterations: int) -> None:
    data = workload(dtype, kind)
    (values,) = data.inputs(0)
    warps = [[int(x) for x in warp] for warp in values.tolist()]
    for _ in range(iterations):
        warps = [lane_by_lane(warp, dtype, kind) for warp in warps]
    assert after(data, iterations, values).tolist() == warps


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_inputs_are_whole_numbers_of_every_bit_distinct_within_a_warp(dtype: str) -> None:
    for index in range(INPUT_SETS):
        (values,) = workload(dtype, "inclusive").inputs(index)
        assert values.shape == (4, WARP)
        assert all(len(set(warp)) == WARP for warp in values.tolist())
        assert (values == np.rint(values)).all()
    size = MODULUS.get(dtype, 2 ** (8 * DTYPES[dtype].size))
    assert size / 4 < np.abs(values.astype(np.float64)).max() <= size / 2


@pytest.mark.parametrize("dtype", MODULUS)
def test_sums_of_floats_are_exact_in_any_order(dtype: str) -> None:
    """The largest values after an iteration, all of one sign, with their own multiple: below 2^24 and 2^53."""
    largest = MODULUS[dtype] // 2
    assert (WARP + 4) * largest < 2 ** {"f32": 24, "f64": 53}[dtype]
    data = workload(dtype, "exclusive")
    assert np.abs(after(data, 4096, *data.inputs(0))).max() <= largest


@pytest.mark.parametrize("dtype", MODULUS)
def test_kernel_wraps_exactly_with_the_constant_that_rounds(dtype: str) -> None:
    """Adding and subtracting 1.5·2^(bits of the fraction)·modulus rounds to a multiple of the modulus."""
    kind = {"f32": np.float32, "f64": np.float64}[dtype]
    modulus = MODULUS[dtype]
    constant = kind(1.5 * 2.0 ** {"f32": 23, "f64": 52}[dtype] * modulus)
    sums = np.random.default_rng(1).integers(-36 * modulus // 2, 36 * modulus // 2, 10_000).astype(kind)
    sums[:5] = [0, modulus / 2, -modulus / 2, 3 * modulus / 2, -3 * modulus / 2]
    got = sums - ((sums + constant) - constant)
    assert got.tolist() == cases.code_of(SCAN)["wrap"](sums.astype(np.float64), float(modulus)).tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize("bit", [0, 12])
@pytest.mark.parametrize("lane", [0, 5, WARP - 1])
def test_wrong_lane_in_any_iteration_is_visible_at_the_end(dtype: str, kind: str, bit: int, lane: int) -> None:
    def miscount(_: Array, values: Array) -> None:
        values[-1, lane] += 2**bit if values[-1, lane] < 0 else -(2**bit)

    assert hidden(workload(dtype, kind), miscount) == []


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_kernel_with_the_other_kind_of_scan_is_wrong_after_one_iteration(dtype: str) -> None:
    (values,) = workload(dtype, "inclusive").inputs(0)
    inclusive, exclusive = (after(workload(dtype, kind), 1, values) for kind in KINDS)
    assert (inclusive != exclusive).all(axis=1).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_lanes_stay_different_over_many_iterations(dtype: str, kind: str) -> None:
    data = workload(dtype, kind)
    assert all(len(set(warp)) >= WARP - 2 for warp in after(data, 4096, *data.inputs(0)).tolist())
