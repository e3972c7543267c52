"""Write docs/explanation/what-the-exchanges-show.md, the answers of `exchanges` and `clusters`: `make plots`.

The sentences are in `exchanges_page.md.j2`, which takes each figure from the reference runs, and leaves out what these
do not have. A test checks the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from shflbench.analysis import contest
from shflbench.analysis.contest import Contest, competes, contest_of
from shflbench.grouping import group_by
from shflbench.store import read_run
from shflbench.store.limits_file import read_limits
from tools.docs.claims_page import cell, measured, share, verdicts
from tools.docs.contradictions_page import linked
from tools.docs.first_page import ROOT
from tools.docs.page_file import write_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shflbench.store import Row
    from shflbench.store.limits_file import CaseLimit
    from shflbench.store.read import Run

PAGE = ROOT / "docs" / "explanation" / "what-the-exchanges-show.md"
RUN = ROOT / "results" / "exchanges" / "nvidia-h100"
TEMPLATE = Path(__file__).with_name("exchanges_page.md.j2")
RUN_OF_CLUSTERS = ROOT / "results" / "clusters" / RUN.name
WAVEFRONTS = ROOT / "benchmarks" / "wavefronts.md"
LETTER = "X"  # of the ids of its claims
IN_BRACKETS = "; in brackets: registers per thread"
MOST = 0.95  # of the cases have an interval that is no wider than the page says


stored = cache(read_run)


@cache
def limits() -> Mapping[str, CaseLimit]:
    """Return the limits of both runs by case."""
    return {**read_limits(RUN), **read_limits(RUN_OF_CLUSTERS)}


@dataclass(frozen=True, slots=True)
class Group:
    """The timed rows of a setting by variant, and their contest; None if it has a single candidate."""

    rows: Mapping[str, Row]
    contest: Contest | None

    @property
    def first(self) -> Row:
        """Any of the rows, for what they share."""
        return next(iter(self.rows.values()))

    def fastest_of(self, variants: Sequence[str]) -> Sequence[str]:
        """Return the fastest of some variants: those that are not shown to be slower than the first one."""
        rows = [self.rows[variant] for variant in variants if variant in self.rows]
        one = contest_of(rows)
        return one.variants if one else [row.variant for row in rows if competes(row)]


@cache
def settings() -> Mapping[str, Group]:
    """Return the groups of both runs by setting, such as `reduce i32 sms x 32 width=16`."""
    found: dict[str, Group] = {}
    for run in map(stored, (RUN, RUN_OF_CLUSTERS)):
        timed = [row for row in run.rows if row.time_us is not None]
        named = group_by(timed, lambda row: " ".join((row.pattern, row.dtype, row.launch, *row.option_texts)))
        for name, rows in named.items():
            found[name] = Group({row.variant: row for row in rows}, contest_of(rows))
    return found


def has(name: str, *variants: str) -> bool:
    """Whether the runs have a setting, with these variants."""
    return name in settings() and all(variant in settings()[name].rows for variant in variants)


def known(names: Iterable[str], *variants: str) -> list[str]:
    """Return the settings that the runs have, with these variants."""
    return [name for name in names if has(name, *variants)]


def table(
    of: str,
    launches: Sequence[str],
    variants: Sequence[str],
    options: Sequence[str] = ("",),
    *,
    registers: bool = False,
) -> str:
    """Return a table of times, a line for each launch and text of options; `of` is a pattern and a type.

    Settings and variants that the runs do not have are left out. With `registers`, those per thread follow each time.
    """
    names = {(launch, option): f"{of} {launch} {option}".rstrip() for launch in launches for option in options}
    found = {place: settings()[name] for place, name in names.items() if has(name)}
    measured_variants = {variant for setting in found.values() for variant in setting.rows}
    columns = [variant for variant in variants if variant in measured_variants]
    pattern, dtype = of.split(" ")
    lines = [
        f"Times in µs of `{pattern}`, `{dtype}`{_iterations(found)}{IN_BRACKETS if registers else ''}:",
        "",
        f"| launch | options | {' | '.join(columns)} | fastest |",
        f"| --- | --- |{' --: |' * len(columns)} --- |",
    ]
    for (launch, option), setting in found.items():
        cells = [_cell(setting.rows.get(variant), registers=registers) for variant in columns]
        place = f"`{launch}`{_blocks(setting.first)} | {option.replace(' ', ', ') or '–'}"
        lines.append(f"| {place} | {' | '.join(cells)} | {', '.join(setting.fastest_of(columns))} |")
    return "\n".join(lines)


def _iterations(found: Mapping[tuple[str, str], Group]) -> str:
    """Return the iterations of a table's launches: `, 1,024 iterations`; of one-pass kernels nothing."""
    launches = group_by(found, lambda place: found[place].first.iterations)
    if len(launches) == 1:
        (iterations,) = launches
        return f", {iterations:,} iterations" if iterations > 1 else ""
    named = {
        number: ", ".join(f"`{name}`" for name in dict.fromkeys(first for first, _ in places))
        for number, places in launches.items()
    }
    return ", iterations: " + ", ".join(f"{number:,} in {names}" for number, names in named.items())


def _cell(row: Row | None, *, registers: bool) -> str:
    if row is None:
        return "–"
    return f"{row.time_us:.1f}" + (f" ({row.registers})" if registers else "")


def _blocks(row: Row) -> str:
    """Return the blocks per SM of a launch whose text does not say them."""
    device = stored(RUN).info.device
    return f" ({row.grid // device.sms} per SM)" if row.grid and device and row.launch.startswith("fill") else ""


def seconds(run: Run) -> float:
    """Return how long a run took."""
    started, finished = map(datetime.fromisoformat, (run.info.started, run.info.finished or run.info.started))
    return (finished - started).total_seconds()


def quotient(name: str, of: str, to: str) -> float:
    """Return the time of one variant divided by that of another."""
    rows = settings()[name].rows
    return (rows[of].time_us or 0) / (rows[to].time_us or 1)


def ratio(name: str, of: str, to: str) -> str:
    """Return the time of one variant divided by that of another: `1.9×`."""
    return contest.times(quotient(name, of, to))


def ratios(names: Iterable[str], of: str, to: str) -> str:
    """Return the least and the largest of such ratios: `1.3× to 2.2×`."""
    return contest.times_range([quotient(name, of, to) for name in known(names, of, to)])


def slower(name: str, variant: str, other: str) -> bool:
    """Whether a variant is shown to be slower than another."""
    one = settings()[name]
    return one.contest is not None and one.contest.is_slower(one.rows[variant], one.rows[other])


def always_slower(names: Iterable[str], variant: str, other: str) -> bool:
    """Whether a variant is shown to be slower than another in all settings, of which the runs have some."""
    found = known(names, variant, other)
    return bool(found) and all(slower(name, variant, other) for name in found)


def time(name: str, variant: str) -> str:
    """Return the time of one iteration of a variant: `0.39 µs`."""
    row = settings()[name].rows[variant]
    return f"{(row.time_us or 0) / row.iterations:.2f} µs"


def cycles(name: str, variant: str, per: str = "") -> str:
    """Return the clock cycles per iteration of a variant, or per instruction of an opcode in it."""
    row = settings()[name].rows[variant]
    count = (row.sass_per_iteration or {})[per] if per else 1
    return f"{(row.cycles_per_iteration or 0) / count:.0f}"


def count(name: str, variant: str, opcode: str) -> str:
    """Return how many instructions of an opcode a variant executes per iteration: `31`."""
    return f"{(settings()[name].rows[variant].sass_per_iteration or {})[opcode]:.3g}"


def limit(name: str, variant: str) -> str:
    """Return how near a variant comes to its limit: `98% of its exchange limit`."""
    found = limits()[settings()[name].rows[variant].case_id]
    return f"{found.limit_fraction:.0%} of its {found.limit_by} limit" if found.limit_fraction else "no known limit"


def spills(pattern: str) -> bool:
    """Whether a kernel of a pattern uses local memory, for registers that it spills or for arrays."""
    groups = (group for name, group in settings().items() if name.split()[0] == pattern)
    return any(row.local_bytes or row.spill_bytes for group in groups for row in group.rows.values())


def spread(run: Run) -> str:
    """Return the half-width of the interval that most cases have at most, in percent of the median: `0.9%`."""
    widths = sorted(
        max(row.time_high_us - row.time_us, row.time_us - row.time_low_us) / row.time_us
        for row in run.rows
        if row.time_us and row.time_high_us is not None and row.time_low_us is not None
    )
    return f"{widths[int(MOST * len(widths))]:.1%}"


def clocks(run: Run) -> str:
    """Return the least and the highest median SM clock of a case: `1830 to 2009 MHz`."""
    found = [row.sm_clock_mhz for row in run.rows if row.sm_clock_mhz]
    return f"{min(found):.0f} to {max(found):.0f} MHz"


def links(*threads: str) -> str:
    """Return links to threads, such as `NVIDIA/cccl#7562`; GitHub leads from issues to pull requests."""
    split = (thread.split("#") for thread in threads)
    return ", ".join(f"[{name} {number}](https://github.com/{name}/issues/{number})" for name, number in split)


def render() -> str:
    """Return the page."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATE.parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (Markdown, of committed files)
    )
    environment.filters.update(cell=cell, linked=linked, measured=measured, share=share)
    functions = (
        *(always_slower, clocks, count, cycles, has, limit, links),
        *(quotient, ratio, ratios, seconds, spills, spread, table, time),
    )
    return environment.get_template(TEMPLATE.name).render(
        {function.__name__: function for function in functions},
        run=stored(RUN),
        clusters=stored(RUN_OF_CLUSTERS),
        most=f"{MOST:.0%}",
        counted="ldmatrix" in WAVEFRONTS.read_text(encoding="utf-8"),
        verdicts=verdicts(LETTER, RUN.name),
    )


def main() -> None:
    """Write the page, and print its path if it changed."""
    write_page(PAGE, render())


if __name__ == "__main__":
    main()
