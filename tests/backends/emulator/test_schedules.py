from itertools import pairwise

import pytest

from shflbench.backends.emulator.explore import explore
from shflbench.backends.emulator.machine.launch import Machine, execute
from shflbench.backends.emulator.machine.policies import LOCKSTEP, POLICIES, Policy
from shflbench.backends.emulator.machine.threads import Shape, scattered
from tests import kernels
from tests.backends.emulator import threads
from tests.backends.emulator.compiled import kernels_of, small

# One lockstep group, but without a pattern that a view could see: everything is gathered, computed and scattered.
GENERAL = Policy("general", "", lambda shape: [scattered(LOCKSTEP.lockstep_groups(shape)[0].threads)])
TORTURE = kernels_of("torture")


@pytest.mark.parametrize(
    "arch", ["sm_90", *(pytest.param(arch, marks=pytest.mark.archs) for arch in ("sm_75", "sm_120"))]
)
@pytest.mark.parametrize("kernel", TORTURE)
def test_the_fast_path_equals_the_general_path(kernel: str, arch: str) -> None:
    launch = small(kernel, "torture", arch)
    assert execute(launch)[0].tobytes() == execute(launch, GENERAL)[0].tobytes()


@pytest.mark.parametrize(
    "name",
    [
        name if name in kernels.with_one_dtype() else pytest.param(name, marks=pytest.mark.archs)
        for name in kernels.with_every_dtype()
        if name.startswith("reduce/")
    ],
)
def test_the_fast_path_equals_the_general_path_for_patterns(name: str) -> None:
    launch, _ = kernels.launch(name, kernels.kernel(name), 5)
    assert execute(launch)[0].tobytes() == execute(launch, GENERAL)[0].tobytes()


@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda policy: policy.name)
def test_a_correct_kernel_gives_the_same_bits_under_every_schedule(policy: Policy) -> None:
    for kernel in TORTURE:
        launch = small(kernel, "torture", block=64)
        assert execute(launch, policy)[0].tobytes() == execute(launch)[0].tobytes(), kernel


@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda policy: policy.name)
def test_the_lockstep_groups_of_a_policy_are_all_threads_each_once(policy: Policy) -> None:
    shape = Shape(3, 96)
    threads = [thread for members in policy.lockstep_groups(shape) for thread in members.threads.tolist()]
    assert sorted(threads) == list(range(shape.lanes))


def test_empty_lanes_of_a_partial_warp_write_nothing() -> None:
    name = "neighbor/smem/i32/mode=idx"
    launch, workload = kernels.launch(name, kernels.kernel(name), 1, "2x64")
    shape = Shape(2, 40)
    partial = type(launch)(launch.program, shape, 160, launch.inputs, launch.outputs, 0)
    got = execute(partial)[0]
    assert got[:80].tobytes() == workload.inputs(0)[0].reshape(-1)[:80].tobytes()
    assert set(got[80:].view("u1").tolist()) == {0xA5}


def test_the_random_schedules_depend_on_the_seed_alone() -> None:
    name = "neighbor/smem-deck/f32/mode=idx"
    launch, _ = kernels.launch(name, kernels.kernel(name), 5)
    runs = [explore(launch, seed=seed).results for seed in (1, 1, 2)]
    random = [[item.outputs[0].tobytes() for item in results if item.policy == "lanes at random"] for results in runs]
    assert [first == second for first, second in pairwise(random)] == [True, False]


def test_launches_on_one_machine_do_not_affect_one_another() -> None:
    # Where %b is zero, nothing is written to %r6, which then points to the first word of shared memory.
    code = """
        st.shared.b64 [%r5+8], %a; setp.eq.u64 %p1, %b, 0; @%p1 bra $skip; add.u32 %r6, %r5, 8; st.shared.b64 [%r5], %b;
        $skip: ld.shared.b64 %x, [%r6];"""
    machine, rows = Machine(), [(7 + thread, 1) for thread in range(threads.THREADS)]
    assert threads.run(code, rows, machine=machine) == [(a, 0) for a, _ in rows]
    state = machine.state
    unwritten = int("A5" * 8, 16)
    assert threads.run(code, [(a, 0) for a, _ in rows], machine=machine) == [(unwritten, 0)] * threads.THREADS
    assert machine.state is state
