import numpy as np
import pytest

from shflbench.core.model import WARP, Case, Launch
from shflbench.cuda.backends.base import Array
from shflbench.errors import PatternError
from shflbench.measure.agreement import mismatch
from shflbench.measure.workload import Workload
from shflbench.patterns.discover import builtin, load
from tests import cases

LADDER = load(builtin()["memory-ladder"])
CHAINS = LADDER.declaration.options["chains"]
LINES = LADDER.declaration.options["lines"]
THREADS = 128


def workload(chains: str, lines: str = "64") -> Workload:
    return cases.workload(LADDER, "i32", options={"chains": chains, "lines": lines})


def walked(words: Array, first: list[int], iterations: int) -> list[int]:
    """Follow the slots through `words`."""
    places = first
    for _ in range(iterations):
        places = [int(words[place]) for place in places]
    return places


def packed(slots: list[list[int]]) -> list[int]:
    """Return the results of the threads from the last slots of each chain."""
    return [sum(slot % WARP << 5 * chain for chain, slot in enumerate(each)) for each in zip(*slots, strict=True)]


def starts(data: Workload, chain: int) -> list[int]:
    """Return the slot of its ring at which each thread starts."""
    return [(slot + chain) % WARP for slot in data.inputs(0)[0].ravel().tolist()]


@pytest.mark.parametrize("chains", CHAINS)
@pytest.mark.parametrize("iterations", [0, 1, 31, 51])
def test_reference_agrees_with_a_walk_through_the_rings(chains: str, iterations: int) -> None:
    data = workload(chains)
    count = int(chains)
    slots = []
    for chain in range(count):
        first = [(thread // WARP * count + chain) * WARP + slot for thread, slot in enumerate(starts(data, chain))]
        slots.append(walked(data.inputs(0)[1], first, iterations))
    assert data.expected(0, iterations)[0].ravel().tolist() == packed(slots)


@pytest.mark.parametrize("chains", CHAINS)
@pytest.mark.parametrize("lines", LINES)
def test_reference_agrees_with_a_walk_through_the_far_lines(chains: str, lines: str) -> None:
    data = workload(chains, lines)
    apart = int(lines) // int(chains)
    slots = []
    for chain in range(int(chains)):
        first = [
            (thread // WARP * int(lines) + chain * apart) * WARP + slot
            for thread, slot in enumerate(starts(data, chain))
        ]
        slots.append(walked(data.inputs(0)[2], first, 51))
    assert data.expected(0, 51)[0].ravel().tolist() == packed(slots)


@pytest.mark.parametrize("lines", LINES)
def test_warp_reads_one_whole_line_per_iteration_and_returns_after_all_its_lines(lines: str) -> None:
    far = np.asarray(workload("1", lines).inputs(0)[2], "i8")
    places = np.arange(WARP) + WARP * int(lines)  # the second warp's first line
    seen = []
    for _ in range(int(lines)):
        assert sorted(places % WARP) == list(range(WARP))
        assert len(set(places // WARP)) == 1
        seen.append(int(places[0]) // WARP)
        places = far[places]
    assert sorted(seen) == list(range(int(lines), 2 * int(lines)))
    assert int(places[0]) // WARP == int(lines)


@pytest.mark.parametrize("lines", LINES)
def test_next_line_is_far_from_the_line_before(lines: str) -> None:
    far = np.asarray(workload("1", lines).inputs(0)[2][: WARP * int(lines)], "i8")
    jumps = far // WARP - np.arange(far.size) // WARP
    assert np.abs(jumps).min() > int(lines) // 3


@pytest.mark.parametrize("chains", CHAINS)
def test_lane_that_stays_in_its_slot_in_any_iteration_is_visible_at_the_end(chains: str) -> None:
    data = workload(chains)
    for iterations in data.verify_iterations:
        (right,) = data.expected(0, iterations)
        (one_less,) = data.expected(0, iterations - 1)  # all steps are equal, so this covers a loss in any iteration
        wrong = right.copy()
        wrong[-1, 5] = one_less[-1, 5]
        assert mismatch([wrong], [right], 0.0).endswith(f"(1 of {THREADS} are wrong)")


def test_more_lines_than_a_slot_can_address_are_refused() -> None:
    case = Case("memory-ladder", "dram", "i32", Launch("", 1024, 264), 1, (("chains", "1"), ("lines", "8192")))
    with pytest.raises(
        PatternError, match=r"8448 warps with 8192 lines each need more than 2\^31 words; reduce either number"
    ):
        Workload.of(LADDER, case, grid=264, seed=3)
