"""Compare the limits of all rows of the reference runs with their measured times.

    python -m benchmarks limits                   print the table of the limits in limits.csv of each run under results/
    python -m benchmarks limits --record          write it to benchmarks/limits.md
    python -m benchmarks limits --best-case       compute the limits anew, without counting requests in the emulator
    python -m benchmarks limits --list            print the list of cases in limit_cases.txt, by its rule

`shflbench limits results/*/* --requests --save` writes limits.csv from the machine code that ran, in three minutes;
needs no GPU. A limit is a lower bound: the exit code is 1 if one exceeds its measurement by more than 1%.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from benchmarks import limit_cases
from benchmarks.common.pages import program, publish, table_row, written_by
from shflbench.analysis.limits.one_pass import BLOCK_START
from shflbench.core.grouping import group_by
from shflbench.core.model import Disturbance
from shflbench.kernel_facts.recorded_limits import TOLERANCE
from shflbench.kernel_facts.residency import residency_of
from shflbench.kernel_facts.run_limits import limits_of
from shflbench.store import find_runs, read_run
from shflbench.store.calibration_file import find_shipped, read
from shflbench.store.limits_file import read_limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.store import Row, Run
    from shflbench.store.limits_file import CaseLimit

PAGE_FILE = Path(__file__).with_suffix(".md")
RESULTS = Path(__file__).parents[1] / "results"
USEFUL = 0.3  # the least share of the time that a useful limit explains
TENTH = 10  # quantiles

PAGE = """\
# Limits against measurements

{written}

For each timed row of the reference runs on {devices}: the limit divided by the measured time. The limit is a lower
bound from the machine code that ran and from the figures in `shflbench/core/arch`. The time is `time_us` at the clock
of the row; in one wave and where the time is linear in the iterations, `cycles_per_iteration` as well. A limit below
{useful:.0%} of the time is not useful. Tolerance: {tolerance:.0%}.

| pattern | rows | with a limit | useful | median | lowest tenth | largest |
| --- | --- | --- | --- | --- | --- | --- |
{lines}

Rows without a limit: {without}.

What sets the limit: {limiters}.

What sets the limit of the {not_useful} rows whose limit is not useful: {useless_limiters}.

{block_start} of the useful limits are the time in which the GPU starts the blocks. Its rate is not documented, but
measured and rounded up.

{verdict}

## A list of cases that was fixed in advance

`benchmarks/limit_cases.txt` holds cases that a rule chose, whatever their limits are: the loops at `{launch}`, and the
kernels of one pass that move {bytes} MB or more. All of them count.

| cases | number | compared | lowest | median | target | reach it |
| --- | --- | --- | --- | --- | --- | --- |
{bars}

{below}
"""


@dataclass(frozen=True, slots=True)
class Compared:
    """One row: its limit divided by its time, and by its clocks per iteration where these are comparable."""

    suite: str
    row: Row
    limit: CaseLimit
    of_cycles: float | None = None

    @property
    def largest(self) -> float:
        """The larger of the two ratios; 0 if there is no limit."""
        return max(self.limit.limit_fraction or 0.0, self.of_cycles or 0.0)

    @property
    def is_exceeded(self) -> bool:
        """Whether the row is more than 1% faster than its limit at the upper ends of its intervals, too."""
        row = self.row
        launch = (row.time_us or 1.0) / (row.time_high_us or 1.0)
        iteration = (row.ns_per_iteration or 1.0) / (row.ns_per_iteration_high or 1.0)
        largest = max((self.limit.limit_fraction or 0.0) * launch, (self.of_cycles or 0.0) * iteration)
        return largest > TOLERANCE

    @property
    def is_useful(self) -> bool:
        """Whether the limit explains enough of the time."""
        return (self.limit.limit_fraction or 0.0) >= USEFUL


def compare(run: Run, limits: Iterable[CaseLimit]) -> Iterator[Compared]:
    """Yield each timed row of a run with its limit."""
    device, rows = run.info.device, {row.case_id: row for row in run.rows}
    if device is None:
        return
    for limit in limits:
        row = rows[limit.case_id]
        residency = residency_of(row, device)
        is_linear = residency and residency.waves == 1 and Disturbance.NONLINEAR not in (row.noise or ())
        cycles = row.cycles_per_iteration if is_linear else None
        of_cycles = limit.limit_cycles / cycles if cycles and limit.limit_cycles else None
        yield Compared(run.info.suite.name, row, limit, of_cycles)


def best_case(run: Run) -> list[CaseLimit]:
    """Return the limits of a run without what the emulator counts, such as bank conflicts."""
    path = find_shipped(run.info.device.name) if run.info.device else None
    return limits_of(run, calibration=read(path) if path else None)


def page(compared: Mapping[str, Sequence[Compared]], devices: Iterable[str]) -> str:
    """Return the page about the rows of each pattern."""
    every = [one for of_pattern in compared.values() for one in of_pattern]
    lines = [_line(name, of_pattern) for name, of_pattern in sorted(compared.items())]
    useless = [one for one in every if not one.is_useful]
    bars = list(_bars(every))
    return PAGE.format(
        written=written_by("limits --record"),
        devices=", ".join(devices),
        useful=USEFUL,
        tolerance=TOLERANCE - 1,
        lines="\n".join([*lines, _line("all", every)]),
        without=_counts(one.limit.limit_reason for one in every if one.limit.limit_reason) or "none",
        limiters=_counts(one.limit.limit_by for one in every if one.limit.limit_by),
        not_useful=len(useless),
        useless_limiters=_counts(one.limit.limit_by for one in useless if one.limit.limit_by) or "none",
        block_start=sum(one.is_useful and one.limit.limit_by == BLOCK_START for one in every),
        verdict="\n".join(_verdict(every)),
        launch=limit_cases.LAUNCH,
        bytes=limit_cases.MEGABYTES,
        bars="\n".join(line for line, _ in bars),
        below="\n".join(_below([case for _, cases in bars for case in cases])),
    )


def _line(name: str, compared: Sequence[Compared]) -> str:
    shares = sorted(one.limit.limit_fraction for one in compared if one.limit.limit_fraction is not None)
    useful = sum(one.is_useful for one in compared)
    cells = [name, str(len(compared)), str(len(shares)), f"{useful / len(compared):.0%}"]
    if len(shares) > 1:
        cells += [f"{median(shares):.1%}", f"{quantiles(shares, n=TENTH)[0]:.1%}", f"{_largest(compared):.1%}"]
    return table_row(*cells, *["–"] * (7 - len(cells)))


def _largest(compared: Sequence[Compared]) -> float:
    return max(one.largest for one in compared)


def _counts(words: Iterable[str | None]) -> str:
    return ", ".join(f"{word} {count}" for word, count in Counter(words).most_common())


def _bars(compared: Iterable[Compared]) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Yield a line of the table for each kind of case on the list, and the cases that do not reach its target."""
    known = {(one.suite, one.row.case_id): one for one in compared}
    listed = [(kind, known[suite, case]) for kind, suite, case in limit_cases.read() if (suite, case) in known]
    for kind, cases in group_by(listed, lambda item: item[0]).items():
        shares = {one.row.case_id: share for _, one in cases if (share := _share(kind, one)) is not None}
        good = sum(share >= kind.target for share in shares.values())
        extremes = (
            [f"{value:.1%}" for value in (min(shares.values()), median(shares.values()))] if shares else ["–", "–"]
        )
        cells = (kind.title, len(cases), len(shares), *extremes, f"{kind.target:.0%}", f"{good} of {len(cases)}")
        yield table_row(*cells), [(case, share) for case, share in shares.items() if share < kind.target]


def _share(kind: limit_cases.CaseKind, one: Compared) -> float | None:
    """Return what a case of this kind reaches of its bound; None if either is unknown."""
    if kind is not limit_cases.CaseKind.MEMORY:
        return one.of_cycles
    return one.limit.ceiling_us / one.row.time_us if one.limit.ceiling_us and one.row.time_us else None


def _below(cases: Sequence[tuple[str, float]]) -> Iterator[str]:
    yield f"Below their target: {len(cases)} cases." if cases else "None is below its target."
    yield from (f"- `{case}`: {share:.1%}" for case, share in cases)


def exceeded(compared: Iterable[Compared]) -> list[Compared]:
    """Return the rows that were faster than their limit."""
    return [one for one in compared if one.is_exceeded]


def _verdict(compared: Sequence[Compared]) -> Iterator[str]:
    wrong = exceeded(compared)
    yield f"{len(wrong)} of {len(compared)} rows were more than {TOLERANCE - 1:.0%} faster than their limit."
    yield from (f"- `{one.row.case_id}`: {one.largest:.1%}" for one in wrong)


def main() -> int:
    """Run as a program; return the exit code."""
    parser = program(__doc__, PAGE_FILE)
    parser.add_argument("--best-case", action="store_true")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    runs = [read_run(folder) for folder in find_runs([RESULTS])]
    if arguments.list:
        print(limit_cases.text(runs), end="")
        return 0
    compared: list[Compared] = []
    for run in runs:
        compared += compare(run, best_case(run) if arguments.best_case else read_limits(run.folder).values())
    devices = dict.fromkeys(run.info.device.name for run in runs if run.info.device)
    text = page(group_by(compared, lambda one: one.row.pattern), devices)
    publish(text, arguments.record)
    return 1 if exceeded(compared) else 0
