import pytest

from shflbench.cuda.compile.certain_code import one_pass_code
from tests.cuda.compile.test_loops import assembled

BYTES = 16


def certain(*lines: str) -> list[str]:
    """Return the opcodes that every warp executes."""
    sass = assembled(*lines)
    return [item.instruction.opcode for item in one_pass_code(sass, bytes(BYTES * len(sass))).certain.instructions]


def test_straight_code_is_executed_whole_and_nothing_behind_its_end() -> None:
    assert certain("LDG R0, [R2]", "STG [R4], R0", "EXIT", "BRA 0x30", "NOP") == ["LDG", "STG", "EXIT"]


def test_code_after_a_conditional_exit_is_not_certain() -> None:
    assert certain("ISETP P0, R0, R1", "@P0 EXIT", "LDG R0, [R2]", "EXIT") == ["ISETP", "EXIT"]


def test_neither_side_of_a_branch_is_certain_but_what_follows_both_is() -> None:
    lines = ("@P0 BRA 0x30", "FADD R0, R0, R1", "BRA 0x40", "FMUL R0, R0, R1", "STG [R4], R0", "EXIT")
    assert certain(*lines) == ["BRA", "STG", "EXIT"]


def test_an_inner_loop_counts_once() -> None:
    assert certain("MOV R0, RZ", "LDG R1, [R2]", "@P0 BRA 0x10", "EXIT") == ["MOV", "LDG", "BRA", "EXIT"]


def test_a_branch_whose_target_is_unknown_ends_what_is_certain() -> None:
    assert certain("@P0 BRA 0x30", "LDG R0, [R2]", "EXIT", "BRX R4", "STG [R4], R0") == ["BRA"]


def test_code_that_is_cut_off_is_refused() -> None:
    sass = assembled("LDG R0, [R2]", "EXIT")
    with pytest.raises(ValueError, match="not a multiple"):
        one_pass_code(sass, bytes(BYTES + 1))
