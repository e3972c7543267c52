"""The result of `shflbench.bench`, for a program and for a notebook."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shflbench.analysis.joint_ratios import joint_columns
from shflbench.core.model import Status
from shflbench.core.notebook import paragraphs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pandas as pd

    from shflbench.analysis.joint_ratios import JointRatios
    from shflbench.schemas.bench import BenchDocument
    from shflbench.store import Row

# Column of the table → field of a row.
COLUMNS = {
    "kernel": "variant",
    "status": "status",
    "time_us": "time_us",
    "time_low_us": "time_low_us",
    "time_high_us": "time_high_us",
    "speedup": "speedup",
    "speedup_low": "speedup_low",
    "speedup_high": "speedup_high",
    "gb_per_s": "gb_per_s",
    "registers": "registers",
    "shared_bytes": "shared_bytes",
    "occupancy": "occupancy",
    "reason": "reason",
}
INTEGERS = ("registers", "shared_bytes")


@dataclass(frozen=True, slots=True, repr=False)
class BenchResult:
    """Times of kernels, with the speed of each relative to the first one."""

    rows: tuple[Row, ...]  # one per kernel that was run
    left_out: Mapping[str, str]  # kernels that were not run → why, as a sentence
    sentences: tuple[str, ...]  # which kernel is the fastest, what was not timed, and notes on the machine
    folder: Path | None  # of the run, if `output` was given
    ratios: Mapping[str, JointRatios] = field(default_factory=dict)  # by kernel, with the intervals of the sentences
    document: BenchDocument = field(kw_only=True, compare=False)  # as JSON has it; `to_dict()` returns a copy

    @property
    def is_timed(self) -> bool:
        """Whether all kernels were timed."""
        return bool(self.rows) and not self.left_out and all(row.status is Status.TIMED for row in self.rows)

    @property
    def agree(self) -> bool:
        """Whether all kernels ran, and computed the same."""
        equal = (Status.TIMED, Status.VERIFIED)
        return bool(self.rows) and not self.left_out and all(row.status in equal for row in self.rows)

    @property
    def table(self) -> pd.DataFrame:
        """A row per kernel, in the order that was given, with the times in µs; a missing value is unknown."""
        import pandas as pd  # noqa: PLC0415  (slow to import)

        records = [
            {
                **{name: getattr(row, source) for name, source in COLUMNS.items()},
                **joint_columns(self.ratios.get(row.variant)),
                "status": row.status.value,
            }
            for row in self.rows
        ]
        records += [
            {"kernel": kernel, "status": "left out", "reason": sentence} for kernel, sentence in self.left_out.items()
        ]
        names = [*COLUMNS]
        after = names.index("speedup_high") + 1
        names[after:after] = joint_columns(None)
        table = pd.DataFrame.from_records(records, columns=names)
        floats = [name for name in names if name not in {"kernel", "status", "reason", *INTEGERS}]
        return table.astype({**dict.fromkeys(floats, "float64"), **dict.fromkeys(INTEGERS, "Int64")})

    def to_dict(self) -> BenchDocument:
        """Return what `shflbench bench --format json` prints of the kernels; see `shflbench schema bench`."""
        return deepcopy(self.document)

    def text(self) -> str:
        """Return a line per kernel, and the sentences."""
        lines = [_line(row, self.ratios.get(row.variant)) for row in self.rows]
        lines += [f"{kernel}: not run: {sentence}" for kernel, sentence in self.left_out.items()]
        return "\n".join((*lines, *self.sentences))

    def __str__(self) -> str:
        """Return `text()`."""
        return self.text()

    def __repr__(self) -> str:
        """Return the status of each kernel in one line, without times, which differ between runs."""
        known = [f"{row.variant} {row.status}" for row in self.rows]
        return f"<BenchResult: {', '.join((*known, *(f'{kernel} left out' for kernel in self.left_out)))}>"

    def _repr_html_(self) -> str:
        """Return the table and the sentences, as a notebook shows them."""
        table = self.table.dropna(axis="columns", how="all").to_html(index=False, border=0, na_rep="")
        return table + paragraphs(*self.sentences)


def _line(row: Row, ratios: JointRatios | None) -> str:
    """Return time and speed-up of a kernel; the interval of the speed-up is that of the sentences, if it is known."""
    if row.time_us is None:
        return f"{row.variant}: {row.status.value}" + (f": {row.reason}" if row.reason else "")
    text = f"{row.variant}: {row.time_us:.4g} µs"
    if row.time_low_us is not None and row.time_high_us is not None:
        text += f" ({row.time_low_us:.4g} to {row.time_high_us:.4g})"
    if row.speedup is None or row.baseline == row.variant:
        return text
    text += f", {row.speedup:.2f}× the speed of {row.baseline}"
    if ratios and ratios.speedup:
        return f"{text} ({ratios.speedup.low:.2f} to {ratios.speedup.high:.2f})"
    if row.speedup_low is None or row.speedup_high is None:
        return text
    return f"{text} ({row.speedup_low:.2f} to {row.speedup_high:.2f})"
