"""Inputs of a prediction beside a run: the calibration of its GPU, and the requests of its kernels to memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.environment import cache_folder
from shflbench.core.model import Case, Kernel, KernelRequests, Launch, Status
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.toolchain import find
from shflbench.kernel_facts.memory_requests import requests_of_all
from shflbench.patterns.declare import LAUNCH_OPTIONS
from shflbench.patterns.discover import builtin, load
from shflbench.store.calibration_file import find_shipped, read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.store import Row, Run
    from shflbench.store.calibration_file import Calibration

BLOCK = 128  # threads: the requests of a warp do not depend on their number

Name = tuple[str, str, str, tuple[tuple[str, str], ...]]  # of a kernel: pattern, variant, dtype, options


def calibration_of(device: str) -> Calibration | None:
    """Return the calibration that comes with shflbench for GPUs of this name; None if there is none."""
    path = find_shipped(device)
    return read(path) if path else None


def requests_of(run: Run) -> Mapping[str, KernelRequests]:
    """Return the requests of the kernels of a run by case, where the emulator can count them."""
    rows = [row for row in run.rows if row.status is Status.TIMED and row.pattern in builtin()]
    patterns = {name: load(builtin()[name]) for name in {row.pattern for row in rows}}
    cases = {_name(row): _case(row) for row in rows}
    builder = Builder(find(), run.info.device.arch if run.info.device else "sm_90", cache_folder())
    requests = {name: builder.request(patterns[case.pattern], case) for name, case in cases.items()}
    kernels = {name: kernel for name, kernel in builder.build_all(requests) if isinstance(kernel, Kernel)}
    jobs = [(patterns[cases[name].pattern], cases[name], kernel) for name, kernel in kernels.items()]
    counted = dict(zip(kernels, requests_of_all(jobs), strict=True))
    known = {row.case_id: counted.get(_name(row)) for row in rows}
    return {case_id: one for case_id, one in known.items() if isinstance(one, KernelRequests)}


def _name(row: Row) -> Name:
    options = tuple((name, value) for name, value in row.options if name not in LAUNCH_OPTIONS)
    return (row.pattern, row.variant, row.dtype, options)


def _case(row: Row) -> Case:
    return Case(*_name(row)[:3], Launch(row.launch, BLOCK, None), row.iterations, row.options)
