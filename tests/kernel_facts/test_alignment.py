"""Aligned loops, built from control codes that two compilers really wrote."""

from collections.abc import Sequence

from shflbench.core.model import Control, Instruction, ScheduledInstruction, TimedCode
from shflbench.kernel_facts.alignment import AlignedPair, align
from shflbench.kernel_facts.code_differences import explain

Item = tuple[str, int, tuple[int, ...], int | None, int | None]  # opcode, stall, waits, write and read barrier

# `#pragma unroll 1 for (i < n) x = __shfl_sync(full, x, (threadIdx.x + 1) & 31)` for sm_90.
NVRTC_13_0: tuple[Item, ...] = (
    ("UIADD3", 1, (), None, None),
    ("SHFL.IDX", 5, (2, 5), 2, 1),
    ("ISETP.LE.AND", 13, (), None, None),
    ("@!P0 BRA", 5, (1,), None, None),
)
NVRTC_13_5: tuple[Item, ...] = (
    ("UIADD3", 1, (), None, None),
    ("SHFL.IDX", 5, (1, 2, 5), 2, 1),
    ("ISETP.LE.AND", 13, (), None, None),
    ("@!P0 BRA", 5, (), None, None),
)


def loop(items: Sequence[Item], unroll: int = 1, start: int = 0x100) -> TimedCode:
    instructions = []
    for index, (text, stall, waits, write, read) in enumerate(items):
        predicate, _, opcode = text.rpartition(" ")
        instruction = Instruction(start + 16 * index, predicate, opcode, ())
        instructions.append(ScheduledInstruction(instruction, Control(stall, write, read, waits), always=True))
    return TimedCode(tuple(instructions), unroll)


def compared(first: Sequence[Item], second: Sequence[Item], unrolls: tuple[int, int] = (1, 1)) -> list[str]:
    one, other = loop(first, unrolls[0]), loop(second, unrolls[1])
    return list(explain(one, other, align(one, other), ("A", "B")))


def marks(first: Sequence[Item], second: Sequence[Item]) -> str:
    return "".join(pair.mark for pair in align(loop(first), loop(second)))


def changed(items: Sequence[Item], index: int, item: Item) -> list[Item]:
    return [*items[:index], item, *items[index + 1 :]]


def test_two_compilers_that_place_a_wait_differently_are_distinguished() -> None:
    assert marks(NVRTC_13_0, NVRTC_13_5) == " ~ ~"
    assert compared(NVRTC_13_0, NVRTC_13_5) == [
        "same 4 instructions per pass, in the same order; the control codes differ",
        "SHFL (0x110) waits only in B for the operands of SHFL (0x110)",
        "BRA (0x130) waits only in A for the operands of SHFL (0x110)",
    ]


def test_other_numbers_of_scoreboards_are_no_difference() -> None:
    renumbered = changed(NVRTC_13_5, 1, ("SHFL.IDX", 5, (0, 3, 4), 3, 0))
    assert marks(NVRTC_13_5, renumbered) == "    "
    assert compared(NVRTC_13_5, renumbered) == ["same 4 instructions in the same order, with the same control codes"]


def test_other_registers_are_no_difference_but_modifiers_and_predicates_are() -> None:
    assert marks(NVRTC_13_5, changed(NVRTC_13_5, 3, ("@!P1 BRA", 5, (), None, None))) == "    "
    assert marks(NVRTC_13_5, changed(NVRTC_13_5, 3, ("@P0 BRA", 5, (), None, None))) == "   !"
    assert marks(NVRTC_13_5, changed(NVRTC_13_5, 1, ("SHFL.BFLY", *NVRTC_13_5[1][1:]))) == " !  "


def test_stall_counts_are_named_with_their_sum() -> None:
    shorter = changed(NVRTC_13_5, 2, ("ISETP.LE.AND", 8, (), None, None))
    assert compared(NVRTC_13_5, shorter) == [
        "same 4 instructions per pass, in the same order; the control codes differ",
        "the stall counts of a pass add up to 24 cycles in A and 19 in B",
        "ISETP (0x120) stalls 13 cycles against 8 cycles",
    ]


def test_more_than_four_differences_are_counted() -> None:
    items: list[Item] = [("FADD", 4, (), None, None)] * 6
    others: list[Item] = [("FADD", 5, (), None, None)] * 6
    *_, last = compared(items, others)
    assert last == "and 2 more; the listing marks each with ~"


def test_instructions_of_one_side_only_stand_alone_and_are_counted_per_iteration() -> None:
    barrier: Item = ("BAR.SYNC", 6, (), None, None)
    items = [*NVRTC_13_5[:2], barrier, *NVRTC_13_5[2:]]
    assert marks(items, NVRTC_13_5) == "  <  "
    assert marks(NVRTC_13_5, items) == "  >  "
    assert compared(items, NVRTC_13_5) == [
        "A executes 5 instructions per iteration, B 4",
        "more in A, per iteration: 1 BAR",
    ]


def test_the_same_instructions_at_another_unrolling_are_other_instructions_per_iteration() -> None:
    assert compared(NVRTC_13_5, NVRTC_13_5, unrolls=(1, 2)) == [
        "A executes 4 instructions per iteration, B 2",
        "more in A, per iteration: 0.5 BRA, 0.5 ISETP, 0.5 SHFL, 0.5 UIADD3",
    ]


def test_another_order_is_said() -> None:
    swapped = [NVRTC_13_5[1], NVRTC_13_5[0], *NVRTC_13_5[2:]]
    first, *_ = compared(NVRTC_13_5, swapped)
    assert first == "same 4 instructions per pass, in another order; the control codes differ"


def test_a_wait_finds_the_last_instruction_that_set_its_scoreboard() -> None:
    items: list[Item] = [
        ("LDS", 2, (0,), 0, None),  # waits for the last one of the pass before
        ("FADD", 4, (0,), None, None),
        ("LDS", 2, (), 0, None),
        ("BRA", 5, (3,), None, None),  # set before the loop
    ]
    pairs: list[AlignedPair] = align(loop(items), loop(items))
    waits = [sorted(pair.first_waits, key=repr) for pair in pairs]
    assert waits == [[("result", 2)], [("result", 0)], [], [("result", None)]]
