"""`limits.csv` of a run: for each timed case the least time that the hardware allows, and a prediction.

Calculated from `results.csv`, `kernels.zip` and the figures of the architecture, never measured. The file stands alone,
so that it can be completed at any time, for example when the GPU was calibrated after the run.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store import run_files
from shflbench.store.cells import TEXT, TIME, number
from shflbench.store.columns import column
from shflbench.store.csv_table import CsvTable, refuse_twice

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LIMITS_FILE = "limits.csv"
SEPARATOR = ";"  # of the names in a cell, as in results.csv
HALF = 0.5  # of the time
TIMES = "limit_us", "ceiling_us", "model_us", "model_low_us", "model_high_us"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseLimit:
    """One case of `limits.csv`."""

    case_id: str = column("the case, as in results.csv", optional=False)
    limit_us: float | None = column(
        "limit: the least time of one launch, from documented rates, or measured ones with a margin, µs; empty "
        "where there is none"
    )
    limit_by: str | None = column(
        "what sets the limit: a unit of the SM, issue, load/store, latency, dram, l2, block start or atomic"
    )
    limit_fraction: float | None = column(
        "limit_us divided by the measured time_us; above 1.01 is a fault of the limit"
    )
    limit_cycles: float | None = column("the limit in SM clock cycles per iteration; empty for a kernel of one pass")
    limit_reason: str | None = column("why there is no limit; `reason` in older runs", former="reason")
    limit_basis: str | None = column(
        "blocks in which the emulator counted what the launch does, such as `8 of 65,536 blocks`; such a sample stands "
        "for the others, and its limit is an estimate; empty where the limit rests on machine code and declarations"
    )
    moved_bytes: float | None = column(
        "bytes of global memory that a launch reads, and those that it writes, each once: counted in the emulator, or "
        "as the pattern declares"
    )
    omitted: str | None = column("what the limit leaves out because no figure of it is known, joined by `;`")
    ceiling_us: float | None = column(
        "time of one launch at the rates that `calibrate` measured on this GPU, µs; a case can beat it"
    )
    ceiling_by: str | None = column("what sets the ceiling: as `limit_by`, or l2")
    model_us: float | None = column("predicted time of one launch, with launch overhead and several waves, µs")
    model_low_us: float | None = column(
        "lower end of the interval of the predicted time, µs: nine of ten measured times lie in such intervals"
    )
    model_high_us: float | None = column("upper end of this interval, µs")
    model_by: str | None = column(
        "how the time is predicted: loop or branches (simulated), memory (by its rates), or prices, launch or sequence "
        "(by prices of instructions)"
    )
    load_efficiency: float | None = column(
        "sectors of 32 bytes that the data of the loads from global memory fills, divided by those that the loads "
        "request, counted in the emulator, load by load; what caches serve counts, too"
    )

    @property
    def is_sampled(self) -> bool:
        """Whether the limit rests on a sample of the blocks, so that it is no bound."""
        return " of " in (self.limit_basis or "")

    @property
    def is_far(self) -> bool:
        """Whether the limit is less than half of the time, so that most of it is spent on something else."""
        return self.limit_fraction is not None and self.limit_fraction < HALF

    @property
    def mark(self) -> str:
        """The sign to print before the limit or its share where it is an estimate."""
        return "≈" if self.is_sampled else ""


def limit_columns() -> dict[str, str]:
    """Return the columns of `limits.csv` in file order, each with its meaning."""
    return {item.name: item.metadata["meaning"] for item in fields(CaseLimit)}


_TABLE = CsvTable(CaseLimit, {str: TEXT, float: number(), **dict.fromkeys(TIMES, TIME)})


def write_limits(folder: Path, limits: Iterable[CaseLimit]) -> None:
    """Write `limits.csv` of the run in `folder`, in place of an older one; ResultsError if that fails.

    A kill leaves the older file or the new one, never a part.
    """
    with run_files.writing(folder):
        run_files.replace(folder / LIMITS_FILE, (_TABLE.header() + _TABLE.encode(limits)).encode())


def read_limits(folder: Path) -> dict[str, CaseLimit]:
    """Return the limits of a run by case, none where it has no such file; ResultsError where the file is damaged."""
    path = folder / LIMITS_FILE
    if not path.exists():
        return {}
    try:
        columns = _TABLE.columns(run_files.text(run_files.read(path), path), path)
        refuse_twice(columns, path)
        return {limit.case_id: limit for limit in _TABLE.decode(columns)}
    except ResultsError as error:
        advice = f"restore the file, or delete it and calculate it again: shflbench limits --save {folder}"
        raise ResultsError(error.message, advice) from error
