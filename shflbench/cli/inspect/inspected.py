"""What the machine code of one kernel shows on one architecture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.analysis.limits import count, limit
from shflbench.arch import load
from shflbench.compile.timed_code import timed_code
from shflbench.model import Kernel

if TYPE_CHECKING:
    from shflbench.analysis.limits import Counts, Limit, Residency
    from shflbench.check import KernelSubject
    from shflbench.errors import KernelError
    from shflbench.model import Resources, TimedCode


@dataclass(frozen=True, slots=True)
class Inspected:
    """One kernel; None where something is not known, of which `remark` is the reason."""

    subject: KernelSubject
    arch: str
    resources: Resources | None = None
    code: TimedCode | None = None
    counts: Counts | None = None  # per iteration
    limit: Limit | None = None
    remark: str = ""
    error: str = ""  # why it does not compile


def inspect(subject: KernelSubject, kernel: Kernel | KernelError | None, arch: str, residency: Residency) -> Inspected:
    """Return what the machine code of a kernel shows; it is None if `arch` does not support the variant."""
    if kernel is None:
        reason = subject.variant.unsupported_reason(arch).removeprefix(f"{subject.variant.name} ")
        return Inspected(subject, arch, remark=f"skipped: {reason}")
    if not isinstance(kernel, Kernel):
        return Inspected(subject, arch, error=kernel.message)
    code = timed_code(kernel)
    figures = load(arch)
    if code is None or figures is None:
        return Inspected(subject, arch, kernel.resources, remark=_without_loop(subject, kernel))
    counts = count(code)
    bound = limit(code, figures, residency)
    remark = f"no limit: unknown instructions {', '.join(counts.unknown)}" if bound is None else ""
    return Inspected(subject, arch, kernel.resources, code, counts, bound, remark)


def _without_loop(subject: KernelSubject, kernel: Kernel) -> str:
    if subject.pattern.declaration.one_pass:
        return "no limit: makes one pass, without a timed loop"
    return "no limit: no timed loop was found" if kernel.sass else "no limit: nvdisasm cannot read this architecture"
