from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.core.model import Kernel
from shflbench.cuda.compile.cubin import kernel_code
from shflbench.cuda.compile.loops import natural_loops, successors
from shflbench.cuda.compile.sass import disassemble
from shflbench.cuda.compile.timed_code import executed_always, timed_code, timed_loop_of
from shflbench.store.kernel_archive import KernelArchive
from tests import kernels
from tests.cuda.compile.conftest import build_together
from tests.cuda.compile.planted import THROUGH_MEMORY, case, planted
from tests.cuda.compile.test_loops import assembled

RESULTS = Path(__file__).parents[3] / "results"
COUNTED = ("MOV R0, RZ", "IADD3 R0, R0, 0x1, RZ", "ISETP.NE.AND P0, PT, R0, R9, PT", "@P0 BRA 0x10", "EXIT")
BARRIERS = THROUGH_MEMORY.replace("__syncwarp", "__syncthreads")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Kernel]:
    folder = tmp_path_factory.mktemp("timed-code")
    patterns = {
        "shfl": planted(folder / "shfl"),
        "smem": planted(folder / "smem", BARRIERS),
        "one-pass": planted(folder / "one-pass", "x = __shfl_sync(FULL_WARP, x, 0);", one_pass=True),
    }
    return build_together({name: (pattern, case()) for name, pattern in patterns.items()})


@pytest.mark.parametrize(
    ("name", "opcodes"), [("shfl", {"SHFL": 16}), ("smem", {"STS": 16, "LDS": 16, "BAR": 32})], ids=["shfl", "smem"]
)
def test_timed_loop_has_all_its_instructions(built: Mapping[str, Kernel], name: str, opcodes: dict[str, int]) -> None:
    kernel = built[name]
    code = timed_code(kernel)
    assert code is not None
    assert kernel.loop is not None
    assert code.unroll == 16
    assert all(item.always for item in code.instructions)
    addresses = [item.instruction.address for item in code.instructions]
    assert addresses == list(range(kernel.loop.start, kernel.loop.end + 1, 16))
    counts = Counter(item.instruction.base for item in code.instructions)
    assert counts == kernel.loop.counts
    assert counts | opcodes == counts


def test_each_shuffle_of_a_chain_waits_for_the_barrier_of_the_previous_one(built: Mapping[str, Kernel]) -> None:
    code = timed_code(built["shfl"])
    assert code is not None
    shuffles = [item.control for item in code.instructions if item.instruction.base == "SHFL"]
    for earlier, later in zip(shuffles, shuffles[1:] + shuffles[:1], strict=True):
        assert earlier.write_barrier in later.waits


def test_kernel_without_a_timed_loop_has_no_timed_code(built: Mapping[str, Kernel]) -> None:
    assert built["one-pass"].sass is not None
    assert timed_code(built["one-pass"]) is None


def test_kernel_without_sass_has_no_timed_code(built: Mapping[str, Kernel]) -> None:
    assert timed_code(replace(built["shfl"], sass=None)) is None


@pytest.mark.parametrize("suite", ["launch-sweep", "occupancy"])
def test_timed_loops_that_ran_are_found_with_the_instructions_that_were_recorded(suite: str) -> None:
    archive = KernelArchive.read(RESULTS / suite / "nvidia-h200" / "kernels.zip")
    stored = archive.index.kernels
    code = [kernel_code(archive.contents[kernel.cubin])[kernel.symbol] for kernel in stored]
    listings = disassemble(code, archive.index.compiler.arch, kernels.tools().nvdisasm)
    assert listings is not None
    for kernel, machine_code, sass in zip(stored, code, listings, strict=True):
        assert kernel.loop is not None
        timed = timed_loop_of(sass, machine_code, kernel.loop.start, kernel.loop.end, kernel.loop.unroll)
        assert timed is not None, kernel.name
        assert Counter(item.instruction.base for item in timed.instructions) == kernel.loop.instructions, kernel.name


def executed(*lines: str) -> str:
    """Return `+` for each instruction of the outermost loop that every pass executes, and `-` for each other one."""
    sass = assembled(*lines)
    loop = max(natural_loops(sass), key=lambda loop: (len(loop.body), loop.back_edge))
    always = executed_always(successors(sass), loop)
    assert always <= set(loop.body)
    return "".join("+" if index in always else "-" for index in loop.body)


def test_straight_line_is_executed_whole() -> None:
    assert executed("MOV R0, RZ", "SHFL R1, R1, R2, 0x1f", "@P0 BRA 0x10", "EXIT") == "++"


def test_predicated_instruction_counts_as_executed() -> None:
    assert executed("MOV R0, RZ", "@P1 FADD R1, R1, R2", "@!P2 SHFL R1, R1, R2, 0x1f", "@P0 BRA 0x10", "EXIT") == "+++"


def test_branch_that_skips_instructions_makes_them_uncertain() -> None:
    code = (
        "MOV R0, RZ",
        "@P1 BRA 0x40",
        "FADD R1, R1, R2",
        "FADD R1, R1, R2",
        "FMUL R1, R1, R2",
        "@P0 BRA 0x10",
        "EXIT",
    )
    assert executed(*code) == "+--++"


def test_uniform_branch_that_skips_instructions_makes_them_uncertain() -> None:
    assert executed("NOP", "BRA.U UP1, 0x30", "FADD R1, R1, R2", "FMUL R1, R1, R2", "@P0 BRA 0x10", "EXIT") == "+-++"


def test_neither_side_of_a_choice_is_certain() -> None:
    code = (
        "MOV R0, RZ",
        "@P1 BRA 0x40",
        "FADD R1, R1, R2",  # not P1
        "BRA 0x50",
        "FMUL R1, R1, R2",  # P1
        "STS [R0], R1",
        "@P0 BRA 0x10",
        "EXIT",
    )
    assert executed(*code) == "+---++"


def test_inner_loop_is_executed_at_least_once() -> None:
    code = ("MOV R0, RZ", "MOV R1, RZ", "FADD R1, R1, R2", "@P0 BRA 0x20", "NOP", "@P1 BRA 0x10", "EXIT")
    assert executed(*code) == "+++++"


def test_inner_loop_that_can_be_skipped_is_uncertain() -> None:
    code = ("NOP", "@P2 BRA 0x40", "FADD R1, R1, R2", "@P0 BRA 0x20", "NOP", "@P1 BRA 0x10", "EXIT")
    assert executed(*code) == "+--++"


def test_rotated_loop_that_is_left_in_the_middle_executes_what_follows_the_exit_in_every_whole_pass() -> None:
    code = ("MOV R0, RZ", "IADD3 R0, R0, 0x4, RZ", "@P0 BRA 0x50", "SHFL R1, R1, R2, 0x1f", "BRA 0x10", "EXIT")
    assert executed(*code) == "++++"


def test_code_out_of_line_is_uncertain() -> None:
    code = ("MOV R0, RZ", "@P1 BRA 0x50", "SHFL R1, R1, R2, 0x1f", "@P0 BRA 0x10", "EXIT", "MATCH R1, R2", "BRA 0x30")
    assert executed(*code) == "+-+--"


def test_what_only_one_of_two_ways_back_passes_is_uncertain() -> None:
    code = ("MOV R0, RZ", "FADD R1, R1, R2", "@P0 BRA 0x10", "FMUL R1, R1, R2", "@P1 BRA 0x10", "EXIT")
    assert executed(*code) == "++--"


def test_loop_among_those_of_the_same_extent_is_the_one_with_the_counter() -> None:
    sass = assembled(
        "MOV R0, RZ",
        "@P2 BRA 0x80",
        "FADD R1, R1, R2",
        "@P1 BRA 0x10",
        "IADD3 R0, R0, 0x4, RZ",
        "ISETP.NE.AND P0, PT, R0, R9, PT",
        "@P0 BRA 0x10",
        "EXIT",
        "BRA 0x20",
    )
    assert [loop.body[-1] for loop in natural_loops(sass)] == [8, 8]
    found = timed_loop_of(sass, bytes(16 * len(sass)), 0x10, 0x80, unroll=4)
    assert found is not None
    assert [item.instruction.address // 16 for item in found.instructions] == [1, 2, 3, 4, 5, 6, 8]
    assert [item.always for item in found.instructions] == [True, True, True, False, False, False, False]


def test_instructions_keep_their_controls() -> None:
    sass = assembled(*COUNTED)
    stalls = [3, 1, 5, 2, 4]
    code = b"".join(((stall | 0x7E0) << 105).to_bytes(16, "little") for stall in stalls)
    found = timed_loop_of(sass, code, 0x10, 0x30, unroll=1)
    assert found is not None
    assert [item.control.stall for item in found.instructions] == [1, 5, 2]


def test_other_addresses_or_another_step_give_no_code() -> None:
    sass = assembled(*COUNTED)
    code = bytes(16 * len(sass))
    assert timed_loop_of(sass, code, 0x10, 0x30, unroll=1) is not None
    assert timed_loop_of(sass, code, 0x0, 0x30, unroll=1) is None
    assert timed_loop_of(sass, code, 0x10, 0x20, unroll=1) is None
    assert timed_loop_of(sass, code, 0x10, 0x30, unroll=2) is None
