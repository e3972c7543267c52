from dataclasses import replace
from pathlib import Path

from shflbench.session.history.add import Addition, Refusal, add_all, run_before
from shflbench.store.history.folder import add_run, read_history, run_paths
from tests.fakes.histories import GPU, history_run, machine
from tests.fakes.kept_runs import contents, edit, quiet_run


def runs(folder: Path, count: int) -> list[Path]:
    """Write runs of one suite on consecutive days."""
    return [
        edit(quiet_run(folder / f"run-{day}", seed=day), started=f"2026-11-2{day}T08:00:10Z")
        for day in range(1, count + 1)
    ]


def test_runs_are_added_in_any_order_and_read_in_theirs(tmp_path: Path) -> None:
    folder = tmp_path / "history"
    results = list(add_all(reversed(runs(tmp_path, 3)), folder))
    assert [isinstance(result, Addition) and result.added.is_new for result in results] == [True] * 3
    assert [run.started[:10] for run in read_history(folder).runs] == ["2026-11-21", "2026-11-22", "2026-11-23"]


def test_a_run_that_is_added_again_changes_nothing(tmp_path: Path) -> None:
    folder, given = tmp_path / "history", runs(tmp_path, 2)
    list(add_all(given, folder))
    before = contents(folder)
    again = list(add_all(given, folder, "another revision"))
    assert [isinstance(result, Addition) and result.added.is_new for result in again] == [False] * 2
    assert contents(folder) == before


def test_a_run_that_is_refused_does_not_keep_others_out(tmp_path: Path) -> None:
    folder, given = tmp_path / "history", runs(tmp_path, 3)
    edit(given[0], finished=None)
    (given[1] / "samples.csv.gz").write_bytes(b"x")
    results = list(add_all(given, folder))
    assert [type(result) for result in results] == [Refusal, Refusal, Addition]
    assert len(read_history(folder).runs) == 1


def test_a_run_of_a_wrong_clock_is_refused(tmp_path: Path) -> None:
    given = runs(tmp_path, 2)
    edit(given[0], started="1970-01-01T00:00:12Z")
    refusal, _ = add_all(given, tmp_path / "history")
    assert isinstance(refusal, Refusal)
    assert refusal.error.message.startswith(f"the run in {given[0]} started on 1970-01-01T00:00:12Z, before the first")
    assert len(read_history(tmp_path / "history").runs) == 1


def test_the_given_revision_is_recorded(tmp_path: Path) -> None:
    list(add_all(runs(tmp_path, 1), tmp_path / "history", "v1.2"))
    assert read_history(tmp_path / "history").runs[0].commit == "v1.2"


def test_the_run_before_is_the_last_one_on_this_gpu_or_on_its_model(tmp_path: Path) -> None:
    gpus = [machine(), machine(gpu="GPU-2"), machine(gpu="GPU-3", gpu_name="NVIDIA L4")]
    for day in range(6):
        add_run(tmp_path, history_run(day, {"a": 1.0 + day}, gpus[day % 3]))
    add_run(tmp_path, history_run(5.5, {"a": 1.0}, suite="blocks"))

    def before(day: float, gpu: str = GPU, gpu_name: str = "NVIDIA H200") -> str:
        run = run_before(tmp_path, history_run(day, {"a": 9.0}, replace(machine(), gpu=gpu, gpu_name=gpu_name)))
        return run.started[:10] if run else ""

    assert before(9) == "2026-01-04"
    assert before(2.5) == "2026-01-01"
    assert before(9, gpu="new") == "2026-01-05"
    assert before(9, gpu="new", gpu_name="NVIDIA B200") == ""
    assert before(-1) == ""
    run_paths(tmp_path, "quick")[3].write_bytes(b"damaged")
    assert before(9) == "2026-01-01"
