"""The verdicts on the test kernels of `check`, and what compute-sanitizer reported for them on an H100."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.checker.planted_kernels import planted_kernels

RECORD: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "check-sanitizer-nvidia-h100.json").read_text(encoding="utf-8")
)
# The kernels that only one of the two reports, by the reason.
DIFFERENCES = {
    "racecheck watches shared memory only; this race is in global memory": """
        algorithms/compaction_with_plain_counter
        algorithms/game_of_life_in_place
        algorithms/grid_of_blocks_in_y_without_block_index
        algorithms/maximum_of_floats_with_a_plain_store
        algorithms/neighbor_sum_in_place
        algorithms/parents_by_plain_stores
        algorithms/queue_with_plain_tail
        algorithms/row_sums_by_warps_into_one_place
        instructions/device_variable_of_all_blocks
        instructions/source_of_a_copy_written_before_the_wait
        instructions/volume_without_z
        memory/atomic_and_plain_read
        memory/atomic_ref_of_a_block
        memory/atomic_ref_relaxed
        memory/atomic_ref_release_and_relaxed
        memory/atomics_of_two_sizes
        memory/byte_of_a_word_and_the_word
        memory/counter_reset_before_all_arrived
        memory/counter_reset_by_another_thread_than_polled
        memory/counter_reset_by_the_first_block
        memory/data_beside_a_lock
        memory/data_passed_through_global_memory_to_the_next_block
        memory/double_buffer_in_global_memory_not_swapped
        memory/double_buffer_in_global_memory_without_barrier
        memory/equal_value_written_beside_readers
        memory/flag_by_atomics_of_a_block
        memory/flag_counts_some_of_the_items
        memory/flag_with_fence_of_a_block
        memory/flag_without_fence_of_the_reader
        memory/flag_without_fence_of_the_writer
        memory/grid_stride_loop_with_stride_of_a_block
        memory/histogram_by_plain_additions
        memory/last_block_after_fence_of_one_thread
        memory/last_block_sums_without_fence
        memory/last_block_writes_one_place
        memory/lock_forgotten
        memory/lock_with_plain_unlock
        memory/lock_without_fences
        memory/look_back_without_fences
        memory/read_only_load_of_written_data
        memory/stencil_in_one_buffer
        memory/sum_by_atomics_of_a_block
        memory/sum_by_plain_additions
        memory/ticket_lock_without_fences
        memory/transpose_in_place_by_copies
        memory/volatile_stores_without_order
        synchronization/all_blocks_have_one_place
        synchronization/block_barrier_instead_of_grid_barrier
        synchronization/block_trusts_in_the_order_of_blocks
    """,
    "racecheck does not follow named barriers, or acquire and release in shared memory": """
        memory/atomic_ref_of_a_block_within_one
        memory/flag_in_shared_memory_with_fences
        memory/lock_in_shared_memory_with_fences
        memory/ring_with_head_and_tail
        synchronization/ring_with_full_and_empty_barriers
        synchronization/sum_over_a_tile_of_two_warps
        synchronization/tile_of_two_warps
    """,
    "racecheck does not compare atomics with plain accesses of other warps": """
        algorithms/histogram_set_to_zero_without_barrier
        memory/counter_in_shared_memory_without_barrier
        memory/counter_that_its_first_user_sets_without_barrier
    """,
    "machine code of shuffles has no mask": """
        algorithms/warp_scan_in_a_branch
        synchronization/shuffle_from_lanes_that_do_not_exist
        synchronization/shuffle_from_the_half_that_takes_no_part
    """,
    "no tool watches uninitialized shared memory": """
        memory/exchange_whose_old_value_is_used
        memory/shared_array_initialized_in_part
        memory/uninitialized_values_compared_with_zero
    """,
    "the hardware counts threads at a barrier, so the iterations of lanes do not show": """
        synchronization/barrier_in_a_loop_that_lanes_leave
        synchronization/barrier_in_one_iteration_per_lane
        synchronization/barrier_of_states_out_of_step
    """,
    "synccheck reports whole warps at different barriers, which PTX allows": """
        synchronization/warps_wait_at_different_places
        synchronization/warps_with_roles_and_equally_many_barriers
        synchronization/warps_with_roles_and_one_barrier_more
    """,
    "racecheck reports nothing; the reason is not known": """
        algorithms/volume_stencil_with_warp_barrier
        instructions/copies_counted_by_a_barrier_that_no_one_waits_at
        synchronization/exchange_across_halves_with_two_barriers
    """,
    "synccheck reports missing waits at the barriers of a cuda::pipeline; the reason is not known": """
        instructions/pipeline_of_two_stages
    """,
}
KERNELS = {kernel.name: kernel for kernel in planted_kernels()}


def reported(name: str) -> bool:
    """Return whether any of the tools reported an error or a warning."""
    return any(errors + warnings for errors, warnings, *_ in RECORD["kernels"][name].values())


@pytest.mark.parametrize("name", RECORD["kernels"])
def test_tools_and_truth_agree_unless_the_difference_is_explained(name: str) -> None:
    explained = [reason for reason, names in DIFFERENCES.items() if name in names.split()]
    assert (reported(name) == (KERNELS[name].verdict == "broken")) != bool(explained)
    assert len(explained) <= 1


def test_every_kernel_that_ends_on_a_gpu_was_run() -> None:
    assert set(RECORD["kernels"]) == {kernel.name for kernel in KERNELS.values() if not kernel.hangs}
    assert all(set(tools) == {"racecheck", "synccheck", "memcheck"} for tools in RECORD["kernels"].values())


def test_more_than_a_hundred_kernels_have_the_same_result() -> None:
    explained = {name for names in DIFFERENCES.values() for name in names.split()}
    assert len(set(RECORD["kernels"]) - explained) >= 170
