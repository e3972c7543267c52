from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.compare_power import pack
from benchmarks.compare_power.batch import Batch
from benchmarks.compare_power.pack import packed
from benchmarks.compare_power.recording import Recording
from benchmarks.compare_power.suite import PASSES, PERCENT_MORE, SUBJECTS, UNSTEADY, origin, steady, suite
from shflbench.analysis.compare.pool import Pool
from shflbench.analysis.compare.sides import Side
from shflbench.core.model import is_sentinel
from shflbench.errors import ResultsError
from shflbench.store import Run, read_run, samples
from shflbench.store.run_files import SAMPLES_FILE
from shflbench.suite import load
from tests.fakes.processes import Simulated, spread, write

DATA = Path(__file__).parent.parent / "data"
RECORDED = [path for name in ("compare", "compare-contexts") for path in sorted((DATA / name).glob("*.npz"))]
MEGABYTES = 6
SMALL = Simulated(cases=spread(8), rounds=4)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return read_run(write(tmp_path / "run", SMALL))


def test_recording_gives_compare_the_same_samples_as_its_runs(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "recording.npz"
    file.write_bytes(packed([run]).encode())
    assert packed([read_run(run.folder)]).encode() == file.read_bytes()
    pool, expected = Batch("recording", Recording.load(file)).pool(), Pool.of(Side.of([run]))
    assert pool.processes == expected.processes == ((0, 0), (0, 1), (0, 2))
    assert pool.cases.keys() == expected.cases.keys()
    for name, own in {**expected.cases, **expected.sentinels}.items():
        kept = {**pool.cases, **pool.sentinels}[name]
        assert (kept.values == own.values).all()
        assert (kept.variances == own.variances).all()
        assert (kept.rounds, kept.launches) == (own.rounds, own.launches)


def test_every_kept_sample_is_there_to_the_last_digit(run: Run) -> None:
    frame = run.samples()
    own = frame.groupby("case_id")["iterations"].transform("max")
    times = frame[(frame["iterations"] == own) & ~frame["dropped"]]["time_us"]
    assert sorted(packed([run]).times_us.tolist()) == sorted(times.tolist())


def test_facts_of_the_runs_are_kept_but_not_their_folders(run: Run, tmp_path: Path) -> None:
    info = replace(run.info, argv=("/opt/bin/shflbench", "run", "/home/me/suite.yaml", "--processes", "3"))
    file = tmp_path / "recording.npz"
    file.write_bytes(packed([replace(run, info=info)]).encode())
    (kept,) = Recording.load(file).runs
    assert kept == replace(info, argv=("shflbench", "run", "suite.yaml", "--processes", "3"))


def test_incomplete_process_is_left_out(run: Run) -> None:
    path = run.folder / SAMPLES_FILE
    every = samples.read(path)
    kept = [each for each in every if each.process < 2 or not each.is_sentinel]
    path.write_bytes(samples.header() + samples.encode(kept))
    assert Batch("cut", packed([run])).processes(0) == [(0, 0), (0, 1)]
    names = sorted({each.case_id for each in every})
    path.write_bytes(samples.header() + samples.encode([each for each in every if each.case_id != names[each.process]]))
    with pytest.raises(ResultsError, match="has no process that measured every case"):
        packed([run])


def test_times_that_are_no_steps_of_the_timer_are_refused(run: Run) -> None:
    path = run.folder / SAMPLES_FILE
    first, *others = samples.read(path)
    path.write_bytes(samples.header() + samples.encode([replace(first, time_us=first.time_us + 0.001), *others]))
    with pytest.raises(ResultsError, match="not multiples of 32 ns"):
        packed([run])


def test_runs_of_a_batch_are_kept_apart(run: Run, tmp_path: Path) -> None:
    other = read_run(write(tmp_path / "other", replace(SMALL, seed=2, processes=2)))
    batch = Batch("both", packed([run, other]), first_run=4)
    assert batch.processes(0) == [(4, 0), (4, 1), (4, 2), (5, 0), (5, 1)]


def test_command_packs_and_says_how_much(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "recording.npz"
    pack.main([str(run.folder), "--output", str(file)])
    assert capsys.readouterr().out == f"{file}: {len(file.read_bytes()) / 1e6:.2f} MB\n"
    assert Recording.load(file).kernels
    file.unlink()
    (run.folder / SAMPLES_FILE).unlink()
    with pytest.raises(ResultsError, match="has no samples"):
        pack.main([str(run.folder), "--output", str(file)])
    assert not file.exists()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 but no more", b"\x93NUMPY"])
def test_file_that_is_no_recording_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "broken.npz").write_bytes(content)
    with pytest.raises(ResultsError, match="cannot be read as a recording"):
        Recording.load(tmp_path / "broken.npz")


def test_sentinels_of_a_block_are_those_of_its_rounds() -> None:
    batch = Batch(RECORDED[0].stem, Recording.load(RECORDED[0]))
    process = batch.processes(10)[0]
    rounds = []
    for percent in (0, 10):
        block = batch.block(process, percent)
        measured = set().union(*(own for name, own in block.items() if not is_sentinel(name)))
        assert {frozenset(own) for name, own in block.items() if is_sentinel(name)} == {frozenset(measured)}
        rounds.append(measured)
    assert rounds[0] != rounds[1]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=() if path in {RECORDED[0], RECORDED[-1]} else pytest.mark.archs)
        for path in RECORDED
    ],
)
def test_committed_recording_is_of_this_suite(path: Path) -> None:
    recording = Recording.load(path)
    (places,) = {run.settings.places or 1 for run in recording.runs}
    assert {suite((), places), suite(PERCENT_MORE, places)} >= {run.suite.text for run in recording.runs}
    assert suite((), places) in {run.suite.text for run in recording.runs}
    assert not any("/" in word for run in recording.runs for word in run.argv)
    batch = Batch(path.stem, recording)
    assert batch.launches.keys() >= {row.case_id for row in recording.rows}
    assert min(batch.launches.values()) > 0
    slowed = {case for case in batch.block(batch.processes(1)[0], 1) if not is_sentinel(case)}
    assert len(slowed) == sum(len(subject.variants.split(",")) for subject in SUBJECTS)


def test_committed_recordings_are_small() -> None:
    assert RECORDED
    assert sum(path.stat().st_size for path in RECORDED) <= MEGABYTES * 1e6


def test_every_slowed_case_is_traced_to_its_own(tmp_path: Path) -> None:
    for percents in ((), PERCENT_MORE):
        (tmp_path / "suite.yaml").write_text(suite(percents), encoding="utf-8")
        cases = [case.id for case in load(tmp_path / "suite.yaml").cases]
        found = [origin(case) for case in cases]
        assert {percent for percent, _ in found} == {0, *percents}
        own = {name for percent, name in found if percent == 0}
        assert {name for _, name in found} == own <= set(cases)
        assert len(set(found)) == len(cases)
    assert len(PASSES) > len({subject.pattern for subject in PASSES} - {subject.pattern for subject in SUBJECTS})


def test_steady_cases_do_not_depend_on_physical_pages() -> None:
    assert not steady("memory-ladder/l2/i32/26x1024/400/chains=1/lines=64")
    assert steady("memory-ladder/l1/i32/26x1024/400/chains=1/lines=64")
    cases = {row.case_id for row in Recording.load(RECORDED[0]).rows}
    assert all(any(case.startswith(prefix) for case in cases) for prefix in UNSTEADY)


def test_times_wide_apart_need_more_than_sixteen_bits(run: Run, tmp_path: Path) -> None:
    recording = packed([run])
    steps = recording.steps.copy()
    steps[0] += 1 << 20
    (tmp_path / "wide.npz").write_bytes(replace(recording, steps=steps).encode())
    assert (np.asarray(Recording.load(tmp_path / "wide.npz").steps) == steps).all()
