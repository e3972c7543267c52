"""Condense a run to what a history keeps of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.compare.comparability import POLICY, setting_word
from shflbench.analysis.compare.sides import Side
from shflbench.core.model import Status
from shflbench.errors import ResultsError
from shflbench.printable import escape
from shflbench.store.history.record import HistoryCase, HistoryKernel, HistoryMachine, HistoryRun
from shflbench.store.history.source_file import HistorySource, digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.analysis.compare.estimates import Estimates
    from shflbench.core.model import Device
    from shflbench.store import Row, Run, RunInfo
    from shflbench.store.kernel_archive import KernelArchive

# The settings on which a time depends, by their names in `run.json`. Others change what is run, or how exact it is.
METHOD = ("precision", "min_seconds", "max_seconds", "min_samples", "max_samples", "places")
TIME_DIGITS = 7  # as rows have them
ERROR_DIGITS = 3


@dataclass(frozen=True, slots=True)
class CondensedRun:
    """A run for a history, the sources of its kernels by their hash, and remarks, a sentence each."""

    run: HistoryRun
    units: Mapping[str, HistorySource]
    notes: tuple[str, ...]


def condense(run: Run, revision: str | None = None) -> CondensedRun:
    """Return what a history keeps of a run; `revision` replaces the recorded one.

    ResultsError for a run without times, and for one that is not finished.
    """
    _refuse(run)
    side = Side.of([run])
    estimates = side.estimates(run.rows)
    if not estimates:
        reason = "none of its cases was timed" if side.kernels else "it has no samples"
        raise ResultsError(f"{run.folder} is not added: {reason}", "add a run with times and samples")
    archive = run.kernels()
    notes = () if archive else (f"{run.folder} has no kernels.zip: its changes cannot be attributed to code",)
    units = {} if archive is None else _units(archive)
    kernels = {} if archive is None else dict(_kernels(archive, units))
    info = run.info
    recorded = info.revision
    commit, is_dirty = (recorded.commit, bool(recorded.dirty)) if recorded else ("", False)
    if revision is not None:
        commit, is_dirty = escape(revision), False
    condensed = HistoryRun(
        suite=info.suite.name,
        suite_sha256=info.suite.sha256,
        started=info.started,
        commit=commit,
        is_dirty=is_dirty,
        machine=_machine(run, archive, side),
        cases=tuple(_case(row, estimates.get(row.case_id), kernels.get(row.case_id)) for row in run.rows),
    )
    return CondensedRun(condensed, {digest(unit.encode()): unit for unit in units.values()}, notes)


def _refuse(run: Run) -> None:
    """Raise ResultsError for a run that has no place in a history."""
    info = run.info
    if info.backend != "cuda" and info.converted is None:
        raise ResultsError(
            f"{run.folder} is not added: it has no times, because its backend is {info.backend}",
            "add a run that was timed on a GPU",
        )
    if not run.is_finished and info.converted is None:
        raise ResultsError(f"{run.folder} is not added: the run is not finished", info.advice_if_unfinished(run.folder))
    if not info.started:
        raise ResultsError(
            f"{run.folder} is not added: it does not say when it was measured",
            "convert files that contain a date",
        )


def _case(row: Row, estimates: Estimates | None, kernel: HistoryKernel | None) -> HistoryCase:
    """Return one case; without estimates, it was not timed."""
    timed = estimates if row.status is Status.TIMED else None
    time_us = float(timed.values.mean()) if timed else None
    return HistoryCase(
        case=row.case_id,
        status=str(row.status),
        time_us=_rounded(time_us, TIME_DIGITS),
        error=_rounded(_error(timed), ERROR_DIGITS) if timed else None,
        processes=len(timed) if timed else 0,
        kernel=_with_row(kernel or HistoryKernel(), row),
    )


def _error(estimates: Estimates) -> float | None:
    """Return the standard error of the mean over processes as a fraction; None where a single sample has none.

    Few processes may agree by chance: the error is at least that which their rounds show.
    """
    count = len(estimates)
    within = estimates.variances.mean() / count
    between = estimates.values.var(ddof=1) / count if count > 1 else 0.0
    time_us = estimates.values.mean()
    variance = np.fmax(within, between) if count > 1 else within
    return float(np.sqrt(variance) / time_us) if np.isfinite(variance) and time_us > 0 else None


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")


def _with_row(kernel: HistoryKernel, row: Row) -> HistoryKernel:
    """Return a kernel with what the row says of it: resources, and the launch as resolved."""
    return HistoryKernel(
        code=kernel.code,
        source=kernel.source,
        unit=kernel.unit,
        expressions=kernel.expressions,
        registers=row.registers,
        shared_bytes=row.shared_bytes,
        local_bytes=row.local_bytes,
        spill_bytes=row.spill_bytes,
        launch=row.shape or (f"{row.grid}x{row.block}" if row.grid else ""),
    )


def _units(archive: KernelArchive) -> dict[str, HistorySource]:
    """Return the translation unit of each kernel, by the kernel's name."""

    def text(file: str) -> str:
        return archive.contents[file].decode()

    return {
        kernel.name: HistorySource(
            unit=kernel.unit,
            text=text(kernel.source),
            headers={name: text(file) for name, file in kernel.headers.items()},
            options=kernel.options,
        )
        for kernel in archive.index.kernels
    }


def _kernels(archive: KernelArchive, units: Mapping[str, HistorySource]) -> Iterator[tuple[str, HistoryKernel]]:
    """Yield the identity of the kernel of each case, by the case."""
    for kernel in archive.index.kernels:
        unit = digest(units[kernel.name].encode())
        identity = HistoryKernel(
            code=code_of(kernel.code_hashes),
            source=digest("\n".join((unit, *kernel.expressions)).encode()),
            unit=unit,
            expressions=kernel.expressions,
        )
        for case in kernel.cases:
            yield case, identity


def code_of(hashes: tuple[str, ...]) -> str:
    """Return one hash of the machine code of a kernel and of those that its cases launch after it."""
    return digest("\n".join(hashes).encode())


def _machine(run: Run, archive: KernelArchive | None, side: Side) -> HistoryMachine:
    info = run.info
    device = info.device
    return HistoryMachine(
        gpu=device.uuid if device else "",
        gpu_name=device.name if device else "",
        arch=info.arch,
        gpu_settings=_gpu_settings(device) if device else "",
        host=escape(info.host.name),
        driver=info.versions.driver or "",
        compiler=compiler_of(
            (archive.index.compiler.nvrtc if archive else info.versions.nvrtc) or "", info.versions.compiler_build
        ),
        options=" ".join(archive.index.compiler.options) if archive else "",
        cccl=info.versions.cccl or "",
        method=method_of(info),
        noise=info.noise.verdict if info.noise else "",
        sentinels=tuple(
            sorted(
                (name, float(f"{estimates.values.mean():.{TIME_DIGITS}g}"))
                for name, estimates in side.sentinel_estimates().items()
            )
        ),
        sentinel_version=info.sentinel_version,
    )


def _gpu_settings(device: Device) -> str:
    known = ((name, getattr(device.state, field)) for field, name in POLICY.items())
    return ", ".join(f"{name} {setting_word(value)}" for name, value in known if value is not None)


def compiler_of(version: str, build: str | None) -> str:
    """Return a compiler as a history names it; runs of earlier versions did not record its build."""
    return f"{version} (build {build})" if version and build else version


def method_of(info: RunInfo) -> str:
    """Return how a run was timed, for people and for comparing."""
    if info.converted:
        version = f" {info.converted.version}" if info.converted.version else ""
        return f"{info.converted.tool}{version}"
    known = ((name, getattr(info.settings, name)) for name in METHOD)
    settings = (f"{name} {value:g}" for name, value in known if value is not None)
    sentinels = f"sentinels {info.sentinel_version}" if info.sentinel_version else "no sentinels"
    return ", ".join((f"shflbench {info.versions.shflbench}", *settings, sentinels))
