"""A comparison of kernels as an object of JSON: the times of each group, and the kernels that are not timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.joint_ratios import joint_columns
from shflbench.analysis.settings import by_group
from shflbench.analysis.verification import verification
from shflbench.schemas.bench import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from shflbench.analysis.joint_ratios import JointRatios
    from shflbench.core.model import Case
    from shflbench.schemas.bench import BenchDocument, BenchGroup, BenchKernel, BenchLaterLaunch
    from shflbench.session import RunEnd
    from shflbench.store import Row
    from shflbench.user_kernels.comparison import ComparedKernel, KernelChoice


def bench_document(
    files: Sequence[Path], choice: KernelChoice, end: RunEnd | None, cases: Iterable[Case], folder: Path | None
) -> BenchDocument:
    """Return the object for a comparison; unknown values are null, and so is the `folder` of a run that is not kept."""
    run, ratios = (end.run, end.ratios) if end else (None, {})
    by_id = {case.id: case for case in cases}
    kernels = {
        (comparison.name, kernel.variant): kernel for comparison in choice.comparisons for kernel in comparison.kernels
    }
    return {
        "schema": SCHEMA,
        "files": [str(file) for file in files],
        "folder": str(folder) if folder else None,
        "device": run.info.device.name if run and run.info.device else None,
        "left_out": [
            {"kernel": item.kernel, "sentence": item.sentence, "is_broken": item.is_broken} for item in choice.left_out
        ],
        "groups": [_group(rows, by_id, kernels, ratios) for rows in by_group(run.rows if run else ())],
    }


def _group(
    rows: Sequence[Row],
    cases: Mapping[str, Case],
    kernels: Mapping[tuple[str, str], ComparedKernel],
    ratios: Mapping[str, JointRatios],
) -> BenchGroup:
    head, known = rows[0], next((ratios[row.case_id] for row in rows if row.case_id in ratios), None)
    return {
        "pattern": head.pattern,
        "dtype": head.dtype,
        "launch": head.launch,
        "options": dict(head.options),
        "baseline": next((row.baseline for row in rows if row.baseline), None),
        "fastest": known.fastest if known else None,
        "certainty": known.certainty if known else None,
        "kernels": [
            _kernel(row, kernels[row.pattern, row.variant], cases[row.case_id], ratios.get(row.case_id)) for row in rows
        ],
    }


def _kernel(row: Row, kernel: ComparedKernel, case: Case, ratios: JointRatios | None) -> BenchKernel:
    dims = case.launch.dims
    return {
        "kernel": kernel.candidate.name,
        "variant": row.variant,
        # Also where the launch of the group is called `own`.
        "grid": dims.grid if dims else (case.launch.grid, 1, 1),
        "block": dims.block if dims else (case.launch.block, 1, 1),
        "later": _later(kernel, case),
        "status": row.status,
        "verification": verification(row),
        "time_us": row.time_us,
        "time_low_us": row.time_low_us,
        "time_high_us": row.time_high_us,
        "speedup": row.speedup,
        "speedup_low": row.speedup_low,
        "speedup_high": row.speedup_high,
        **joint_columns(ratios),
    }


def _later(kernel: ComparedKernel, case: Case) -> list[BenchLaterLaunch]:
    """Return the launches that follow the first one of a sequence."""
    launch = next(item for item in kernel.launches if item.size is None or item.size in case.options)
    return [
        {"kernel": name, "grid": step.grid, "block": step.block}
        for name, step in zip(kernel.candidate.kernels[1:], launch.later, strict=True)
    ]
