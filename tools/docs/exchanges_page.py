"""Write the pages with the answers of `exchanges` and `clusters`, in docs/explanation: `make plots`.

The sentences are in the folder `exchanges`, a template per page; `common.md.j2` has what several of them use. They take
each figure from the reference runs, and leave out what these do not have. A test checks the pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from shflbench.analysis import ranking
from shflbench.analysis.ranking import Ranking, competes, ranking_of
from shflbench.core.grouping import group_by
from shflbench.core.model import Mechanism
from shflbench.store import read_run
from shflbench.store.limits_file import read_limits
from tools.docs.claims_page import cell, measured, share, verdicts
from tools.docs.contradictions_page import linked
from tools.docs.measured import ROOT, per_iteration
from tools.docs.opponents import RECORDS
from tools.docs.page_file import generated_note, page_environment, write_page
from tools.docs.wrap import wrap_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from jinja2 import Environment

    from shflbench.store import Row
    from shflbench.store.limits_file import CaseLimit
    from shflbench.store.read import Run

FOLDER = ROOT / "docs" / "explanation"
TEMPLATES = Path(__file__).with_name("exchanges")
COMMON = "common"  # no page
NAMES = sorted(stem for path in TEMPLATES.glob("*.md.j2") if (stem := path.name.removesuffix(".md.j2")) != COMMON)
FIRST = FOLDER / "what-the-exchanges-show.md"  # leads to the other pages
CLAIMS = FOLDER / "claims-about-exchanges.md"
RUN = ROOT / "results" / "exchanges" / "nvidia-h200"
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
class Factor:
    """A ratio that a page publishes: the time of one variant divided by that of another."""

    setting: str
    of: str
    to: str


published: list[Factor] = []  # by `pages`; a test compares them with all rows


@dataclass(frozen=True, slots=True)
class Group:
    """The timed rows of a setting by variant, and their ranking; None if it has a single candidate."""

    rows: Mapping[str, Row]
    ranking: Ranking | None

    def quotient(self, of: str, to: str) -> float:
        """Return the time of one variant divided by that of another."""
        return per_iteration(self.rows[of]) / per_iteration(self.rows[to])

    def best_of(self, kind: Mechanism) -> str:
        """Return the fastest safe variant of a kind."""
        rows = [row for row in self.rows.values() if row.safe and row.mechanism == kind.value]
        return min(rows, key=per_iteration).variant

    def fastest(self, quote: str = "") -> str:
        """Return the fastest safe variants: those not shown to be slower than the first, and as fast library calls."""
        names = self.ranking.variants if self.ranking else [row.variant for row in self.rows.values() if competes(row)]
        calls = [row.variant for row in self.ranking.libraries] if self.ranking else []
        quoted, also = (", ".join(f"{quote}{name}{quote}" for name in part) for part in (names, calls))
        return quoted + (f" (also {also})" if also else "")


@cache
def settings() -> Mapping[str, Group]:
    """Return the groups of both runs by setting, such as `reduce i32 sms x 32 width=16`."""
    found: dict[str, Group] = {}
    for run in map(stored, (RUN, RUN_OF_CLUSTERS)):
        timed = [row for row in run.rows if row.time_us is not None]
        named = group_by(timed, lambda row: " ".join((row.pattern, row.dtype, row.launch, *row.option_texts)))
        for name, rows in named.items():
            found[name] = Group({row.variant: row for row in rows}, ranking_of(rows))
    return found


def has(name: str, *variants: str) -> bool:
    """Whether the runs have a setting, with these variants."""
    return name in settings() and settings()[name].rows.keys() >= set(variants)


def known(names: Iterable[str], *variants: str) -> list[str]:
    """Return the settings that the runs have, with these variants."""
    return [name for name in names if has(name, *variants)]


def each(of: str, launches: Sequence[str], options: Sequence[str] = ("",)) -> list[str]:
    """Return the settings of a pattern and a type, such as `handoff i32`, at launches and options."""
    return [f"{of} {launch} {option}".rstrip() for launch in launches for option in options]


def fastest(name: str) -> str:
    """Return the fastest safe variants of a setting, in code: "`redux` (also `cub`)"."""
    return settings()[name].fastest("`")


def table(
    of: str,
    launches: Sequence[str],
    variants: Sequence[str],
    options: Sequence[str] = ("",),
    *,
    registers: bool = False,
) -> str:
    """Return a table, a line for each launch and text of options; `of` is a pattern and a type.

    It has cycles per iteration, or of one-pass kernels times of a launch.
    Settings and variants that the runs do not have are left out. With `registers`, those per thread follow each figure.
    """
    names = {(launch, option): f"{of} {launch} {option}".rstrip() for launch in launches for option in options}
    found = {place: settings()[name] for place, name in names.items() if has(name)}
    measured_variants = {variant for setting in found.values() for variant in setting.rows}
    columns = [variant for variant in variants if variant in measured_variants]
    pattern, dtype = of.split(" ")
    lines = [
        f"{_unit(found)} of `{pattern}`, `{dtype}`{IN_BRACKETS if registers else ''}:",
        "",
        f"| launch | options | {' | '.join(columns)} | fastest |",
        f"| --- | --- |{' --: |' * len(columns)} --- |",
    ]
    for (launch, option), setting in found.items():
        cells = [_cell(setting, variant, registers=registers) for variant in columns]
        place = f"`{launch}`{_blocks(setting)} | {option.replace(' ', ', ') or '–'}"
        lines.append(f"| {place} | {' | '.join(cells)} | {setting.fastest()} |")
    return "\n".join(lines)


def _unit(found: Mapping[tuple[str, str], Group]) -> str:
    rows = [row for setting in found.values() for row in setting.rows.values()]
    return "Cycles per iteration" if any(row.cycles_per_iteration for row in rows) else "Times in µs of a launch"


def _cell(setting: Group, variant: str, *, registers: bool) -> str:
    row = setting.rows.get(variant)
    if row is None:
        return "–"
    figure = f"{row.time_us:.1f}" if row.cycles_per_iteration is None else f"{row.cycles_per_iteration:,.0f}"
    return figure + (f" ({row.registers})" if registers else "")


def _blocks(setting: Group) -> str:
    """Return the blocks per SM of a launch whose text does not say them."""
    row, device = next(iter(setting.rows.values()), None), stored(RUN).info.device
    if row is None or not row.grid or device is None or not row.launch.startswith("fill"):
        return ""
    return f" ({row.grid // device.sms} per SM)"


def seconds(run: Run) -> float:
    """Return how long a run took."""
    started, finished = map(datetime.fromisoformat, (run.info.started, run.info.finished or run.info.started))
    return (finished - started).total_seconds()


def quotient(name: str, of: str, to: str) -> float:
    """Return the time per iteration of one variant divided by that of another; of one-pass kernels that of a launch."""
    published.append(Factor(name, of, to))
    return settings()[name].quotient(of, to)


def ratio(name: str, of: str, to: str) -> str:
    """Return the time of one variant divided by that of another: `1.9×`."""
    return ranking.times(quotient(name, of, to))


def sides(name: str, of: Mechanism, to: Mechanism) -> str:
    """Return the time of the fastest variant of a kind divided by that of the fastest of another one: `1.9×`."""
    return ratio(name, settings()[name].best_of(of), settings()[name].best_of(to))


def ratios(names: Iterable[str], of: str, to: str) -> str:
    """Return the least and the largest of such ratios: `1.3× to 2.2×`."""
    return ranking.times_range([quotient(name, of, to) for name in known(names, of, to)])


def slower(name: str, variant: str, other: str) -> bool:
    """Whether a variant is shown to be slower than another."""
    one = settings()[name]
    return one.ranking is not None and one.ranking.is_slower(one.rows[variant], one.rows[other])


def always_slower(names: Iterable[str], variant: str, other: str) -> bool:
    """Whether a variant is shown to be slower than another in all settings, of which the runs have some."""
    found = known(names, variant, other)
    return bool(found) and all(slower(name, variant, other) for name in found)


def time(name: str, variant: str) -> str:
    """Return the time of one iteration of a variant: `0.39 µs`."""
    row = settings()[name].rows[variant]
    return f"{per_iteration(row) / 1000:.2f} µs"


def cycles(name: str, variant: str, per: str = "") -> str:
    """Return the clock cycles per iteration of a variant, or per instruction of an opcode in it."""
    row = settings()[name].rows[variant]
    count = (row.sass_per_iteration or {})[per] if per else 1
    return f"{(row.cycles_per_iteration or 0.0) / count:.0f}"


def fences(name: str, variant: str) -> str:
    """Return the cycles per iteration of a variant on the two GPUs of the suite `opponents`, each by itself."""
    found = {model.upper(): record["settings"][name][variant][1] for model, record in RECORDS.items()}
    return " and ".join(f"{value:,.0f} cycles on an {model}" for model, value in found.items())


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


def launch_costs() -> tuple[float, float]:
    """Return the least and the largest median of what a launch costs, of the patterns of both runs, in µs."""
    rows = (row for run in (RUN, RUN_OF_CLUSTERS) for row in stored(run).rows if row.launch_overhead_us is not None)
    medians = [median(row.launch_overhead_us or 0 for row in part) for part in group_by(rows, _pattern).values()]
    return min(medians), max(medians)


def _pattern(row: Row) -> str:
    return row.pattern


def links(*threads: str) -> str:
    """Return links to threads, such as `NVIDIA/cccl#7562`; GitHub leads from issues to pull requests."""
    split = (thread.split("#") for thread in threads)
    return ", ".join(f"[{name} {number}](https://github.com/{name}/issues/{number})" for name, number in split)


def environment() -> Environment:
    """Return the environment of the templates, with all that they take from the runs."""
    made = page_environment(TEMPLATES)
    made.filters.update(cell=cell, linked=linked, measured=measured, share=share)
    functions = (
        *(always_slower, clocks, count, cycles, each, fastest, fences, has, limit, links),
        *(quotient, ratio, ratios, seconds, sides, spills, spread, table, time),
    )
    made.globals.update({function.__name__: function for function in functions})
    made.globals.update(
        run=stored(RUN),
        clusters=stored(RUN_OF_CLUSTERS),
        SHFL=Mechanism.SHFL,
        SMEM=Mechanism.SMEM,
        launch_costs=launch_costs(),
        most=f"{MOST:.0%}",
        counted="ldmatrix" in WAVEFRONTS.read_text(encoding="utf-8"),
        verdicts=verdicts(LETTER, RUN.name),
    )
    return made


def pages() -> dict[Path, str]:
    """Return the text of each page."""
    published.clear()
    found, made = {}, environment()
    for name in NAMES:
        template = f"{name}.md.j2"
        note = generated_note(TEMPLATES / template, ROOT)
        found[FOLDER / f"{name}.md"] = wrap_page(f"{note}\n\n{made.get_template(template).render()}")
    return found


def main() -> None:
    """Write the pages, and print the paths of those that changed."""
    for page, text in pages().items():
        write_page(page, text)


if __name__ == "__main__":
    main()
