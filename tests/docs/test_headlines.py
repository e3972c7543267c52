"""First page and README compare the fastest safe variant with the best of each kind: recomputed from `results.csv`."""

import csv
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIRST_PAGE = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
ALMOST = 1.11  # the times of variants that are named together are closer
FACTORS = ("pattern", "dtype", "launch", "options")
Cells = dict[str, str]
Times = dict[str, float]  # by variant


@cache
def measured(suite: str) -> tuple[Cells, ...]:
    with (ROOT / "results" / suite / "nvidia-h200" / "results.csv").open(encoding="utf-8") as file:
        return tuple(row for row in csv.DictReader(file) if row["time_us"] and row["safe"] == "true")


def safe(setting: str, *mechanisms: str) -> Times:
    """Return the times of the safe variants of a setting, `suite|pattern|dtype|launch|options`, by mechanism."""
    rows = rows_at(setting)
    assert len(rows) > 1, setting
    return {
        row["variant"]: float(row["time_us"])
        for row in rows
        if (row["mechanism"] in mechanisms if mechanisms else row["mechanism"] != "library")
    }


def rows_at(setting: str) -> list[Cells]:
    suite, *place = setting.split("|")
    return [row for row in measured(suite) if [row[name] for name in FACTORS] == place]


def fastest(times: Times) -> str:
    return min(times, key=lambda variant: times[variant])


def mechanism(setting: str, variant: str) -> str:
    suite, pattern, *_ = setting.split("|")
    return next(row["mechanism"] for row in measured(suite) if (row["pattern"], row["variant"]) == (pattern, variant))


def named_best(setting: str, cell: str) -> list[str]:
    """Return the safe variants that a cell names; check that they are fastest, and library calls as fast."""
    own, _, calls = cell.partition(" (also ")
    names, times = re.findall(r"`([^`]+)`", own), safe(setting)
    assert fastest(times) in names, setting
    assert all(times[name] < ALMOST * min(times.values()) for name in names), setting
    for call in re.findall(r"`([^`]+)`", calls):
        assert safe(setting, "library")[call] < 1.01 * min(times.values())
    return names


def check_over(setting: str, cell: str, kind: str, best: list[str]) -> None:
    """Check the speed of the best variants relative to the best safe one of a kind, `–` if that is one of them."""
    rivals, times = safe(setting, kind), safe(setting)
    if not rivals or fastest(rivals) in best:
        assert cell == "–", setting
        return
    ratio, *name = cell.split()
    assert ratio == f"{min(rivals.values()) / min(times.values()):.1f}×", setting
    assert name == ([f"`{fastest(rivals)}`"] if kind == "smem" and fastest(rivals) != "smem-syncwarp" else []), setting


def check_end(usual: str, setting: str, cell: str) -> None:
    """Check a speed relative to the best safe variant of any other mechanism, at few or at many resident warps."""
    times = safe(setting)
    best = fastest(times)
    rivals = [time for variant, time in times.items() if mechanism(setting, variant) != mechanism(setting, best)]
    same = mechanism(setting, best) == mechanism(usual, fastest(safe(usual)))
    assert cell == ("" if same else f"`{best}` ") + f"{min(rivals) / times[best]:.1f}×", setting


def rows_of(text: str, columns: int) -> dict[str, list[str]]:
    """Return the cells of the lines of tables with so many columns, by the first."""
    lines = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    tables = [[re.sub(r"\[(.*)\]\(.*\)", r"\1", cell.strip()) for cell in line] for line in lines]
    return {first: cells for first, *cells in tables if len(cells) == columns - 1}


TRANSPOSE = "gtc2013|transpose|f32|104x256|words="
ONE, FULL = "sms x 32", "2*sms x 1024"
EXCHANGES = {  # the setting of each line, then those with one warp per SM and with 64
    "sum, `f32`": (
        "gtc2013|reduce|f32|26x1024|width=32",
        f"launch-sweep|reduce|f32|{ONE}|width=32",
        f"launch-sweep|reduce|f32|{FULL}|width=32",
    ),
    "sum, `i32`": (
        "gtc2013|reduce|i32|26x1024|width=32",
        f"residency|reduce-ops|i32|{ONE}|op=add",
        f"warp-collectives|reduce-ops|i32|{FULL}|op=add",
    ),
    "prefix sum, `f32`": (
        "gtc2013|scan|f32|26x1024|kind=inclusive",
        f"residency|scan|f32|{ONE}|kind=inclusive",
        f"residency|scan|f32|{FULL}|kind=inclusive",
    ),
    "neighbor, `f32`": (
        "gtc2013|neighbor|f32|26x1024|mode=idx",
        f"launch-sweep|neighbor|f32|{ONE}|mode=idx",
        f"launch-sweep|neighbor|f32|{FULL}|mode=idx",
    ),
    "broadcast": (
        "gtc2013|broadcast|f32|26x1024|values=1",
        f"residency|broadcast|f32|{ONE}|values=1",
        f"residency|broadcast|f32|{FULL}|values=1",
    ),
    "last true lane": (
        "gtc2013|broadcast-last|f32|26x1024|",
        f"residency|broadcast-last|f32|{ONE}|",
        f"residency|broadcast-last|f32|{FULL}|",
    ),
    "sort of 32 keys, `i32`": (
        "gtc2013|bitonic-sort|i32|26x1024|payload=none",
        f"residency|bitonic-sort|i32|{ONE}|payload=none",
        f"residency|bitonic-sort|i32|{FULL}|payload=none",
    ),
    "transpose, 2 words": (
        f"{TRANSPOSE}2",
        f"residency|transpose|f32|{ONE}|words=2",
        "residency|transpose|f32|8*sms x 256|words=2",
    ),
    "transpose, 8 words": (
        f"{TRANSPOSE}8",
        f"residency|transpose|f32|{ONE}|words=8",
        "residency|transpose|f32|8*sms x 256|words=8",
    ),
    "vote: any lane": (
        f"warp-collectives|vote|i32|{FULL}|op=any",
        f"residency|vote|i32|{ONE}|op=any",
        f"warp-collectives|vote|i32|{FULL}|op=any",
    ),
    "all read all": (
        f"warp-collectives|broadcast-work|f32|{FULL}|",
        f"residency|broadcast-work|f32|{ONE}|",
        f"warp-collectives|broadcast-work|f32|{FULL}|",
    ),
}
EXCHANGE_COLUMNS = 7
OTHER_KIND = {  # lines of the second table that compare mechanisms; the others compare ways to access memory
    "32 words per warp": f"dynamic-indexing|lane-array|f32|{FULL}|length=32;index=random",
    "count with one counter": "warp-collectives|count|i32|16384x256|counters=1",
    "ordered filter": "warp-collectives|stream-filter|f32|16384x256|order=ordered;keep=0.5",
    "sum of 256 threads": "blocks|block-reduce|f32|fill x 256|result=all",
    "sum of 512 MiB": "blocks|device-reduce|f32|16384x256|per_thread=32;order=block",
    "RMSNorm of rows of 64": "rows|row-norm|f32|32768x256|length=64;load=vector;norm=rms",
}


def test_every_line_of_the_first_table_is_checked() -> None:
    assert set(rows_of(FIRST_PAGE, EXCHANGE_COLUMNS)) - {"task", "---"} == set(EXCHANGES)


@pytest.mark.parametrize(("task", "settings"), EXCHANGES.items(), ids=EXCHANGES)
def test_an_exchange_is_compared_with_the_best_of_each_kind(task: str, settings: Sequence[str]) -> None:
    usual, _, full = settings
    cells = [cell.removesuffix(" †") for cell in rows_of(FIRST_PAGE, EXCHANGE_COLUMNS)[task]]
    names, shared, shuffles, last, baseline, _ = cells
    best = named_best(usual, names)
    check_over(usual, shared, "smem", best)
    check_over(usual, shuffles, "shfl", best)
    check_end(usual, full, last)
    times = safe(usual)
    assert baseline == f"{times['smem'] / min(times.values()):.1f}×"


@pytest.mark.parametrize(("task", "setting"), OTHER_KIND.items(), ids=OTHER_KIND)
def test_a_task_in_memory_is_compared_with_the_best_of_another_mechanism(task: str, setting: str) -> None:
    names, ratio, against, _ = rows_of(FIRST_PAGE, 5)[task]
    best, times = named_best(setting, names), safe(setting)
    own = mechanism(setting, fastest(times))
    rivals = {variant: time for variant, time in times.items() if mechanism(setting, variant) != own}
    assert against == f"`{fastest(rivals)}`"
    expected = "–" if fastest(rivals) in best else f"{min(rivals.values()) / min(times.values()):.1f}×"
    assert ratio.removesuffix(" †") == expected


CHOICES = re.findall(r"^\| [\w ]+ \| `(\w[^`]*)` \| (.*) \| (.*) \| (.*) \| (.*) \|$", README, re.MULTILINE)


def in_results(setting: str) -> str:
    pattern, dtype, *options = setting.split()
    launch = "104x256" if pattern == "transpose" else "26x1024"
    return f"gtc2013|{pattern}|{dtype}|{launch}|{';'.join(options)}"


@pytest.mark.parametrize(("setting", "names", "shared", "shuffles", "baseline"), CHOICES)
def test_a_choice_of_readme_is_compared_with_the_best_of_each_kind(
    setting: str, names: str, shared: str, shuffles: str, baseline: str
) -> None:
    place = in_results(setting)
    best = named_best(place, names)
    check_over(place, shared, "smem", best)
    check_over(place, shuffles, "shfl", best)
    times = safe(place)
    assert baseline == f"{times['smem'] / min(times.values()):.1f}×"


def test_the_choices_of_readme_show_both_kinds() -> None:
    assert len(CHOICES) > 8
    assert {kind for _, _, *kinds, _ in CHOICES for kind in map(is_ahead, kinds)} == {True, False}


def is_ahead(cell: str) -> bool:
    return cell == "–"


def test_the_patterns_in_which_each_kind_is_mostly_faster_are_named() -> None:
    won: dict[str, list[str]] = {}
    for suite in sorted(path.parent.name for path in (ROOT / "results").glob("*/nvidia-h200")):
        if suite == "quick":
            continue
        places = {"|".join((suite, *(row[name] for name in FACTORS))) for row in measured(suite)}
        for place in sorted(places):
            pattern = place.split("|")[1]
            if len(rows_at(place)) == 1:
                continue
            shared, shuffles = safe(place, "smem"), safe(place, "shfl")
            if shared and shuffles and pattern != "memory-ladder":
                won.setdefault(pattern, []).append("smem" if min(shared.values()) < min(shuffles.values()) else "shfl")
    text = " ".join(FIRST_PAGE.split())
    assert f"Of {len(won)} patterns that can use either," in text
    named = re.findall(r"`([\w-]+)`", re.search(r"\d+ with shared memory \((.*?)\)", text)[1])  # type: ignore[index]
    for pattern in named:
        assert won[pattern].count("smem") > len(won[pattern]) * 2 / 3, pattern
