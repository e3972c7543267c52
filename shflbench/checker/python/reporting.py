"""From the report on a file to the result of a check in Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shflbench.checker.finding_groups import group_findings
from shflbench.checker.judgment.sentences import finding_message
from shflbench.checker.python.results import CheckFinding, CheckResult
from shflbench.checker.python.values import like
from shflbench.checker.report import EXHAUSTIVE
from shflbench.checker.report_objects import check_document
from shflbench.checker.verdict import KernelVerdict
from shflbench.cuda_sources.origin import Origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from shflbench.checker.finding import Finding
    from shflbench.checker.python.prepared import PreparedKernel
    from shflbench.checker.report import FileReport, KernelReport, LaunchRecord


def check_result(report: FileReport, prepared: PreparedKernel, seed: int) -> CheckResult:
    """Return the result of checking one kernel with a seed."""
    kernel = report.kernels[0]
    base = Path.cwd()
    grouped = [finding for finding in group_findings(kernel.findings) if finding.level]
    return CheckResult(
        kernel=kernel.name,
        verdict=kernel.verdict,
        sentence=f"{kernel.sentence}; {prepared.advice}" if _is_open(kernel) and prepared.advice else kernel.sentence,
        findings=tuple(_finding(finding, base) for finding in kernel.findings),
        cause=next((_finding(finding, base) for finding in grouped), None),
        details=tuple(_details(kernel, grouped, base)),
        outputs=dict(_outputs(kernel, kernel.outputs, prepared)),
        other_outputs=tuple(dict(_outputs(kernel, outputs, prepared)) for outputs in kernel.other_outputs),
        chosen=tuple(_synthesized(kernel)),
        explored=tuple(_explored(launch) for launch in kernel.launches),
        notes=tuple(note.text for note in report.notes),
        document=check_document([report], report.arch, seed),
    )


def _is_open(kernel: KernelReport) -> bool:
    return kernel.verdict is KernelVerdict.NOT_CHECKED


def _finding(finding: Finding, base: Path) -> CheckFinding:
    return CheckFinding(
        kind=str(finding.kind),
        file=finding.place.file if finding.place else None,
        line=finding.place.line if finding.place else None,
        threads=finding.threads,
        address=finding.detail,
        history=finding.history(base),
        sentence=finding.sentence(base),
    )


def _details(kernel: KernelReport, grouped: Sequence[Finding], base: Path) -> Iterator[str]:
    for finding in grouped:
        yield finding_message(finding, base)
        yield from (f"  {step}" for step in finding.further_history(base))
    if kernel.further_difference:
        yield kernel.further_difference


def _outputs(
    kernel: KernelReport, outputs: Mapping[str, NDArray[np.uint8]], prepared: PreparedKernel
) -> Iterator[tuple[str | int, NDArray[Any]]]:
    source = next((item for item in prepared.file.kernels if item.symbol == kernel.symbol), None)
    if source is None:  # the file as a whole could not be read
        return
    buffers: dict[int, NDArray[np.uint8]] = {}  # by address: one array may be passed twice
    for key, (place, array) in prepared.arrays.items():
        name = source.parameters[place].name
        if name in outputs:
            buffers[array.ctypes.data] = outputs[name]
        if array.ctypes.data in buffers:
            yield key, like(buffers[array.ctypes.data], array)


def _synthesized(kernel: KernelReport) -> Iterator[str]:
    """Yield what was chosen for the user, one sentence per launch."""
    for launch in kernel.launches:
        chosen = launch.listed(Origin.CHOSEN)
        if launch.origin == Origin.CHOSEN.text or chosen:
            yield f"chosen: launch {launch.shape}" + (f" with {chosen}" if chosen else "")


def _explored(launch: LaunchRecord) -> str:
    seeds = f"{len(launch.seeds)} seeds" if len(launch.seeds) > 1 else "1 seed"
    schedules = f"{len(launch.schedules)} schedules" if len(launch.schedules) > 1 else f"schedule {launch.schedules[0]}"
    every = f"; {EXHAUSTIVE}" if launch.exhaustive else ""
    return f"explored: launch {launch.in_clusters}, {seeds}, {schedules}{every}"
