import math
import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from shflbench.errors import ResultsError, UsageError
from shflbench.store.history import run_file
from shflbench.store.history.folder import add_run, add_sources, read_history, run_paths
from shflbench.store.history.record import HistoryRun
from shflbench.store.history.source_file import HistorySource, digest, read_source
from tests.fakes.histories import history_run, machine
from tests.fakes.kept_runs import contents

ADD = """
import sys
from pathlib import Path
from shflbench.store.history.folder import add_run
from tests.fakes.histories import history_run
for day in range(int(sys.argv[2]), int(sys.argv[3])):
    add_run(Path(sys.argv[1]), history_run(day, {"a": 10.0 + day}))
"""
UNIT = HistorySource(unit="demo/kernels.cu", text="// µ\n", headers={"a.cuh": "int a;"}, options=("-DX=1",))


def starts(folder: Path) -> list[str]:
    return [run.started[:10] for run in read_history(folder).runs]


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """Make a history of three runs."""
    for day in range(3):
        add_run(tmp_path / "history", history_run(day, {"a": 10.0 + day}))
    return tmp_path / "history"


def test_runs_are_read_in_the_order_of_their_start(tmp_path: Path) -> None:
    for day in (2, 0, 1):
        assert add_run(tmp_path, history_run(day, {"a": 10.0})).is_new
    history = read_history(tmp_path)
    assert [run.started[:10] for run in history.runs] == ["2026-01-01", "2026-01-02", "2026-01-03"]
    assert history.problems == ()
    assert not list(tmp_path.rglob("*.part"))


def test_a_run_that_is_added_twice_is_there_once(history: Path) -> None:
    before = contents(history)
    added = add_run(history, history_run(1, {"a": 11.0}))
    assert not added.is_new
    assert added.path.name.startswith("20260102000000-")
    assert contents(history) == before


def test_a_run_is_known_by_its_times_and_not_by_its_revision(history: Path) -> None:
    assert not add_run(history, replace(history_run(1, {"a": 11.0}), commit="abc")).is_new
    assert add_run(history, history_run(1, {"a": 11.5})).is_new
    assert add_run(history, history_run(1, {"a": 11.0}, machine(gpu="GPU-2"))).is_new


def test_a_run_that_two_branches_added_counts_once(history: Path) -> None:
    run = replace(history_run(1, {"a": 11.0}), commit="abc")
    packed = run_file.pack_run(run)
    (history / "runs/quick" / run_file.file_name(run, packed)).write_bytes(packed)
    assert starts(history) == ["2026-01-01", "2026-01-02", "2026-01-03"]


def test_two_processes_that_add_at_once_lose_nothing(tmp_path: Path) -> None:
    spans = [(0, 30), (20, 50)]
    adders = [subprocess.Popen([sys.executable, "-c", ADD, tmp_path, *map(str, span)]) for span in spans]
    assert [adder.wait() for adder in adders] == [0, 0]
    history = read_history(tmp_path)
    assert len(history.runs) == 50
    assert history.problems == ()
    assert not list(tmp_path.rglob("*.part"))


def test_branches_that_added_runs_merge_without_conflict(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", tmp_path, *identity, *words], check=True, capture_output=True)

    def add(*days: int) -> None:
        for day in days:
            add_run(tmp_path, history_run(day, {"a": 10.0 + day}))
        git("add", ".")
        git("commit", "--no-verify", "--message", "add runs")

    git("init", "--initial-branch", "main")
    add(0)
    git("checkout", "-b", "other")
    add(1, 2)
    git("checkout", "main")
    add(2, 3)
    git("merge", "--no-verify", "--no-edit", "other")
    assert starts(tmp_path) == ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"]
    assert read_history(tmp_path).problems == ()


def test_a_damaged_file_costs_that_run_alone_and_is_named(history: Path) -> None:
    path = run_paths(history, "quick")[1]
    path.write_bytes(path.read_bytes()[:100])
    assert starts(history) == ["2026-01-01", "2026-01-03"]
    assert read_history(history).problems == (f"{path} is damaged: its end is missing",)


def test_a_damaged_file_is_repaired_by_adding_its_run_again(history: Path) -> None:
    before = contents(history)
    path = run_paths(history, "quick")[1]
    path.write_bytes(b"")
    assert "is empty" in read_history(history).problems[0]
    assert add_run(history, history_run(1, {"a": 11.0})).is_new
    assert contents(history) == before


@pytest.mark.parametrize("name", ["notes.txt", "20260102000000-0123456789ab.json.gz~HEAD", "20260102000000.json.gz"])
def test_a_file_that_is_no_run_is_named(name: str, history: Path) -> None:
    (history / "runs/quick" / name).write_text("x")
    assert len(starts(history)) == 3
    assert read_history(history).problems == (
        f"{history}/runs/quick/{name} is no run of the history: its name is not that of a run",
    )


def test_hidden_files_and_what_a_kill_left_are_no_problem(history: Path) -> None:
    (history / "runs/quick/.20260102000000-0123456789ab.json.gz.0123abcd.part").write_text("x")
    (history / ".index.sqlite").write_text("of another program")
    assert len(starts(history)) == 3
    assert read_history(history).problems == ()


def test_a_file_beside_the_folders_of_suites_is_named(history: Path) -> None:
    (history / "runs/README").write_text("x")
    assert "runs lie in a folder of their suite" in read_history(history).problems[0]


def test_a_fifo_among_the_files_is_named_and_not_waited_for(history: Path) -> None:
    os.mkfifo(history / "runs/quick/20260102000000-0123456789ab.json.gz")
    assert len(starts(history)) == 3
    assert "is a FIFO" in read_history(history).problems[0]


@pytest.mark.parametrize(
    ("started", "reason"),
    [
        ("0001-01-01T00:00:00Z", "before the first version of CUDA"),
        ("1970-01-01T00:00:12Z", "before the first version of CUDA"),
        ("2026-01-05T08:00:01Z", "later than tomorrow"),
        ("9999-12-31T23:59:59Z", "later than tomorrow"),
    ],
)
def test_a_run_of_a_wrong_clock_is_neither_added_nor_read(started: str, reason: str, history: Path) -> None:
    run, now = replace(history_run(0, {"a": 1.0}), started=started), datetime(2026, 1, 4, 8, tzinfo=UTC)
    with pytest.raises(ResultsError, match=f"started on {started}, {reason}: the clock of its machine was wrong"):
        add_run(history, run, now)
    packed = run_file.pack_run(run)
    path = history / "runs/quick" / run_file.file_name(run, packed)
    path.write_bytes(packed)
    known = read_history(history, now)
    assert [one.started[:10] for one in known.runs] == ["2026-01-01", "2026-01-02", "2026-01-03"]
    assert known.problems == (f"the run in {path} started on {started}, {reason}: the clock of its machine was wrong",)


RUN = history_run(3, {"a": 1.0, "b": 2.0})


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        (replace(RUN, suite="../../evil"), "`suite` is '../../evil', not the name of a suite"),
        (replace(RUN, suite=""), "`suite` is '', not the name of a suite"),
        (replace(RUN, started="2026-01-04"), "`started` is '2026-01-04', not a time in UTC"),
        (replace(RUN, started="2026-01-04T00:00:00+01:00"), "`started` is '2026-01-04T00:00:00+01:00', not a time in"),
        (replace(RUN, started="2026-01-04T00:00:00.5Z"), "`started` is '2026-01-04T00:00:00.5Z', not a time in"),
        (history_run(3, {"a": 1.0, "b": math.nan}), "`time_us` is nan, not a number, 0 or above"),
        (history_run(3, {"a": math.inf}), "`time_us` is inf, not a number"),
        (replace(RUN, cases=(replace(RUN.cases[0], error=math.nan),)), "`error` is nan, not a number"),
        (history_run(3, {"a": 1.0}, machine(offset_us=math.nan)), "`sentinels` is nan, not a number"),
    ],
)
def test_a_run_with_impossible_values_is_not_added(run: HistoryRun, sentence: str, history: Path) -> None:
    before = contents(history.parent)
    with pytest.raises(ResultsError) as caught:
        add_run(history, run)
    assert sentence in caught.value.message
    assert contents(history.parent) == before


def test_a_clock_may_be_a_day_ahead(history: Path) -> None:
    run, now = replace(history_run(0, {"a": 1.0}), started="2026-01-05T08:00:00Z"), datetime(2026, 1, 4, 8, tzinfo=UTC)
    assert add_run(history, run, now).is_new
    assert len(read_history(history, now).runs) == 4


def test_a_folder_without_history_says_how_to_start_one(tmp_path: Path) -> None:
    for folder, reason in ((tmp_path, "no runs/ in it"), (tmp_path / "none", "there is no such folder")):
        with pytest.raises(ResultsError, match=reason) as caught:
            read_history(folder)
        assert "shflbench history add RUN --to FOLDER" in caught.value.advice


def test_a_run_folder_is_no_folder_for_a_history(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(UsageError, match="is the folder of a run"):
        add_run(tmp_path, history_run(0, {"a": 1.0}))


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "history").write_text("a file")
    with pytest.raises(ResultsError, match=r"history is not a folder") as caught:
        add_run(tmp_path / "history", history_run(0, {"a": 1.0}))
    assert "give another folder with --to" in caught.value.advice


def test_a_full_disk_is_one_sentence_and_leaves_nothing(history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(history)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ResultsError, match="cannot be written: the disk is full"):
        add_run(history, history_run(9, {"a": 1.0}))
    assert contents(history) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_history_that_may_only_be_read_is_read(history: Path) -> None:
    for folder in (history, history / "runs", history / "runs/quick"):
        folder.chmod(0o555)
    assert len(starts(history)) == 3
    with pytest.raises(ResultsError, match="you have no permission to write there"):
        add_run(history, history_run(9, {"a": 1.0}))


def test_reading_writes_nothing(history: Path) -> None:
    before = contents(history)
    read_history(history)
    assert contents(history) == before


def test_a_source_is_kept_once_and_comes_back(tmp_path: Path) -> None:
    name = digest(UNIT.encode())
    for _ in range(2):
        add_sources(tmp_path, {f"{name}.json.gz": run_file.pack(UNIT.encode())})
    assert read_source(tmp_path, name) == UNIT
    assert len(list((tmp_path / "sources").iterdir())) == 1


@pytest.mark.parametrize("content", [b"", b"x", run_file.pack(b"{}"), run_file.pack(UNIT.encode() + b" ")])
def test_a_source_that_is_damaged_is_refused(content: bytes, tmp_path: Path) -> None:
    name = digest(UNIT.encode())
    add_sources(tmp_path, {f"{name}.json.gz": content})
    with pytest.raises(ResultsError):
        read_source(tmp_path, name)
