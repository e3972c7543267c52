"""Compare the limits of all rows of the reference runs with their measured times.

    python -m benchmarks.limits                   print the table
    python -m benchmarks.limits --record FILE     write it to a file

Reads the machine code that ran from the `kernels.zip` of each run under results/, with nvdisasm of this environment;
needs no GPU. A limit is a lower bound: the exit code is 1 if one exceeds its measurement by more than 1%.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent.parent))  # so that it also runs as a file

from shflbench.analysis.limits import Residency, limit
from shflbench.arch import load
from shflbench.compile.cubin import kernel_code
from shflbench.compile.sass import disassemble
from shflbench.compile.timed_code import timed_loop_of
from shflbench.compile.toolchain import find
from shflbench.grouping import group_by
from shflbench.model import Disturbance, Status
from shflbench.store import find_runs, read_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.analysis.limits import Limit
    from shflbench.model import TimedCode
    from shflbench.store import Row, Run

RESULTS = Path(__file__).parents[1] / "results"
TOLERANCE = 1.01  # the largest ratio of a lower bound to its measurement
USEFUL = 0.3  # the least share of the time that a useful limit explains
TENTH = 10  # quantiles

PAGE = """\
# Limits against measurements

Written by `python -m benchmarks.limits --record`; do not edit.

For each timed row of the reference runs on {devices}: the limit divided by the measured time. The limit is a lower
bound from the machine code that ran and from the figures in `shflbench/arch`. The time is `time_us` at the clock of the
row; in one wave and where the time is linear in the iterations, `cycles_per_iteration` as well. A limit below
{useful:.0%} of the time is not useful. Tolerance: {tolerance:.0%}.

| pattern | rows | with a limit | useful | median | lowest tenth | largest |
| --- | --- | --- | --- | --- | --- | --- |
{lines}

Rows without a limit: {without}.

What sets the limit: {limiters}.

{verdict}
"""


@dataclass(frozen=True, slots=True)
class Compared:
    """One row: its limit divided by its time, and by its clocks per iteration where these are comparable."""

    row: Row
    limit: Limit | None
    of_time: float | None = None
    of_cycles: float | None = None
    reason: str = ""  # why there is no limit

    @property
    def largest(self) -> float:
        """The larger of the two ratios; 0 if there is no limit."""
        return max(self.of_time or 0.0, self.of_cycles or 0.0)


def compare(run: Run) -> Iterator[Compared]:
    """Yield each timed row of a run with its limit."""
    device, code = run.info.device, _timed_code(run)
    figures = load(device.arch) if device else None
    if device is None or figures is None:
        return
    for row in run.rows:
        if row.status is not Status.TIMED or row.time_us is None or row.grid is None:
            continue
        if (loop := code.get(row.case_id)) is None:
            yield Compared(row, None, reason="no timed loop")
            continue
        resident = round(row.occupancy * device.threads_per_sm / row.block) if row.occupancy else None
        residency = Residency.of(row.grid, row.block, device.sms, resident)
        found = limit(loop, figures, residency)
        if found is None:
            yield Compared(row, None, reason="unknown instructions")
            continue
        of_time = found.cycles * row.iterations / (row.sm_clock_mhz or device.clock_mhz) / row.time_us
        is_linear = residency.waves == 1 and Disturbance.NONLINEAR not in (row.noise or ())
        cycles = row.cycles_per_iteration if is_linear else None
        yield Compared(row, found, of_time, found.cycles / cycles if cycles else None)


def _timed_code(run: Run) -> dict[str, TimedCode]:
    """Return the timed loop of each case whose kernel has one."""
    archive = run.kernels()
    looped = [kernel for kernel in archive.index.kernels if kernel.loop] if archive else []
    if archive is None or not looped:
        return {}
    texts = {name: kernel_code(archive.contents[name]) for name in {kernel.cubin for kernel in looped}}
    codes = [texts[kernel.cubin][kernel.symbol] for kernel in looped]
    sass = disassemble(codes, archive.index.compiler.arch, find().nvdisasm) or []
    found: dict[str, TimedCode] = {}
    for kernel, code, instructions in zip(looped, codes, sass, strict=True):
        loop = kernel.loop
        timed = timed_loop_of(instructions, code, loop.start, loop.end, loop.unroll) if loop else None
        found |= dict.fromkeys(kernel.cases, timed) if timed else {}
    return found


def page(compared: Mapping[str, Sequence[Compared]], devices: Iterable[str]) -> str:
    """Return the page about the rows of each pattern."""
    every = [one for of_pattern in compared.values() for one in of_pattern]
    lines = [_line(name, of_pattern) for name, of_pattern in sorted(compared.items())]
    return PAGE.format(
        devices=", ".join(devices),
        useful=USEFUL,
        tolerance=TOLERANCE - 1,
        lines="\n".join([*lines, _line("all", every)]),
        without=_counts(one.reason for one in every if one.reason) or "none",
        limiters=_counts(one.limit.by for one in every if one.limit),
        verdict="\n".join(_verdict(every)),
    )


def _line(name: str, compared: Sequence[Compared]) -> str:
    shares = sorted(one.of_time for one in compared if one.of_time is not None)
    useful = sum(share >= USEFUL for share in shares)
    cells = [name, str(len(compared)), str(len(shares)), f"{useful / len(compared):.0%}"]
    if len(shares) > 1:
        cells += [f"{median(shares):.1%}", f"{quantiles(shares, n=TENTH)[0]:.1%}", f"{_largest(compared):.1%}"]
    return f"| {' | '.join([*cells, *['–'] * (7 - len(cells))])} |"


def _largest(compared: Sequence[Compared]) -> float:
    return max(one.largest for one in compared)


def _counts(words: Iterable[str]) -> str:
    return ", ".join(f"{word} {count}" for word, count in Counter(words).most_common())


def exceeded(compared: Iterable[Compared]) -> list[Compared]:
    """Return the rows that were faster than their limit."""
    return [one for one in compared if one.largest > TOLERANCE]


def _verdict(compared: Sequence[Compared]) -> Iterator[str]:
    wrong = exceeded(compared)
    yield f"{len(wrong)} of {len(compared)} rows were more than {TOLERANCE - 1:.0%} faster than their limit."
    yield from (f"- `{one.row.case_id}`: {one.largest:.1%}" for one in wrong)


def main() -> int:
    """Run as a program; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    runs = [read_run(folder) for folder in find_runs([RESULTS])]
    compared = [one for run in runs for one in compare(run)]
    devices = dict.fromkeys(run.info.device.name for run in runs if run.info.device)
    text = page(group_by(compared, lambda one: one.row.pattern), devices)
    if arguments.record:
        arguments.record.write_text(text, encoding="utf-8")
    print(text)
    return 1 if exceeded(compared) else 0


if __name__ == "__main__":
    sys.exit(main())
