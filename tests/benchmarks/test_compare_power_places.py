from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from benchmarks.compare_power import places
from benchmarks.compare_power.batch import Batch, load
from benchmarks.compare_power.contexts import PLACES, Differences, differences
from benchmarks.compare_power.runs import write
from benchmarks.compare_power.splits import RECORDED as RUNS
from benchmarks.compare_power.splits import CaseSplits, Splits, cases, main, pairs, splits_of
from shflbench.analysis.compare.noise_learning import subtract_offsets
from shflbench.analysis.compare.placement import OF_CHAIN, OF_PASS_US
from shflbench.errors import ResultsError
from shflbench.store import read_run
from shflbench.suite.loader import load as load_suite
from tests.fakes.pools import RECORDED, recorded, recorded_some, shifted

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "benchmarks" / "places.md").read_text(encoding="utf-8")
SPLITS = ROOT / "tests" / "data" / "splits"
RECORDED_SPLITS = (ROOT / "benchmarks" / "splits.md").read_text(encoding="utf-8")
WARP_COLLECTIVES = ROOT / "results" / "warp-collectives" / "nvidia-h200"
RING = "memory-ladder/l2/i32/26x1024/400/chains=1/lines=64"


@pytest.fixture(scope="module")
def batch() -> Batch:
    (first,) = load([RECORDED])
    return first


def test_components_are_those_that_were_generated() -> None:
    random = np.random.default_rng(1)
    process, opening, rounds = 0.03, 0.05, 0.01
    values = (
        10
        + random.normal(0, process, 20_000)
        + random.normal(0, np.hypot(opening, rounds), (6, 20_000))
        + random.normal(0, 1, (6, 1))  # the openings are other kernels
    )
    found = places.components(values, np.full(values.shape, rounds**2))
    assert np.sqrt(found) == pytest.approx([process, opening, rounds], rel=0.05)


def test_recorded_kernels_differ_by_opening_more_than_by_round(batch: Batch) -> None:
    found = places.of_batches([batch])
    assert len(found) == 44
    time_us, parts = found[RING]
    assert time_us == pytest.approx(69.2, abs=0.2)
    assert parts.opening > 20 * parts.rounds > 0
    short = [parts for time_us, parts in found.values() if time_us < 20]
    assert all(parts.opening > 2 * parts.rounds for parts in short)


def test_largest_difference_is_that_of_some_split(batch: Batch) -> None:
    time_us, most = places.largest_differences([batch])[RING]
    values = np.sort(subtract_offsets(batch.pool())[RING].values)
    assert 0 < most <= values[-3:].mean() - values[:3].mean()
    assert time_us == pytest.approx(float(values.mean()))


def test_limits_of_compare_stand_in_the_page() -> None:
    lines = [line.split("|") for line in PAGE.splitlines() if line.endswith("% |")]
    chains = [float(line[5].strip(" %")) for line in lines if line[1].strip(" `") == RING]
    passes = [float(line[4]) for line in lines if line[1].strip(" `") != RING]
    assert chains == [pytest.approx(100 * OF_CHAIN, abs=0.05)]
    assert max(passes) == pytest.approx(OF_PASS_US, abs=0.01)
    assert len(passes) == 9


def test_six_processes_have_ten_splits() -> None:
    processes = [(0, number) for number in range(7)]
    found = pairs(processes)
    assert len({frozenset(side) for split in found for side in split}) == len(list(combinations(range(6), 3))) == 20
    assert len(found) == 10
    assert all(set(base) | set(new) == set(processes[:6]) for base, new in found)


def test_unchanged_processes_raise_no_alarm_and_a_slow_case_is_counted() -> None:
    pool = recorded_some().select(recorded().processes[:6])
    found = splits_of(pool)
    assert (len(found.cases), len(found.alarms), sum(found.alarms), found.refused) == (18, 10, 0, 0)
    assert 0 < max(case.open for case in found.cases.values()) <= 10
    case_id = "memory-ladder/shfl/i32/26x1024/400/chains=1/lines=64"
    slow = splits_of(shifted(pool, case_id, [2.0, 2.0, 2.0, 0.0, 0.0, 0.0]))
    assert slow.alarms.count(1) == 1  # in the split that separates them
    assert slow.cases[case_id].deviation > 10 * found.cases[case_id].deviation


def test_too_few_processes_are_refused() -> None:
    with pytest.raises(ResultsError, match="5 processes are not six"):
        splits_of(recorded().select(recorded().processes[:5]))


def test_program_reads_folders_and_packed_runs(
    batch: Batch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "some", batch, batch.processes(0)[:6])
    assert main([str(tmp_path / "some"), str(SPLITS / "one-place.npz"), "--record", str(tmp_path / "page.md")]) == 0
    head, _, some, packed, *_ = capsys.readouterr().out.splitlines()
    assert head.startswith("| run | cases | splits | refused | alarms |")
    assert some.startswith("| `some` | 54 | 10 | 0 | 0 |")
    assert packed.startswith("| `one-place` | 28 | 10 | 0 | 0 |")
    assert f"{some}\n{packed}\n" in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_a_run_that_cannot_be_read_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none")]) == 2
    (sentence,) = capsys.readouterr().err.splitlines()
    assert str(tmp_path / "none") in sentence


@pytest.mark.archs
def test_recorded_page_is_what_the_program_writes(tmp_path: Path) -> None:
    assert main(["--record", str(tmp_path / "splits.md")]) == 0
    assert (tmp_path / "splits.md").read_text(encoding="utf-8") == RECORDED_SPLITS
    assert {path.stem for path in SPLITS.iterdir()} == {path.stem for path in RUNS}
    gpus = {gpu for path in RUNS for batch in load([path]) for gpu in batch.gpus}
    assert len(gpus) == 5
    assert "The runs are from five H200s." in RECORDED_SPLITS


def test_contexts_differ_as_much_as_processes_and_average_out() -> None:
    found = {path.stem: differences(batch) for path in RUNS for batch in load([path])}
    for name, parts in found.items():
        if name.endswith("contexts"):
            assert parts.processes < 20
            assert 40 < parts.places < 60
        else:
            assert parts.processes > 50
            assert parts.places < 10


def test_differences_are_those_that_were_generated(batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)

    def block(process: tuple[int, int], _percent: int) -> dict[str, dict[int, np.ndarray]]:
        places = random.normal(0, 0.05, PLACES)
        offset = random.normal(0, 0.1)
        return {
            name: {
                number: np.array([time_us + offset + places[number % PLACES] + random.normal(0, 0.03)])
                for number in range(20 * PLACES)
            }
            for name, time_us in (("sentinel/a", 20.0), ("sentinel/b", 30.0), ("sentinel/long", 400.0 + process[1]))
        }

    monkeypatch.setattr(batch, "block", block)
    monkeypatch.setattr(batch, "processes", lambda _: [(0, number) for number in range(400)])
    between = np.hypot(100, 50 / PLACES**0.5)
    assert differences(batch)[1:] == pytest.approx((between, 50, 30), rel=0.1)


def test_page_says_which_cases_of_warp_collectives_it_has() -> None:
    suite = {row.case_id: row.time_us or 0.0 for row in read_run(WARP_COLLECTIVES).rows}
    one, nine = load([path for path in RUNS if path.stem.startswith("warp-collectives")])
    known, every = one.pool().cases.keys(), nine.pool().cases.keys()
    assert known < every < suite.keys()  # some variants are newer than the recordings
    left_out = [suite[case_id] for case_id in every - known]
    assert f"has {len(known)} of the {len(every)} cases" in RECORDED_SPLITS
    assert sum(time_us < 70 for time_us in left_out) == 3
    assert "all but three of those below 70 µs" in RECORDED_SPLITS


def test_suite_of_places_is_valid() -> None:
    suite = load_suite(ROOT / "benchmarks" / "compare_power" / "places.yaml")
    variants = Counter(case.pattern for case in suite.cases)
    assert variants == {"reserve": 18, "neighbor-difference": 12, "strided-read": 4, "memory-ladder": 2}


def test_a_case_that_a_run_lacks_has_empty_cells() -> None:
    old = Splits(
        (0, 1), (0, 0), 0, {"a": CaseSplits(5.0, 0.02, 2), "b": CaseSplits(7.0, 0.001, 1), "c": CaseSplits(9.0, 0.0, 0)}
    )
    new = Splits((0, 0), (0, 2), 0, {"a": CaseSplits(5.5, 0.01, 0)})
    line = old.line("old", Differences(6.25, 58.4, 0, 50.1))
    assert line[:9] == ["`old`", "3", "2", "0", "1", "0", "1.5 per split", "50.0%", "0.10%"]
    assert line[9:] == ["6.2", "58", "0", "50"]
    text = cases({"old": old, "new": new})
    assert "`c`" not in text
    assert "| `a` | 5.5 | 2.00%, 2 | 1.00%, 0 |" in text
    assert "| `b` | 7 | 0.10%, 1 |  |" in text
