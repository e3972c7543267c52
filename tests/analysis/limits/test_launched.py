"""Limits of launches whose blocks were counted."""

from dataclasses import replace

import pytest

from shflbench.analysis.limits.launched import (
    LaunchWork,
    atomics_on_one_address,
    dram_bytes,
    l2_bytes_moved,
    launch_clocks,
)
from shflbench.core.arch import Architecture, load
from shflbench.core.model import (
    AccessKind,
    AccessRequests,
    AccessSpace,
    AtomicAddress,
    KernelRequests,
    LaunchCounts,
    MemoryFootprint,
    OperationRequests,
    WarpOperation,
)
from shflbench.cuda.compile.certain_code import one_pass_code
from tests.cuda.compile.test_loops import assembled

L2_BYTES = 50
GRID, SMS, WARPS = 1320, 132, 8
LOAD, STORE, ATOMIC = AccessKind
SHARED, GLOBAL, LOCAL = AccessSpace
LOOP = (
    "MOV R0, RZ",
    "@P1 BRA 0x60",
    *("LDG.E R1, [R2]", "FADD R4, R4, R1", "FADD R5, R5, R1", "@P0 BRA 0x20"),
    *("STG.E [R6], R4", "EXIT"),
)


@pytest.fixture
def h200() -> Architecture:
    arch = load("sm_90")
    assert arch
    return arch


def access(kind: AccessKind, requests: float, space: AccessSpace = GLOBAL, **values: float) -> AccessRequests:
    return AccessRequests("one.cu", 1, space, kind, 32, requests, requests / WARPS, 32.0, **values)


def work(*accesses: AccessRequests, lines: tuple[str, ...] = LOOP, grid: int = GRID) -> LaunchWork:
    """Return the work of a launch whose blocks send these requests."""
    sass = assembled(*lines)
    requests = KernelRequests(accesses, (), WARPS, per_iteration=False)
    counts = LaunchCounts(8, grid, requests, MemoryFootprint(4096.0, 1024.0, 5120.0))
    return LaunchWork(one_pass_code(sass, bytes(16 * len(sass))), counts)


def test_dram_moves_what_a_warm_cache_cannot_keep() -> None:
    assert dram_bytes(MemoryFootprint(100, 60, 160), L2_BYTES, cold=False) == 110
    assert dram_bytes(MemoryFootprint(20, 20, 40), L2_BYTES, cold=False) == 0


def test_bytes_that_are_read_and_overwritten_pass_twice() -> None:
    assert dram_bytes(MemoryFootprint(200, 200, 200), L2_BYTES, cold=False) == 300


def test_a_cold_cache_has_nothing_of_what_is_read() -> None:
    assert dram_bytes(MemoryFootprint(20, 20, 40), L2_BYTES, cold=True) == 20
    assert dram_bytes(MemoryFootprint(100, 60, 160), L2_BYTES, cold=True) == 110


def test_l2_gets_each_sector_that_a_store_touches() -> None:
    strided = work(access(STORE, 8, sectors=32.0), access(LOAD, 8, sectors=32.0))
    assert l2_bytes_moved(strided) == 8 * 32 * 32 * GRID
    assert l2_bytes_moved(work(access(LOAD, 8, sectors=32.0))) == 4096  # loads may hit L1


@pytest.mark.parametrize("iterations", [4, 16])
def test_a_loop_iterates_as_often_as_its_loads_were_counted(h200: Architecture, iterations: int) -> None:
    clocks = launch_clocks(work(access(LOAD, WARPS * iterations, lines=1.0)), h200, SMS)
    warps = GRID / SMS * WARPS
    assert clocks["fp32"] == warps * 2 * iterations / 4
    assert clocks["issue"] == warps * (4 * iterations + 4) / 4
    assert clocks["load/store"] == warps * iterations


def test_a_load_outside_of_the_loop_is_not_an_iteration(h200: Architecture) -> None:
    lines = ("LDG.E R7, [R8]", "@P1 BRA 0x50", *LOOP[2:4], "@P0 BRA 0x20", *LOOP[-2:])
    clocks = launch_clocks(work(access(LOAD, WARPS * 5, lines=1.0), lines=lines), h200, SMS)
    assert clocks["fp32"] == GRID / SMS * WARPS * 4 / 4


def test_loads_that_the_compiler_joins_are_as_many_bits(h200: Architecture) -> None:
    wide = tuple(line.replace("LDG.E R1", "LDG.E.128 R12") for line in LOOP)
    clocks = launch_clocks(work(access(LOAD, WARPS * 16, lines=1.0), lines=wide), h200, SMS)
    assert clocks["fp32"] == GRID / SMS * WARPS * 2 * 4 / 4


def test_accesses_that_the_compiler_joins_take_fewer_passes_and_sectors(h200: Architecture) -> None:
    joined = (LOOP[0], "LDS.128 R8, [R2]", "STG.E.128 [R6], R8", "EXIT")
    loads, stores = access(LOAD, 8, SHARED, passes=1.0), access(STORE, 8, sectors=16.0)
    clocks = launch_clocks(work(loads, lines=joined), h200, SMS)
    assert clocks["exchange"] == GRID / SMS * 8 / 2  # as if the loads were uniform
    assert clocks["load/store"] == GRID / SMS * 8 / 4
    assert l2_bytes_moved(work(stores, lines=joined)) == 8 * 16 * 32 * GRID / 4


def test_loads_around_an_inner_loop_say_nothing_about_it(h200: Architecture) -> None:
    lines = ("MOV R0, RZ", "LDG.E R7, [R8]", *LOOP[2:4], "@P0 BRA 0x20", "@P2 BRA 0x10", *LOOP[-2:])
    clocks = launch_clocks(work(access(LOAD, WARPS * 500, lines=1.0), lines=lines), h200, SMS)
    assert clocks["fp32"] == GRID / SMS * WARPS / 4  # once


def test_bank_conflicts_take_their_passes(h200: Architecture) -> None:
    clocks = launch_clocks(work(access(LOAD, 8, SHARED, passes=32.0)), h200, SMS)
    assert clocks["exchange"] == GRID / SMS * 8 * 32


def test_a_launch_of_few_blocks_takes_as_long_as_one(h200: Architecture) -> None:
    few = launch_clocks(work(access(LOAD, 8, SHARED, passes=32.0), grid=3), h200, SMS)
    assert few["exchange"] == 8 * 32


def test_a_loop_without_memory_accesses_is_not_counted() -> None:
    assert not work(access(LOAD, 8)).has_uncounted_loop
    lines = ("LDG.E R1, [R2]", "FADD R4, R4, R1", "@P0 BRA 0x10", "EXIT")
    assert work(access(LOAD, 8), lines=lines).has_uncounted_loop


def with_operations(done: LaunchWork, **requests: float) -> LaunchWork:
    """Return work with counted barriers or shuffles per block."""
    operations = tuple(OperationRequests("one.cu", 1, WarpOperation[kind], count) for kind, count in requests.items())
    counts = replace(done.counts, requests=replace(done.counts.requests, operations=operations))
    return replace(done, counts=counts)


def test_barriers_that_were_counted_are_those_of_the_launch(h200: Architecture) -> None:
    lines = ("@P1 BRA 0x20", "BAR.SYNC.DEFER_BLOCKING 0x0", "EXIT")
    clocks = launch_clocks(with_operations(work(lines=lines), BARRIER=72), h200, SMS)
    assert clocks["barrier"] == GRID / SMS * 72 / 0.5
    none = launch_clocks(with_operations(work(lines=("EXIT",)), BARRIER=72), h200, SMS)
    assert "barrier" not in none  # the compiler has made them barriers of the warp


def test_shuffles_that_were_counted_are_those_of_the_launch(h200: Architecture) -> None:
    clocks = launch_clocks(with_operations(work(lines=("EXIT",)), SHUFFLE=40), h200, SMS)
    assert clocks["exchange"] == GRID / SMS * 40


@pytest.mark.parametrize(("opcode", "passes"), [("ATOMS.ADD", 16), ("ATOMS.POPC.INC.32", 1)])
def test_additions_to_one_word_follow_one_another(h200: Architecture, opcode: str, passes: int) -> None:
    lines = (f"{opcode} RZ, [R2], R1", "EXIT")
    clocks = launch_clocks(work(access(ATOMIC, 8, SHARED, passes=1.0, same_address=16.0), lines=lines), h200, SMS)
    assert clocks["exchange"] == GRID / SMS * 8 * passes


@pytest.mark.parametrize(("opcode", "operations"), [("FADD R1, R2, R3", 320), ("REDUX.SUM UR4, R1", 10)])
def test_lanes_that_combine_what_they_add_are_one_operation(opcode: str, operations: float) -> None:
    done = work(lines=(opcode, "EXIT"))
    done = replace(done, counts=replace(done.counts, atomics=(AtomicAddress("one.cu", 1, lanes=320, requests=10),)))
    assert atomics_on_one_address(done) == operations
