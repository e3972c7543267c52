from collections.abc import Callable

import numpy as np
import pytest

from shflbench.core.model import WARP, AccessKind, AccessSpace
from shflbench.cuda.backends.base import Array
from shflbench.kernel_facts.memory_requests import requests_of
from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels

FRAGMENTS = load(builtin()["fragment-load"])
LAYOUTS = FRAGMENTS.declaration.options["layout"]
BY_WORDS = ("lds-32", "ldmatrix-x1", "ldmatrix-x4", "ldmatrix-x4-trans")
BLOCK, TILES, SIDE, MATRICES = 128, 4, 64, 16


def workload() -> Workload:
    return cases.workload(FRAGMENTS, "i16", launch=f"2x{BLOCK}")


def result(values: Array, iterations: int) -> Array:
    (got,) = workload().pattern.reference((values,), workload().setting, iterations)
    return got


def lane_by_lane(values: Array, iterations: int, loaded: Callable[[int, list[int], list[int]], list[int]]) -> list[int]:
    """Return what the lanes have at the end, in Python's whole numbers.

    `loaded` gets the iteration, and the words of the last warp's lane 30 in the last and in this iteration, and returns
    those that this lane loads.
    """
    elements, results = values.reshape(2, TILES, SIDE, SIDE).view(np.uint16).tolist(), []
    for block in range(2):
        for warp in range(BLOCK // WARP):
            lanes = []
            for lane in range(WARP):
                mixed, words, tile = [0] * MATRICES, [0] * MATRICES, 0
                for iteration in range(iterations):
                    new = words_of(elements[block][tile], 16 * warp, lane)
                    last_lane = (block, warp, lane) == (1, 3, 30)
                    words = loaded(iteration, words, new) if last_lane else new
                    mixed = [(old * 0x9E3779B1 + word) % 2**32 for old, word in zip(mixed, words, strict=True)]
                    tile = new[0] % TILES
                lanes.append(mixed)
            results += [lane[i] for i in range(MATRICES) for lane in lanes]
    return results


def words_of(tile: list[list[int]], first: int, lane: int) -> list[int]:
    """Return the words of a lane: first the upper rows of a column of matrices, then the lower ones."""
    column = lane % 4 * 2
    rows = [tile[first + 8 * half + lane // 4] for half in range(2)]
    return [row[8 * i + column] + (row[8 * i + column + 1] << 16) for i in range(8) for row in rows]


def all_words(_iteration: int, _before: list[int], words: list[int]) -> list[int]:
    return words


@pytest.mark.parametrize("iterations", [0, 1, 2, 5])
def test_reference_agrees_with_a_loop_over_the_lanes(iterations: int) -> None:
    (values,) = workload().inputs(0)
    assert result(values, iterations).view(np.uint32).reshape(-1).tolist() == lane_by_lane(
        values, iterations, all_words
    )


def test_a_load_that_a_lane_leaves_out_in_any_iteration_is_visible_at_the_end() -> None:
    (values,) = workload().inputs(0)
    for iterations in workload().verify_iterations:
        right = workload().expected(0, iterations)
        for skipped in range(iterations):

            def keep(iteration: int, before: list[int], words: list[int], skipped: int = skipped) -> list[int]:
                return [*words[:-1], before[-1]] if iteration == skipped else words

            wrong = np.array(lane_by_lane(values, iterations, keep), np.uint32).view(np.int32)
            assert mismatch([wrong.reshape(right[0].shape)], right, 0.0), (iterations, skipped)


def test_each_word_names_the_tile_that_is_loaded_next() -> None:
    for index in range(workload().input_sets):
        (values,) = workload().inputs(index)
        next_tile = values.reshape(2, TILES, -1).view(np.uint32) % TILES
        assert (next_tile == np.array([1, 2, 3, 0]).reshape(1, TILES, 1)).all()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("variant", "conflicts"), [("lds-128", 2), ("lds-64", 4), *((name, 8) for name in BY_WORDS)])
def test_only_the_plain_layout_has_bank_conflicts(variant: str, conflicts: int, layout: str) -> None:
    """Each pass gives 128 of the 2048 bytes per warp."""
    name = f"fragment-load/{variant}/i16/layout={layout}"
    requests = requests_of(FRAGMENTS, kernels.subjects()[name].case, kernels.kernel(name))
    loads = [one for one in requests.accesses if (one.space, one.kind) == (AccessSpace.SHARED, AccessKind.LOAD)]
    passes = sum(one.requests * (one.passes or 0) for one in loads) / requests.warps
    assert passes == 16 * (conflicts if layout == "plain" else 1)


def test_lanes_of_odd_rows_load_other_halves_so_that_the_plain_layout_has_no_bank_conflicts() -> None:
    name = "fragment-load/lds-halves/i16/layout=plain"
    requests = requests_of(FRAGMENTS, kernels.subjects()[name].case, kernels.kernel(name))
    loads = [one for one in requests.accesses if (one.space, one.kind) == (AccessSpace.SHARED, AccessKind.LOAD)]
    assert sum(one.requests * (one.passes or 0) for one in loads) / requests.warps == 16


@pytest.mark.parametrize(
    ("variant", "opcode", "other"),
    [
        ("lds-128", "LDS.128", "LDSM"),
        ("lds-64", "LDS.64", "LDSM"),
        ("lds-32", "LDS", "LDSM"),
        ("ldmatrix-x1", "LDSM.16.M88", "LDS"),
        ("ldmatrix-x4", "LDSM.16.M88.4", "LDS"),
        ("ldmatrix-x4-trans", "LDSM.16.MT88.4", "LDS"),
    ],
)
def test_the_mechanism_is_in_the_machine_code_and_no_other_load(variant: str, opcode: str, other: str) -> None:
    kernel = kernels.compiled(f"fragment-load/{variant}/i16/layout=swizzled")
    assert kernel.sass is not None
    assert opcode in {instruction.opcode for instruction in kernel.sass}
    assert other not in {instruction.base for instruction in kernel.sass}
