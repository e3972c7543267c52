import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.cli.limits.output import omitted_sentence
from shflbench.core.model import (
    AccessKind,
    AccessRequests,
    AccessSpace,
    KernelRequests,
    LaunchCounts,
    MemoryFootprint,
)
from shflbench.kernel_facts.run_limits import limits_of
from shflbench.store import read_info, read_run
from shflbench.store.calibration_file import write
from shflbench.store.counts_file import CaseCounts, write_counts
from shflbench.store.limits_file import CaseLimit, read_limits
from tests.analysis.limits.test_calibrated import calibration
from tests.conftest import Command
from tests.fakes.kept_runs import edit
from tests.kernel_facts.test_run_limits import RESULTS, SHFL, STRUCTS
from tests.kernel_facts.test_run_limits import only as only_row

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
    assert [line.split("  ")[0] for line in meanings.splitlines()] == [
        "limit µs",
        "limit/time",
        "limited by",
        "predicted µs",
        "expected µs",
    ]
    head, _, title, columns, *lines = rest.splitlines()
    assert head == f"{run}: suite quick, NVIDIA H200, {read_run(run).info.started[:10]}"
    assert title == "neighbor  f32  26x1024  512 iterations  mode=idx"
    assert columns.split() == (
        ["variant", "time", "µs", "limit", "µs", "limit/time", "limited", "by", "predicted", "µs", "expected", "µs"]
    )
    assert [line.split()[0] for line in lines[:3]] == ["shfl", "smem-syncwarp", "smem"]
    time, limit, share, limiter = lines[0].split()[1:5]
    assert float(share.removesuffix("%")) == pytest.approx(100 * float(limit) / float(time), abs=0.1)
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


def test_a_prediction_and_its_interval_are_beside_the_limit(shflbench: Command, run: Path) -> None:
    shflbench("limits", run, "--save")
    shfl, (row,) = read_limits(run)[SHFL], only_row(read_run(run), SHFL).rows
    assert shfl.model_us == pytest.approx(row.time_us, rel=0.2)  # launches of a few µs differ between machines
    assert shfl.model_by == "loop"
    ends = (shfl.limit_us or 0.0, shfl.model_low_us or 0.0, shfl.model_us or 0.0, shfl.model_high_us or 0.0)
    assert list(ends) == sorted(ends)


def test_requests_that_the_emulator_counts_make_limits_closer(
    shflbench: Command, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shflbench("limits", run, "--save")
    before = read_limits(run)[SMEM]
    conflicts = AccessRequests("", 0, AccessSpace.SHARED, AccessKind.LOAD, 32, 32.0, 1.0, 32.0, 32.0, 32.0, 1.0)
    counted = {SMEM: KernelRequests((conflicts,), (), warps=32, per_iteration=True)}
    monkeypatch.setattr("shflbench.kernel_facts.known_limits.requests_of_run", lambda *_: counted)
    shflbench("limits", run, "--requests", "--save")
    after = read_limits(run)[SMEM]
    assert (after.limit_us or 0) > 2 * (before.limit_us or 0)
    assert after.limit_by == "exchange"


@pytest.mark.archs
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
    monkeypatch.setattr("shflbench.kernel_facts.known_limits.requests_of_run", lambda *_: {})
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


def counted(folder: Path, requests: tuple[AccessRequests, ...], footprint: MemoryFootprint, reason: str = "") -> None:
    """Leave one case of one pass in the run, and write what its launch does, or why it is not known."""
    (row,) = only_row(read_run(folder), STRUCTS).rows
    path = folder / "results.csv"
    head, *lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text(head + "".join(line for line in lines if line.startswith(f"{STRUCTS},")), encoding="utf-8")
    known = LaunchCounts(8, row.grid or 0, KernelRequests(requests, (), 8, per_iteration=False), footprint)
    write_counts(folder, [CaseCounts(STRUCTS, reason=reason) if reason else CaseCounts(STRUCTS, known)])


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """Copy a run without its limits."""
    ignored = shutil.ignore_patterns("limits.csv")
    return shutil.copytree(RESULTS / "quick" / "nvidia-h200", tmp_path / "run", ignore=ignored)


def test_what_a_launch_was_counted_to_move_sets_its_limit(shflbench: Command, whole: Path) -> None:
    store = AccessRequests("one.cu", 1, AccessSpace.GLOBAL, AccessKind.STORE, 32, 64.0, 8.0, 32.0, sectors=8.0)
    counted(whole, (store,), MemoryFootprint(2**24, 2**24, 2**25))
    (limit,) = json.loads(shflbench("limits", whole, "--format", "json").out)[0]["cases"]
    (row,) = read_run(whole).rows
    assert (limit["limit_by"], limit["limit_basis"]) == ("l2", "8 of 4,096 blocks")
    assert limit["limit_us"] == pytest.approx(4096 * 64 * 8 * 32 / 5120 / (row.sm_clock_mhz or 0))
    shown = shflbench("limits", whole).out
    assert (
        "what the launch does was counted in the emulator in 8 of 4,096 blocks; ≈ marks limits that are estimates"
        in shown
    )
    rate = 2**25 / (row.time_us or 0) / 1000
    assert re.search(rf"soa +{row.time_us:.2f} +{rate:.0f} +≈{limit['limit_us']:.2f} +≈[0-9.]+% +l2 ", shown)


def of_a_file(folder: Path) -> None:
    """Let a run be of kernels of a file, of which shflbench has no pattern."""
    path = folder / "results.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",struct-access,", ",structs,"), encoding="utf-8")
    info = read_info(folder)
    edit(folder, suite=replace(info.suite, path="structs.cu"))


def test_requests_that_bench_counted_are_not_counted_again(shflbench: Command, whole: Path) -> None:
    counted(whole, (), MemoryFootprint(2**24, 2**24, 2**25))
    of_a_file(whole)
    plain, again = shflbench("limits", whole), shflbench("limits", whole, "--requests")
    assert (again.code, again.out) == (plain.code, plain.out) == (0, again.out)
    assert again.err.splitlines() == [
        f"{whole}: `bench` has counted what each launch requests, so --requests counts nothing again",
        *plain.err.splitlines(),
    ]


def test_requests_that_cannot_be_counted_are_an_error(shflbench: Command, whole: Path) -> None:
    counted(whole, (), MemoryFootprint(2**24, 2**24, 2**25))
    (whole / "counts.json").unlink()
    of_a_file(whole)
    outcome = shflbench("limits", whole, "--requests")
    assert (outcome.code, outcome.out) == (3, "")
    assert "--requests counts only what kernels of shflbench's own patterns request" in outcome.err
    assert "Measure again with `bench`, which counts them" in outcome.err


@pytest.mark.archs
def test_rates_of_a_calibration_apply_to_a_counted_launch(
    shflbench: Command, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shflbench.store.calibration_file.SHIPPED", tmp_path)  # as if none came with shflbench
    counted(whole, (), MemoryFootprint(2**24, 2**24, 2**25))
    of_a_file(whole)
    assert "ceiling" not in shflbench("limits", whole).out
    path = write(tmp_path / "other", calibration(l2_bytes_per_s=2.5e12))
    (limit,) = json.loads(shflbench("limits", whole, "--calibration", path, "--format", "json").out)[0]["cases"]
    assert (limit["ceiling_by"], limit["ceiling_us"]) == ("l2", pytest.approx(2**25 / 2.5e6))


def test_a_launch_far_from_its_limit_is_said_to_reach_none(shflbench: Command, whole: Path) -> None:
    counted(whole, (), MemoryFootprint(2**24, 2**24, 2**25))
    (limit,) = limits_of(read_run(whole))
    assert limit.limit_fraction
    words = "no throughput limit is reached by soa"
    edit_time(whole, STRUCTS, limit.limit_fraction / 0.6)
    assert words not in shflbench("limits", whole).out
    edit_time(whole, STRUCTS, 2.0)
    said = f"{words} ({limit.limit_by}, ≈30.0%): latency, or what a limit leaves out, takes most of its time"
    assert said in shflbench("limits", whole).out


def test_a_sample_that_a_launch_beats_sets_no_limit_and_is_no_fault(shflbench: Command, whole: Path) -> None:
    counted(whole, (), MemoryFootprint(2**34, 0, 2**34))
    outcome = shflbench("limits", whole)
    assert outcome.code == 0
    assert "soa: no limit: the launch is faster than the 8 of 4,096 blocks that were counted allow" in outcome.out
    assert "limited by" not in outcome.out


def test_without_a_count_there_is_a_reason_and_nothing_that_limits(shflbench: Command, whole: Path) -> None:
    counted(whole, (), MemoryFootprint(0, 0, 0), reason="its blocks may wait for one another")
    shown = shflbench("limits", whole).out
    assert "soa: no limit: what its launch does is not counted: its blocks may wait for one another" in shown
    assert "limited by" not in shown
    assert "%" not in shown
    assert shflbench("limits", whole, "--save").code == 0
    inspected = shflbench("inspect", whole).out
    assert "soa: no limit: what its launch does is not counted: its blocks may wait for one another;" in inspected


def test_the_footnote_does_not_blame_rates_for_unknown_amounts() -> None:
    limits = [CaseLimit(case_id="a", omitted="dram;latency of LDG"), CaseLimit(case_id="b", omitted="dram")]
    assert omitted_sentence(limits) == (
        "ignored in the limits, because an amount or a rate is not known: dram (in 2 cases), latency of LDG (in 1 case)"
    )
