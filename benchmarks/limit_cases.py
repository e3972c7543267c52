"""The cases of the reference runs whose limits have targets, chosen by a rule that does not look at limits."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.analysis.settings import one_pass
from shflbench.core.model import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shflbench.store import Row, Run

FILE = Path(__file__).with_suffix(".txt")
LAUNCH = "2*sms x 1024"
MEGABYTES = 200  # that a kernel of one pass moves at least


class CaseKind(Enum):
    """A kind of case, how the table calls it, and the least share of its bound that its cases are to reach."""

    LOOP = ("loops: limit ÷ cycles", 0.95)
    BARRIER = ("loops with barriers, two blocks per SM: limit ÷ cycles", 0.89)
    MEMORY = ("one pass over memory: ceiling ÷ time", 0.9)

    def __init__(self, title: str, target: float) -> None:
        """Keep the title and the target."""
        self.title, self.target = title, target

    @classmethod
    def of(cls, row: Row) -> CaseKind | None:
        """Return the kind of a timed row; None if the list leaves it out."""
        if row.status is not Status.TIMED:
            return None
        if one_pass(row):
            moved = (row.gb_per_s or 0.0) * (row.time_us or 0.0) / 1000  # 10^6 bytes
            return cls.MEMORY if moved >= MEGABYTES else None
        if row.launch != LAUNCH:
            return None
        return cls.BARRIER if "BAR" in (row.sass_per_iteration or {}) else cls.LOOP


def text(runs: Iterable[Run]) -> str:
    """Return the list of cases, a line each: kind, suite and id."""
    kinds = ((CaseKind.of(row), run.info.suite.name, row.case_id) for run in runs for row in run.rows)
    return "".join(sorted(f"{kind.name.lower()} {suite} {case}\n" for kind, suite, case in kinds if kind))


def read() -> Iterator[tuple[CaseKind, str, str]]:
    """Yield kind, suite and id of each case of the committed list."""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        kind, suite, case = line.split(" ", 2)
        yield CaseKind[kind.upper()], suite, case
