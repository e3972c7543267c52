"""The simulated fleet, for one seed and two recordings; the page has twenty seeds and five."""

import re
from pathlib import Path

import pytest

from benchmarks import fleet_ranking
from benchmarks.compare_power.batch import load
from benchmarks.fleet_devices import MODELS, SHARES, Recorded, Truth
from benchmarks.fleet_ranking import (
    LEAST_SLOW,
    MOST_SOUND,
    SLOW_3,
    Cost,
    Counts,
    ReadingCost,
    judge,
    reading_cost,
    requirements,
)
from shflbench.store import read_run

PAGE = Path(fleet_ranking.__file__).with_suffix(".md")
HOW_TO = PAGE.parents[1] / "docs" / "how-to" / "find-a-slow-gpu.md"


@pytest.fixture(scope="module")
def judged() -> tuple[Counts, list[str]]:
    recordings = sorted(fleet_ranking.RECORDED.glob("*.npz"))[-2:]
    return judge(Recorded.of(load(recordings)), 1)


def test_slow_devices_are_named_and_sound_ones_are_not(judged: tuple[Counts, list[str]]) -> None:
    counts, _ = judged
    assert counts.total(SLOW_3)[1] > 50
    assert counts.share(*SLOW_3) >= LEAST_SLOW
    assert counts.total([Truth.SOUND])[1] > 700
    assert counts.share(Truth.SOUND) <= MOST_SOUND


def test_models_with_three_devices_or_one_have_too_few(judged: tuple[Counts, list[str]]) -> None:
    assert judged[1] == ["model I", "model J"]


def test_a_rule_that_names_nothing_misses_a_requirement(judged: tuple[Counts, list[str]]) -> None:
    blind = Counts()
    blind.devices = judged[0].devices
    reading = ReadingCost(devices=1, rows=1, samples=1, cpu_seconds=1e-4, memory=1)
    cheap = Cost(rows=1, rank_ms=0.1, memory=1.0, reading=reading)
    assert [met for _, met in requirements(blind, judged[1], cheap)] == [False, *[True] * 6]
    dear = cheap._replace(reading=reading._replace(cpu_seconds=1e-3, memory=10**9))
    assert [met for _, met in requirements(blind, judged[1], dear)][-2:] == [False, False]


@pytest.mark.archs
def test_the_command_is_measured_on_run_folders_that_are_written_from_a_recorded_run(tmp_path: Path) -> None:
    recorded = PAGE.parents[1] / "results" / "moving-average" / "nvidia-h200"
    cost = reading_cost(recorded, tmp_path, 4)
    assert (cost.devices, cost.rows) == (4, 4 * len(read_run(recorded).rows))
    assert 0.05 < cost.cpu_seconds < 60
    assert 20e6 < cost.memory < 1e9


def test_the_numbers_of_the_how_to_page_are_those_of_the_page() -> None:
    text, how_to = PAGE.read_text(encoding="utf-8"), HOW_TO.read_text(encoding="utf-8")
    counts = {
        truth: tuple(int(number.replace(",", "")) for number in numbers)
        for truth, *numbers in re.findall(r"^\| ([^|]+) \| [^|]+ \| ([\d,]+) \| ([\d,]+) \|", text, re.MULTILINE)
    }
    for words, truths in (
        ("3% slower", SLOW_3),
        ("5% slower in one pattern", [Truth.PATTERN_5]),
        ("sound", [Truth.SOUND]),
    ):
        count, named = (sum(counts[truth][place] for truth in truths) for place in (0, 1))
        assert f"| {words} | {100 * named / count:.3g}% of {count:,} |" in how_to
    (share,) = re.findall(r"^\| 0\.5% \| ([\d.]+)% \|", text, re.MULTILINE)
    assert f"0.5% (standard deviation), {float(share):.0f}% of those" in how_to


def test_the_page_has_all_faults_and_models() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert "missed" not in text
    assert sum(count for count, _ in MODELS.values()) == 1000
    assert all(f"| {truth} | " in text for truth in [Truth.SOUND, *SHARES])
