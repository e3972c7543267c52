import errno
import gzip
import json
import os
import resource
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.errors import ResultsError
from shflbench.store import RunFolder, read_run, run_files
from tests.fakes.runs import H200, info, measured

ROWS, SAMPLES = measured(patterns=["neighbor"], dtypes=["f32"], samples=8)


def test_a_run_gets_the_first_free_folder_of_its_suite_gpu_and_day(tmp_path: Path) -> None:
    paths = [RunFolder.create(info(), tmp_path / "results").path for _ in range(3)]
    assert [str(path.relative_to(tmp_path)) for path in paths] == [
        f"results/gtc2013/nvidia-h200-20261120-{number}" for number in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("NVIDIA GeForce RTX 4090", "nvidia-geforce-rtx-4090"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "nvidia-a100-sxm4-40gb-mig-1g-5gb"),
    ],
)
def test_the_folder_is_named_after_the_gpu(tmp_path: Path, name: str, slug: str) -> None:
    folder = RunFolder.create(info(device=replace(H200, name=name)), tmp_path)
    assert folder.path.name == f"{slug}-20261120-1"


def test_without_a_gpu_the_folder_is_named_after_the_architecture(tmp_path: Path) -> None:
    folder = RunFolder.create(info(device=None, backend="none"), tmp_path)
    assert folder.path.name == "no-gpu-sm_90-20261120-1"


def test_a_new_run_is_a_readable_folder_without_rows(tmp_path: Path) -> None:
    folder = RunFolder.create_at(info(), tmp_path / "mine")
    assert sorted(path.name for path in folder.path.iterdir()) == ["results.csv", "run.json", "samples.csv.gz"]
    run = read_run(tmp_path / "mine")
    assert run.rows == ()
    assert run.info == info()


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    assert RunFolder.create_at(info(), tmp_path).path == tmp_path


def test_a_folder_with_a_run_is_not_overwritten(tmp_path: Path) -> None:
    RunFolder.create_at(info(), tmp_path)
    before = (tmp_path / "run.json").read_bytes()
    with pytest.raises(ResultsError, match="already contains a run") as caught:
        RunFolder.create_at(info(name="quick"), tmp_path)
    assert f"--resume {tmp_path}" in caught.value.advice
    assert (tmp_path / "run.json").read_bytes() == before


def test_a_folder_with_anything_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ResultsError, match="exists and is not empty"):
        RunFolder.create_at(info(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("end", [KeyboardInterrupt, None])
@pytest.mark.parametrize("last", ["results.csv", "samples.csv.gz", ".samples.csv.gz.part", ".run.json.part"])
def test_a_start_that_was_stopped_or_killed_does_not_block_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str, end: type[BaseException] | None
) -> None:
    def replace_until_the_end(path: Path, content: bytes) -> None:
        aside = f".{path.name}.part"
        (path.parent / (aside if aside == last else path.name)).write_bytes(content)
        if end and last in {path.name, aside}:
            raise end

    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(run_files, "replace", replace_until_the_end)
        RunFolder.create_at(info(), tmp_path / "mine")
    if end is None:  # killed: nothing was removed
        (tmp_path / "mine" / "run.json").unlink(missing_ok=True)
        assert (tmp_path / "mine" / last).exists()
    elif not last.endswith(".part"):
        assert not (tmp_path / "mine").exists()
    RunFolder.create_at(info(), tmp_path / "mine").append(ROWS, SAMPLES)
    assert len(read_run(tmp_path / "mine").rows) == len(ROWS)


def test_a_start_that_is_stopped_at_its_very_end_leaves_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = run_files.replace

    def replace_and_stop(path: Path, content: bytes) -> None:
        replace(path, content)
        if path.name == "run.json":
            raise KeyboardInterrupt

    monkeypatch.setattr(run_files, "replace", replace_and_stop)
    with pytest.raises(KeyboardInterrupt):
        RunFolder.create_at(info(), tmp_path / "mine")
    assert read_run(tmp_path / "mine").rows == ()


@pytest.mark.parametrize("removed", [("run.json",), ("run.json", "results.csv")])
def test_rows_and_samples_whose_record_is_lost_are_not_overwritten(tmp_path: Path, removed: tuple[str, ...]) -> None:
    RunFolder.create_at(info(), tmp_path).append(ROWS, SAMPLES)
    for name in removed:
        (tmp_path / name).unlink()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ResultsError, match="exists and is not empty"):
        RunFolder.create_at(info(), tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ResultsError, match="is a file, not a folder"):
        RunFolder.create_at(info(), tmp_path / "file")
    with pytest.raises(ResultsError, match=r"cannot be written: .*/file is not a folder"):
        RunFolder.create(info(), tmp_path / "file")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_written_is_one_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(ResultsError, match="cannot be written: you have no permission to write there") as caught:
        RunFolder.create(info(), tmp_path)
    assert caught.value.advice == "make it writable, or give another folder"


def test_rows_and_samples_are_on_disk_as_soon_as_they_are_appended(tmp_path: Path) -> None:
    folder = RunFolder.create_at(info(), tmp_path)
    for count, row in enumerate(ROWS, start=1):
        folder.append([row], [sample for sample in SAMPLES if sample.case_id == row.case_id])
        assert [each.case_id for each in read_run(tmp_path).rows] == [each.case_id for each in ROWS[:count]]
    assert len(gzip.decompress((tmp_path / "samples.csv.gz").read_bytes()).splitlines()) == 1 + len(SAMPLES)


def test_row_that_is_measured_again_takes_the_place_of_the_first(tmp_path: Path) -> None:
    folder = RunFolder.create_at(info(), tmp_path)
    folder.append(ROWS, SAMPLES)
    later = replace(ROWS[1], processes=(0, 1), time_us=200.0)
    folder.append([later], [replace(SAMPLES[0], process=1)])
    assert [row.case_id for row in read_run(tmp_path).rows] == [row.case_id for row in ROWS]
    assert read_run(tmp_path).rows[1].processes == (0, 1)
    assert set(read_run(tmp_path).samples()["process"]) == {0, 1}


def test_rows_of_groups_that_ended_in_any_order_are_put_into_that_of_the_suite(tmp_path: Path) -> None:
    folder = RunFolder.create_at(info(), tmp_path)
    for row in reversed(ROWS):
        folder.append([row])
    folder.sort(row.case_id for row in ROWS)
    assert [row.case_id for row in read_run(tmp_path).rows] == [row.case_id for row in ROWS]


def test_sorted_rows_have_the_same_text_and_lines_that_others_have_changed_are_written_again(tmp_path: Path) -> None:
    folder = RunFolder.create_at(info(), tmp_path)
    file = tmp_path / "results.csv"
    folder.append(ROWS)
    before = file.read_bytes()
    for content in (before, before.replace(b"\n", b"\n\n"), before[: before.index(b"\n") + 1], b"", b"\xff\n\xff"):
        file.write_bytes(content)
        folder.sort(row.case_id for row in reversed(ROWS))
        header, *lines = before.splitlines()
        assert file.read_bytes().splitlines() == [header, *reversed(lines)]
        folder.sort(row.case_id for row in ROWS)
        assert file.read_bytes() == before


def test_samples_alone_leave_the_rows_as_they_are(tmp_path: Path) -> None:
    folder = RunFolder.create_at(info(), tmp_path)
    folder.append(ROWS)
    before = (tmp_path / "results.csv").read_bytes()
    folder.append((), SAMPLES)
    assert (tmp_path / "results.csv").read_bytes() == before
    assert len(read_run(tmp_path).samples()) == len(SAMPLES)


def test_samples_go_to_the_disk_before_their_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    monkeypatch.setattr(run_files, "append", lambda path, content: order.append(f"{path.name} {len(content) > 0}"))
    RunFolder.create_at(info(), tmp_path).append(ROWS, SAMPLES)
    assert order == ["samples.csv.gz True", "results.csv True"]


def test_finishing_writes_the_time_and_the_notes(tmp_path: Path) -> None:
    folder = RunFolder.create_at(info(), tmp_path)
    assert json.loads((tmp_path / "run.json").read_text())["finished"] is None
    folder.finish("2026-11-20T08:00:30Z", ["the clock was steady after 0.4 s"])
    assert read_run(tmp_path).info == folder.info
    assert folder.info.finished == "2026-11-20T08:00:30Z"
    assert folder.info.notes == ("the clock was steady after 0.4 s",)


def test_a_full_disk_keeps_finished_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = RunFolder.create_at(info(), tmp_path)
    folder.append(ROWS[:2])
    before = (tmp_path / "results.csv").read_bytes()
    monkeypatch.setattr(os, "fsync", _raise(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
    with pytest.raises(ResultsError, match="cannot be written: the disk is full") as caught:
        folder.append(ROWS[2:3])
    assert f"--resume {tmp_path}" in caught.value.advice
    assert (tmp_path / "results.csv").read_bytes() == before


def test_a_row_that_could_be_written_in_part_only_is_taken_back(tmp_path: Path) -> None:
    folder = RunFolder.create_at(info(), tmp_path)
    folder.append(ROWS[:2])
    path = tmp_path / "results.csv"
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, hard))  # the system writes 20 bytes, then refuses
    try:
        with pytest.raises(ResultsError, match="cannot be written: the limit on file sizes is reached"):
            folder.append(ROWS[2:3])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before
    folder.append(ROWS[2:3])
    assert len(read_run(tmp_path).rows) == 3


def test_a_folder_that_vanished_is_one_sentence(tmp_path: Path) -> None:
    folder = RunFolder.create_at(info(), tmp_path / "run")
    for path in folder.path.iterdir():
        path.unlink()
    with pytest.raises(ResultsError, match="cannot be written: the folder was deleted or moved"):
        folder.append(ROWS)
    assert list(folder.path.iterdir()) == []


def test_a_reader_of_the_old_content_never_sees_a_part_of_the_new(tmp_path: Path) -> None:
    folder = RunFolder.create_at(info(), tmp_path)
    before = (tmp_path / "run.json").read_bytes()
    with (tmp_path / "run.json").open("rb") as reader:
        folder.finish("2026-11-20T08:00:30Z")
        assert reader.read() == before
    assert read_run(tmp_path).info.finished == "2026-11-20T08:00:30Z"


def test_a_file_that_cannot_be_replaced_keeps_its_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = RunFolder.create_at(info(), tmp_path)
    before = (tmp_path / "run.json").read_bytes()
    monkeypatch.setattr(os, "fsync", _raise(OSError(errno.EIO, os.strerror(errno.EIO))))
    with pytest.raises(ResultsError, match="cannot be written: Input/output error"):
        folder.finish("2026-11-20T08:00:30Z")
    assert (tmp_path / "run.json").read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 3


def _raise(error: OSError) -> object:
    def fail(*_: object) -> None:
        raise error

    return fail


def test_groups_that_end_together_are_written_when_the_block_is_left_also_by_an_error(tmp_path: Path) -> None:
    one_by_one, together = (RunFolder.create_at(info(), tmp_path / name) for name in ("one-by-one", "together"))
    for row in ROWS:
        one_by_one.append([row], [sample for sample in SAMPLES if sample.case_id == row.case_id])

    def append_and_stop() -> None:
        with together.together():
            for row in ROWS:
                together.append([row], [sample for sample in SAMPLES if sample.case_id == row.case_id])
            assert read_run(together.path).rows == ()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        append_and_stop()
    for name in ("results.csv", "samples.csv.gz"):
        assert (together.path / name).read_bytes() == (one_by_one.path / name).read_bytes()
    assert len(read_run(together.path).rows) == len(ROWS)
