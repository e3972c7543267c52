import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.model import AccessKind, AccessRequests, AccessSpace, KernelRequests
from shflbench.session.limits import limits_of
from shflbench.store import read_run
from shflbench.store.calibration_file import write
from shflbench.store.limits_file import read_limits
from tests.analysis.limits.test_calibrated import calibration
from tests.conftest import Command
from tests.session.test_limits import RESULTS, SHFL
from tests.session.test_limits import only as only_row

SMEM = "neighbor/smem-syncwarp/f32/26x1024/512/mode=idx"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Copy a run of which three cases are left."""
    folder = tmp_path / "run"
    shutil.copytree(RESULTS / "quick" / "nvidia-h200", folder, ignore=shutil.ignore_patterns("limits.csv"))
    path = folder / "results.csv"
    head, *lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text(head + "".join(line for line in lines if line.startswith("neighbor/")), encoding="utf-8")
    return folder


def edit_time(folder: Path, case_id: str, factor: float) -> None:
    """Multiply the time of a case."""
    path = folder / "results.csv"
    text = path.read_text(encoding="utf-8")
    (row,) = only_row(read_run(folder), case_id).rows
    path.write_text(text.replace(f",{row.time_us},", f",{(row.time_us or 0) * factor:.7g},"), encoding="utf-8")


def test_each_group_has_a_table_with_the_fastest_case_first(
    shflbench: Command, run: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("shflbench.store.calibration_file.SHIPPED", tmp_path)  # as if none came with shflbench
    outcome = shflbench("limits", run)
    assert outcome.code == 0
    meanings, _, rest = outcome.out.partition("\n\n")
    assert [line.split("  ")[0] for line in meanings.splitlines()] == ["limit µs", "limited by", "predicted µs"]
    head, _, title, columns, *lines = rest.splitlines()
    assert head == f"{run}: suite quick, NVIDIA H200, {read_run(run).info.started[:10]}"
    assert title == "neighbor  f32  26x1024  512 iterations  mode=idx"
    assert columns.split() == ["variant", "time", "µs", "limit", "µs", "limit/time", "limited", "by", "predicted", "µs"]
    assert [line.split()[0] for line in lines[:3]] == ["shfl", "smem-syncwarp", "smem"]
    time, limit, share, limiter = lines[0].split()[1:5]
    assert share == f"{100 * float(limit) / float(time):.1f}%"
    assert limiter == "exchange"


def test_limits_are_stored_with_the_run_if_asked_and_change_nothing_else(shflbench: Command, run: Path) -> None:
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    outcome = shflbench("limits", run)
    unsaved = f"not saved: 3 cases that {run / 'limits.csv'} lacks or has with other values; write them with --save"
    assert unsaved in outcome.err
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before
    outcome = shflbench("limits", run, "--save")
    assert f"{run / 'limits.csv'} is written, 3 cases changed" in outcome.err
    limits = read_limits(run)
    assert list(limits) == [row.case_id for row in read_run(run).rows]
    assert limits[SHFL].limit_by == "exchange"
    (run / "limits.csv").unlink()
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


def test_a_prediction_is_beside_the_limit(shflbench: Command, run: Path) -> None:
    shflbench("limits", run, "--save")
    shfl, (row,) = read_limits(run)[SHFL], only_row(read_run(run), SHFL).rows
    assert shfl.model_us == pytest.approx(row.time_us, rel=0.2)  # launches of a few µs differ between machines


def test_requests_that_the_emulator_counts_make_limits_closer(
    shflbench: Command, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shflbench("limits", run, "--save")
    before = read_limits(run)[SMEM]
    conflicts = AccessRequests("", 0, AccessSpace.SHARED, AccessKind.LOAD, 32, 32.0, 1.0, 32.0, 32.0, 32.0, 1.0)
    counted = {SMEM: KernelRequests((conflicts,), (), warps=32, per_iteration=True)}
    monkeypatch.setattr("shflbench.session.requests.requests_of_run", lambda *_: counted)
    shflbench("limits", run, "--requests", "--save")
    after = read_limits(run)[SMEM]
    assert (after.limit_us or 0) > 2 * (before.limit_us or 0)
    assert after.limit_by == "exchange"


def test_json_has_every_value_of_each_case(
    shflbench: Command, run: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("shflbench.store.calibration_file.SHIPPED", tmp_path)  # as if none came with shflbench
    (record,) = json.loads(shflbench("limits", run, "--format", "json").out)
    assert (record["folder"], record["suite"]) == (str(run), "quick")
    shfl = next(case for case in record["cases"] if case["case_id"] == SHFL)
    assert shfl["limit_cycles"] == 32.0
    assert (shfl["limit_reason"], shfl["ceiling_us"]) == (None, None)


def test_ceilings_come_from_the_calibration_of_the_gpu_or_a_given_file(
    shflbench: Command, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shflbench.store.calibration_file.SHIPPED", tmp_path)  # as if none came with shflbench
    monkeypatch.setattr("shflbench.session.requests.requests_of_run", lambda *_: {})
    assert "ceiling µs" not in shflbench("limits", run).out
    path = write(tmp_path / "other", calibration(shuffle=0.5))
    assert "ceiling µs" in shflbench("limits", run, "--calibration", path).out
    (tmp_path / "baselines" / "calibration").mkdir(parents=True)
    device = read_run(run).info.device
    assert device
    path.rename(tmp_path / "baselines" / "calibration" / f"h200-{device.uuid.removeprefix('GPU-')[:8]}.json")
    assert "ceiling µs" in shflbench("limits", run, "--save").out
    limit = read_limits(run)[SHFL]
    assert limit.ceiling_us == pytest.approx(2 * (limit.limit_us or 0))


def test_a_case_that_beats_its_limit_is_reported_as_a_fault_of_the_limit(shflbench: Command, run: Path) -> None:
    edit_time(run, SHFL, 0.5)
    outcome = shflbench("limits", run)
    assert outcome.code == 1
    assert "1 case is more than 1% faster than the limit, so the limit is wrong" in outcome.err
    (limit,) = limits_of(only_row(read_run(run), SHFL))
    assert limit.limit_fraction
    assert 1.1 < limit.limit_fraction < 1.6
    assert f"{SHFL} ({limit.limit_fraction:.1%} of exchange)" in outcome.err


def test_a_case_without_a_limit_has_the_reason_below_its_table(shflbench: Command, run: Path) -> None:
    (run / "kernels.zip").unlink()
    outcome = shflbench("limits", run)
    assert outcome.code == 0
    assert "shfl, smem-syncwarp, smem: no limit: its machine code was not kept" in outcome.out


def test_calibration_of_another_gpu_is_refused(shflbench: Command, run: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "other", replace(calibration(shuffle=0.5), device="NVIDIA L4"))
    outcome = shflbench("limits", run, "--calibration", path)
    assert outcome.code == 3
    assert "the figures are those of NVIDIA L4, not of NVIDIA H200" in outcome.err
    assert not (run / "limits.csv").exists()


def test_a_run_without_times_is_refused(shflbench: Command, run: Path) -> None:
    path = run / "results.csv"
    path.write_text(path.read_text(encoding="utf-8").splitlines(keepends=True)[0], encoding="utf-8")
    outcome = shflbench("limits", run)
    assert outcome.code == 3
    assert "no case was timed" in outcome.err
    assert not (run / "limits.csv").exists()
