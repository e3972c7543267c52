from collections.abc import Callable
from functools import cache, partial
from typing import Any

import pytest

from shflbench.core.model import Instruction, Kernel, Mechanism
from shflbench.cuda.compile.loops import NaturalLoop, counted_loops, counter_step, natural_loops
from tests.cuda.compile.conftest import build_together
from tests.cuda.compile.planted import ROTATE, THROUGH_MEMORY, case, planted

ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")
UNROLLED = '_Pragma("unroll {}") for ({}) x = __shfl_sync(FULL_WARP, x, (lane() + 1) % WARP);'
DOWN = UNROLLED.format(16, "int left = iterations; left > 0; --left")
BARRIERS = THROUGH_MEMORY.replace("__syncwarp", "__syncthreads")
# Indexing by a multiple of the iteration adds a second counter, whose registers also have other uses.
SCALED = """\
T keep[64];
    for (int i = 0; i < 64; ++i) keep[i] = values[thread() + i];
    REPEAT(iterations) x += keep[(iteration * 7 + lane()) % 64];"""


Built = Callable[[str], dict[str, Kernel]]
LOOPS: dict[str, dict[str, Any]] = {
    "shfl": {"loop": ROTATE},
    "smem": {"loop": BARRIERS},
    "down": {"loop": DOWN},
    "scaled": {"loop": SCALED, "mechanism": Mechanism.LOCAL},
    "diverged": {"loop": ROTATE.replace("iterations", "iterations + lane()"), "per_iteration": {"SHFL": 1}},
    "none": {"loop": "x = x + T(1);"},
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Return the kernels of LOOPS for an architecture."""
    folder = tmp_path_factory.mktemp("loops")
    patterns = {name: (planted(folder / name, **made), case()) for name, made in LOOPS.items()}
    return cache(partial(build_together, patterns))


@pytest.mark.one_in(7)
@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize(
    ("name", "found"), [("shfl", {"SHFL": 16}), ("smem", {"STS": 16, "LDS": 16, "BAR": 32})], ids=["shfl", "smem"]
)
def test_timed_loop_is_found_on_every_architecture(built: Built, arch: str, name: str, found: dict[str, int]) -> None:
    loop = built(arch)[name].loop
    assert loop is not None
    assert loop.unroll == 16
    assert {opcode: loop.counts.get(opcode, 0) for opcode in ("SHFL", "STS", "LDS", "BAR")} == {
        "SHFL": 0,
        "STS": 0,
        "LDS": 0,
        "BAR": 0,
    } | found


@pytest.mark.parametrize("arch", ["sm_75", "sm_100"])
def test_loop_that_counts_down_has_a_positive_step(built: Built, arch: str) -> None:
    loop = built(arch)["down"].loop
    assert loop is not None
    assert (loop.unroll, loop.counts["SHFL"]) == (16, 16)


def test_counter_is_distinguished_from_registers_that_change_with_it(
    built: Built,
) -> None:
    kernel = built("sm_90")["scaled"]
    assert kernel.loop is not None
    assert (kernel.loop.unroll, kernel.loop.counts["LDL"]) == (16, 16)
    assert kernel.violations == ()


def test_shuffle_of_diverged_warps_is_not_counted(built: Built) -> None:
    kernel = built("sm_90")["diverged"]
    assert kernel.sass is not None
    assert any(".DIV" in instruction.opcode for instruction in kernel.sass)
    assert kernel.violations == ()


def test_loop_for_the_remaining_iterations_is_found_beside_the_unrolled_one(
    built: Built,
) -> None:
    sass = built("sm_90")["shfl"].sass
    assert sass is not None
    assert sorted(loop.unroll for loop in counted_loops(sass)) == [1, 16]


def test_code_without_a_loop_has_none(built: Built) -> None:
    sass = built("sm_90")["none"].sass
    assert sass is not None
    assert counted_loops(sass) == []


def assembled(*lines: str) -> tuple[Instruction, ...]:
    """Return instructions at addresses 0x00, 0x10, … from `@P0 OPCODE operand, operand`."""
    instructions = []
    for index, line in enumerate(lines):
        predicate, _, rest = line.partition(" ") if line.startswith("@") else ("", "", line)
        opcode, _, operands = rest.partition(" ")
        instructions.append(Instruction(16 * index, predicate, opcode, tuple(operands.split(", ")) if operands else ()))
    return tuple(instructions)


def test_branch_to_itself_after_the_end_is_no_loop() -> None:
    assert natural_loops(assembled("MOV R1, R2", "EXIT", "BRA 0x20")) == []


@pytest.mark.parametrize("branch", ["BRA.DIV UR4, 0x50", "BRA.DIV 0x50"])
def test_path_of_diverged_warps_is_not_part_of_the_loop(branch: str) -> None:
    code = assembled(
        "MOV R0, RZ",
        branch,
        "IADD3 R0, R0, 0x4, RZ",
        "@P0 BRA 0x10",
        "EXIT",
        "SHFL R1, R1, R2, 0x1f",
        "BRA 0x20",
    )
    assert natural_loops(code) == [NaturalLoop(body=(1, 2, 3), back_edge=3)]


def test_jump_into_the_middle_of_a_cycle_makes_it_no_natural_loop() -> None:
    assert natural_loops(assembled("@P1 BRA 0x20", "NOP", "NOP", "@P0 BRA 0x10", "EXIT")) == []


def test_inner_loop_lies_inside_the_outer_one() -> None:
    code = assembled("MOV R0, RZ", "MOV R1, RZ", "NOP", "@P0 BRA 0x20", "NOP", "@P1 BRA 0x10", "EXIT")
    assert [loop.body for loop in natural_loops(code)] == [(2, 3), (1, 2, 3, 4, 5)]


@pytest.mark.parametrize(
    ("body", "step"),
    [
        (("VIADD R5, R5, 0xfffffff0", "ISETP.NE.AND P0, PT, R5, RZ, PT", "@P0 BRA 0x0"), 16),
        (("IADD3 R5, R5, -0x8, RZ", "ISETP.GT.AND P0, PT, R5, 0x7, PT", "@P0 BRA 0x0"), 8),
        (("IADD3 R5, R5, 0x8, RZ", "ISETP.GE.AND P1, PT, R5, R9, PT", "@!P1 BRA 0x0"), 8),
        (("UIADD3 UR4, UR4, 0x4, URZ", "UISETP.NE.AND UP0, UPT, UR4, UR6, UPT", "BRA.U UP0, 0x0"), 4),
        # what is compared may be a copy, a sum with something that stays, or what the counter was before
        (("IADD3 R5, R6, 0x4, RZ", "MOV R6, R5", "ISETP.NE.AND P0, PT, R6, R9, PT", "@P0 BRA 0x0"), 4),
        (("IADD3 R5, R5, 0x4, RZ", "IADD3 R7, R5, R9, RZ", "ISETP.NE.AND P0, PT, R7, RZ, PT", "@P0 BRA 0x0"), 4),
        (("ISETP.GT.AND P0, PT, R5, 0x10, PT", "VIADD R6, R5, 0xfffffff0", "MOV R5, R6", "@P0 BRA 0x0"), 16),
        (("IADD3 R5, R6, 0x4, RZ", "IMAD.MOV.U32 R6, RZ, RZ, R5", "ISETP.NE.AND P0, PT, R6, R9, PT", "@P0 BRA 0x0"), 4),
        # the register may hold something else before it holds the counter
        ((
            "IADD3 R7, R8, 0x70, RZ",
            "IADD3 R5, R5, 0x4, RZ",
            "IMAD.IADD R7, R5, 0x1, R9",
            "ISETP.NE.AND P0, PT, R7, RZ, PT",
            "@P0 BRA 0x0",
        ), 4),
        (("VIADD R5, R5, 0x2", "VIADD R5, R5, 0x2", "ISETP.NE.AND P0, PT, R5, R9, PT", "@P0 BRA 0x0"), 4),
        # the predicate may have held something else before
        ((
            "IADD3 R6, R6, 0x100, RZ",
            "ISETP.NE.AND P0, PT, R6, R9, PT",
            "IADD3 R5, R5, 0x4, RZ",
            "ISETP.NE.AND P0, PT, R5, R9, PT",
            "@P0 BRA 0x0",
        ), 4),
        # a loop too long for a conditional branch back: the way out has the condition
        ((
            "IADD3 R5, R5, 0x4, RZ",
            "ISETP.NE.AND P1, PT, R5, R9, PT",
            "ISETP.NE.AND P0, PT, R8, R9, PT",
            "@P0 BRA 0x40",
            "@!P1 CALL.REL.NOINC 0x1000",
            "BRA 0x0",
        ), 4),
        (("IADD3 R5, R5, 0x4, RZ", "ISETP.NE.AND P1, PT, R5, R9, PT", "@P1 BRA 0x1000", "BRA 0x0"), 4),
        # a predicate may be a copy of a uniform one
        ((
            "UIADD3 UR4, UR4, 0x2, URZ",
            "UISETP.NE.AND UP0, UPT, UR4, UR6, UPT",
            "PLOP3.LUT P1, PT, PT, PT, UP0, 0x80, 0x0",
            "@!P1 CALL.REL.NOINC 0x1000",
            "BRA 0x0",
        ), 2),
        # a predicate may be kept in a bit of a register while all seven are in use
        ((
            "IADD3 R5, R5, 0x4, RZ",
            "ISETP.NE.AND P5, PT, R5, R9, PT",
            "P2R R15, PR, RZ, 0x20",
            "ISETP.NE.AND P5, PT, R7, RZ, PT",
            "ISETP.NE.AND P1, PT, R15, RZ, PT",
            "@P1 BRA 0x0",
        ), 4),
        # no counter
        (("P2R R15, PR, RZ, 0x7f", "ISETP.NE.AND P1, PT, R15, RZ, PT", "@P1 BRA 0x0"), 0),
        (("BRA 0x0",), 0),
        (("FADD R5, R5, R6", "FSETP.GT.AND P0, PT, R5, R9, PT", "@P0 BRA 0x0"), 0),
        (("LDS R5, [R6]", "ISETP.NE.AND P0, PT, R5, RZ, PT", "@P0 BRA 0x0"), 0),
        (("IMAD.SHL.U32 R5, R5, 0x2, RZ", "ISETP.NE.AND P0, PT, R5, R9, PT", "@P0 BRA 0x0"), 0),
        (("IADD3 R5, R5, 0x4, RZ", "ISETP.NE.AND P0, PT, R9, RZ, PT", "@P0 BRA 0x0"), 0),
    ],
)  # fmt: skip
def test_step_of_a_counter_is_its_change_per_pass(body: tuple[str, ...], step: int) -> None:
    code = assembled(*body)
    assert counter_step(code, code[-1]) == step
