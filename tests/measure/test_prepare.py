from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import NoReturn

import pytest

from shflbench.core.model import Status
from shflbench.cuda.backends.emulator import EmulatorBackend
from shflbench.errors import LaunchError
from shflbench.measure.events import CaseFailed, Converged, GridResolved, JobEvent, StepStarted, Verified
from shflbench.measure.job import Task
from shflbench.measure.prepare import Group, shared_of
from shflbench.measure.sampler import DeviceLostError, SampledKernel
from shflbench.patterns.discover import LoadedPattern, builtin, load
from tests import cases, kernels
from tests.fakes.backend import H200, ContextLostError, FakeBackend, Script, in_iteration, one_lane
from tests.measure.prepared import NEIGHBOR, filling, tasks

SMEM, SHFL = (f"neighbor/{variant}/f32/2x64/4096/mode=idx" for variant in ("smem", "shfl"))
BUFFER = 2 * 64 * 4  # bytes, of which each kernel has two
CRASH = LaunchError("illegal address")


class Prepared:
    """A group that was taken to a scripted device."""

    def __init__(self, device: FakeBackend, group: Sequence[Task], pattern: LoadedPattern = NEIGHBOR) -> None:
        self.events: list[JobEvent] = []
        self.kernels: list[SampledKernel] = []
        self.lost = False
        try:
            for event in self._all(Group(group, pattern, device, seed=1).prepare()):
                self.events.append(event)
        except DeviceLostError:
            self.lost = True

    def _all(self, events: Generator[JobEvent, None, list[SampledKernel]]) -> Generator[JobEvent, None, None]:
        self.kernels = yield from events

    @property
    def names(self) -> list[str]:
        return [kernel.name for kernel in self.kernels]

    @property
    def ended(self) -> dict[str, tuple[Status, str]]:
        found = [event for event in self.events if isinstance(event, CaseFailed)]
        return {event.case_id: (event.status, event.reason) for event in found}

    @property
    def placed(self) -> dict[str, tuple[int | None, int | None]]:
        found = [event for event in self.events if isinstance(event, GridResolved)]
        return {event.case_id: (event.grid, event.resident_blocks) for event in found}


def test_each_case_gets_a_grid_is_verified_and_may_be_timed() -> None:
    device = FakeBackend()
    prepared = Prepared(device, tasks("smem", "shfl"))
    assert [type(event) for event in prepared.events] == [StepStarted, GridResolved, Verified] * 2
    assert prepared.events[0] == StepStarted(SMEM, "verifying")
    assert prepared.placed == {SMEM: (2, 32), SHFL: (2, 32)}
    (proof, _) = [event.proof for event in prepared.events if isinstance(event, Verified)]
    assert (proof.matched, proof.inputs, proof.launch) == (8, 8, "2x64")
    assert prepared.names == [SMEM, SHFL]
    assert [id(place) for kernel in prepared.kernels for place in kernel.places] == list(map(id, device.held))
    assert prepared.kernels[0].counts == (4096, 2048, 1024)


def test_reference_variant_comes_first_whatever_the_order_of_the_suite() -> None:
    pattern = replace(NEIGHBOR, declaration=replace(NEIGHBOR.declaration, reference_variant="smem"))
    prepared = Prepared(FakeBackend(), tasks("shfl", "smem"), pattern)
    assert [event.case_id for event in prepared.events if isinstance(event, StepStarted)] == [SMEM, SHFL]
    assert prepared.names == [SMEM, SHFL]


def test_fill_gives_all_variants_the_grid_of_the_variant_with_the_lowest_occupancy() -> None:
    device = FakeBackend(device=replace(H200, max_shared_bytes=5 * 256))
    prepared = Prepared(device, filling(tasks("smem", "shfl")))
    assert set(prepared.placed.values()) == {(5 * 132, 5), (5 * 132, 32)}
    assert {call.grid for call in device.opened} == {5 * 132}


def test_fill_ignores_a_variant_that_cannot_be_loaded() -> None:
    device = FakeBackend({"smem": Script(resident_raises=CRASH)}, device=replace(H200, max_shared_bytes=5 * 256))
    prepared = Prepared(device, filling(tasks("smem", "shfl")))
    assert prepared.placed == {"neighbor/shfl/f32/fill x 64/4096/mode=idx": (32 * 132, 32)}
    assert prepared.ended == {"neighbor/smem/f32/fill x 64/4096/mode=idx": (Status.FAILED, "illegal address")}


def test_case_on_a_device_without_times_converges_after_verification() -> None:
    device = FakeBackend()
    device.timed = False
    prepared = Prepared(device, filling(tasks("shfl")))
    name = "neighbor/shfl/f32/fill x 64/4096/mode=idx"
    assert [type(event) for event in prepared.events] == [StepStarted, GridResolved, Verified, Converged]
    assert prepared.placed == {name: (None, None)}  # how many blocks fill an SM, only a GPU says
    assert prepared.events[-1] == Converged(name, "")
    assert (prepared.kernels, device.held) == ([], [])


def test_large_launch_is_verified_with_as_many_threads_as_the_device_runs_in_time() -> None:
    device = FakeBackend()
    device.timed, device.most_threads = False, 3 * 64
    prepared = Prepared(device, tasks("shfl", launch="64x64"))
    (proof,) = [event.proof for event in prepared.events if isinstance(event, Verified)]
    assert proof.launch == "3x64"
    assert prepared.placed == {"neighbor/shfl/f32/64x64/4096/mode=idx": (64, None)}


def test_a_variant_that_launches_several_blocks_instead_of_each_is_verified_with_fewer_of_them() -> None:
    """A launch of 2 groups is one of 8 blocks, or of 2 blocks with the threads of 4."""
    case = cases.case("cluster-reduce", "larger-block", "i32", "64x64", 1, {"cluster": "4"})
    device = EmulatorBackend("sm_90")
    device.most_threads = 2 * 4 * 64
    task = Task(case, kernels.compiled("cluster-reduce/larger-block/i32/cluster=4"))
    events = list(Group([task], load(builtin()["cluster-reduce"]), device, seed=1).prepare())
    assert [event.proof.launch for event in events if isinstance(event, Verified)] == ["2x256"]


def test_block_that_does_not_fit_an_sm_is_skipped_with_the_reason() -> None:
    device = FakeBackend(device=replace(H200, max_shared_bytes=255))
    prepared = Prepared(device, tasks("smem", "shfl"))
    reason = "a block of 64 threads with 256 bytes of shared memory does not fit an SM"
    assert prepared.ended == {SMEM: (Status.SKIPPED, reason)}
    assert prepared.names == [SHFL]


@pytest.mark.parametrize(
    ("registers", "shared_bytes", "needs"),
    [
        (80, 0, "80 registers per thread"),
        (72, 4096, "72 registers per thread"),
        (16, 2**20, "1048576 bytes of shared memory"),
        (80, 2**20, "80 registers per thread and 1048576 bytes of shared memory"),
    ],
)
def test_reason_names_what_a_block_takes_too_much_of(registers: int, shared_bytes: int, needs: str) -> None:
    (task,) = tasks("shfl", launch="2x1024")
    resources = replace(task.kernel.resources, registers=registers, shared_bytes=shared_bytes)
    prepared = Prepared(FakeBackend(), [replace(task, kernel=replace(task.kernel, resources=resources))])
    reason = f"a block of 1024 threads with {needs} does not fit an SM"
    assert prepared.ended == {task.case.id: (Status.SKIPPED, reason)}


def test_cooperative_launch_of_more_blocks_than_the_gpu_holds_is_skipped() -> None:
    case = cases.case("grid-reduce", "grid-barrier", "i32", "1000x256", 1, {"blocks": "32"})
    task = Task(case, kernels.compiled("grid-reduce/grid-barrier/i32/blocks=32"))
    device = FakeBackend()
    held = device.resident_blocks(task.kernel, 256, 0) * device.device.sms
    (failed,) = [
        event
        for event in Group([task], load(builtin()["grid-reduce"]), device, seed=1).prepare()
        if isinstance(event, CaseFailed)
    ]
    reason = f"its 32,000 blocks have to be resident at once, and the GPU holds {held:,} of them"
    assert (failed.status, failed.reason) == (Status.SKIPPED, reason)


def test_case_whose_buffers_exceed_the_device_is_skipped() -> None:
    device = FakeBackend(device=replace(H200, memory_bytes=2**20))
    prepared = Prepared(device, tasks("shfl", launch="1048576x1024"))
    name = "neighbor/shfl/f32/1048576x1024/4096/mode=idx"
    assert prepared.ended == {name: (Status.SKIPPED, "its buffers take 8 GiB, and the GPU has 0 GiB")}
    assert device.opened == []


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(Script(resident_raises=CRASH), id="while it is loaded"),
        pytest.param(Script(open_raises=CRASH), id="while it is opened"),
        pytest.param(Script(run_raises={3: CRASH}), id="while it is verified"),
    ],
)
def test_crash_fails_its_case_and_the_others_continue(script: Script) -> None:
    device = FakeBackend({"smem": script})
    prepared = Prepared(device, tasks("smem", "shfl"))
    assert prepared.ended == {SMEM: (Status.FAILED, "illegal address")}
    assert prepared.names == [SHFL]
    assert [kernel.name for kernel in device.held] == ["neighbor/shfl"]
    assert not prepared.lost


def test_crash_that_destroys_the_context_ends_the_group() -> None:
    device = FakeBackend({"smem": Script(run_raises={3: ContextLostError("illegal address")})})
    prepared = Prepared(device, tasks("smem", "shfl"))
    assert prepared.lost
    assert prepared.events[-1] == CaseFailed(SMEM, Status.FAILED, "illegal address")
    assert [call.kernel.symbol for call in device.opened] == ["_Z13neighbor_smemIfEvPKT_PS0_i"]


def test_wrong_result_fails_a_safe_variant_and_is_counted_for_an_unsafe_one() -> None:
    wrong = Script(fault=one_lane(in_iteration(0)))
    device = FakeBackend({"smem-unsafe": wrong, "shfl": wrong})
    prepared = Prepared(device, tasks("smem-unsafe", "shfl"))
    proofs = {event.case_id: event.proof for event in prepared.events if isinstance(event, Verified)}
    assert {proof.matched for proof in proofs.values()} == {0}
    assert prepared.ended == {SHFL: (Status.INCORRECT, proofs[SHFL].mismatch)}
    assert prepared.names == ["neighbor/smem-unsafe/f32/2x64/4096/mode=idx"]
    assert len(device.held) == 1


def out_of_memory(*_: object) -> NoReturn:
    raise MemoryError


def test_case_that_exceeds_the_memory_of_the_host_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.measure.prepare.verify", out_of_memory)
    device = FakeBackend()
    prepared = Prepared(device, tasks("shfl"))
    reason = "the host does not have enough memory to verify it"
    assert prepared.ended == {SHFL: (Status.FAILED, reason)}
    assert device.held == []


def fail(*_: object) -> NoReturn:
    raise KeyError("no data")


def test_failing_function_of_a_pattern_fails_the_cases_that_call_it() -> None:
    prepared = Prepared(FakeBackend(), tasks("smem", "shfl"), cases.own_pattern({"inputs": fail, "reference": fail}))
    assert set(prepared.ended) == {SMEM, SHFL}
    assert {status for status, _ in prepared.ended.values()} == {Status.FAILED}
    assert all("`inputs` fails" in reason for _, reason in prepared.ended.values())


def test_interruption_frees_the_memory() -> None:
    device = FakeBackend({"shfl": Script(run_raises={3: KeyboardInterrupt()})})
    with pytest.raises(KeyboardInterrupt):
        Prepared(device, tasks("shfl"))
    assert device.held == []


def test_footprint_is_the_size_of_all_buffers() -> None:
    assert Group(tasks("smem", "shfl"), NEIGHBOR, FakeBackend(), seed=1).footprint() == 2 * 2 * BUFFER
    assert Group(tasks("smem", "shfl"), NEIGHBOR, FakeBackend(), seed=1, places=9).footprint() == 9 * 2 * 2 * BUFFER


def test_footprint_of_a_fill_launch_is_that_of_its_grid_on_the_device() -> None:
    group = Group(filling(tasks("shfl")), NEIGHBOR, FakeBackend(), seed=1)
    assert group.footprint() == 2 * 132 * 32 * 64 * 4


def test_footprint_is_zero_if_the_pattern_fails() -> None:
    pattern = cases.own_pattern(buffers=fail)
    assert Group(tasks("shfl"), pattern, FakeBackend(), seed=1).footprint() == 0


def test_dynamic_shared_memory_is_that_of_the_variant() -> None:
    smem, shfl = (task.case for task in tasks("smem", "shfl"))
    assert (shared_of(NEIGHBOR, smem), shared_of(NEIGHBOR, shfl)) == (256, 0)
