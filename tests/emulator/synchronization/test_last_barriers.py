"""The barrier that a thread passed last before an access of a finding."""

import numpy as np

from shflbench.emulator.explore import explore
from shflbench.emulator.link.linker import link
from shflbench.emulator.machine.launch import EmulatedLaunch
from shflbench.emulator.machine.policies import LOCKSTEP
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.races.hazards import HazardKind

# Two blocks store to one word between two barriers, and read another one at the end.
KERNEL = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry one(.param .u64 out)
{
    .reg .b32 %r<4>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [out]; mov.u32 %r1, %ctaid.x;
    bar.sync 0;
    st.volatile.global.u32 [%d1], %r1;
    bar.sync 1;
    ld.global.u32 %r2, [%d1+4];
    ret;
}
"""


def test_a_finding_that_waits_for_the_end_of_the_launch_names_the_barrier_before_its_access() -> None:
    program = link(parse(KERNEL), "one")
    launch = EmulatedLaunch(program, Shape(2, 32), 0, [], [np.zeros(2, np.uint32)], 0, order=(0,))
    hazards = [one for one in explore(launch, [LOCKSTEP]).hazards if one.kind is HazardKind.UNORDERED]
    barriers = {access.barrier.text for one in hazards for access in one.accesses if access.barrier is not None}
    assert barriers == {"bar.sync 0"}
