"""A comparison of kernels as JSON: each group with the times of its kernels, and the kernels that are not timed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from shflbench.analysis.joint_ratios import joint_columns
from shflbench.cli.show.tables import by_group, verification

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from shflbench.analysis.joint_ratios import JointRatios
    from shflbench.core.model import Case, Launch
    from shflbench.session import RunEnd
    from shflbench.store import Row
    from shflbench.user_kernels.comparison import ComparedKernel, KernelChoice

TIMES = ("time_us", "time_low_us", "time_high_us", "speedup", "speedup_low", "speedup_high")  # columns of `results.csv`


def text(files: Sequence[Path], choice: KernelChoice, end: RunEnd | None, cases: Iterable[Case]) -> str:
    """Return the object for a comparison; unknown values are null, and so is the folder without a run."""
    run, ratios = (end.run, end.ratios) if end else (None, {})
    by_id = {case.id: case for case in cases}
    kernels = {
        (comparison.name, kernel.variant): kernel for comparison in choice.comparisons for kernel in comparison.kernels
    }
    record = {
        "files": [str(file) for file in files],
        "folder": str(run.folder) if run else None,
        "device": run.info.device.name if run and run.info.device else None,
        "left_out": [
            {"kernel": item.kernel, "sentence": item.sentence, "is_broken": item.is_broken} for item in choice.left_out
        ],
        "groups": [_group(rows, by_id, kernels, ratios) for rows in by_group(run.rows if run else ())],
    }
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False)


def _group(
    rows: Sequence[Row],
    cases: Mapping[str, Case],
    kernels: Mapping[tuple[str, str], ComparedKernel],
    ratios: Mapping[str, JointRatios],
) -> dict[str, object]:
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
            {
                "kernel": kernels[row.pattern, row.variant].candidate.name,
                "variant": row.variant,
                **_dims(cases[row.case_id].launch),
                "later": _later(kernels[row.pattern, row.variant], cases[row.case_id]),
                "status": row.status,
                "verification": verification(row),
                **{name: getattr(row, name) for name in TIMES},
                **joint_columns(ratios.get(row.case_id)),
            }
            for row in rows
        ],
    }


def _later(kernel: ComparedKernel, case: Case) -> list[dict[str, object]]:
    """Return the launches that follow the first one of a sequence."""
    launch = next(item for item in kernel.launches if item.size is None or item.size in case.options)
    return [
        {"kernel": name, "grid": step.grid, "block": step.block}
        for name, step in zip(kernel.candidate.kernels[1:], launch.later, strict=True)
    ]


def _dims(launch: Launch) -> dict[str, object]:
    """Return the launch of a kernel, also where that of its group is called `own`."""
    if launch.dims:
        return {"grid": launch.dims.grid, "block": launch.dims.block}
    return {"grid": (launch.grid, 1, 1), "block": (launch.block, 1, 1)}
