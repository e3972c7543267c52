"""The emulator as a backend: it verifies, and times nothing."""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from typing import NoReturn

import numpy as np

from shflbench.core.arch.launch_limits import limits_of, major, resident_blocks
from shflbench.core.dimensions import NO_CLUSTER
from shflbench.core.model import Conditions, Device, Kernel
from shflbench.cuda.backends.base import (
    POISON,
    Array,
    Buffer,
    BufferPointer,
    Burst,
    KernelCall,
    KernelLaunch,
    PassedArgument,
    StructureBytes,
)
from shflbench.emulator import (
    POLICIES,
    EmulatedLaunch,
    FileBudget,
    Machine,
    ParameterBytes,
    Policy,
    Program,
    Shape,
    execute,
    execute_to_end,
    load_program,
    module_contents,
)
from shflbench.errors import LaunchError

NO_STEP_LIMIT = 1 << 62  # where time is the limit
SMS = 2  # any number works; two show whether blocks differ
MEMORY_BYTES = 1 << 32


def emulated_device(arch: str, sms: int = SMS) -> Device:
    """Return an emulated device of `arch`; DeviceError if its limits are not known."""
    limits = limits_of(arch)
    return Device(
        name=f"emulated {arch}",
        uuid="",
        arch=arch,
        sms=sms,
        max_shared_bytes=limits.block_shared_bytes(major(arch)),
        memory_bytes=MEMORY_BYTES,
        clock_mhz=0,
        driver="",
        cuda="",
        threads_per_sm=limits.threads,
    )


class EmulatorBackend:
    """Runs the PTX of kernels on NumPy, each launch under another legal schedule."""

    name = "emulator"
    timed = False
    most_threads: int | None = 8 * 1024  # eight full blocks; more take longer and show no more
    problem = ""

    def __init__(self, arch: str, sms: int = SMS) -> None:
        """Emulate a device of `arch`, e.g. `sm_90`."""
        self.device = emulated_device(arch, sms)

    def open(self, call: KernelCall, _place: int = 0) -> "EmulatedKernel":
        """Load a kernel; LaunchError if it does not fit the device, EmulatorError if it cannot be emulated."""
        for launch in call.launches:
            if not self.resident_blocks(launch.kernel, launch.dims.threads_per_block, launch.shared_bytes):
                shape = f"{launch.dims} with {launch.shared_bytes} bytes of shared memory"
                raise LaunchError(f"{shape} does not fit {self.device.arch}", "Choose a smaller block.")
        return EmulatedKernel(call, load_program(call.kernel.ptx, call.kernel.symbol))

    def resident_blocks(self, kernel: Kernel, block: int, shared_bytes: int) -> int:
        """Return how many blocks are resident on a multiprocessor at once; 0 if the launch does not fit."""
        return resident_blocks(self.device.arch, kernel.resources, block, shared_bytes)

    def free_bytes(self) -> int:
        """Return the memory of the emulated device: each launch has its own."""
        return self.device.memory_bytes

    def usable(self) -> bool:
        """Whether kernels can still run: always, because a failed kernel does not affect the next one."""
        return True

    def now(self) -> float:
        """Return the seconds of a monotonic clock; nothing is timed."""
        return time.monotonic()

    def conditions(self) -> Conditions:
        """Return unknown conditions: there is no device."""
        return Conditions()

    def keep_busy(self, milliseconds: float) -> None:
        """Return at once: there is no clock to raise."""


class EmulatedKernel:
    """One loaded kernel at one launch shape, with those that are launched after it."""

    def __init__(self, call: KernelCall, program: Program) -> None:
        """Use `EmulatorBackend.open` instead."""
        self.program, self.call = program, call
        self._machine = Machine()
        self._later = [(item, load_program(item.kernel.ptx, item.kernel.symbol), Machine()) for item in self.call.later]
        self._runs = 0
        self._schedules = cycle(POLICIES.values())
        self._symbols: Mapping[str, bytes] = {}  # contents of `__device__` variables after the last launch
        self._written: list[Array] = []  # contents of all buffers that the last launch wrote

    def launch(
        self,
        inputs: Sequence[Array],
        iterations: int,
        before: Mapping[str, Array] | None = None,
        fill: int = POISON,
    ) -> EmulatedLaunch:
        """Return the launch, for `explore`; `before` are the contents of outputs that are not those of the call."""
        call = self.call
        if not math.isinf(call.emulated_work):
            self._machine.budget = FileBudget.of(call.emulated_work)
        read = {buffer.name: values for buffer, values in zip(call.inputs, inputs, strict=True)}
        variables = {item.variable: read[item.name].tobytes() for item in call.inputs if item.variable}
        memory = [item for item in call.written if not item.variable]
        changed = {item.name for item in memory}
        pure = {item.name: read[item.name] for item in call.inputs if not item.variable and item.name not in changed}
        contents = {**(before or {}), **read}
        outputs = [_output(buffer, contents.get(buffer.name), self._runs, fill) for buffer in memory]
        places = {name: place for place, name in enumerate((*pure, *(item.name for item in memory)))}
        order = [_argument(item, places) for item in call.arguments]
        inputs, shape = list(pure.values()), _shape(call.launches[0], self.program)
        return EmulatedLaunch(
            program=self.program,
            shape=shape,
            shared_bytes=call.shared_bytes,
            inputs=inputs,
            outputs=outputs,
            iterations=iterations,
            order=order,
            machine=self._machine,
            names=list(places),
            symbols=variables,
        )

    def run(self, inputs: Sequence[Array], iterations: int, fill: int = POISON) -> list[Array]:
        """Launch once, under the next schedule, and return the outputs, which are overwritten before.

        `__device__` variables that are no buffers of the call are as the launch before left them. EmulatorError if the
        kernel fails, BudgetError if it takes more instructions than its call allows.
        """
        known = {item.variable for item in self.call.buffers}
        self._symbols = {name: contents for name, contents in self._symbols.items() if name not in known}
        return self._execute(self.launch(inputs, iterations, fill=fill))

    def run_again(self, inputs: Sequence[Array], iterations: int) -> list[Array]:
        """Launch once as `run`, with the outputs as the launch before left them; errors as for `run`."""
        memory = (buffer for buffer in self.call.written if not buffer.variable)
        before = {buffer.name: values for buffer, values in zip(memory, self._written, strict=False)}
        return self._execute(self.launch(inputs, iterations, before))

    def _execute(self, first: EmulatedLaunch) -> list[Array]:
        """Run a launch, and those that follow it on what it leaves."""
        self._runs += 1
        policy = next(self._schedules)
        *_, last = self.steps(first, policy)
        self._written = self._contents_after(last, policy)
        variables, contents = {**first.symbols, **self._symbols}, iter(self._written)
        after = [
            np.frombuffer(variables[buffer.variable], buffer.dtype) if buffer.variable else next(contents)
            for buffer in self.call.written
        ]
        return [values for buffer, values in zip(self.call.written, after, strict=True) if buffer.compared]

    def steps(self, first: EmulatedLaunch, policy: Policy) -> Iterator[EmulatedLaunch]:
        """Yield the `first` launch and those that follow it, each on what the one before leaves under `policy`.

        Errors as for `run`.
        """
        places = {name: place for place, name in enumerate(first.names)}
        launch = first
        yield launch
        for later, program, machine in self._later:
            machine.budget = first.machine.budget
            launch = replace(
                first,
                program=program,
                shape=_shape(later, program),
                shared_bytes=later.shared_bytes,
                outputs=self._contents_after(launch, policy),
                order=[_argument(item, places) for item in later.arguments],
                machine=machine,
            )
            yield launch

    def _contents_after(self, launch: EmulatedLaunch, policy: Policy) -> list[Array]:
        launch = replace(launch, symbols={**launch.symbols, **self._symbols})
        if math.isinf(self.call.emulated_work):
            contents = execute_to_end(launch, policy)
        else:
            contents = list(execute(launch, policy, step_limit=NO_STEP_LIMIT))
        self._symbols = {**self._symbols, **module_contents(launch)}
        return contents

    def burst(self, iterations: int, samples: int, launches: int = 1) -> Burst:
        """Raise LaunchError: the emulator's time says nothing about a GPU."""
        _refuse(iterations, samples * launches)

    def close(self) -> None:
        """Release the memory of the last launch."""
        for machine in (self._machine, *(machine for *_, machine in self._later)):
            machine.state = None


def _shape(launch: KernelLaunch, program: Program) -> Shape:
    cluster = launch.cluster if program.cluster == NO_CLUSTER else program.cluster
    try:
        return Shape.of(launch.dims.grid, launch.dims.block, cluster=cluster)
    except ValueError as error:
        raise LaunchError(f"{error}: give a launch with a multiple of so many blocks") from error


def _argument(item: PassedArgument, places: Mapping[str, int]) -> int | np.generic | ParameterBytes | None:
    """Return an argument for the emulator: the place of a buffer, None for the iterations, a number, or bytes."""
    match item:
        case str():
            return places.get(item)
        case BufferPointer():
            return ParameterBytes(bytes(8), ((0, places[item.buffer], item.byte),))
        case StructureBytes():
            pointers = ((start, places[pointer.buffer], pointer.byte) for start, pointer in item.pointers)
            return ParameterBytes(item.data, tuple(pointers))
    return item


def _output(buffer: Buffer, given: Array | None, run: int, fill: int) -> tuple[int, str] | Array:
    """Return the contents of an output before a launch, or its size where these are arbitrary."""
    if given is not None:
        return given.reshape(-1)
    is_arbitrary = buffer.initial is None and buffer.compared and fill == POISON
    return (buffer.elements, buffer.dtype) if is_arbitrary else buffer.before(run, fill)


def _refuse(iterations: int, launches: int) -> NoReturn:
    raise LaunchError(
        f"the emulator cannot time {launches} launches of {iterations} iterations", "Time kernels on a GPU."
    )
