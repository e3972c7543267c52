"""Lanes that meet at one instruction in several branches: its qualifiers and the mask decide, not its place.

PTX ISA 9.0, 9.7.9.6: a lane waits "until all non-exited threads corresponding to membermask have executed shfl.sync
with the same qualifiers and same membermask value".
"""

import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.machine.deadlock import DeadlockError
from shflbench.emulator.machine.policies import POLICIES
from shflbench.emulator.races.hazards import HazardKind
from tests.emulator.threads import THREADS, TO_64_BITS, launch, run

ROWS = [(lane % 32 + 100, lane % 2) for lane in range(THREADS)]  # %a32 and %b32
# The lower half of each warp executes LOW, the upper half HIGH.
BRANCHES = """
    and.b32 %r7, %r3, 16; setp.ne.u32 %p1, %r7, 0; setp.ne.u32 %p2, %b32, 0; @%p1 bra $high;
    LOW bra.uni $done;
    $high: HIGH
    $done: """


def branches(low: str, high: str) -> str:
    return BRANCHES.replace("LOW", low).replace("HIGH", high) + TO_64_BITS


def values(low: str, high: str) -> list[list[int]]:
    """Return %x of the lanes of the first warp under each schedule, each once."""
    results = [[x for x, _ in run(branches(low, high), ROWS, policy)][:32] for policy in POLICIES]
    return [result for number, result in enumerate(results) if result not in results[:number]]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (
            "shfl.sync.bfly.b32 %x32, %a32, 16, 31, -1;",
            "mov.u32 %r8, %a32; shfl.sync.bfly.b32 %x32, %r8, 16, 31, 0xffffffff;",
            [100 + (lane ^ 16) for lane in range(32)],
        ),
        (  # each lane has its own source and segment, and only one branch asks for the predicate
            "shfl.sync.idx.b32 %x32, %a32, 31, 0x1f, -1;",
            "shfl.sync.idx.b32 %x32|%p3, %a32, 1, 0x101f, -1;",
            [131] * 16 + [117] * 16,
        ),
        (
            "vote.sync.ballot.b32 %x32, %p2, -1;",
            "vote.ballot.sync.b32 %r8, !%p2, -1; add.u32 %x32, %r8, 1;",  # as CUB writes it
            [0x5555AAAA] * 16 + [0x5555AAAB] * 16,
        ),
        (
            "match.any.sync.b32 %x32, %b32, -1;",
            "mov.u32 %r8, 1; match.any.sync.b32 %x32, %r8, -1;",
            [0x5555, 0xFFFFAAAA] * 8 + [0xFFFFAAAA] * 16,
        ),
        ("redux.sync.add.u32 %x32, 1, -1;", "redux.sync.add.u32 %x32, 3, -1;", [16 + 48] * 32),
        ("bar.warp.sync -1; mov.u32 %x32, 7;", "bar.warp.sync -1; mov.u32 %x32, 7;", [7] * 32),
    ],
    ids=["shuffle", "own sources", "vote", "match", "reduction", "barrier"],
)
def test_lanes_meet_at_one_instruction_in_both_branches(low: str, high: str, expected: list[int]) -> None:
    assert values(low, high) == [expected]
    report = explore(launch(branches(low, high), ROWS))
    assert (report.errors, report.hazards) == ((), ())


@pytest.mark.parametrize(
    "high",
    [
        "shfl.sync.up.b32 %x32, %a32, 16, 0, -1;",  # another mode
        "vote.sync.ballot.b32 %x32, %p2, -1;",
        "bar.warp.sync -1;",
        "bar.sync 0;",
    ],
)
def test_lanes_at_different_instructions_wait_for_ever(high: str) -> None:
    report = explore(launch(branches("shfl.sync.bfly.b32 %x32, %a32, 16, 31, -1;", high), ROWS))
    assert {type(error) for error in report.errors} == {DeadlockError}


def test_lanes_in_both_branches_with_different_masks_that_name_each_other_are_a_finding() -> None:
    shuffle = "shfl.sync.bfly.b32 %x32, %a32, 16, 31, MASK;"
    code = branches(shuffle.replace("MASK", "-1"), shuffle.replace("MASK", "0xffffff0f"))
    assert HazardKind.MASKS_DIFFER in {item.kind for item in explore(launch(code, ROWS)).hazards}


def test_halves_that_name_themselves_only_do_not_meet() -> None:
    low = "shfl.sync.idx.b32 %x32, %a32, 0, 31, 0xffff;"
    assert values(low, "shfl.sync.idx.b32 %x32, %a32, 31, 31, 0xffff0000;") == [[100] * 16 + [131] * 16]


@pytest.mark.parametrize(("mask", "lane", "kind"), [("-1", "16", None), ("0xffff7fff", "1", "NOT_IN_OWN_MASK")])
def test_a_finding_in_one_branch_names_its_line(mask: str, lane: str, kind: str | None) -> None:
    low = f"shfl.sync.bfly.b32 %x32, %a32, {lane}, 31, {mask};"
    high = f"shfl.sync.bfly.b32 %x32, %a32, 1, 31, {mask};"
    hazards = explore(launch(branches(low, high), ROWS)).hazards
    own = [item for item in hazards if item.kind is HazardKind.NOT_IN_OWN_MASK]
    assert [item.kind.name for item in own] == ([kind] if kind else [])
    assert all(f", {lane}, 31" in item.instruction.text for item in own)
