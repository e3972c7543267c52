from shflbench.core.model import Loop
from shflbench.cuda.compile.nested_loops import outermost
from shflbench.cuda.compile.rules import timed_loop


def test_the_timed_loop_is_an_outermost_one() -> None:
    outer, rest = Loop(0x100, 0x900, 4, {}), Loop(0xA00, 0xB00, 1, {})
    inner, of_rest = Loop(0x200, 0x300, 8, {}), Loop(0xA10, 0xA40, 16, {})
    assert timed_loop(outermost([inner, outer, of_rest, rest])) is outer


def test_two_loops_with_one_head_are_not_part_of_each_other() -> None:
    loops = [Loop(0x100, 0x900, 1, {}), Loop(0x100, 0x900, 4, {})]
    assert outermost(loops) == loops
