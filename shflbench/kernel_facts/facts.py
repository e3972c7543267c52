"""The facts of a compiled kernel for `inspect`: plain data, small enough to be cached for many kernels at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.analysis.limits import count, limit
from shflbench.core.arch import load
from shflbench.cuda.compile.cubin import most_registers
from shflbench.cuda.compile.timed_code import addresses_in_loops, timed_code, whole_code

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.analysis.limits import Limit, Residency
    from shflbench.core.model import Kernel, KernelRequests, TimedCode
    from shflbench.cuda.compile.line_tables import LineStep, LineTable
    from shflbench.kernel_facts.pattern_checks.targets import KernelSubject


@dataclass(frozen=True, slots=True)
class LoopFacts:
    """What an iteration of the timed loop executes, and its limit; None where there is none."""

    instructions: float  # per warp and iteration
    certain_instructions: float  # likewise, that every iteration executes
    units: Mapping[str, float]  # unit → instructions per warp and iteration
    unknown: tuple[str, ...]  # opcodes that no unit is known for
    limit_cycles: float | None
    limit_by: str | None
    limit_parts: Mapping[str, float] | None
    limit_omits: tuple[str, ...]
    limit_assumes: tuple[str, ...]  # the best case, where the code does not show what happens


@dataclass(frozen=True, slots=True)
class KernelFacts:
    """One compiled kernel; `remark` is the reason where there is no limit."""

    registers: int
    static_shared_bytes: int
    local_bytes: int
    spill_bytes: int
    loop: LoopFacts | None
    remark: str
    code: Mapping[str, float]  # unit → instructions in the whole code, each once; empty unless it makes one pass
    local_steps: tuple[LineStep, ...] = ()  # of the line that accesses local memory most, where known
    in_loops: int = 0  # instructions of the whole code that a loop repeats; 0 where it is not counted
    kernels: int = 1  # that a case launches: instructions are those of all, resources the largest
    exhausted_registers: int = 0  # per thread: as many as may be used, if a kernel uses all of them


def facts_of(
    subject: KernelSubject,
    kernel: Kernel,
    residency: Residency,
    lines: LineTable,
    requests: KernelRequests | None = None,
) -> KernelFacts:
    """Return the facts of a compiled kernel with these resident warps.

    `lines` are needed where it has local memory; `requests`, which the emulator counts, make the limit tighter.
    """
    every = (kernel, *kernel.later)
    loop, remark = _loop(subject, kernel, residency, requests)
    return KernelFacts(
        registers=max(item.resources.registers for item in every),
        static_shared_bytes=max(item.resources.shared_bytes for item in every),
        local_bytes=max(item.resources.local_bytes for item in every),
        spill_bytes=max(item.resources.spill_bytes for item in every),
        loop=loop,
        remark=remark,
        code=_code(every) if subject.pattern.declaration.one_pass else {},
        local_steps=_local_steps(kernel, lines),
        in_loops=sum(map(_in_loops, every)) if subject.pattern.declaration.one_pass else 0,
        kernels=len(every),
        exhausted_registers=max(map(_exhausted_registers, every)),
    )


def _exhausted_registers(kernel: Kernel) -> int:
    """Return the registers of a thread if it may have no more, else 0."""
    most = most_registers(kernel.cubin, kernel.symbol) if kernel.cubin else None
    return most if most and kernel.resources.registers >= most else 0


def _loop(
    subject: KernelSubject, kernel: Kernel, residency: Residency, requests: KernelRequests | None
) -> tuple[LoopFacts | None, str]:
    code, figures = timed_code(kernel), load(kernel.arch)
    if code is None or figures is None:
        return None, _without_loop(subject, kernel)
    bound = limit(code, figures, residency, requests)
    facts = _loop_facts(code, bound)
    return facts, "" if bound else f"no limit: unknown instructions {', '.join(facts.unknown)}"


def _code(kernels: Sequence[Kernel]) -> Mapping[str, float]:
    """Return the instructions of the whole code of all kernels, by unit."""
    units: Counter[str] = Counter()
    for kernel in kernels:
        code = whole_code(replace(kernel, later=()))
        units.update({str(unit): number for unit, number in count(code).units.items()} if code else {})
    return dict(units)


def _in_loops(kernel: Kernel) -> int:
    code, repeated = whole_code(replace(kernel, later=())), addresses_in_loops(kernel)
    return sum(item.instruction.address in repeated for item in code.instructions) if code else 0


def _loop_facts(code: TimedCode, bound: Limit | None) -> LoopFacts:
    counts = count(code)
    return LoopFacts(
        instructions=counts.instructions,
        certain_instructions=counts.certain_instructions,
        units={str(unit): number for unit, number in counts.units.items()},
        unknown=counts.unknown,
        limit_cycles=bound.cycles if bound else None,
        limit_by=str(bound.by) if bound else None,
        limit_parts={str(name): cycles for name, cycles in bound.parts.items()} if bound else None,
        limit_omits=tuple(map(str, bound.omitted)) if bound else (),
        limit_assumes=bound.assumed if bound else (),
    )


def _without_loop(subject: KernelSubject, kernel: Kernel) -> str:
    if kernel.later:
        return (
            f"no limit: launches {1 + len(kernel.later)} kernels, of which it has the sum of the instructions, and the "
            "largest numbers of registers and bytes"
        )
    if subject.pattern.declaration.one_pass:
        return "no limit: makes one pass, without a timed loop"
    return "no limit: no timed loop was found" if kernel.sass else "no limit: nvdisasm cannot read this architecture"


def _local_steps(kernel: Kernel, lines: LineTable) -> tuple[LineStep, ...]:
    """Return the way to the line with the most instructions that access local memory."""
    steps = [lines[item.address] for item in kernel.sass or () if item.base in {"LDL", "STL"} and item.address in lines]
    return max(steps, key=steps.count, default=())
