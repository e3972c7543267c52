"""First page and README compare the fastest safe variant with the best of each kind: recomputed from `results.csv`."""

import csv
import json
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIRST_PAGE = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
ALMOST = 1.11  # the times of variants that are named together are closer
LATER = json.loads((ROOT / "tools" / "docs" / "records" / "opponents.json").read_text(encoding="utf-8"))[-1][
    "settings"
]  # an H200
FACTORS = ("pattern", "dtype", "launch", "options")
Cells = dict[str, str]
Times = dict[str, float]  # by variant


@cache
def measured(suite: str) -> tuple[Cells, ...]:
    with (ROOT / "results" / suite / "nvidia-h200" / "results.csv").open(encoding="utf-8") as file:
        return tuple(row for row in csv.DictReader(file) if row["time_us"] and row["safe"] == "true")


def counts_of(row: Cells) -> dict[str, float]:
    """Return the instructions per iteration of a row: `STS=1;LDS=1;BAR=2`."""
    pairs = (part.split("=") for part in row["sass_per_iteration"].split(";") if part)
    return {opcode: float(number) for opcode, number in pairs if float(number)}


def kind_of(row: Cells) -> str:
    """Return the mechanism of a row; that of a library call by what its loop executes."""
    if row["mechanism"] != "library":
        return row["mechanism"]
    found = set(counts_of(row))
    if found & {"REDUX", "CREDUX", "VOTE", "MATCH"}:
        return "collective"
    both = [kind for opcode, kind in (("STS", "smem"), ("SHFL", "shfl")) if opcode in found]
    return "hybrid" if len(both) > 1 else both[0] if both else "library"


def per_iteration(row: Cells) -> float:
    return float(row["ns_per_iteration"] or 1000 * float(row["time_us"]))


def safe(setting: str, *kinds: str, libraries: bool = True) -> Times:
    """Return the times per iteration of the safe variants of a setting, `suite|pattern|dtype|launch|options`."""
    rows = rows_at(setting)
    assert len(rows) > 1, setting
    return {
        row["variant"]: per_iteration(row)
        for row in rows
        if row["variant"] != "soa"  # data stored otherwise
        and (not kinds or kind_of(row) in kinds)
        and (libraries or row["mechanism"] != "library")
    }


def rows_at(setting: str) -> list[Cells]:
    suite, *place = setting.split("|")
    return [row for row in measured(suite) if [row[name] for name in FACTORS] == place]


def fastest(times: Times) -> str:
    return min(times, key=lambda variant: times[variant])


def kind(setting: str, variant: str) -> str:
    return next(kind_of(row) for row in rows_at(setting) if row["variant"] == variant)


def named_best(setting: str, cell: str) -> list[str]:
    """Return the safe variants that a cell names; check that they are fastest, and library calls as fast."""
    own, _, calls = cell.partition(" (also ")
    names, times = re.findall(r"`([^`]+)`", own), safe(setting, libraries=False)
    assert fastest(times) in names, setting
    assert all(times[name] < ALMOST * min(times.values()) for name in names), setting
    libraries = re.findall(r"`([^`]+)`", calls)
    for call in libraries:
        assert safe(setting)[call] < 1.01 * min(times.values())
    return [*names, *libraries]


def text_of(ratio: float) -> str:
    """Return a ratio in as many decimals as it needs: `5.3×`, `1.04×`, `1.004×`."""
    return f"{ratio:.{3 if abs(ratio - 1) < 0.005 else 2 if ratio < 1.2 else 1}f}×"


def check_over(setting: str, cell: str, rivals: Times, best: list[str], usual: str = "") -> None:
    """Check the speed of the best variants relative to the best of some others, `–` if that is one of them."""
    if not rivals or fastest(rivals) in best:
        assert cell == "–", setting
        return
    names = safe(setting, libraries=False)
    leader = min(name for name in names if names[name] == min(names.values()))
    ratio, *name = cell.split()
    assert ratio == text_of(min(rivals.values()) / names[leader]), setting
    assert name == ([f"`{fastest(rivals)}`"] if fastest(rivals) != usual else []), setting


def check_kinds(setting: str, shared: str, shuffles: str, barriers: str, best: list[str]) -> None:
    """Check the factors over the best of each kind, and over the best that waits at block barriers."""
    check_over(setting, shared, safe(setting, "smem"), best, "smem-syncwarp")
    check_over(setting, shuffles, safe(setting, "shfl"), best, "shfl")
    waiting = {row["variant"] for row in rows_at(setting) if "BAR" in counts_of(row)}
    check_over(setting, barriers, {name: safe(setting)[name] for name in waiting}, best, "smem-double")


def rows_of(text: str, columns: int) -> dict[str, list[str]]:
    """Return the cells of the lines of tables with so many columns, by the first."""
    lines = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    tables = [[re.sub(r"\[(.*)\]\(.*\)", r"\1", cell.strip()) for cell in line] for line in lines]
    return {first: cells for first, *cells in tables if len(cells) == columns - 1}


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
    check_kinds(place, shared, shuffles, baseline, named_best(place, names))


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
            shared, shuffles = (safe(place, own, libraries=False) for own in ("smem", "shfl"))
            if place.replace("|", " ").replace(";", " ").strip().partition(" ")[2] in LATER:
                continue
            if shared and shuffles and pattern != "memory-ladder":
                won.setdefault(pattern, []).append("smem" if min(shared.values()) < min(shuffles.values()) else "shfl")
    for setting, variants in LATER.items():
        shared, shuffles = (
            {name: time for name, (mechanism, time, _) in variants.items() if mechanism == own}
            for own in ("smem", "shfl")
        )
        if shared and shuffles:
            pattern = setting.split()[0]
            won.setdefault(pattern, []).append("smem" if min(shared.values()) < min(shuffles.values()) else "shfl")
    text = " ".join(FIRST_PAGE.split())
    assert f"Of {len(won)} patterns that can use either," in text
    mostly = sum(outcomes.count("smem") > len(outcomes) * 2 / 3 for outcomes in won.values())
    assert int(re.search(r"(\d+) with shared memory,", text)[1]) <= mostly  # type: ignore[index]  # ties are no wins
