"""The pages on measuring say what the code does: its words, its limits, and suites that are valid."""

import re
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple, get_args

import pytest

from benchmarks.nvbench.table import BAR_SHARE, BAR_US, LONG_US
from shflbench.core.model import Disturbance
from shflbench.measure import noise, placements, schedule, stopping
from shflbench.measure.sentinels import SENTINELS
from shflbench.measure.sentinels.frozen import manifest
from shflbench.session import windows
from shflbench.suite import load

DOCS = Path(__file__).parents[2] / "docs"
TIMING = {
    name: (DOCS / "explanation" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("how-we-time", "how-precise-a-time-is", "what-noise-means", "why-processes-differ")
}
NVBENCH = (DOCS / "explanation" / "why-nvbench-differs.md").read_text(encoding="utf-8")
PRECISELY = (DOCS / "how-to" / "measure-precisely.md").read_text(encoding="utf-8")
BENCHMARKS = DOCS.parent / "benchmarks"
EARLIER, RECORDED_AGREEMENT = (
    (BENCHMARKS / f"{name}.md").read_text(encoding="utf-8") for name in ("earlier", "nvbench_agreement")
)
OFFSETS, PLACES, SPLITS = (
    re.split("^## ", EARLIER.partition(f"## {title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    for title in (
        "What a launch takes in the surroundings of NVBench and of shflbench",
        "What makes times differ: process, opening, round",
        "Processes of unchanged code, three against three",
    )
)
HEAD = [cell.strip() for cell in SPLITS[SPLITS.index("| run |") :].splitlines()[0].split("|")[2:-1]]
STOPS = (stopping.PRECISION, stopping.MAX_SECONDS, stopping.MAX_SAMPLES)
WORDS = {0.98: "98%", 1: "one", 2: "two", 3: "three", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 24: "24"}


def words_of(table_head: str, page: str) -> set[str]:
    """Return the first cells of the table that begins with `table_head`."""
    rows = page.split(table_head)[1].split("\n\n", maxsplit=1)[0].splitlines()[2:]
    return {row.split("|")[1].strip(" `") for row in rows}


def test_every_disturbance_is_explained_and_has_its_advice() -> None:
    assert words_of("| `noise` |", TIMING["what-noise-means"]) == set(Disturbance)
    assert words_of("| you read |", PRECISELY) == {*Disturbance, *get_args(noise.NoiseVerdict)} - {"quiet"}


def test_every_verdict_and_every_reason_to_stop_is_explained() -> None:
    assert words_of("| verdict |", TIMING["what-noise-means"]) == set(get_args(noise.NoiseVerdict))
    assert words_of("| `stopped_by` |", TIMING["how-precise-a-time-is"]) == set(STOPS)


def test_what_places_change_follows_from_the_generated_pages() -> None:
    text = " ".join(TIMING["why-processes-differ"].split())
    ring = re.escape("`memory-ladder/l2/i32/26x1024/400/chains=1/lines=64`")
    (time_us, opening_ns) = re.findall(rf"\| {ring} \| ([\d.]+) \| \d+ \| (\d+) \|", PLACES)[0]
    opening_us = float(opening_ns) / 1000
    assert f"of {float(time_us):.0f} µs differed by {opening_us:.2f} µs, or {opening_us / float(time_us):.1%}" in text
    runs = {
        line.split("|")[1].strip(" `"): line.split("|")[2:-1] for line in SPLITS.splitlines() if line.endswith(" |")
    }
    one, nine = (dict(zip(HEAD, map(str.strip, runs[name]), strict=True)) for name in ("one-place", "nine-contexts"))
    differ = f"{nine['deviation']} instead of {one['deviation']}"
    assert f"With nine contexts, the processes of {one['cases']} short kernels differed by {differ}" in text
    took = f"{nine['s per process']} s instead of {one['s per process']} s"
    assert f"A process of these {one['cases']} cases took {took}" in text
    places = sorted(int(cells[-2]) for name, cells in runs.items() if name.endswith("-contexts") and len(cells) > 9)
    assert f"differed by {places[0]} to {places[-1]} ns" in text
    (one_chain, nine_chain) = re.findall(rf"\| {ring} \| [\d.]+ \| ([\d.]+%), \d+ \| [^|]* \| ([\d.]+%), ", SPLITS)[0]
    assert f"and a chain of loads from the L2 cache by {nine_chain} instead of {one_chain}" in text
    (context_mib,) = re.findall(r"a context takes (\d+) MiB on an H200", text)
    assert 0.8 * placements.CONTEXT_BYTES < int(context_mib) * 2**20 <= placements.CONTEXT_BYTES
    assert (
        f"at most {placements.MOST_PLACED_BYTES // 2**20} MiB and 1/{placements.MEMORY_PART} of the GPU's memory"
        in text
    )


@pytest.mark.parametrize(
    ("page", "sentence", "number"),
    [
        ("how-we-time", "There is one launch between its events, or {}", schedule.LAUNCHES_OF_SHORT),
        ("how-precise-a-time-is", "The fewest rounds are {}", stopping.FEWEST_ROUNDS),
        ("how-precise-a-time-is", "Hence two confidences: {}", stopping.STOPPING_CONFIDENCE),
        ("how-we-time", "window {} cases or more", windows.CASES),
        ("how-we-time", "the {} sentinels", len(SENTINELS)),
        ("why-processes-differ", "{} of 10 to 50 µs", sum(not sentinel.long for sentinel in SENTINELS)),
        ("why-processes-differ", "{} of 300 µs or more", sum(sentinel.long for sentinel in SENTINELS)),
        ("why-processes-differ", "compiled once for each of {} architectures", len(manifest().cubins)),
    ],
)
def test_numbers_of_the_explanation_are_those_of_the_code(page: str, sentence: str, number: float) -> None:
    assert sentence.format(WORDS[number]) in " ".join(TIMING[page].split())


@pytest.mark.parametrize("text", re.findall(r"```yaml\n(.*?)```", PRECISELY, re.DOTALL))
def test_suites_of_the_page_are_valid(text: str, tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(text, encoding="utf-8")
    assert load(tmp_path / "suite.yaml").cases


def cells(surroundings: str) -> dict[str, list[float]]:
    """Return the figures of all processes, by kernel or group of kernels, in a row of the recorded offsets."""
    head, row = (
        next(line for line in OFFSETS.splitlines() if line.startswith(f"| {name} |"))
        for name in ("surroundings", surroundings)
    )
    columns = zip(head.split("|")[2:-1], row.split("|")[2:-1], strict=True)
    return {name.strip(" `"): [float(figure) for figure in cell.split("/")] for name, cell in columns}


def offsets(*surroundings: str) -> list[float]:
    """Return the figures for short and for long kernels in these rows of the recorded offsets."""
    return [figure for name in surroundings for group in ("short", "long") for figure in cells(name)[group]]


class Agreement(NamedTuple):
    """A row of the recorded agreement, in µs; the difference is positive if the kernel is shorter under shflbench."""

    theirs: float
    their_range: float
    ours: float
    our_range: float

    @property
    def difference(self) -> float:
        return self.theirs - self.ours


def agreement() -> list[Agreement]:
    """Return the rows of the recorded agreement."""
    rows = re.findall(
        r"^\| `[^|]+\| ([\d.]+) \| ([\d.]+)% \| ([\d.]+) \| ([\d.]+)% \|", RECORDED_AGREEMENT, re.MULTILINE
    )
    numbers = ([float(cell) for cell in row] for row in rows)
    return [Agreement(theirs, theirs * a / 100, ours, ours * b / 100) for theirs, a, ours, b in numbers]


def limits(figures: Sequence[float]) -> str:
    """Return the smallest and the largest of the figures as the page writes them."""
    return f"{min(figures):+.2f} to {max(figures):+.2f}".replace("-", "\N{MINUS SIGN}")


TIMER_STEP_US = 0.032  # how finely an H200 resolves events: how-we-time.md
SIMULATED = "NVBench"  # the row with all of NVBench's surroundings
NO_EFFECT = ("the host ends the wait", "stamps to device memory", "stamps to host memory", "code loaded before")


@pytest.mark.parametrize(
    ("what", "figures"),
    [
        ("the L2 cache is written before the launch", offsets("shflbench, cache written")),
        ("the written cache, for a kernel that copies", cells("shflbench, cache written")["copy"]),
        ("other code fills the instruction caches", offsets("shflbench, code evicted before")),
        ("a flag of the host ends the wait", offsets(*(f"shflbench, {name}" for name in NO_EFFECT))),
        ("a created stream, and not the default one", offsets("shflbench, a created stream")),
        ("a created stream, for a kernel that copies", cells("shflbench, a created stream")["copy"]),
        ("the L2 cache is not emptied", offsets("shflbench, cache not emptied")),
        ("the surroundings of NVBench", offsets(SIMULATED)),
        ("NVBench itself", offsets("NVBench itself")),
    ],
)
def test_offsets_from_nvbench_are_those_of_the_record(what: str, figures: list[float]) -> None:
    (row,) = (line for line in NVBENCH.splitlines() if line.startswith(f"| {what}"))
    assert row.endswith((f"| {limits(figures)} |", f"| none: {limits(figures)} |"))
    assert ("none" in row) == (max(map(abs, figures)) <= TIMER_STEP_US)


def test_offsets_that_remain_unexplained_are_those_of_the_record() -> None:
    page = " ".join(NVBENCH.split())
    rest = [itself - around for itself, around in zip(offsets("NVBench itself"), offsets(SIMULATED), strict=True)]
    assert f"It differs from its rebuilt surroundings by {limits(rest)} µs" in page
    assert f"if the cache is read instead, {limits(offsets('NVBench, cache read'))} µs remain" in page
    difference = median(row.difference for row in agreement())
    assert f"The surroundings explain less than half of {difference:.2f} µs" in page
    assert max(offsets(SIMULATED)) < difference / 2
    assert difference - min(offsets(SIMULATED)) < max(offsets("shflbench, code evicted before"))
    itself = cells("NVBench itself")
    processes = list(zip(itself["short"], itself["long"], strict=True))
    above = sum(max(process) >= 0.1 for process in processes)
    assert f"adds 0.1 µs or more in {WORDS[above]} of {WORDS[len(processes)]}" in page
    assert f"in {WORDS[len(processes)]} processes of an H200" in page


def test_difference_from_nvbench_is_that_of_the_record() -> None:
    page, rows = " ".join(NVBENCH.split()), agreement()
    shorter = sum(row.difference > 0 for row in rows)
    assert f"{shorter} of the {len(rows)} kernels are shorter under shflbench" in page
    assert f"The median difference is {median(row.difference for row in rows):.2f} µs" in page
    assert f"the largest is {max(abs(row.difference) for row in rows):.2f} µs" in page
    longer = [row.difference / row.theirs for row in rows if row.theirs >= LONG_US]
    less, more = max(longer), -min(longer)
    assert f"kernels of {LONG_US:.0f} µs and more take from {less:.2%} less to {more:.2%} more" in page
    assert f"those of NVBench differ by up to {max(row.their_range for row in rows):.2f} µs" in page
    processes, runs = (
        int(count)
        for what in ("NVBench", "shflbench")
        for count in re.findall(rf"^- {what}, (\d+) ", RECORDED_AGREEMENT, re.MULTILINE)
    )
    assert f"medians of {WORDS[processes]} processes and of {WORDS[runs]} runs" in page
    assert f"the runs of shflbench by up to {max(row.our_range for row in rows):.2f} µs" in page


def test_bar_of_the_comparison_follows_from_the_record() -> None:
    page = " ".join(NVBENCH.split())
    largest = round(max(offsets("NVBench itself")), 1)
    assert pytest.approx(largest + 2 * 0.1) == BAR_US  # once for each tool
    assert f"is {BAR_US} µs plus {BAR_SHARE:.1%} of the time: {largest} µs for NVBench itself" in page
    assert f"0.1 µs, two standard deviations, for the process of each tool; and {BAR_SHARE:.1%} for a slow" in page
    assert "the offset has a standard deviation of 0.05 µs" in TIMING["why-processes-differ"]
    warm = -median(offsets("shflbench, cache not emptied"))
    assert f"launches on a *warm* cache shows another {warm:.1f} µs" in page
