"""Orders of blocks are left out where they cannot matter, and a lock within a block does not make them slow."""

import numpy as np
import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES, Policy
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from tests.emulator.compiled import small
from tests.emulator.global_memory.kernels import subject

OF_BLOCKS = [policy for policy in POLICIES.values() if policy.of_blocks]
APART = ["each_block_writes_its_place", "data_passed_through_global_memory", "sum_by_atomics_of_a_block_per_block"]
TOGETHER = [
    *("histogram_by_atomics", "data_passed_through_global_memory_to_the_next_block", "last_block_sums"),
    *("flag_with_fences", "histogram_by_plain_additions"),
]


@pytest.mark.parametrize("name", APART)
def test_where_blocks_do_not_communicate_their_order_is_not_explored_and_changes_nothing(name: str) -> None:
    code = subject(name).launch()
    assert code.shape.grid > 1
    first, *others = explore(code, [LOCKSTEP, *OF_BLOCKS]).results
    assert first.blocks_apart
    for policy, result in zip(OF_BLOCKS, others, strict=True):
        outputs = [output.tobytes() for output in execute(code, policy)]
        assert outputs == [output.tobytes() for output in result.outputs] == [item.tobytes() for item in first.outputs]


@pytest.mark.parametrize("name", TOGETHER)
def test_where_blocks_communicate_their_order_is_explored(name: str) -> None:
    code = subject(name).launch()
    assert code.shape.grid > 1
    assert not explore(code, [LOCKSTEP]).results[0].blocks_apart


# Thread 0 of each block reads the clock and writes to its block's place.
CLOCK = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<4>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [out]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;
    mov.u32 %r2, SOURCE; st.global.u32 [%d3], %r2; ret;
}
"""


@pytest.mark.parametrize(("source", "apart"), [("%clock", False), ("7", True)])
def test_where_a_kernel_reads_a_clock_the_order_of_blocks_is_explored(source: str, *, apart: bool) -> None:
    program = link(parse(CLOCK.replace("SOURCE", source)), "k")
    code = EmulatedLaunch(program, Shape(2, 1), 0, [], [np.zeros(2, np.int32)], 0, order=(0,))
    assert explore(code, [LOCKSTEP]).results[0].blocks_apart is apart


@pytest.mark.parametrize("policy", OF_BLOCKS, ids=lambda policy: policy.name)
def test_lanes_that_wait_for_a_lock_of_their_block_take_short_turns(policy: Policy) -> None:
    (short,) = execute(small("spin_lock", block=32), policy, step_limit=10_000)
    (unlimited,) = execute(small("spin_lock", block=32))
    np.testing.assert_array_equal(short, unlimited)
