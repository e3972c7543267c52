"""Compare two calibrations of one GPU by `shflbench calibrate`.

    python -m benchmarks calibration FIRST.json SECOND.json                  print the table
    python -m benchmarks calibration FIRST.json SECOND.json --record         write it to benchmarks/calibration.md

Both files must be of one GPU. Tolerances: 1% for the units of an SM, 3% for the L2 cache, DRAM and atomic additions in
global memory, 0.15 µs for launches. The exit code is 1 if a figure differs by more, if the shuffles are further than 1%
from the documented rate, if a barrier is further than 1 clock from a line in the warps, or if a calibration took more
than 30 s.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.common.pages import bullets, program, publish, table, written_by
from shflbench.store.calibration_file import CalibratedFigure, Calibration, read

PAGE_FILE = Path(__file__).with_suffix(".md")
SM_TOLERANCE, MEMORY_TOLERANCE, LAUNCH_TOLERANCE_US = 0.01, 0.03, 0.15
COPIES_TOLERANCE = 0.05  # beside copies, where a fence waits for a queue of stores
MEMORY = ("l2_", "dram_", "atomic_global_")  # how the names of figures beyond the SM start
CEILING_TOLERANCE = 0.01  # of the rate of shuffles, from the documented one
RESIDUAL_CLOCKS = 1.0
MOST_SECONDS = 60.0

HEAD = ("figure", "first", "second", "difference", "interval of the first", "documented", "unit")
PAGE = """\
# Two calibrations of one GPU

{written}

{device}, driver {driver}, {measured}: `shflbench calibrate` twice, {seconds}. Tolerances of the difference: {sm:.0%}
for the units of an SM, {memory:.0%} for the L2 cache, DRAM and atomic additions in global memory, {copies:.0%} beside
copies, and {launch} µs for launches.

{figures}

{barriers}

{verdict}
"""


@dataclass(frozen=True, slots=True)
class FigurePair:
    """A figure as two calibrations measured it."""

    name: str
    first: CalibratedFigure
    second: CalibratedFigure

    @property
    def difference(self) -> float:
        """The second less the first; relative to the first unless it is a time."""
        absolute = self.second.value - self.first.value
        return absolute if self.is_time else absolute / self.first.value

    @property
    def is_time(self) -> bool:
        """Whether its difference counts in µs."""
        return self.first.unit == "µs"

    @property
    def tolerance(self) -> float:
        """The largest difference that is allowed, in the unit of `difference`."""
        if self.is_time:
            return LAUNCH_TOLERANCE_US
        if self.name.endswith("_beside_copies"):
            return COPIES_TOLERANCE
        return MEMORY_TOLERANCE if self.name.startswith(MEMORY) else SM_TOLERANCE

    @property
    def agrees(self) -> bool:
        """Whether the two calibrations agree."""
        return abs(self.difference) <= self.tolerance

    def cells(self) -> tuple[str, ...]:
        """Return its line of the table."""
        first, second = self.first, self.second
        difference = f"{self.difference:+.3f} µs" if self.is_time else f"{self.difference:+.2%}"
        documented = "" if first.documented is None else f"{first.documented:.4g}"
        mark = "" if self.agrees else " (too large)"
        interval = f"{first.low:.5g} to {first.high:.5g}"
        values = f"{first.value:.5g}", f"{second.value:.5g}"
        return self.name, *values, difference + mark, interval, documented, first.unit


def pairs(first: Calibration, second: Calibration) -> list[FigurePair]:
    """Return the figures that both calibrations measured."""
    both = (name for name in first.figures if name in second.figures)
    return [FigurePair(name, first.figures[name], second.figures[name]) for name in both]


def faults(first: Calibration, second: Calibration) -> Iterator[str]:
    """Yield what does not meet the requirements, a sentence each."""
    for pair in pairs(first, second):
        if not pair.agrees:
            yield f"`{pair.name}` differs by more than its tolerance"
    for word, calibration in (("first", first), ("second", second)):
        shuffle = calibration.figures.get("shuffle")
        if shuffle is None or shuffle.documented is None:
            yield f"the rate of shuffles is unknown in the {word} calibration"
        elif abs(shuffle.value / shuffle.documented - 1) > CEILING_TOLERANCE:
            share = shuffle.value / shuffle.documented
            yield f"shuffles reach {share:.1%} of the documented rate in the {word} calibration"
        line = calibration.barrier_line
        worst = max(map(abs, line.residuals.values())) if line else None
        if worst is None or worst > RESIDUAL_CLOCKS:
            yield f"barriers are up to {worst or 0:.2f} clocks from a line in the {word} calibration"
        if calibration.seconds > MOST_SECONDS:
            yield f"the {word} calibration took {calibration.seconds:.0f} s"
        yield from (
            f"`{name}` is missing in the {word} calibration: {why}" for name, why in calibration.missing.items()
        )


def page(first: Calibration, second: Calibration) -> str:
    """Return the page about two calibrations."""
    return PAGE.format(
        written=written_by("calibration FIRST SECOND --record"),
        device=first.device,
        driver=first.driver,
        measured=first.measured[:10],
        seconds=" and ".join(f"{calibration.seconds:.1f} s" for calibration in (first, second)),
        sm=SM_TOLERANCE,
        memory=MEMORY_TOLERANCE,
        copies=COPIES_TOLERANCE,
        launch=LAUNCH_TOLERANCE_US,
        figures=table(HEAD, (pair.cells() for pair in pairs(first, second)), len(HEAD)),
        barriers="\n".join(_barriers((first, second))),
        verdict=bullets(faults(first, second), "All requirements are met."),
    )


def _barriers(calibrations: Sequence[Calibration]) -> Iterator[str]:
    for word, calibration in zip(("First", "Second"), calibrations, strict=True):
        if line := calibration.barrier_line:
            residuals = ", ".join(f"{warps}: {clocks:+.2f}" for warps, clocks in line.residuals.items())
            formula = f"{line.constant:.2f} + {line.per_warp:.3f} × warps clocks"
            yield f"{word} calibration: a barrier takes {formula}; residuals by warps: {residuals}."


def main() -> int:
    """Run as a program; return the exit code."""
    parser = program(__doc__, PAGE_FILE)
    parser.add_argument("files", nargs=2, type=Path, metavar="FILE")
    arguments = parser.parse_args()
    first, second = map(read, arguments.files)
    if first.uuid != second.uuid:
        parser.error("the two files are of different GPUs")
    publish(page(first, second), arguments.record)
    return 1 if list(faults(first, second)) else 0
