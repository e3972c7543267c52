"""Findings name bytes, buffer, both accesses; and the lines that ran."""

import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.machine.executed_lines import program_lines
from shflbench.emulator.machine.faults import FaultKind, KernelFault
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES
from shflbench.emulator.races import synchronization, tracked
from shflbench.emulator.races.facts import MemoryBytes
from shflbench.emulator.races.hazards import Hazard, HazardKind
from tests.emulator.breaking import breaks
from tests.emulator.global_memory.kernels import subject
from tests.emulator.threads import launch, operands


def hazards(name: str) -> tuple[Hazard, ...]:
    return explore(subject(name).launch(), [LOCKSTEP]).hazards


def fault(name: str) -> KernelFault:
    (error,) = explore(subject(name).launch(), [LOCKSTEP]).errors
    assert isinstance(error, KernelFault)
    return error


def test_a_race_between_blocks_names_the_bytes_the_buffer_and_both_threads() -> None:
    (race,) = hazards("last_block_writes_one_place")
    assert (race.kind, race.memory) == (HazardKind.WAW, MemoryBytes("global", "`out`", 1024, 4, 1))
    assert race.threads == ((1, 0), (0, 0))
    assert [(item.thread, item.kind, item.size, item.order) for item in race.accesses] == [
        ((0, 0), "st", 4, "weak"),
        ((1, 0), "st", 4, "weak"),
    ]
    assert [item.instruction for item in race.accesses] == [race.other, race.instruction]


def test_the_history_names_the_last_barrier_of_each_thread() -> None:
    race = hazards("last_block_after_fence_of_one_thread")[0]
    earlier, later = race.accesses
    assert race.kind is HazardKind.RAW
    assert earlier.barrier is None
    assert later.barrier is not None
    assert later.barrier.opcode == "bar"


@pytest.mark.archs
def test_a_race_by_library_code_names_the_line_of_the_kernel() -> None:
    race = next(item for item in hazards("atomic_ref_of_a_block") if item.memory and "::flag`" in item.memory.variable)
    places = [item.instruction.location for item in race.accesses]
    assert all(place is not None and place.in_outermost_file.file.endswith("memory.cu") for place in places)
    assert any(place is not None and not place.file.endswith("memory.cu") for place in places)


def test_a_variable_of_shared_memory_is_named() -> None:
    (read,) = hazards("shared_array_initialized_in_part")
    assert (read.kind, read.memory) == (HazardKind.UNINITIALIZED, MemoryBytes("shared", "`s`", 252, 4))


def test_a_fault_names_the_thread_and_the_bytes() -> None:
    error = fault("module_array_out_of_bounds")
    assert (error.kind, error.thread, error.buffer, error.low, error.high) == (
        FaultKind.OUT_OF_BOUNDS,
        (0, 63),
        None,
        256,
        260,
    )
    assert error.detail == "byte 256 of the 256 bytes of `module_array_out_of_bounds::table`"
    (hazard,) = hazards("module_array_out_of_bounds")
    assert (hazard.kind, hazard.threads) == (HazardKind.OUT_OF_BOUNDS, ((0, 63),))
    assert hazard.fault is not None
    assert hazard.fault.detail == error.detail
    assert hazard.memory is not None
    assert (hazard.memory.variable, hazard.memory.first) == ("`module_array_out_of_bounds::table`", 256)


def test_a_misaligned_access_names_the_buffer() -> None:
    error = fault("vector_load_misaligned")
    assert (error.kind, error.buffer, error.low, error.high) == (FaultKind.MISALIGNED, 0, 4, 20)


def test_too_many_cells_are_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracked, "MOST_ENTRIES", 1000)
    (error,) = explore(subject("stencil_in_one_buffer").launch(), [LOCKSTEP]).errors
    assert not isinstance(error, KernelFault)
    assert "256 threads share 255 cells of memory, and the emulator compares up to 3" in error.message


def test_too_many_places_to_synchronize_by_are_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synchronization, "MOST_PUBLISHED_BYTES", 0)
    (error,) = explore(subject("flag_with_fences").launch(), [LOCKSTEP]).errors
    assert "synchronizes by more than 0 places in memory" in error.message


def test_only_observed_schedules_are_watched() -> None:
    policies = [LOCKSTEP, POLICIES["warps in reverse"]]
    first, second = explore(subject("sum_by_plain_additions").launch(), policies, observed=["warps in reverse"]).results
    assert (first.hazards, len(first.outputs)) == ((), 1)
    assert second.hazards


def test_the_lines_that_ran_are_those_of_the_branches_taken() -> None:
    launch = subject("lock_with_fences").launch()
    report = explore(launch, [LOCKSTEP])
    assert report.executed == program_lines(launch.program)
    stopped = subject("shared_array_out_of_bounds").launch()
    assert explore(stopped, [LOCKSTEP]).executed < program_lines(stopped.program)


def test_each_fault_is_a_kind_of_hazard() -> None:
    assert {kind.name for kind in FaultKind} <= {kind.name for kind in HazardKind}


def test_instructions_whose_guard_never_holds_do_not_count_as_executed() -> None:
    code = """
        .loc 1 10 1
        setp.eq.u32 %p1, %r3, 3; setp.eq.u32 %p2, %r3, 9999;
        .loc 1 11 1
        @%p1 st.shared.u32 [%r5], %r3;
        .loc 1 12 1
        @%p2 st.shared.u32 [%r5], %r3;
        .loc 1 13 1
        @%p2 bra $done;
        .loc 1 14 1
        @%p2 exit;
        .loc 1 15 1
        @%p1 exit;
        $done:"""
    executed = explore(launch(code, operands(), '.file 1 "k.cu"'), [LOCKSTEP]).executed
    assert {line for _, line in executed} == {10, 11, 13, 15}


@pytest.mark.parametrize(
    ("kernel", "kind"),
    [
        ("uninitialized_values_unused", HazardKind.UNINITIALIZED_UNUSED),
        ("uninitialized_values_compared_with_zero", HazardKind.UNINITIALIZED),
    ],
)
def test_an_uninitialized_read_breaks_a_kernel_if_another_value_changes_the_result(
    kernel: str, kind: HazardKind
) -> None:
    (read,) = hazards(kernel)
    assert (read.kind, breaks(read)) == (kind, kind is HazardKind.UNINITIALIZED)
