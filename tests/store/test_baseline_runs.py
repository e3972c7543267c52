import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.core.model import Status
from shflbench.errors import ResultsError
from shflbench.store import read_info, samples
from shflbench.store.baselines import Baselines
from shflbench.store.limits_file import CaseLimit, write_limits
from tests.fakes.kept_runs import BUSY, contents, edit, quiet_run, several
from tests.fakes.runs import H200, compiled, info, measured, untimed, write_run

B200 = replace(H200, name="NVIDIA B200", arch="sm_100", uuid="GPU-b2")
PLACE = "main/gtc2013/nvidia-h200"


def change(name: str, made: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    """Let a file of a run hold what is made of its content."""
    return lambda run: (run / name).write_bytes(made((run / name).read_bytes()))


def newer(record: bytes) -> bytes:
    return json.dumps(json.loads(record) | {"schema": 2}).encode()


def of_another_run(_: bytes) -> bytes:
    return samples.header() + samples.encode(measured(patterns=["reduce"], dtypes=["f32"], samples=8)[1])


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda run: edit(run, finished=None), "contains an unfinished run"),
        (lambda run: edit(run, backend="emulator", device=None), "was emulated, not timed on a GPU"),
        (change("results.csv", lambda content: content[:-5]), "the last line is incomplete"),
        (change("samples.csv.gz", lambda content: content[:-5]), "samples.csv.gz is damaged"),
        (lambda run: (run / "samples.csv.gz").unlink(), "samples.csv.gz cannot be read"),
        (change("samples.csv.gz", of_another_run), "holds no samples of neighbor/smem/f32"),
        (lambda run: (run / "kernels.zip").write_bytes(b"PK"), "kernels.zip is damaged"),
        (lambda run: (run / "limits.csv").write_text("case,limit\n"), "limits.csv:1: the column case_id is missing"),
        (change("run.json", lambda _: b"<<<<<<< ours\n"), "not JSON"),
        (change("run.json", newer), "has schema 2"),
        (lambda run: run.rename(run.with_name("elsewhere")), "run.json cannot be read"),
    ],
)
def test_a_run_that_cannot_be_compared_with_is_refused(
    kept: Baselines, run: Path, spoil: Callable[[Path], object], sentence: str
) -> None:
    spoil(run)
    with pytest.raises(ResultsError) as caught:
        kept.save("main", [run])
    assert sentence in caught.value.message
    assert caught.value.advice
    assert not kept.folder.exists()


def test_limits_of_a_run_are_kept_with_it(kept: Baselines, run: Path) -> None:
    write_limits(run, [CaseLimit(case_id="neighbor/shfl/f32/26x1024/4096", limit_by="exchange")])
    kept.save("main", [run])
    (copy,) = kept.folder.rglob("limits.csv")
    assert copy.read_bytes() == (run / "limits.csv").read_bytes()


@pytest.mark.parametrize("status", [Status.FAILED, Status.INCORRECT])
def test_failed_cases_are_refused_unless_allowed(kept: Baselines, tmp_path: Path, status: Status) -> None:
    rows, taken = measured(patterns=["neighbor"], dtypes=["f32"], samples=8)
    run = write_run(tmp_path / "run", [untimed(rows[0], status, "it crashed"), *rows[1:]], taken)
    word = "failed" if status is Status.FAILED else "is incorrect"
    with pytest.raises(
        ResultsError, match=rf"without a correct result: neighbor/smem/f32/26x1024/4096 {word}"
    ) as caught:
        kept.save("main", [run])
    assert caught.value.advice.endswith("--allow-failed")
    kept.save("main", [run], allow_failed=True)
    assert contents(kept.folder / PLACE / "1") == contents(run)


def test_how_many_cases_failed_is_said(kept: Baselines, tmp_path: Path) -> None:
    rows, taken = measured(patterns=["neighbor"], dtypes=["f32"], samples=8)
    failed = [untimed(row, Status.FAILED, "it crashed") for row in rows[:3]]
    run = write_run(tmp_path / "run", [*failed, *rows[3:]], taken)
    with pytest.raises(ResultsError, match=r"neighbor/smem/f32/26x1024/4096 failed \(and 2 more\)"):
        kept.save("main", [run])


def test_a_run_on_a_gpu_that_timed_nothing_is_refused(kept: Baselines, tmp_path: Path) -> None:
    rows = compiled(measured(patterns=["neighbor"], dtypes=["f32"])[0])
    with pytest.raises(ResultsError, match="no case was timed in"):
        kept.save("main", [write_run(tmp_path / "run", rows)])


def test_runs_that_do_not_belong_together_are_refused(kept: Baselines, run: Path, tmp_path: Path) -> None:
    text = replace(info().suite, text=info().suite.text + "# edited\n")
    others = {
        "of different suites, gtc2013 and quick": info(name="quick"),
        "of different revisions of the suite gtc2013": replace(info(), suite=text),
        "of different GPUs, NVIDIA H200 and NVIDIA B200": info(device=B200),
    }
    for number, (sentence, about) in enumerate(others.items()):
        other = quiet_run(tmp_path / str(number), seed=2, about=about)
        with pytest.raises(ResultsError) as caught:
            kept.save("main", [run, other])
        assert caught.value.message == f"{run} and {other} are {sentence}"
    assert not kept.folder.exists()


def test_the_same_run_twice_is_refused_wherever_it_lies(kept: Baselines, run: Path, tmp_path: Path) -> None:
    copy = edit(quiet_run(tmp_path / "copy"), notes=("a copy",))
    link = tmp_path / "link"
    link.symlink_to(run)
    for same in (run, copy, link):
        with pytest.raises(ResultsError, match="are the same run") as caught:
            kept.save("main", [run, same])
        assert "give each run once" in caught.value.advice


# what to doubt


def test_three_quiet_processes_leave_nothing_to_doubt(kept: Baselines, tmp_path: Path) -> None:
    assert kept.save("main", several(tmp_path, 3)).warnings == ()
    assert kept.save("other", [quiet_run(tmp_path / "one", processes=3)]).warnings == ()


def test_one_process_is_warned_of(kept: Baselines, run: Path) -> None:
    (warning,) = kept.save("main", [run]).warnings
    assert warning.startswith("the baseline has one process per case")
    assert warning.endswith("--processes 3")


def test_a_noisy_run_is_doubted_with_its_own_words(kept: Baselines, tmp_path: Path) -> None:
    runs = several(tmp_path, 2)
    edit(runs[1], noise=BUSY)
    assert kept.save("main", runs).warnings == (
        f"{runs[1]}: busy GPU: another process computed on the GPU; stop it and run again",
    )


def test_a_run_without_sentinels_is_doubted(kept: Baselines, tmp_path: Path) -> None:
    first = quiet_run(tmp_path / "run", seed=2)
    other = write_run(tmp_path / "other", *measured(patterns=["neighbor"], dtypes=["f32"], samples=8))
    (warning,) = kept.save("main", [first, other]).warnings
    assert warning.startswith(f"{other} has no sentinels")


def test_different_conditions_are_warned_of(kept: Baselines, tmp_path: Path) -> None:
    runs = several(tmp_path, 2)
    was = read_info(runs[1])
    edit(runs[1], versions=replace(was.versions, driver="590.1"), device=replace(H200, uuid="GPU-2"))
    assert kept.save("main", runs).warnings == (
        f"the runs differ in their GPU: {H200.uuid}, GPU-2; measure them under equal conditions",
        "the runs differ in their driver: 580.159, 590.1; measure them under equal conditions",
    )
