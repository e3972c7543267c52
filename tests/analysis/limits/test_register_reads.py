import pytest

from shflbench.analysis.limits.register_reads import register_reads
from tests.analysis.limits.timed import item


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("FFMA R4, R5, R6, R8", (2, 1)),
        ("IMAD R4, R5, R5, RZ", (0, 1)),
        ("FADD R4, R5, 2", (0, 1)),
        ("LEA R8, R8, UR4, 0x2", (1, 0)),
        ("DFMA R10, R2, R10, R4", (3, 3)),
        ("SHFL.IDX PT, R9, R2, R8, 0x1f", (2, 0)),
        ("ISETP.NE.AND P1, PT, R6, RZ, PT", (1, 0)),
        ("STS.64 [R7], R4", (1, 2)),
        ("STG.E.128 desc[UR4][R2.64], R8", (3, 3)),
        ("LDG.E R7, desc[UR4][R6.64]", (1, 1)),
        ("BAR.SYNC 0x0", (0, 0)),
    ],
)
def test_registers_are_counted_by_bank(text: str, reads: tuple[int, int]) -> None:
    assert register_reads(item(text).instruction) == reads


def test_an_operand_left_for_reuse_is_not_read_again() -> None:
    first, second = (item(text).instruction for text in ("IMAD R6, R2, R7.reuse, R4", "IMAD R8, R2, R7, R4"))
    assert register_reads(second, first) == (2, 0)
    assert register_reads(second) == (2, 1)


def test_reuse_is_of_the_same_position() -> None:
    first, second = (item(text).instruction for text in ("FADD R6, R7.reuse, R4", "FADD R8, R4, R7"))
    assert register_reads(second, first) == (1, 1)


def test_two_operands_of_64_bits_leave_a_part_of_the_clocks_of_their_unit() -> None:
    assert register_reads(item("DADD R4, R6, R8").instruction) == (1.5, 1.5)
