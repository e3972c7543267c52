"""Bursts, cold caches and dead contexts, on a GPU and a host with scripted times."""

import gc
from dataclasses import replace

import numpy as np
import pytest

from shflbench.core.dimensions import LaunchDims
from shflbench.cuda.backends.base import (
    INTERMEDIATE_POISONS,
    POISON,
    Buffer,
    BufferPointer,
    KernelCall,
    KernelLaunch,
    OpenKernel,
    StructureBytes,
)
from shflbench.cuda.backends.cuda import CudaBackend
from shflbench.cuda.backends.cuda_harness import L2_PASSES, Harness
from shflbench.cuda.backends.cuda_kernel import ALIGNMENT
from shflbench.cuda.backends.nvml import Monitor
from shflbench.errors import LaunchError
from tests.cases import kernel
from tests.fakes.backend import H200
from tests.fakes.cupy import CLOCK_MHZ, ILLEGAL_ADDRESS, CudaError, FakeGpu, OutOfMemoryError, fake_cupy

L2_BYTES = 1 << 20
BUFFERS = (Buffer("values", 64, "float32", read=True), Buffer("result", 64, "float32", written=True))
CALL = KernelCall(replace(kernel("work"), cubin=b"work"), 1, 64, 0, BUFFERS, ("values", "result", "iterations"))
COLD = replace(CALL, cold=True)
NEXT = KernelLaunch(replace(kernel("next"), cubin=b"work"), LaunchDims((1, 1, 1), (32, 1, 1)), 0, ("result", "sums"))
INTERMEDIATE = Buffer("sums", 64, "float32", written=True, compared=False)
SEQUENCE = replace(CALL, buffers=(*BUFFERS, INTERMEDIATE), arguments=("values", "sums", "iterations"), later=(NEXT,))


def backend_on(gpu: FakeGpu, l2_bytes: int = L2_BYTES) -> CudaBackend:
    return CudaBackend(H200, Monitor("GPU-none"), lambda: Harness(fake_cupy(gpu), b"harness", 132, l2_bytes))


def opened(gpu: FakeGpu, call: KernelCall = CALL) -> OpenKernel:
    """Return the kernel with an empty queue."""
    kernel = backend_on(gpu).open(call)
    gpu.queued.clear()
    return kernel


def test_burst_records_events_around_each_launch_after_one_that_is_not_timed() -> None:
    gpu = FakeGpu({"work": 3.0})
    burst = opened(gpu).burst(100, samples=2)
    bracket = ["event", "work", "event"]
    assert gpu.queued == ["delay", "stamp", "work", *bracket, *bracket, "stamp"]
    assert burst.times_us == pytest.approx((3.0, 3.0))
    assert not burst.host_bound


def test_sample_of_several_launches_is_the_time_per_launch() -> None:
    gpu = FakeGpu({"work": 3.0})
    burst = opened(gpu).burst(100, samples=2, launches=4)
    bracket = ["event", *["work"] * 4, "event"]
    assert gpu.queued == ["delay", "stamp", "work", *bracket, *bracket, "stamp"]
    assert burst.times_us == pytest.approx((3.0, 3.0))


@pytest.mark.parametrize(("call", "before"), [(SEQUENCE, []), (replace(SEQUENCE, cold=True), ["read", "delay"])])
def test_kernels_that_follow_one_another_are_one_sample(call: KernelCall, before: list[str]) -> None:
    gpu = FakeGpu({"work": 3.0, "next": 2.0, "read": 60.0})
    burst = opened(gpu, call).burst(100, samples=2)
    bracket = [*before, "event", "work", "next", "event"]
    assert gpu.queued == [*["delay"] * (not before), "stamp", "work", "next", *bracket, *bracket, "stamp"]
    assert burst.times_us == pytest.approx((5.0, 5.0))


def test_kernels_of_a_graph_are_captured_once_and_then_launched_as_they_follow_one_another() -> None:
    gpu = FakeGpu({"work": 3.0, "next": 2.0})
    kernel = opened(gpu, replace(SEQUENCE, graph=True))
    kernel.run([np.arange(64, dtype=np.float32)], 1)
    assert gpu.queued == ["capture", "work", "next"]
    gpu.queued.clear()
    burst = kernel.burst(1, samples=2)
    bracket = ["event", "work", "next", "event"]
    assert gpu.queued == ["delay", "stamp", "work", "next", *bracket, *bracket, "stamp"]
    assert burst.times_us == pytest.approx((5.0, 5.0))


@pytest.mark.parametrize("cold", [False, True])
def test_first_delay_is_long_enough_for_all_kernels_of_a_launch(cold: bool) -> None:  # noqa: FBT001
    gpu = FakeGpu({"work": 0.1, "next": 0.1})
    many = replace(SEQUENCE, later=(NEXT,) * 40, cold=cold)
    kernel = opened(gpu, many)
    assert not kernel.burst(100, samples=1).host_bound
    assert gpu.queued.count("delay") == 1


def test_kernels_that_follow_one_another_get_the_same_buffers() -> None:
    gpu = FakeGpu()
    backend = backend_on(gpu)
    kernel = backend.open(SEQUENCE)
    (result,) = kernel.run([np.arange(64, dtype=np.float32)], 1)
    assert result.size == 64
    assert [name for name, _ in gpu.launched[-2:]] == ["work", "next"]
    (_, first), (_, second) = gpu.launched[-2:]
    assert first[1] is second[1]


def test_intermediate_buffer_has_other_contents_before_each_launch() -> None:
    gpu = FakeGpu()
    kernel = opened(gpu, SEQUENCE)
    first_bytes = []
    for _ in range(3):
        kernel.run([np.zeros(64, np.float32)], 1)
        first_bytes.append(gpu.arguments[-1][1].values.view(np.uint8)[0])
    assert first_bytes == [INTERMEDIATE_POISONS[0], INTERMEDIATE_POISONS[1], INTERMEDIATE_POISONS[0]]


def test_kernels_of_one_cubin_are_loaded_once() -> None:
    gpu = FakeGpu()
    kernel = opened(gpu, SEQUENCE)
    gpu.unloaded.clear()
    kernel.close()
    del kernel
    gc.collect()
    assert gpu.unloaded.count("work") == 1


def test_inputs_are_copied_back_before_each_launch_and_not_timed() -> None:
    gpu = FakeGpu({"work": 3.0})
    changed = Buffer("values", 64, "float32", read=True, written=True, restored=True)
    kernel = opened(gpu, replace(CALL, buffers=(changed, BUFFERS[1])))
    kernel.run([np.arange(64, dtype=np.float32)], 100)
    gpu.queued.clear()
    burst = kernel.burst(100, samples=1, launches=2)
    launch = ["copy", "event", "work", "event"]
    assert gpu.queued == ["delay", "copy", "stamp", "work", *launch, *launch, "stamp"]
    assert burst.times_us == pytest.approx((3.0,))
    assert gpu.arguments[-1][0].values.view(np.float32).tolist() == list(range(64))


def test_all_launches_get_the_buffers_and_the_iterations() -> None:
    gpu = FakeGpu()
    opened(gpu).burst(17, samples=2, launches=3)
    assert len(gpu.arguments) == 7
    assert {arguments[2] for arguments in gpu.arguments} == {np.int32(17)}
    assert len({tuple(map(id, arguments[:2])) for arguments in gpu.arguments}) == 1


def test_pointer_into_a_buffer_is_its_address_and_the_offset() -> None:
    gpu = FakeGpu()
    moved = (BufferPointer("values", 64), "result", "iterations")
    kernel = opened(gpu, replace(CALL, arguments=moved))
    kernel.burst(1, samples=1)
    start = np.uint64(kernel._buffers["values"].data.ptr)  # type: ignore[attr-defined]  # noqa: SLF001
    assert {arguments[0] for arguments in gpu.arguments} == {start + np.uint64(64)}


def test_structure_is_an_array_of_its_bytes_with_the_addresses() -> None:
    gpu = FakeGpu()
    view = StructureBytes(
        bytes([7] * 8) + bytes(24), ((8, BufferPointer("values", 4)), (24, BufferPointer("result", 0)))
    )
    kernel = opened(gpu, replace(CALL, arguments=(view, "iterations")))
    kernel.burst(1, samples=1)
    values, result = (kernel._buffers[name].data.ptr for name in ("values", "result"))  # type: ignore[attr-defined]  # noqa: SLF001
    passed = gpu.arguments[0][0]
    assert (passed.shape, passed.dtype) == ((), np.dtype("V32"))
    assert np.frombuffer(passed.tobytes(), np.uint64).tolist() == [0x0707070707070707, values + 4, 0, result]


def test_clock_is_that_between_the_stamps() -> None:
    assert opened(FakeGpu()).burst(100, samples=3).sm_clock_mhz == pytest.approx(CLOCK_MHZ, rel=0.01)


@pytest.mark.parametrize(("samples", "launches"), [(3, 1), (9, 1), (9, 8)])
def test_first_delay_is_long_enough_for_a_host_of_usual_speed(samples: int, launches: int) -> None:
    gpu = FakeGpu({"work": 0.1})
    kernel = opened(gpu)
    assert not kernel.burst(100, samples, launches).host_bound
    assert gpu.queued.count("delay") == 1


def test_delay_grows_until_a_slow_host_is_in_time_and_is_kept_for_the_next_burst() -> None:
    gpu = FakeGpu({"work": 0.1}, launch_us=40.0)  # an eighth of the usual speed
    kernel = opened(gpu)
    burst = kernel.burst(100, samples=9)
    assert not burst.host_bound
    assert burst.times_us == pytest.approx([0.1] * 9)
    assert 2 <= gpu.queued.count("delay") <= 5
    gpu.queued.clear()
    assert not kernel.burst(100, samples=9).host_bound
    assert gpu.queued.count("delay") == 1


def test_burst_is_host_bound_where_no_delay_is_long_enough() -> None:
    gpu = FakeGpu({"work": 0.1}, launch_us=5000.0)
    burst = opened(gpu).burst(100, samples=9)
    assert burst.host_bound
    assert len(burst.times_us) == 9
    assert gpu.queued.count("delay") == 7


def test_cold_launch_follows_a_read_of_the_whole_cache_that_is_not_timed() -> None:
    gpu = FakeGpu({"work": 3.0, "read": 60.0})
    burst = opened(gpu, COLD).burst(100, samples=2)
    bracket = ["read", "delay", "event", "work", "event"]
    assert gpu.queued == ["stamp", "work", *bracket, *bracket, "stamp"]
    assert burst.times_us == pytest.approx((3.0, 3.0))


def test_cold_sample_of_several_launches_is_the_mean_of_cold_ones() -> None:
    gpu = FakeGpu({"work": 3.0, "read": 60.0})
    burst = opened(gpu, COLD).burst(100, samples=2, launches=3)
    assert gpu.queued.count("read") == 6
    assert gpu.queued.count("event") == 12
    assert burst.times_us == pytest.approx((3.0, 3.0))


def test_cold_kernels_share_one_buffer_of_several_times_the_cache() -> None:
    gpu = FakeGpu()
    backend = backend_on(gpu)
    for call in (CALL, COLD, COLD):
        backend.open(call)
    assert gpu.allocated.count(int(L2_PASSES * L2_BYTES)) == 1


def test_warm_kernels_do_not_allocate_the_buffer_for_the_cache() -> None:
    gpu = FakeGpu()
    backend_on(gpu).open(CALL)
    assert int(L2_PASSES * L2_BYTES) not in gpu.allocated


def test_cold_kernel_is_refused_where_the_size_of_the_cache_is_unknown() -> None:
    with pytest.raises(LaunchError, match="how large the L2 cache is"):
        backend_on(FakeGpu(), l2_bytes=0).open(COLD)


def test_run_sets_inputs_and_poisons_outputs() -> None:
    gpu = FakeGpu()
    values = np.arange(64, dtype=np.float32)
    (result,) = opened(gpu).run([values.reshape(2, 32)], 5)
    assert gpu.arguments[0][0].values.view(np.float32).tolist() == values.tolist()
    assert set(result.view(np.uint8).tolist()) == {POISON}
    assert result.dtype == np.float32


def test_output_with_a_value_before_the_launch_has_it() -> None:
    buffers = (Buffer("count", 8, "int32", written=True, initial=7),)
    (count,) = opened(FakeGpu(), replace(CALL, buffers=buffers, arguments=("count",))).run([], 1)
    assert count.tolist() == [7] * 8


@pytest.mark.parametrize("cold", [False, True])
def test_crash_in_a_burst_names_the_kernel(cold: bool) -> None:  # noqa: FBT001
    gpu = FakeGpu()
    opened_kernel = opened(gpu, replace(CALL, kernel=kernel("_Z4workIfEvPT_"), cold=cold))
    gpu.dead = ILLEGAL_ADDRESS
    with pytest.raises(LaunchError, match=r"^work: illegal memory access"):
        opened_kernel.burst(100, samples=3)


def test_device_is_usable_until_its_context_is_dead() -> None:
    gpu = FakeGpu()
    backend = backend_on(gpu)
    assert backend.usable()
    gpu.dead = ILLEGAL_ADDRESS
    assert not backend.usable()
    with pytest.raises(LaunchError, match="device memory: illegal memory access"):
        backend.free_bytes()


def test_refused_launch_leaves_the_device_usable() -> None:
    gpu = FakeGpu(raises=CudaError(1, "CUDA_ERROR_INVALID_VALUE: invalid argument"))
    backend = backend_on(gpu)
    with pytest.raises(LaunchError, match="refuses this grid, block or amount of shared memory"):
        backend.open(CALL).burst(100, samples=3)
    assert backend.usable()


def test_every_buffer_begins_at_a_multiple_of_the_alignment() -> None:
    gpu = FakeGpu()
    buffers = (Buffer("count", 8, "int32", written=True), Buffer("values", 100, "float32", read=True))
    opened(gpu, replace(CALL, buffers=buffers, arguments=("count", "values"))).burst(1, samples=1)
    assert [array.data.ptr % ALIGNMENT for array in gpu.arguments[0]] == [0, 0]
    assert [array.nbytes for array in gpu.arguments[0]] == [32, 400]


def test_kernel_whose_buffers_do_not_fit_says_what_it_needs_and_what_there_is() -> None:
    large = Buffer("values", 3 << 28, "float32", read=True)
    with pytest.raises(LaunchError) as caught:
        backend_on(FakeGpu(free_bytes=1 << 30)).open(replace(CALL, buffers=(large,)))
    assert caught.value.message == "work: out of device memory: its buffers take 3.00 GiB, and 1.00 GiB is free"


def test_failed_allocation_is_an_error_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = backend_on(FakeGpu())

    def refuse(*_: object) -> None:
        raise OutOfMemoryError("Out of memory allocating 256 bytes (allocated so far: 0 bytes).")

    monkeypatch.setattr(backend.harness.cupy, "zeros", refuse)
    with pytest.raises(LaunchError, match=r"^work: out of device memory \(Out of memory allocating 256 bytes"):
        backend.open(CALL)


def test_free_memory_counts_what_cupy_keeps() -> None:
    assert backend_on(FakeGpu(free_bytes=4096)).free_bytes() == 4096 + 512


@pytest.mark.parametrize(
    ("dead", "unloaded"),
    [
        pytest.param(None, ["work", "harness"], id="a living context"),
        pytest.param(ILLEGAL_ADDRESS, [], id="a dead context, where nothing can be unloaded"),
    ],
)
def test_closed_kernel_is_unloaded_from(dead: CudaError | None, unloaded: list[str]) -> None:
    gpu = FakeGpu()
    backend = backend_on(gpu)
    kernel = backend.open(CALL)
    gpu.dead = dead
    kernel.close()
    kernel.close()  # has no effect
    del kernel
    gc.collect()
    del backend
    gc.collect()
    assert gpu.unloaded == unloaded


def test_problem_of_nvml_is_a_problem_of_the_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = backend_on(FakeGpu())
    assert backend.problem.startswith("NVML does not work")
    monkeypatch.setattr(backend.monitor, "problem", "NVML stopped answering")
    backend.conditions()
    assert backend.problem == "NVML stopped answering"


COEF = Buffer("coef", 2, "float32", read=True, variable="coef")
TOTAL = Buffer("total", 4, "int32", read=True, written=True, variable="total")
OF_VARIABLES = replace(
    CALL, kernel=replace(kernel("work"), cubin=b"work\0coef\0total\0"), buffers=(*BUFFERS, COEF, TOTAL)
)
INPUTS = [np.zeros(64, np.float32), np.array([2, 5], np.float32), np.arange(4, dtype=np.int32)]


def variable(gpu: FakeGpu, name: str) -> np.ndarray:
    """Return the first 16 bytes of a variable of the module that was loaded last."""
    bytes_: np.ndarray = gpu.modules[-1]().variables[name][:16]
    return bytes_


def test_variables_of_the_device_are_set_and_returned() -> None:
    gpu = FakeGpu()
    kernel = opened(gpu, OF_VARIABLES)
    _, total = kernel.run(INPUTS, 1)
    assert variable(gpu, "coef")[:8].view(np.float32).tolist() == [2, 5]
    assert total.tolist() == [0, 1, 2, 3]
    variable(gpu, "total").view(np.int32)[:] = 7  # as a launch leaves it
    assert kernel.run_again(INPUTS, 1)[1].tolist() == [7] * 4
    assert kernel.run(INPUTS, 1)[1].tolist() == [0, 1, 2, 3]


def test_variable_that_no_module_has_is_as_it_was_set() -> None:
    kernel = opened(FakeGpu(), replace(OF_VARIABLES, kernel=CALL.kernel))
    assert kernel.run(INPUTS, 1)[1].tolist() == [0, 1, 2, 3]


def test_variable_that_the_driver_does_not_find_is_an_error() -> None:
    with pytest.raises(LaunchError, match="the driver does not find the variable `coef`"):
        opened(FakeGpu(lost_variables=["coef"]), OF_VARIABLES)
