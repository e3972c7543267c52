"""Contents of buffers that earlier launches of the host code wrote: their kernels run, in the order of the host code.

A kernel that reads the offsets, keys or links that another one wrote gets what it wrote, in lockstep, and not numbers
that may contradict one another. Only where contents decide on addresses or branches, and all of a launch is known.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.argument_spec import ArgumentSpec
from shflbench.checker.inputs.choose import choose
from shflbench.checker.inputs.compared_constants import structural_contents
from shflbench.checker.inputs.default_launches import PlannedLaunch
from shflbench.checker.inputs.linked import linked_kernel
from shflbench.checker.inputs.run_plan import zeroed_buffers
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.checker.runs.emulated import emulated_launch
from shflbench.core.dimensions import NO_CLUSTER
from shflbench.core.model import MAX_BLOCK
from shflbench.cuda_sources.kernel_file import UNKNOWN_CLUSTER
from shflbench.cuda_sources.naming import means
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.file_budget import NEVER, FileBudget
from shflbench.emulator.link.layout import WORKSPACE
from shflbench.emulator.machine.launch import Machine, execute
from shflbench.emulator.opcodes.forms import Access
from shflbench.errors import BudgetError, EmulatorError, KernelError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from shflbench.checker.inputs.argument import Arguments
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.cuda_sources.kernel_file import (
        HostArgument,
        HostBuffer,
        HostLaunch,
        KernelFile,
        NamedLaunch,
        SourceKernel,
    )
    from shflbench.emulator.link.program import Program
    from shflbench.emulator.ptx.syntax import Module

MOST_THREADS = 1 << 15  # of an earlier launch
MOST_EARLIER_BYTES = 1 << 23  # of its buffers
MOST_STEPS = 20_000  # instructions of an earlier launch
MOST_WORK = 200_000  # of all earlier launches of a file: half of what the runs of a kernel may take
MOST_DEPTH = 64  # launches one after another


@dataclass(frozen=True, slots=True)
class _Result:
    """What a launch leaves in one of its buffers, and whether it follows from contents that nobody gave."""

    contents: bytes
    is_synthesized: bool


@dataclass(slots=True)
class EarlierLaunches:
    """The earlier launches of one file; each runs once."""

    file: KernelFile
    module: Module
    arch: str
    budget: FileBudget = NEVER
    _results: dict[int, tuple[NamedLaunch, dict[int, _Result]]] = field(default_factory=dict)
    _linked: dict[str, LinkedKernel | None] = field(default_factory=dict)
    _work: float = 0.0

    def completed(self, linked: LinkedKernel) -> LinkedKernel:
        """Return a kernel whose launches in the host code have the contents that earlier launches leave.

        Only of the buffers on whose contents addresses or branches depend, and as far as the launches are understood.
        """
        kernel = linked.kernel
        if not any(buffer.output is not None for host in kernel.host_launches for buffer in _buffers(host.arguments)):
            return linked
        names = _deciding(linked)
        launches = tuple(self._with_contents(host, kernel, names, 0) for host in kernel.host_launches)
        return replace(linked, kernel=replace(kernel, host_launches=launches))

    def _with_contents(
        self, host: HostLaunch, kernel: SourceKernel, names: Collection[str] | None, depth: int
    ) -> HostLaunch:
        """Return a launch with the contents of the buffers that `names` point to, or of all for None."""
        known: dict[int, HostBuffer] = {}
        for place, argument in enumerate(host.arguments):
            name = kernel.parameters[place].name if place < len(kernel.parameters) else ""
            for label, buffer in _labelled(name, argument):
                if buffer.output is not None and (names is None or label in names):
                    known[buffer.number] = self._filled(buffer, depth)
        if not any(buffer.contents is not None for buffer in known.values()):
            return host
        arguments = tuple(_replaced(item, known) for item in host.arguments)
        return replace(host, arguments=arguments, is_computed=True)

    def _filled(self, buffer: HostBuffer, depth: int) -> HostBuffer:
        """Return a buffer with the contents that an earlier launch leaves, if they are known."""
        output = buffer.output
        if output is None:
            return buffer
        result = self._results_of(output.by, depth).get(output.number)
        if result is None or len(result.contents) != buffer.size:
            return buffer
        contents = result.contents
        if output.sorted_as:
            numbers = np.sort(np.frombuffer(contents, np.dtype(output.sorted_as)), kind="stable")
            contents = numbers.tobytes()
        return replace(buffer, contents=contents, filled=None, output=None, is_synthesized=result.is_synthesized)

    def _results_of(self, earlier: NamedLaunch, depth: int) -> dict[int, _Result]:
        """Return what a launch leaves in its buffers, by their numbers; nothing if the launch is not understood."""
        known = self._results.get(id(earlier))
        if known is None:
            known = self._results[id(earlier)] = (earlier, self._run(earlier, depth) if depth < MOST_DEPTH else {})
        return known[1]

    def _run(self, earlier: NamedLaunch, depth: int) -> dict[int, _Result]:
        linked, host = self._kernel(earlier), earlier.launch
        if linked is None or not _is_small(host) or len(host.arguments) != len(linked.kernel.parameters):
            return {}
        if _keeps_state(linked.program):
            return {}
        host = self._with_contents(host, linked.kernel, None, depth + 1)
        first, *others = (self._outputs(linked, host, seed) for seed in (0, 1))
        if first is None or None in others:
            return {}
        return {
            number: _Result(contents, any(other is None or other[number] != contents for other in others))
            for number, contents in first.items()
        }

    def _outputs(self, linked: LinkedKernel, host: HostLaunch, seed: int) -> dict[int, bytes] | None:
        """Return what a launch leaves in its buffers, with other contents where nobody gave them for another seed."""
        if self._work > MOST_WORK or host.grid is None or host.block is None or host.cluster == UNKNOWN_CLUSTER:
            return None
        launch = PlannedLaunch(
            LaunchShape(host.grid, host.block, cluster=host.cluster or NO_CLUSTER), Origin.HOST, host
        )
        zeroed = zeroed_buffers(linked.kernel, linked.program, linked.slicer)
        arguments = choose(
            linked.kernel, launch, ArgumentSpec(uses_dynamic_shared=linked.uses_dynamic_shared, zeroed=zeroed), seed
        )
        if not _is_understood(arguments):
            return None
        machine = Machine(budget=self.budget)
        try:
            outputs = execute(emulated_launch(linked.program, launch, arguments, machine), step_limit=MOST_STEPS)
        except (EmulatorError, BudgetError):
            return None
        finally:
            self._work += machine.work
        numbers = [buffer.number for buffer in _buffers(host.arguments)]
        contents = [values.view(np.uint8).tobytes() for values in outputs]
        return dict(zip(dict.fromkeys(numbers), contents, strict=False))

    def _kernel(self, earlier: NamedLaunch) -> LinkedKernel | None:
        """Return the kernel of a launch, if its name is that of one kernel of the file that the emulator can run."""
        if earlier.kernel not in self._linked:
            named = [kernel for kernel in self.file.kernels if means(earlier.kernel, kernel.name)]
            self._linked[earlier.kernel] = self._link(named[0]) if len(named) == 1 else None
        return self._linked[earlier.kernel]

    def _link(self, kernel: SourceKernel) -> LinkedKernel | None:
        try:
            return linked_kernel(self.file, self.module, kernel, arch=self.arch, shared_bytes=None)
        except KernelError:
            return None


def _deciding(linked: LinkedKernel) -> set[str]:
    """Return the pointers on whose contents addresses, branches or loops of a kernel depend."""
    names = linked.kernel.pointers
    accesses = [op for op in linked.slicer.ops if isinstance(op.form, Access)]
    starts = structural_contents(linked.slicer) | linked.slicer.of(accesses).contents
    return {names[start] for start in starts & names.keys()}


def _keeps_state(program: Program) -> bool:
    """Whether a kernel uses a variable of the device that begins with zeros: other kernels may have written it."""
    return any(
        item.space == "global"
        and item.name != WORKSPACE
        and not program.constants[item.start : item.start + item.size].any()
        for item in program.symbols
    )


def _is_small(host: HostLaunch) -> bool:
    if host.grid is None or host.block is None or host.shared_bytes is None or host.is_forced:
        return False
    sizes = {buffer.number: buffer.size for buffer in _buffers(host.arguments)}
    known = [size for size in sizes.values() if size is not None]
    threads = prod(host.grid) * prod(host.block)
    is_valid = 0 < prod(host.block) <= MAX_BLOCK and 0 < threads <= MOST_THREADS
    return is_valid and len(known) == len(sizes) and sum(known) <= MOST_EARLIER_BYTES


def _is_understood(arguments: Arguments) -> bool:
    """Whether the host code gives all numbers and sizes; contents may be chosen."""
    spans = [span for value in arguments.parameters for span in value.spans]
    numbers = all(span.origin is Origin.HOST for span in spans if span.buffer is None)
    return numbers and all(buffer.size is Origin.HOST for buffer in arguments.buffers) and not arguments.unknown


def _labelled(name: str, argument: HostArgument) -> list[tuple[str, HostBuffer]]:
    """Return the buffers that an argument points to, with the names of their pointers."""
    pointed = [(name, argument.buffer)] if argument.buffer is not None else []
    return pointed + [pair for label, part in argument.fields for pair in _labelled(f"{name}.{label}", part)]


def _buffers(arguments: Sequence[HostArgument]) -> list[HostBuffer]:
    return [buffer for argument in arguments for _, buffer in _labelled("", argument)]


def _replaced(argument: HostArgument, known: dict[int, HostBuffer]) -> HostArgument:
    """Return an argument that points to the buffers with known contents."""
    buffer = known.get(argument.buffer.number, argument.buffer) if argument.buffer is not None else None
    fields = tuple((name, _replaced(part, known)) for name, part in argument.fields)
    return replace(argument, buffer=buffer, fields=fields)
