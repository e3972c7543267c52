"""In which order blocks run, and that those that wait for one another go on."""

import numpy as np
import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch, execute
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES
from shflbench.emulator.machine.scheduler import StepLimitError
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from tests.emulator.threads import launch, operands

# One thread of each block draws a ticket from the last word of the output, and writes the block's number there.
TICKETS = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra $done;
    mov.u32 %r2, %ctaid.x; mov.u32 %r5, 20;
    $again: sub.u32 %r5, %r5, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra $again;
    atom.global.add.u32 %r3, [%d1+256], 1; mul.wide.u32 %d2, %r3, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r2;
    $done: ret;
}
"""


def order(policy: str, blocks: int, seed: int = 0) -> list[int]:
    """Return the blocks in the order in which they draw their tickets."""
    program, output = link(parse(TICKETS), "k"), np.zeros(65, np.int32)
    tickets = EmulatedLaunch(program, Shape(blocks, 64), 0, [], [output], 0, order=(0,))
    (out,) = execute(tickets, POLICIES[policy], seed=seed)
    return out[:blocks].tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("blocks", [2, 3, 8, 20])
def test_blocks_run_one_at_a_time_in_both_directions(blocks: int) -> None:
    assert order("blocks one at a time", blocks) == list(range(blocks))
    reverse = order("blocks in reverse", blocks)
    assert reverse[-1] < blocks / 8 + 1
    assert sorted(reverse) == list(range(blocks))
    if blocks <= 8:
        assert reverse == list(reversed(range(blocks)))


def test_the_random_order_of_blocks_depends_on_the_seed_alone() -> None:
    sequences = [tuple(order("blocks at random", 6, seed)) for seed in (1, 1, 2, 3)]
    assert sequences[0] == sequences[1]
    assert len(set(sequences)) > 1


def test_one_block_runs_under_the_policies_of_blocks_as_in_lockstep() -> None:
    results = explore(launch("mov.u64 %x, %a;", operands())).results
    assert [result.policy for result in results] == list(POLICIES)
    outputs = {result.policy: result.outputs[0].tobytes() for result in results}
    assert {outputs[name] for name, policy in POLICIES.items() if policy.of_blocks} == {outputs[LOCKSTEP.name]}


# The lower lanes of the second warp wait for one another again and again until the first warp has set a flag.
POLLING = """
    setp.eq.u32 %p1, %r3, 63; @%p1 st.shared.b32 [%r4], 0; bar.sync 0; setp.lt.u32 %p1, %r3, 32; @%p1 bra $first;
    setp.ge.u32 %p2, %r3, 48; @%p2 bra $done;
    $poll: bar.warp.sync 0xffff; ld.volatile.shared.b32 %r6, [%r4]; setp.eq.u32 %p2, %r6, 0; @%p2 bra $poll; bra $done;
    $first: mov.u32 %r7, 10; $count: sub.u32 %r7, %r7, 1; setp.ne.u32 %p2, %r7, 0; @%p2 bra $count;
    st.volatile.shared.b32 [%r4], FLAG; $done:"""


@pytest.mark.parametrize("policy", POLICIES)
def test_lanes_that_meet_again_and_again_do_not_keep_others_from_running(policy: str) -> None:
    code = launch(POLLING.replace("FLAG", "1"), operands())
    assert execute(code, POLICIES[policy], step_limit=20_000)


def test_threads_that_poll_for_ever_are_an_endless_loop() -> None:
    code = launch(POLLING.replace("FLAG", "0"), operands())
    with pytest.raises(StepLimitError):
        execute(code, POLICIES["warps in reverse"], step_limit=10_000)
