"""Buffers whose bounds no launch tested: their sizes follow from the accesses, or the launch does not reach the end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.checker.inputs.bounds import unread_sizes
from shflbench.checker.report import join_first
from shflbench.checker.verdict import KernelVerdict
from shflbench.emulator.opcodes.forms import Access

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from shflbench.checker.inputs.linked import LinkedKernel
    from shflbench.checker.report import KernelReport
    from shflbench.checker.runs.evidence import LaunchEvidence
    from shflbench.cuda_sources.kernel_file import SourceKernel
    from shflbench.emulator.dataflow.slices import Slicer


def with_untested(
    report: KernelReport, linked: LinkedKernel, launches: Sequence[LaunchEvidence], refused: Collection[str]
) -> KernelReport:
    """Return a report that names the buffers whose bounds no launch tested, but those that are `refused`.

    `clean` says so in its sentence, with the sizes among the parameters that the kernel never reads.
    """
    names = _untested_buffers(linked.kernel, linked.slicer, launches, refused)
    reason = report.reason
    if names and report.verdict is KernelVerdict.CLEAN:
        unread = [item.name for item in unread_sizes(linked.kernel, linked.slicer)]
        never_read = f", and the kernel never reads {_quoted(unread)}" if unread else ""
        reason = f"{reason}; bounds of {_quoted(names)} not tested{never_read}"
    return replace(report, reason=reason, untested=names)


def _untested_buffers(
    kernel: SourceKernel, slicer: Slicer, launches: Sequence[LaunchEvidence], refused: Collection[str]
) -> tuple[str, ...]:
    """Return the buffers that the kernel accesses and whose bounds none of the other launches tested."""
    accesses = (op for op in slicer.ops if isinstance(op.form, Access))
    accessed = {start for op in accesses for start in slicer.pointers(op)}
    buffers = [
        buffer for item in launches if str(item.launch.shape) not in refused for buffer in item.arguments.buffers
    ]
    chosen = {buffer.name for buffer in buffers}
    tested = {buffer.name for buffer in buffers if buffer.tests_bounds}
    names = (name for start, name in kernel.pointers.items() if start in accessed)
    return tuple(name for name in names if name in chosen - tested)


def _quoted(names: Sequence[str]) -> str:
    return join_first([f"`{name}`" for name in names])
