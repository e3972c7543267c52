"""The path of a warp: which code it executes, and how often."""

import pytest

from shflbench.analysis.limits.kernel_path import PathLoop, PathStep, WarpPath, inline, is_polling, path_of
from shflbench.core.model import AccessKind, AccessRequests, AccessSpace, KernelRequests
from tests.analysis.limits.paths import maybe, placed

WARPS = 4


def loads(space: AccessSpace, per_warp: float, *, most: float | None = None) -> KernelRequests:
    """Return requests of 32 bits per lane, so many of each warp on average, and of the busiest one."""
    access = AccessRequests(
        "a.cu", 1, space, AccessKind.LOAD, 32, per_warp * WARPS, most or per_warp, 32, 1.0, 1.0, 1.0
    )
    return KernelRequests((access,), (), WARPS, per_iteration=False)


def opcodes(path: WarpPath) -> list[str]:
    return [part.item.instruction.base for part in path if isinstance(part, PathStep)]


def only_loop(path: WarpPath) -> PathLoop:
    (loop,) = (part for part in path if isinstance(part, PathLoop))
    return loop


def test_code_behind_the_end_that_leads_back_is_left_out() -> None:
    items = placed("FADD", "@!P0 BRA 0x40", "STG [R2], R3", "EXIT", "WARPSYNC", "BRA 0x20")
    assert [one.instruction.base for one in inline(items, is_loop=False)] == ["FADD", "BRA", "STG", "EXIT"]


def test_a_second_end_of_a_kernel_is_kept() -> None:
    items = placed("@P0 BRA 0x20", "EXIT", "STG [R2], R3", "EXIT")
    assert len(inline(items, is_loop=False)) == 4


def test_a_loop_iterates_as_often_as_its_loads_have_to() -> None:
    items = placed("LDG R1, [R2]", "LDG R3, [R4]", "LDG R3, [R4]", "@P0 BRA 0x10", "EXIT")
    path = path_of(items, loads(AccessSpace.GLOBAL, 9), passes=1, is_loop=False)
    assert only_loop(path).iterations == 4  # nine loads, one of them in front of the loop
    assert opcodes(path) == ["LDG", "EXIT"]


def test_a_loop_of_which_nothing_is_counted_says_so() -> None:
    items = placed("IADD3 R1, R1, R2", "@P0 BRA 0x0", "EXIT")
    assert not only_loop(path_of(items, loads(AccessSpace.GLOBAL, 9), passes=1, is_loop=False)).is_counted


@pytest.mark.parametrize(
    ("start", "step", "end", "iterations"), [("RZ", "0x8", "0x400", 128), ("0x40", "-0x4", "RZ", 16)]
)
def test_a_loop_whose_counter_is_in_the_code_needs_no_counts(start: str, step: str, end: str, iterations: int) -> None:
    items = placed(
        f"IMAD.MOV.U32 R4, RZ, RZ, {start}",
        f"VIADD R4, R4, {step}",
        f"ISETP.NE.AND P0, PT, R4, {end}, PT",
        "@P0 BRA 0x10",
        "EXIT",
    )
    loop = only_loop(path_of(items, None, passes=1, is_loop=False))
    assert (loop.iterations, loop.is_counted) == (iterations, True)


def test_the_busiest_warp_says_how_often_a_loop_iterates_and_the_average_how_much_is_asked() -> None:
    items = placed("LDS R1, [R2]", "@P0 BRA 0x0", "EXIT")
    loop = only_loop(path_of(items, loads(AccessSpace.SHARED, 2, most=8), passes=1, is_loop=False))
    assert loop.iterations == 8
    assert [step.share for step in loop.body if isinstance(step, PathStep)] == [0.25, 0.25]


def test_counts_say_which_share_of_the_warps_takes_a_branch() -> None:
    items = placed("STS [R1], R2", "@P0 BRA 0x40", maybe("LDS R3, [R4]"), maybe("FADD R3, R3, R5"), "@P1 BRA 0x0")
    path = path_of(items, loads(AccessSpace.SHARED, 0.25), passes=1, is_loop=True)
    shares = {part.item.instruction.base: part.share for part in path if isinstance(part, PathStep)}
    assert shares["LDS"] == shares["FADD"] == 0.25
    assert shares["STS"] == 1


def test_a_loop_that_yields_waits_for_another_warp() -> None:
    polling = placed("LDS R1, [R2]", "YIELD", "@P0 BRA 0x0", "EXIT")
    assert is_polling(path_of(polling, None, passes=1, is_loop=False))
    counted = placed("LDS R1, [R2]", "@P0 BRA 0x0", "EXIT")
    assert not is_polling(path_of(counted, None, passes=1, is_loop=False))
