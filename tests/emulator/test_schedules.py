from itertools import pairwise

import numpy as np
import pytest

from shflbench.emulator.explore import explore
from shflbench.emulator.machine import state
from shflbench.emulator.machine.launch import Machine, execute
from shflbench.emulator.machine.policies import LOCKSTEP, POLICIES, Policy
from shflbench.emulator.machine.threads import Shape, part, scatter
from tests import kernels
from tests.emulator import threads
from tests.emulator.compiled import kernels_of, small

# One lockstep group, but without a pattern that a view could see: everything is gathered, computed and scattered.
GENERAL = Policy("general", "", lambda shape: [scatter(LOCKSTEP.lockstep_groups(shape)[0].threads)])
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


# Threads leave a loop after 1 to 4 iterations: by warp, by half-warp, by lane, and without a regular pattern.
DIVERGING = """
    shr.u32 %r6, %r3, {shift}; and.b32 %r6, %r6, 3;
    AGAIN: mad.lo.s64 %x, %x, 5, %a; xor.b64 %y, %y, %x; setp.lt.u64 %p1, %x, %y; @%p1 add.u64 %y, %y, 3;
    st.shared.u64 [%r5], %y; ld.shared.u64 %x, [%r5];
    setp.ge.u32 %p2, %r6, 1; sub.u32 %r6, %r6, 1; @%p2 bra AGAIN;
"""


@pytest.mark.parametrize("shift", [0, 1, 3, 4, 5])
@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda policy: policy.name)
def test_diverged_threads_compute_what_they_compute_without_a_pattern(policy: Policy, shift: int) -> None:
    code = DIVERGING.replace("{shift}", str(shift))
    launch = threads.launch(code, threads.operands())
    general = threads.launch(code, threads.operands())
    for _ in range(2):  # the second launch finds the sets of threads of the first one
        assert execute(launch, policy)[0].tobytes() == execute(general, GENERAL)[0].tobytes()


@pytest.mark.parametrize(
    ("chosen", "view"),
    [
        (np.s_[1:3, :], np.s_[1:3:1, 0:32:1]),
        (np.s_[::3, 4:9], np.s_[0:7:3, 4:9:1]),
        (np.s_[1:, 1::2], np.s_[1:8:1, 1:32:2]),
        (np.s_[5:6, 7:8], np.s_[5:6:1, 7:8:1]),
        (np.s_[:, ::4], None),  # which NumPy 2.4.6 negates wrongly
        (np.s_[:, [0, 1, 3]], None),
        (np.s_[[0, 1, 3], :], None),
    ],
    ids=str,
)
def test_diverged_threads_are_a_view_if_they_are_the_same_lanes_of_evenly_spaced_warps(
    chosen: tuple[slice, slice], view: tuple[slice, slice] | None
) -> None:
    shape = Shape(2, 128)
    numbers = np.arange(shape.lanes).reshape(shape.warps, 32)
    members = part(shape, numbers[chosen].ravel())
    assert members.view == view
    assert members.threads.tolist() == numbers[chosen].ravel().tolist()
    assert view is None or members.threads.tolist() == numbers[view].ravel().tolist()


def test_other_threads_than_a_pattern_suggests_are_no_view() -> None:
    shape = Shape(1, 64)
    assert part(shape, np.array([0, 1, 2, 33, 34, 35])).view is None
    assert part(shape, np.array([0, 1, 3, 32, 34, 35])).view is None
    assert part(shape, np.array([0, 2, 33, 34])).view is None


def test_diverged_threads_wait_for_the_lanes_of_their_warp_whatever_their_pattern_is() -> None:
    shape = Shape(1, 64)
    members = part(shape, np.arange(32))  # a whole warp, of which others may wait elsewhere
    assert (members.is_part, members.whole_warps, members.whole_blocks) == (True, False, False)


def test_sets_of_diverged_threads_are_kept_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = []
    for limit in (256, 3):
        monkeypatch.setattr(state, "MOST_PARTS", limit)
        launch = threads.launch(DIVERGING.replace("{shift}", "3"), threads.operands())
        outputs = execute(launch, POLICIES["odd lanes first"])[0].tobytes()
        assert launch.machine.state is not None
        kept.append((outputs, len(launch.machine.state._parts)))  # noqa: SLF001
    assert kept[0][0] == kept[1][0]
    assert kept[0][1] > 3 >= kept[1][1]
