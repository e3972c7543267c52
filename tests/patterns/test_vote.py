import numpy as np
import pytest

from shflbench.backends.base import Array
from shflbench.measure.verify import mismatch
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.model import WARP
from shflbench.patterns.discover import builtin, load
from tests import cases

VOTE = load(builtin()["vote"])
OPS = VOTE.declaration.options["op"]


def workload(op: str) -> Workload:
    return cases.workload(VOTE, "i32", options={"op": op})


def moved_on(values: Array, iterations: int, op: str) -> Array:
    """Return what the pattern's reference gives."""
    return np.asarray(VOTE.module.reference(values, iterations=iterations, op=op))


def signed(number: int) -> int:
    return (number + 2**31) % 2**32 - 2**31


def vote(warp: list[int], op: str) -> int:
    yes = [x < 0 for x in warp]
    return {"all": int(all(yes)), "any": int(any(yes)), "ballot": sum(1 << lane for lane in range(WARP) if yes[lane])}[
        op
    ]


def moved_by(said: int) -> int:
    return (said * 0x9E3779B1 & 0xFFFFFFFF) >> 7


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("iterations", [0, 1, 2, 51])
def test_reference_is_the_recurrence_lane_by_lane(op: str, iterations: int) -> None:
    (values,) = workload(op).inputs(0)
    warps = values.tolist()
    for _ in range(iterations):
        warps = [[signed(x + 37 * 2**25 + moved_by(vote(warp, op))) for x in warp] for warp in warps]
    assert moved_on(values, iterations, op).tolist() == warps


@pytest.mark.parametrize("op", OPS)
def test_in_a_row_of_trips_all_lanes_vote_yes_and_none_and_some(op: str) -> None:
    data = workload(op)
    for index in range(INPUT_SETS):
        seen = [
            np.signbit(moved_on(data.inputs(index)[0], trip, op).astype(np.float64)).sum(axis=1)
            for trip in range(max(data.verify_iterations))
        ]
        for warp in np.transpose(seen).tolist():
            kinds = [min(1, votes) + (votes == WARP) for votes in warp]  # 0 none, 1 some, 2 all
            assert min(kinds.count(kind) for kind in range(3)) >= len(kinds) // 8


@pytest.mark.parametrize("op", OPS)
def test_lane_with_a_wrong_result_in_any_trip_is_visible_at_the_end(op: str) -> None:
    data = workload(op)
    for iterations in data.verify_iterations:
        for trip in range(iterations):
            for bit in (0, 17, 31) if op == "ballot" else (0,):
                before = moved_on(data.inputs(0)[0], trip, op)
                after = moved_on(before, 1, op)
                right = vote(before[-1].tolist(), op)
                after[-1, 5] = signed(int(after[-1, 5]) + moved_by(right ^ 1 << bit) - moved_by(right))
                got = moved_on(after, iterations - trip - 1, op)
                assert mismatch([got], data.expected(0, iterations), 0.0), (iterations, trip, bit)


@pytest.mark.parametrize("op", OPS)
def test_numbers_of_a_warp_stay_as_far_apart_as_they_were(op: str) -> None:
    """So a lane that once had another result never falls in with the others again."""
    (values,) = workload(op).inputs(0)
    after = moved_on(values, 4096, op)
    for before, now in zip(values.view(np.uint32), after.view(np.uint32), strict=True):
        assert (before - before[0]).tolist() == (now - now[0]).tolist()


def test_flags_in_shared_memory_have_each_lane_s_bit_at_its_place() -> None:
    """Lane i writes bit i%8 of byte i/8 of word i%8: or-ing the eight words gives the ballot."""
    for lane in range(WARP):
        flags = np.zeros(WARP, np.uint8)
        flags[lane % 8 * 4 + lane // 8] = 1 << lane % 8
        assert np.bitwise_or.reduce(flags.view("<u4")) == 2**lane
