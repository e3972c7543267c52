"""Run the litmus tests of the memory model on a GPU: `python -m benchmarks memory_litmus --record`, for sm_90.

Each row of the tables of tests/litmus runs with many instances per launch and with delays before either thread's part.
The page has how often the result was seen that a sound row forbids; the exit code is 1 if a sound row shows it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np

from benchmarks.common.pages import UNKNOWN, bullets, program, publish, table, written_by
from benchmarks.memory_litmus import kernels
from benchmarks.memory_litmus.kernels import is_forbidden, is_void, is_without_wait
from tests.litmus.bulk_model import bulk_verdict
from tests.litmus.bulk_table import BulkLitmus, bulk_rows
from tests.litmus.kernels import shape
from tests.litmus.model import verdict
from tests.litmus.table import USED, Litmus, rows

PAGE = Path(__file__).parents[1] / "memory_litmus.md"
INSTANCES = 1 << 15  # per launch
DELAYS = ((0, 0), (200, 0), (0, 200), (2000, 0))  # clocks before the parts of both threads, times 0 to 7
TRIES = INSTANCES * len(DELAYS)
TEXT = """# The litmus tests of the memory model on a GPU

{written}

Each test of [the memory model](../docs/explanation/memory-model.md) ran on one {device} (driver {driver}): {tries:,}
tries per row, {total:,} in all, without a delay and with delays before either thread's part. A try shows the result
that a sound row forbids: an old value that is read, a later value, or a write that is lost. A GPU need not show what
the model allows: that a broken row is quiet proves nothing. Unused are rows that would be doubtful if an instruction
used what the first thread reads before it signals. {void} rows have tries in which a flag did not arrive
within {polls:,} polls; these do not count.

{table}

{lists}
"""


@dataclass(frozen=True)
class Outcome:
    """A row, what the model says of it, and the tries that showed the forbidden result."""

    row: Litmus | BulkLitmus
    verdict: str
    shown: int
    void: int  # tries in which a wait did not end

    @property
    def mechanism(self) -> str:
        """The mechanism between both threads."""
        return self.row.mechanism if isinstance(self.row, Litmus) else f"bulk {self.row.copy}"

    @property
    def kind(self) -> str:
        """The verdict; for a broken row, what is missing."""
        if self.verdict != "broken":
            return self.verdict
        if is_without_wait(self.row):
            return "without a wait"
        return "unused" if _is_doubtful_if_used(self.row) else "too weak"


def _is_doubtful_if_used(row: Litmus | BulkLitmus) -> bool:
    """Return whether a row whose first thread reads is broken only because nothing uses the value."""
    if isinstance(row, BulkLitmus):
        return row.access == "read" and bulk_verdict(replace(row, used=USED)) == "doubtful"
    return row.access == "WAR" and verdict(replace(row, used=USED)) == "doubtful"


def main() -> int:
    """Run all rows, print and write the table."""
    import cupy  # noqa: PLC0415  (only on a machine with a GPU)

    wanted = program(__doc__, PAGE).parse_args()
    outcomes = list(_outcomes())
    text = TEXT.format(
        written=written_by("memory_litmus"),
        void=sum(item.void > 0 for item in outcomes),
        polls=kernels.MOST_POLLS,
        device=cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(),
        driver=cupy.cuda.runtime.driverGetVersion(),
        tries=TRIES,
        total=TRIES * len(outcomes),
        table=_table(outcomes),
        lists="\n".join(f"## {title}\n\n{bullets(items)}\n" for title, items in _lists(outcomes)),
    )
    publish(text, wanted.record)
    return int(any(item.verdict == "sound" and item.shown for item in outcomes))


def _outcomes() -> Iterator[Outcome]:
    for row in rows():
        blocks, threads = shape(row)
        yield Outcome(row, verdict(row), *_shown(row, kernels.many(row), blocks, threads))
    for bulk in bulk_rows():
        yield Outcome(bulk, bulk_verdict(bulk), *_shown(bulk, kernels.many_bulk(bulk), 1, 64))


def _shown(row: Litmus | BulkLitmus, ptx: str, blocks: int, threads: int) -> tuple[int, int]:
    """Return the tries of a row that showed the forbidden result, and those in which a wait did not end."""
    import cupy  # noqa: PLC0415

    with NamedTemporaryFile("w", suffix=".ptx", encoding="utf-8") as file:
        file.write(ptx)
        file.flush()
        kernel = cupy.RawModule(path=file.name).get_function("k")
    memory = cupy.empty((INSTANCES, kernels.WORDS), np.uint32)
    shown = void = 0
    for early, late in DELAYS:
        memory.fill(kernels.OLD_GLOBAL if isinstance(row, BulkLitmus) else 0)
        kernel((INSTANCES * blocks,), (threads,), (memory, np.uint32(early), np.uint32(late)))
        words = cupy.asnumpy(memory)
        is_over = ~is_void(row, words)
        shown += int((is_forbidden(row, words) & is_over).sum())
        void += int((~is_over).sum())
    return shown, void


def _table(outcomes: Sequence[Outcome]) -> str:
    kinds = ("sound", "doubtful", "unused", "without a wait", "too weak")
    count: Counter[tuple[str, str]] = Counter()
    shows: Counter[tuple[str, str]] = Counter()
    for item in outcomes:
        for name in (item.mechanism, "all"):
            count[name, item.kind] += 1
            shows[name, item.kind] += item.shown > 0
    rows = []
    for name in dict.fromkeys([*(item.mechanism for item in outcomes), "all"]):
        both = [(shows[name, kind], count[name, kind]) for kind in kinds]
        rows.append((name, *(f"{shown} of {every}" if every else UNKNOWN for shown, every in both)))
    return table(("rows, and those that show it", *kinds), rows)


def _lists(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, list[str]]]:
    for kind in ("sound", "doubtful", "unused", "too weak", "without a wait"):
        is_expected = kind == "without a wait"
        title = "Rows without a wait that do not" if is_expected else f"{kind.capitalize()} rows that show it"
        items = [item for item in outcomes if item.kind == kind and bool(item.shown) is not is_expected]
        yield title, [f"{item.row.name}: {item.shown:,} of {TRIES - item.void:,}" for item in items]
