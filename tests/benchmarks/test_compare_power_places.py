from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from benchmarks.compare_power import places
from benchmarks.compare_power.batch import Batch, load
from benchmarks.compare_power.runs import write
from benchmarks.compare_power.splits import Splits, main, pairs, report, splits_of
from shflbench.analysis.compare.noise_learning import subtract_offsets
from shflbench.analysis.compare.placement import OF_CHAIN, OF_PASS_US
from shflbench.errors import ResultsError
from shflbench.suite.loader import load as load_suite
from tests.fakes.pools import RECORDED, recorded, recorded_some, shifted

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "benchmarks" / "places.md").read_text(encoding="utf-8")
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
    assert (found.cases, len(found.alarms), sum(found.alarms), found.refused) == (18, 10, 0, 0)
    assert sum(found.inconclusive) > 0
    case_id = "memory-ladder/shfl/i32/26x1024/400/chains=1/lines=64"
    slow = splits_of(shifted(pool, case_id, [2.0, 2.0, 2.0, 0.0, 0.0, 0.0]))
    assert slow.alarms.count(1) == 1  # in the split that separates them
    assert slow.deviations[case_id] > 10 * found.deviations[case_id]


def test_too_few_processes_are_refused() -> None:
    with pytest.raises(ResultsError, match="5 processes are not six"):
        splits_of(recorded().select(recorded().processes[:5]))


def test_program_reads_two_runs(
    batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    processes = batch.processes(0)
    for name, some in (("old", processes[:6]), ("new", processes[6:12])):
        write(tmp_path / name, batch, some)
    monkeypatch.setattr("sys.argv", ["splits", str(tmp_path / "old"), str(tmp_path / "new")])
    main()
    head, _, old, new, _, _, _, *cases = capsys.readouterr().out.splitlines()
    assert head.startswith("| run | cases | splits | refused | alarms |")
    assert old.startswith("| old | 54 | 10 | 0 | 0 |")
    assert new.startswith("| new | 54 | 10 | 0 | ")
    assert len(cases) == 54


def test_suite_of_places_is_valid() -> None:
    suite = load_suite(ROOT / "benchmarks" / "compare_power" / "places.yaml")
    variants = Counter(case.pattern for case in suite.cases)
    assert variants == {"reserve": 10, "neighbor-difference": 12, "strided-read": 4, "memory-ladder": 2}


def test_report_compares_the_runs() -> None:
    old = Splits(4, (0, 1), (0, 0), (2, 4), 0, {"a": 0.02, "b": 0.001})
    new = Splits(4, (0, 0), (0, 2), (1, 0), 0, {"a": 0.01})
    text = report(old, new, {"a": 5.0, "b": 7.0})
    assert "| old | 4 | 2 | 0 | 1 | 0 | 3.0 per split | 75.0% | 1.05% |" in text
    assert "| new | 4 | 2 | 0 | 0 | 2 | 0.5 per split | 12.5% | 1.00% |" in text
    assert "| `a` | 5 | 2.00% | 1.00% |" in text
    assert "`b`" not in text
