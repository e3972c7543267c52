"""Evidence in place of sentinels in results of other tools."""

import json
from pathlib import Path

import pytest

from shflbench.analysis.compare import Outcome, Reason, Settings, Side, compare
from shflbench.analysis.compare.evidence import LEAST_WITH_OFFSETS_US
from shflbench.store.readers import read_recording, run_of
from tests.store.readers.foreign_files import write_csv, write_nvbench

BEFORE = {"scan": 120.0, "copy/Elements=2^20": 50.0, "sort": 400.0}
SLOWER = {**BEFORE, "copy/Elements=2^20": 51.2}
CASES = list(BEFORE)
IN_TURN, AFTER = 1, 20  # minutes from the start of base's first process to that of new's


def side(*paths: Path) -> Side:
    return Side.of([run_of(read_recording(*paths))])


def verdict(base: Side, new: Side, *, alternated: bool = False) -> tuple[Outcome, Reason]:
    """Return the verdict on the slower case, and check that the others are the same."""
    comparison = compare(base, new, Settings(alternated=alternated))
    assert [case.outcome for case in comparison.verdicts if case.case_id != CASES[1]] == [Outcome.SAME] * 2
    assert comparison.noise
    assert comparison.noise.a_us >= LEAST_WITH_OFFSETS_US
    return comparison.verdicts[1].outcome, comparison.verdicts[1].reason


@pytest.mark.parametrize(
    ("minute", "processes", "clock_mhz", "columns", "alternated", "expected"),
    [
        (IN_TURN, 3, 1980, 6, False, None),
        (IN_TURN, 3, 1983, 6, False, None),  # 0.15% is less than a change that sentinels would show
        (IN_TURN, 3, 1985, 6, False, Reason.CLOCKS_DIFFER),
        (IN_TURN, 3, 1980, 4, True, Reason.CLOCKS_UNKNOWN),
        (IN_TURN, 2, 1980, 6, False, Reason.FEW_PROCESSES),
        (AFTER, 3, 1980, 6, False, Reason.NOT_ALTERNATED),
        (AFTER, 3, 1980, 6, True, Reason.NOT_ALTERNATED),  # the files contradict the user
        (AFTER, 3, 1980, 5, False, Reason.NOT_ALTERNATED),  # without starts nothing is known
        (AFTER, 3, 1980, 5, True, None),
    ],
)
def test_slower_needs_three_processes_per_side_in_turn_with_the_same_clock(
    tmp_path: Path,
    minute: int,
    processes: int,
    clock_mhz: float,
    columns: int,
    alternated: bool,  # noqa: FBT001
    expected: Reason | None,
) -> None:
    names = ("case", "process", "time_us", "round", "sm_clock_mhz", "started")[:columns]
    base = write_csv(tmp_path / "base.csv", BEFORE, processes=range(processes), columns=names)
    new = write_csv(
        tmp_path / "new.csv", SLOWER, processes=range(processes), columns=names, minute=minute, clock_mhz=clock_mhz
    )
    outcome = verdict(side(base), side(new), alternated=alternated)
    assert outcome == ((Outcome.SUSPECTED, expected) if expected else (Outcome.SLOWER, Reason.BEYOND_THRESHOLD))


def test_a_change_of_five_percent_is_certain_whatever_is_unknown(tmp_path: Path) -> None:
    columns = ("case", "process", "time_us", "round")
    base = write_csv(tmp_path / "base.csv", BEFORE, columns=columns)
    new = write_csv(tmp_path / "new.csv", {**BEFORE, "copy/Elements=2^20": 53.5}, columns=columns, minute=1)
    assert verdict(side(base), side(new)) == (Outcome.SLOWER, Reason.BEYOND_THRESHOLD)


@pytest.mark.parametrize("pairs", ["BNNBBN", "BNBNBNN", "NBNBNBB"])
def test_processes_ran_in_turn_if_each_pair_has_one_of_each_side(tmp_path: Path, pairs: str) -> None:
    assert "start times in the files" in "".join(compare(*in_order(tmp_path, pairs)).notes)


@pytest.mark.parametrize("pairs", ["BBBNNN", "BBNNBN", "BNBBNN"])
def test_processes_that_ran_one_after_another_did_not_run_in_turn(tmp_path: Path, pairs: str) -> None:
    comparison = compare(*in_order(tmp_path, pairs), Settings(alternated=True))
    assert "contradicts the start times" in comparison.warnings[0]
    assert "did not run in turn" not in "".join(comparison.notes)


def in_order(folder: Path, pairs: str) -> tuple[Side, Side]:
    """Return both sides, whose processes started in the order of the letters."""
    paths: dict[str, list[Path]] = {"B": [], "N": []}
    for number, letter in enumerate(pairs):
        paths[letter].append(write_csv(folder / f"{number}.csv", BEFORE, processes=range(1), minute=number))
    return side(*paths["B"]), side(*paths["N"])


@pytest.mark.parametrize(("processes", "outcome"), [(2, Outcome.SUSPECTED), (3, Outcome.SLOWER)])
def test_programs_of_the_cpu_need_three_processes_whatever_their_change(
    tmp_path: Path, processes: int, outcome: Outcome
) -> None:
    def side_of(name: str, seconds: float) -> Side:
        paths = [tmp_path / f"{name}-{number}.json" for number in range(processes)]
        for number, path in enumerate(paths):
            times = [seconds * (1 + (number + place % 5) / 1e4) for place in range(20)]
            path.write_text(json.dumps({"results": [{"command": "sort", "times": times}]}), encoding="utf-8")
        return side(*paths)

    comparison = compare(side_of("base", 0.4), side_of("new", 0.6), Settings(alternated=True))
    assert [case.outcome for case in comparison.verdicts] == [outcome]
    few = "changes are only suspected: a side has fewer than 3 processes" in "".join(comparison.warnings)
    assert few == (processes == 2)


def test_a_side_without_samples_is_suspected_only(tmp_path: Path) -> None:
    def side_of(name: str, cases: dict[str, float], first: int) -> Side:
        paths = [
            write_nvbench(tmp_path / f"{name}-{n}.json", cases, process=first + 2 * n, with_samples=name == "new")
            for n in range(3)
        ]
        return side(*paths)

    comparison = compare(side_of("base", BEFORE, 0), side_of("new", SLOWER, 1), Settings(alternated=True))
    verdicts = {case.case_id: (case.outcome, case.reason) for case in comparison.verdicts}
    assert verdicts[CASES[1]] == (Outcome.SUSPECTED, Reason.NO_SAMPLES)
    assert comparison.warnings[0].startswith("a side has no samples")
