"""How a kernel uses each buffer: reads it, writes it, or depends on what is in it before it writes it."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker.inputs.default_launches import PlannedLaunch
from shflbench.checker.inputs.shapes import LaunchShape
from shflbench.checker.runs.budget import RunBudget
from shflbench.checker.runs.emulated import variable_contents
from shflbench.checker.runs.kernel_runs import KernelRuns
from shflbench.cuda_sources.origin import Origin
from shflbench.emulator.explore import explore
from shflbench.emulator.file_budget import NEVER, FileBudget
from shflbench.emulator.link.layout import WORKSPACE
from shflbench.emulator.machine.launch import EmulatedLaunch, Machine, ParameterBytes
from shflbench.emulator.machine.policies import LOCKSTEP
from shflbench.emulator.machine.threads import Shape
from shflbench.emulator.opcodes.forms import Access
from shflbench.errors import BudgetError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from shflbench.checker.inputs.argument_spec import ArgumentSpec
    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.checker.runs.evidence import LaunchEvidence

FEW_BLOCKS = 2  # along each axis of a small launch
MOST_WORK = 800_000  # instructions of one launch, about two seconds
# Each byte of a buffer in the launch whose results are compared: as a floating-point number of any size, it is larger
# than the chosen ones, so that a sum to which it is added shows it.
OTHER = 0x4B


class BufferUse(Enum):
    """What a kernel does with a buffer."""

    UNUSED = "unused"
    READ = "read"
    WRITTEN = "written"  # and what it contains before does not matter
    CHANGED = "changed"  # what it contains before matters, and the kernel writes it

    @property
    def reads(self) -> bool:
        """Whether what the buffer contains before the launch matters."""
        return self in {BufferUse.READ, BufferUse.CHANGED}

    @property
    def writes(self) -> bool:
        """Whether the kernel writes the buffer."""
        return self in {BufferUse.WRITTEN, BufferUse.CHANGED}


def buffer_uses(
    linked: LinkedKernel, spec: ArgumentSpec, launches: Sequence[PlannedLaunch], seed: int, budget: FileBudget = NEVER
) -> Mapping[str, BufferUse]:
    """Return the use of each buffer, by the name of its pointer.

    A buffer that the kernel reads and writes is `WRITTEN` if a launch in the emulator gives the same results whatever
    is in it before, such as one whose elements are read again after they were written. The launches take little, and
    nothing of the `budget` but its time.
    """
    loaded, stored = _accessed(linked)
    uses = {name: BufferUse.READ if name not in stored else BufferUse.WRITTEN for name in loaded | stored}
    both = loaded & stored
    evidence = next(_ended(linked, spec, launches, seed, budget), None) if both else None
    for name in both:
        if evidence is None or _depends(linked, evidence, name, budget):
            uses[name] = BufferUse.CHANGED
    return uses


def writes_device_variables(linked: LinkedKernel) -> bool:
    """Whether the kernel may write a `__device__` variable, which keeps its contents for later launches."""
    variables = [item for item in linked.program.symbols if item.space == "global" and item.name != WORKSPACE]
    return bool(variables) and any(
        isinstance(op.form, Access)
        and op.form.space in {"global", ""}
        and op.form.kind not in {"ld", "ldu"}
        and not linked.slicer.pointers(op)
        for op in linked.program.ops()
    )


def addresses_of_stores(linked: LinkedKernel) -> frozenset[str]:
    """Return the names of the pointers whose contents are addresses of stores: equal ones let threads write the same.

    The results of atomic operations on one element do not depend on their order, and those of stores do.
    """
    stores = [op for op in linked.program.ops() if isinstance(op.form, Access) and op.form.kind == "st"]
    contents = linked.slicer.of(stores, address_only=True).contents
    return frozenset(name for start, name in linked.kernel.pointers.items() if start in contents)


def _ended(
    linked: LinkedKernel, spec: ArgumentSpec, launches: Sequence[PlannedLaunch], seed: int, budget: FileBudget
) -> Iterator[LaunchEvidence]:
    """Yield launches that ended: first a small one with chosen arguments, then the first of the plan."""
    whole = [item for item in launches if not item.shape.sample]
    for launch in whole[:1]:
        x, y, z = (min(size, FEW_BLOCKS) for size in launch.shape.grid)
        small = PlannedLaunch(LaunchShape((x, y, z), launch.shape.block), Origin.CHOSEN)
        for tried, known in ((small, replace(spec, given={})), (launch, spec)):
            few = RunBudget(of_file=budget.apart(MOST_WORK))
            runs = KernelRuns(linked.kernel, linked.program, known, seed, patient=False, budget=few)
            evidence, _ = runs.in_lockstep([tried], seeds=1)
            yield from (item for item in evidence if item.results[0].error is None)


def _accessed(linked: LinkedKernel) -> tuple[set[str], set[str]]:
    """Return the names of the pointers that the kernel reads and writes through; constant ones are only read.

    An atomic operation without a result reads, too: what it adds to is part of what it writes.
    """
    names = linked.kernel.pointers
    constant = {item.offset for item in linked.kernel.parameters if item.pointer and item.const}
    sides: tuple[set[str], set[str]] = (set(), set())
    for op in linked.program.ops():
        form = op.form
        if not isinstance(form, Access) or form.space not in {"global", ""}:
            continue
        known = linked.slicer.pointers(op) & names.keys()
        is_certain = len(known) == 1
        starts = known or (set() if linked.slicer.variables(op) else set(names))  # any, where the address does not tell
        reads, writes = form.kind != "st", form.kind not in {"ld", "ldu"}
        sides[0].update(names[start] for start in starts if reads)
        targets = starts if is_certain else starts - constant  # a pointer to constants may be cast
        sides[1].update(names[start] for start in targets if writes)
    return sides


def _depends(linked: LinkedKernel, evidence: LaunchEvidence, name: str, budget: FileBudget) -> bool:
    """Whether results depend on what a buffer contains before the launch; elements that stay as they were do not."""
    arguments, first = evidence.arguments, evidence.results[0]
    numbers = [number for number, buffer in enumerate(arguments.buffers) if buffer.name == name]
    if first.error is not None or not numbers:
        return True
    before = [buffer.contents for buffer in arguments.buffers]
    other = [np.full_like(item, OTHER) if number in numbers else item for number, item in enumerate(before)]
    shape = evidence.launch.shape
    launch = EmulatedLaunch(
        program=linked.program,
        shape=Shape.of(shape.grid, shape.block),
        shared_bytes=arguments.shared_bytes,
        inputs=(),
        outputs=other,
        iterations=0,
        order=[ParameterBytes(value.data, value.pointers) for value in arguments.parameters],
        machine=Machine(budget=budget.apart(MOST_WORK)),
        symbols=variable_contents(linked.program, arguments),
    )
    try:
        (second,) = explore(launch, (LOCKSTEP,), seed=evidence.seed).results
    except BudgetError:
        return True
    return second.error is not None or any(
        _differs(*parts) for parts in zip(first.outputs, second.outputs, before, other, strict=True)
    )


def _differs(
    one: NDArray[np.uint8], two: NDArray[np.uint8], before: NDArray[np.uint8], other: NDArray[np.uint8]
) -> bool:
    one, two = one.view(np.uint8), two.view(np.uint8)
    untouched = (one == before) & (two == other)
    return bool(((one != two) & ~untouched).any())
