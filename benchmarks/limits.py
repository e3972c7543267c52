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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from statistics import median, quantiles

from benchmarks.common.pages import UNKNOWN, bullets, program, publish, table, written_by
from benchmarks.prediction import calibration_of
from shflbench.analysis.limits.one_pass import BLOCK_START
from shflbench.analysis.settings import one_pass
from shflbench.core.grouping import group_by
from shflbench.core.model import Disturbance, Status
from shflbench.kernel_facts.recorded_limits import TOLERANCE
from shflbench.kernel_facts.residency import residency_of
from shflbench.kernel_facts.run_limits import limits_of
from shflbench.store import Row, Run, find_runs, read_run
from shflbench.store.limits_file import CaseLimit, read_limits

PAGE_FILE = Path(__file__).with_suffix(".md")
RESULTS = Path(__file__).parents[1] / "results"
CASES = Path(__file__).with_name("limit_cases.txt")
LAUNCH = "2*sms x 1024"
MEGABYTES = 200  # that a kernel of one pass moves at least
USEFUL = 0.3  # the least share of the time that a useful limit explains

PAGE = """\
# Limits against measurements

{written}

For each timed row of the reference runs on {devices}: the limit divided by the measured time. The limit is a lower
bound from the machine code that ran and from the figures in `shflbench/core/arch`. The time is `time_us` at the clock
of the row; in one wave and where the time is linear in the iterations, `cycles_per_iteration` as well. A limit below
{useful:.0%} of the time is not useful. Tolerance: {tolerance:.0%}.

{patterns}

Rows without a limit: {without}.

What sets the limit: {limiters}.

What sets the limit of the {not_useful} rows whose limit is not useful: {useless_limiters}.

{block_start} of the useful limits are the time in which the GPU starts the blocks. Its rate is not documented, but
measured and rounded up.

{exceeded} of {rows} rows were more than {tolerance:.0%} faster than their limit.{wrong}

## A list of cases that was fixed in advance

`benchmarks/limit_cases.txt` holds cases that a rule chose, whatever their limits are: the loops at `{launch}`, and the
kernels of one pass that move {bytes} MB or more. All of them count.

{bars}

{below}
"""


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


def case_list(runs: Iterable[Run]) -> str:
    """Return the list of cases, a line each: kind, suite and id."""
    kinds = ((CaseKind.of(row), run.info.suite.name, row.case_id) for run in runs for row in run.rows)
    return "".join(sorted(f"{kind.name.lower()} {suite} {case}\n" for kind, suite, case in kinds if kind))


def listed_cases() -> Iterator[tuple[CaseKind, str, str]]:
    """Yield kind, suite and id of each case of the committed list."""
    for line in CASES.read_text(encoding="utf-8").splitlines():
        kind, suite, case = line.split(" ", 2)
        yield CaseKind[kind.upper()], suite, case


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
    return limits_of(run, calibration=calibration_of(run.info.device.name) if run.info.device else None)


def page(compared: Mapping[str, Sequence[Compared]], devices: Iterable[str]) -> str:
    """Return the page about the rows of each pattern."""
    every = [one for of_pattern in compared.values() for one in of_pattern]
    useless = [one for one in every if not one.is_useful]
    bars, below = _bars(every)
    wrong = exceeded(every)
    patterns = ("pattern", "rows", "with a limit", "useful", "median", "lowest tenth", "largest")
    return PAGE.format(
        written=written_by("limits --record"),
        devices=", ".join(devices),
        useful=USEFUL,
        tolerance=TOLERANCE - 1,
        patterns=table(patterns, (_cells(*item) for item in (*sorted(compared.items()), ("all", every))), 7),
        without=_counts(one.limit.limit_reason for one in every),
        limiters=_counts(one.limit.limit_by for one in every),
        not_useful=len(useless),
        useless_limiters=_counts(one.limit.limit_by for one in useless),
        block_start=sum(one.is_useful and one.limit.limit_by == BLOCK_START for one in every),
        exceeded=len(wrong),
        rows=len(every),
        wrong="".join(f"\n- `{one.row.case_id}`: {one.largest:.1%}" for one in wrong),
        launch=LAUNCH,
        bytes=MEGABYTES,
        bars=table(("cases", "number", "compared", "lowest", "median", "target", "reach it"), bars, 7),
        below=f"Below their target: {len(below)} cases.\n{bullets(below)}" if below else "None is below its target.",
    )


def _cells(name: str, compared: Sequence[Compared]) -> list[object]:
    shares = sorted(one.limit.limit_fraction for one in compared if one.limit.limit_fraction is not None)
    figures = [UNKNOWN] * 3
    if len(shares) > 1:
        largest = max(one.largest for one in compared)
        figures = [f"{value:.1%}" for value in (median(shares), quantiles(shares, n=10)[0], largest)]
    useful = sum(one.is_useful for one in compared) / len(compared)
    return [name, len(compared), len(shares), f"{useful:.0%}", *figures]


def _counts(words: Iterable[str | None]) -> str:
    return ", ".join(f"{word} {count}" for word, count in Counter(filter(None, words)).most_common()) or "none"


def _bars(compared: Iterable[Compared]) -> tuple[list[Sequence[object]], list[str]]:
    """Return a line of the table for each kind of case on the list, and the cases that do not reach its target."""
    known = {(one.suite, one.row.case_id): one for one in compared}
    listed = [(kind, known[suite, case]) for kind, suite, case in listed_cases() if (suite, case) in known]
    rows: list[Sequence[object]] = []
    below = []
    for kind, cases in group_by(listed, lambda item: item[0]).items():
        shares = {one.row.case_id: share for _, one in cases if (share := _share(kind, one)) is not None}
        good = sum(share >= kind.target for share in shares.values())
        ends = [f"{value(shares.values()):.1%}" if shares else UNKNOWN for value in (min, median)]
        rows.append((kind.title, len(cases), len(shares), *ends, f"{kind.target:.0%}", f"{good} of {len(cases)}"))
        below += [f"`{case}`: {share:.1%}" for case, share in shares.items() if share < kind.target]
    return rows, below


def _share(kind: CaseKind, one: Compared) -> float | None:
    """Return what a case of this kind reaches of its bound; None if either is unknown."""
    if kind is not CaseKind.MEMORY:
        return one.of_cycles
    return one.limit.ceiling_us / one.row.time_us if one.limit.ceiling_us and one.row.time_us else None


def exceeded(compared: Iterable[Compared]) -> list[Compared]:
    """Return the rows that were faster than their limit."""
    return [one for one in compared if one.is_exceeded]


def main() -> int:
    """Run as a program; return the exit code."""
    parser = program(__doc__, PAGE_FILE)
    parser.add_argument("--best-case", action="store_true")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    runs = [read_run(folder) for folder in find_runs([RESULTS])]
    if arguments.list:
        print(case_list(runs), end="")
        return 0
    compared: list[Compared] = []
    for run in runs:
        compared += compare(run, best_case(run) if arguments.best_case else read_limits(run.folder).values())
    devices = dict.fromkeys(run.info.device.name for run in runs if run.info.device)
    publish(page(group_by(compared, lambda one: one.row.pattern), devices), arguments.record)
    return 1 if exceeded(compared) else 0
