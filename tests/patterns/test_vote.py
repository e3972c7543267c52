import numpy as np
import pytest

from shflbench.core.model import WARP
from shflbench.cuda.backends.base import Array
from shflbench.measure.workload import INPUT_SETS, Workload
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels
from tests.patterns.iterations import after, hidden

VOTE = load(builtin()["vote"])
OPS = VOTE.declaration.options["op"]


def workload(op: str) -> Workload:
    return cases.workload(VOTE, "i32", options={"op": op})


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
    data = workload(op)
    (values,) = data.inputs(0)
    warps = values.tolist()
    for _ in range(iterations):
        warps = [[signed(x + 37 * 2**25 + moved_by(vote(warp, op))) for x in warp] for warp in warps]
    assert after(data, iterations, values).tolist() == warps


@pytest.mark.parametrize("op", OPS)
def test_over_the_iterations_all_lanes_vote_yes_and_none_and_some(op: str) -> None:
    data = workload(op)
    for index in range(INPUT_SETS):
        seen = [
            np.signbit(after(data, iteration, *data.inputs(index)).astype(np.float64)).sum(axis=1)
            for iteration in range(max(data.verify_iterations))
        ]
        for warp in np.transpose(seen).tolist():
            kinds = [min(1, votes) + (votes == WARP) for votes in warp]  # 0 none, 1 some, 2 all
            assert min(kinds.count(kind) for kind in range(3)) >= len(kinds) // 8


@pytest.mark.parametrize(("op", "bit"), [*((op, 0) for op in OPS), ("ballot", 17), ("ballot", 31)])
def test_lane_with_a_wrong_result_in_any_iteration_is_visible_at_the_end(op: str, bit: int) -> None:
    def flip(before: Array, values: Array) -> None:
        right = vote(before[-1].tolist(), op)
        values[-1, 5] = signed(int(values[-1, 5]) + moved_by(right ^ 1 << bit) - moved_by(right))

    assert hidden(workload(op), flip) == []


@pytest.mark.parametrize("op", OPS)
def test_numbers_of_a_warp_keep_their_distances(op: str) -> None:
    """So a lane that had one different result never agrees with the others again."""
    data = workload(op)
    (values,) = data.inputs(0)
    late = after(data, 4096, values)
    for before, now in zip(values.view(np.uint32), late.view(np.uint32), strict=True):
        assert (before - before[0]).tolist() == (now - now[0]).tolist()


def test_flags_in_shared_memory_hold_the_bit_of_each_lane_at_its_position() -> None:
    """Lane i writes bit i%8 of byte i/8 of word i%8: or-ing the eight words gives the ballot."""
    for lane in range(WARP):
        flags = np.zeros(WARP, np.uint8)
        flags[lane % 8 * 4 + lane // 8] = 1 << lane % 8
        assert np.bitwise_or.reduce(flags.view("<u4")) == 2**lane


@pytest.mark.parametrize(("name", "opcode"), [("ballot-min/i32/op=any", "VIMNMX"), ("ballot-shift/i32/op=all", "SHF")])
def test_a_ballot_becomes_a_number_in_one_instruction_per_iteration(name: str, opcode: str) -> None:
    kernel = kernels.compiled(f"vote/{name}")
    assert kernel.loop
    loop = [item.base for item in kernel.sass or () if kernel.loop.start <= item.address <= kernel.loop.end]
    assert loop.count("VOTE") == loop.count(opcode) == kernel.loop.unroll
    assert "SEL" not in loop
