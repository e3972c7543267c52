"""One kernel on the GPU, or several that follow one another: run once to verify them, or in bursts to time them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.core.dimensions import NO_CLUSTER
from shflbench.cuda.backends.base import POISON, BufferPointer, Burst, StructureBytes
from shflbench.cuda.backends.cuda_attributes import AttributedLaunch
from shflbench.cuda.backends.cuda_harness import TRIES, to_host
from shflbench.errors import LaunchError
from shflbench.patterns.declare import ITERATIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    from shflbench.core.model import Kernel
    from shflbench.cuda.backends.base import Array, Buffer, KernelCall, KernelLaunch, PassedArgument
    from shflbench.cuda.backends.cuda_harness import Harness

    Arguments = tuple[Any, ...]  # arrays of cupy, numbers and structures of NumPy, in the kernel's order

# Bytes: where `cudaMalloc` puts an array of at least 2 MiB. Atomics on 1 KiB take twice as long at a multiple of 1,024
# as 512 bytes behind it (H200), and a pool would put small arrays at either, after what was allocated before.
ALIGNMENT = 2 << 20
DEFAULT_SHARED_BYTES = 48 * 1024  # more needs an attribute of the function


class CudaKernel:
    """One kernel on the GPU with its buffers, and the kernels that are launched after it."""

    def __init__(self, harness: Harness, call: KernelCall) -> None:
        """Load the cubin and allocate; the caller translates CUDA errors."""
        self._harness, self._call = harness, call
        cupy = harness.cupy
        self._launches = call.launches
        self._modules = _modules(cupy, call)
        self._functions = [
            _function(cupy, self._modules[item.kernel.cubin], item.kernel, item.shared_bytes) for item in self._launches
        ]
        self._starts = list(map(_start_of, self._functions, self._launches))
        self._graph: Any = None  # of all launches, from the first one on, whose arguments it keeps
        self._runs = 0
        if call.carveout is not None:
            driver = cupy.cuda.driver
            for function in self._functions:
                driver.funcSetAttribute(
                    function.ptr, driver.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, call.carveout
                )
        if call.cold:
            harness.make_cold()
        # Bytes, because cupy does not support every NumPy type.
        self._buffers = {buffer.name: _allocate(cupy, buffer.nbytes) for buffer in call.buffers}
        self._variables = {item.name: self._addresses_of(item) for item in call.buffers if item.variable}
        self._inputs = {buffer.name: _allocate(cupy, buffer.nbytes) for buffer in call.restored}

    def run(self, inputs: Sequence[Array], iterations: int, fill: int = POISON) -> list[Array]:
        """Launch once and return the outputs, which are poisoned before; LaunchError if the kernel crashes."""
        with self._harness.errors(self._call.name):
            for buffer in self._call.written:
                if buffer.variable:
                    continue  # set below, like every input
                if buffer.initial is None:
                    self._buffers[buffer.name].data.memset_async(buffer.poison(self._runs, fill), buffer.nbytes)
                else:
                    self._set(buffer, buffer.before())
            for buffer, values in zip(self._call.inputs, inputs, strict=True):
                if buffer.variable:
                    self._set_variable(buffer, values)
        self._runs += 1
        return self.run_again(inputs, iterations)

    def run_again(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        """Launch once and return the outputs, which the launch finds as they are; LaunchError if the kernel crashes."""
        with self._harness.errors(self._call.name):
            for buffer, values in zip(self._call.inputs, inputs, strict=True):
                if not buffer.variable:
                    self._set(buffer, values)
                elif not buffer.written:  # what a kernel writes is as the launch before left it
                    self._set_variable(buffer, values)
            for name, kept in self._inputs.items():
                kept.data.copy_from_device_async(self._buffers[name].data, kept.nbytes)
            self._launch(self._arguments(iterations))
            return [self._contents(buffer).view(buffer.dtype) for buffer in self._call.outputs]

    def _contents(self, buffer: Buffer) -> Array:
        """Return the bytes of a buffer; those of a variable that no module has are as they were set."""
        for address in self._variables.get(buffer.name, ())[:1]:
            runtime, contents = self._harness.cupy.cuda.runtime, np.empty(buffer.nbytes, np.uint8)
            runtime.memcpy(contents.ctypes.data, address, buffer.nbytes, runtime.memcpyDeviceToHost)
            return contents
        return to_host(self._buffers[buffer.name])

    def _set_variable(self, buffer: Buffer, values: Array) -> None:
        """Set a variable in each module that has it."""
        self._set(buffer, values)
        runtime, contents = self._harness.cupy.cuda.runtime, np.ascontiguousarray(values)
        for address in self._variables[buffer.name]:
            runtime.memcpy(address, contents.ctypes.data, buffer.nbytes, runtime.memcpyHostToDevice)

    def _addresses_of(self, buffer: Buffer) -> list[int]:
        """Return where a variable lies in each module that has it; LaunchError if the driver does not find it."""
        addresses = []
        for cubin, module in self._modules.items():
            if buffer.variable.encode() + b"\0" not in cubin:  # a name in the ELF file
                continue
            try:
                addresses.append(module.get_global_var(buffer.variable))
            except self._harness.cupy.cuda.driver.CUDADriverError as error:
                raise LaunchError(f"the driver does not find the variable `{buffer.name}`: {error}") from error
        return addresses

    def _set(self, buffer: Buffer, values: Array) -> None:
        contiguous = np.ascontiguousarray(values)
        self._buffers[buffer.name].data.copy_from_host(contiguous.ctypes.data, contiguous.nbytes)

    def burst(self, iterations: int, samples: int, launches: int = 1) -> Burst:
        """Take `samples`, each of `launches` launches between two events, after one launch that is not timed.

        Each launch of a cold kernel, or of one whose inputs are restored, is between two events of its own, because
        the cache is emptied, or the inputs are copied, before it; a sample is then the mean over its launches. A
        host-bound burst is repeated, and `host_bound` if no try succeeds.
        """
        apart = self._call.cold or bool(self._inputs)
        pairs, inside = (samples * launches, 1) if apart else (samples, launches)
        arguments = self._arguments(iterations)
        host_bound = True
        with self._harness.errors(self._call.name):
            for _ in range(TRIES):
                times_us, host_bound = self._timed(arguments, pairs, inside)
                self._harness.delay.learn(host_bound=host_bound)
                if not host_bound:
                    break
            clock_mhz = self._harness.clock_between_stamps()
        sample_us = np.reshape(times_us, (samples, -1)).sum(axis=1) / launches
        return Burst(tuple(sample_us.tolist()), clock_mhz, host_bound)

    def _timed(self, arguments: Sequence[Arguments], pairs: int, launches: int) -> tuple[list[float], bool]:
        """Return the µs between the events of each pair, and whether the GPU waited for the host."""
        harness, cold, kernels = self._harness, self._call.cold, len(self._functions)
        events = harness.event_pairs(pairs)
        if not cold:
            restores = (pairs + 1) * len(self._inputs)
            harness.block_stream(kernels + pairs * launches * kernels + restores, 2 * pairs)
        self._restore()  # for the first launch, too: a kernel that appends would write behind its buffer
        harness.stamp_clock(0)
        self._launch(arguments)
        host_bound = False
        for start, end in events:
            self._restore()
            if cold:
                # Queue only now: emptying the cache also evicts the arguments of a queued launch, which costs 0.3 µs on
                # an H200 and does not happen in real programs.
                harness.empty_l2()
                harness.block_stream(launches * kernels, 2)
            start.record()
            for _ in range(launches):
                self._launch(arguments)
            end.record()
            host_bound = host_bound or start.done  # the time between these two events then includes the host's
        harness.stamp_clock(1)
        events[-1][1].synchronize()
        elapsed_ms = harness.cupy.cuda.get_elapsed_time
        return [1000 * elapsed_ms(start, end) for start, end in events], host_bound

    def _restore(self) -> None:
        """Queue copies of the inputs that the launch before has changed; emptying the cache comes after them."""
        for name, kept in self._inputs.items():
            self._buffers[name].data.copy_from_device_async(kept.data, kept.nbytes)

    def _arguments(self, iterations: int) -> list[Arguments]:
        """Return the arguments of each launch."""
        given = {**self._buffers, ITERATIONS: np.int32(iterations)}

        def passed(item: PassedArgument) -> Any:  # noqa: ANN401  (likewise)
            match item:
                case str():
                    return given[item]
                case BufferPointer():
                    return self._address(item)
                case StructureBytes():
                    return self._structure(item)
            return item

        return [tuple(map(passed, launch.arguments)) for launch in self._launches]

    def _address(self, pointer: BufferPointer) -> np.uint64:
        """Return the bytes of a pointer."""
        return np.uint64(self._buffers[pointer.buffer].data.ptr + pointer.byte)

    def _structure(self, given: StructureBytes) -> Array:
        """Return a structure as an array without dimensions, whose bytes cupy passes by value."""
        data = bytearray(given.data)
        for start, pointer in given.pointers:
            data[start : start + 8] = self._address(pointer).tobytes()
        structure: Array = np.frombuffer(data, f"V{len(data)}").reshape(())
        return structure

    def _launch(self, arguments: Sequence[Arguments]) -> None:
        if not self._call.graph:
            self._queue(arguments)
            return
        if self._graph is None:
            stream = self._harness.cupy.cuda.Stream(non_blocking=True)  # the default stream cannot be captured
            with stream:
                stream.begin_capture()
                self._queue(arguments)
                self._graph = stream.end_capture()
        self._graph.launch()

    def _queue(self, arguments: Sequence[Arguments]) -> None:
        for start, given in zip(self._starts, arguments, strict=True):
            start(given)

    def close(self) -> None:
        """Return the buffers to cupy's pool for the next kernel."""
        self._graph = None
        self._buffers.clear()
        self._inputs.clear()
        self._variables.clear()
        self._harness.let_go(*self._functions, *self._modules.values())


def _start_of(function: Any, launch: KernelLaunch) -> Callable[[Arguments], None]:  # noqa: ANN401  (cupy ships no types)
    """Return what launches a function with its arguments."""
    if launch.programmatic or launch.cooperative or launch.cluster != NO_CLUSTER:
        return AttributedLaunch(function, launch)
    return partial(_start, function, launch)


def _start(function: Any, launch: KernelLaunch, given: Arguments) -> None:  # noqa: ANN401  (likewise)
    function(launch.dims.grid, launch.dims.block, given, shared_mem=launch.shared_bytes)


def _modules(cupy: ModuleType, call: KernelCall) -> dict[bytes, Any]:
    """Load the cubins of a call; the kernels of one share its `__device__` variables."""
    kernels = {launch.kernel.cubin: launch.kernel for launch in call.launches}
    return {cubin: _module(cupy, kernel) for cubin, kernel in kernels.items()}


def load(cupy: ModuleType, kernel: Kernel, shared_bytes: int) -> Any:  # noqa: ANN401  (cupy ships no types)
    """Return the kernel as a function that can be launched with `shared_bytes` of dynamic shared memory per block."""
    return _function(cupy, _module(cupy, kernel), kernel, shared_bytes)


def _module(cupy: ModuleType, kernel: Kernel) -> Any:  # noqa: ANN401  (likewise)
    module = cupy.cuda.function.Module()
    module.load(kernel.cubin)
    return module


def _function(cupy: ModuleType, module: Any, kernel: Kernel, shared_bytes: int) -> Any:  # noqa: ANN401  (likewise)
    function = module.get_function(kernel.symbol)  # keeps a reference to the module, whose destructor unloads the code
    if shared_bytes > DEFAULT_SHARED_BYTES:
        driver = cupy.cuda.driver
        driver.funcSetAttribute(function.ptr, driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes)
    return function


def _allocate(cupy: ModuleType, nbytes: int) -> Any:  # noqa: ANN401  (cupy ships no types)
    """Return bytes of 0 that begin at a multiple of `ALIGNMENT`, wherever the memory pool finds room."""
    room = cupy.zeros(nbytes + ALIGNMENT, np.uint8)
    start = -room.data.ptr % ALIGNMENT
    return room[start : start + nbytes]
