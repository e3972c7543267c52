import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shflbench.analysis.compare.sides import Side
from shflbench.errors import ResultsError
from shflbench.session.history.condense import condense, method_of
from shflbench.store import read_run
from shflbench.store.history.record import HistoryRun
from shflbench.store.kernel_archive import KernelArchive
from shflbench.store.provenance import Conversion, SuiteRevision
from tests.fakes.kept_runs import edit, quiet_run
from tests.fakes.runs import info

ROOT = Path(__file__).parents[3]
QUICK = ROOT / "results/quick/nvidia-h200"  # one process
SWEEP = ROOT / "results/launch-sweep/nvidia-h200"  # three


@pytest.fixture(scope="module")
def quick() -> HistoryRun:
    return condense(read_run(QUICK)).run


@pytest.fixture(scope="module")
def sweep() -> HistoryRun:
    return condense(read_run(SWEEP)).run


def test_a_recorded_run_has_times_errors_and_identities(quick: HistoryRun) -> None:
    run = read_run(QUICK)
    rows = {row.case_id: row for row in run.rows}
    assert [case.case for case in quick.cases] == list(rows)
    for case in quick.cases:
        row = rows[case.case]
        assert case.time_us == pytest.approx(row.time_us, rel=0.05)  # the row has the median
        assert case.error is not None
        assert 0 < case.error < 0.02
        assert case.kernel.code
        assert case.kernel.source
        assert case.kernel.launch == (row.shape or f"{row.grid}x{row.block}")
        assert case.kernel.registers == row.registers


def test_what_is_around_a_run_is_recorded(quick: HistoryRun) -> None:
    machine = quick.machine
    assert (machine.gpu_name, machine.arch, machine.driver) == ("NVIDIA H200", "sm_90", "580.159.04")
    assert (machine.compiler, machine.cccl) == ("13.5", "3.5")
    assert machine.gpu_settings == (
        "application clock (MHz) 1980, application clock of the memory (MHz) 3201, power limit (W) 700.0, ECC on, "
        "MIG off"
    )
    assert machine.options.startswith("-std=c++17 -lineinfo")
    assert machine.method == (
        "shflbench 0.2.0, precision 0.01, min_seconds 1, max_seconds 0.1, min_samples 27, max_samples 2500, places 1, "
        "sentinels 1-95de7a58"
    )
    assert machine.noise == "quiet"
    assert len(machine.sentinels) == 8
    assert dict(machine.sentinels)["sentinel/multiply-add-long"] == pytest.approx(414.56, rel=1e-3)


def test_the_time_is_the_mean_over_processes_and_its_error_that_of_their_spread(sweep: HistoryRun) -> None:
    run = read_run(SWEEP)
    estimates = Side.of([run]).estimates(run.rows)
    larger = 0
    for case in sweep.cases:
        values, variances = estimates[case.case].values, estimates[case.case].variances
        assert case.processes == len(values) == 3
        assert case.time_us == pytest.approx(values.mean(), rel=1e-6)
        spread = values.std(ddof=1) / np.sqrt(3) / values.mean()
        within = np.sqrt(variances.mean() / 3) / values.mean()
        assert case.error == pytest.approx(max(spread, within), rel=0.01)
        larger += spread > within
    assert larger > len(sweep.cases) / 2


def test_cases_that_launch_one_kernel_share_its_identity(sweep: HistoryRun) -> None:
    archive = read_run(SWEEP).kernels()
    assert archive is not None
    codes = {case.case: case.kernel.code for case in sweep.cases}
    for kernel in archive.index.kernels:
        assert len({codes[case] for case in kernel.cases}) == 1
    by_code = {codes[kernel.cases[0]]: kernel.code_hashes for kernel in archive.index.kernels}
    assert len(by_code) == len({kernel.code_hashes for kernel in archive.index.kernels})


def test_the_sources_of_all_kernels_are_given_by_their_hash(quick: HistoryRun) -> None:
    units = condense(read_run(QUICK)).units
    assert {case.kernel.unit for case in quick.cases} == units.keys()
    unit = next(units[case.kernel.unit] for case in quick.cases if case.case.startswith("neighbor/shfl/"))
    assert unit.unit == "neighbor/kernels.cu"
    assert "shflbench.cuh" in unit.headers


def test_options_of_a_kernel_belong_to_its_source(tmp_path: Path) -> None:
    shutil.copytree(QUICK, tmp_path / "run")
    archive = KernelArchive.read(QUICK / "kernels.zip")
    kernels = tuple(replace(kernel, options=("-DLAUNCH_BOUNDS=1",)) for kernel in archive.index.kernels)
    changed = replace(archive, index=replace(archive.index, kernels=kernels))
    (tmp_path / "run/kernels.zip").write_bytes(changed.encode())
    sources = [
        [case.kernel.source for case in condense(read_run(folder)).run.cases] for folder in (QUICK, tmp_path / "run")
    ]
    assert all(one != other for one, other in zip(*sources, strict=True))


def test_the_revision_is_that_of_the_run_unless_another_is_given(tmp_path: Path) -> None:
    folder = quiet_run(tmp_path / "run")
    assert condense(read_run(folder)).run.commit == ""
    edit(folder, revision=SuiteRevision("abc", dirty=True))
    run = condense(read_run(folder)).run
    assert (run.commit, run.is_dirty) == ("abc", True)
    run = condense(read_run(folder), "v1.2\x1b").run
    assert (run.commit, run.is_dirty) == ("v1.2\\x1b", False)


def test_the_build_of_the_compiler_is_part_of_its_name(tmp_path: Path) -> None:
    folder = quiet_run(tmp_path / "run")
    about = read_run(folder).info
    edit(folder, versions=replace(about.versions, nvrtc="13.5", compiler_build="0123abcd"))
    assert condense(read_run(folder)).run.machine.compiler == "13.5 (build 0123abcd)"


def test_a_run_without_kernels_is_kept_without_identity_and_says_so(tmp_path: Path) -> None:
    condensed = condense(read_run(quiet_run(tmp_path / "run")))
    assert {case.kernel.code for case in condensed.run.cases} == {""}
    assert condensed.units == {}
    assert condensed.notes == (f"{tmp_path / 'run'} has no kernels.zip: its changes cannot be attributed to code",)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"backend": "emulator"}, "it has no times, because its backend is emulator"),
        ({"backend": "none"}, "it has no times, because its backend is none"),
        ({"finished": None}, "the run is not finished"),
        ({"converted": Conversion("nvbench", None, ()), "started": ""}, "it does not say when it was measured"),
    ],
)
def test_a_run_that_has_no_place_in_a_history_is_refused(
    changes: dict[str, object], reason: str, tmp_path: Path
) -> None:
    folder = edit(quiet_run(tmp_path / "run"), **changes)
    with pytest.raises(ResultsError) as caught:
        condense(read_run(folder))
    assert caught.value.message == f"{folder} is not added: {reason}"


def test_a_run_without_samples_is_refused(tmp_path: Path) -> None:
    folder = quiet_run(tmp_path / "run")
    (folder / "samples.csv.gz").unlink()
    with pytest.raises(ResultsError, match="is not added: it has no samples"):
        condense(read_run(folder))


def test_the_method_does_not_depend_on_what_changes_no_time() -> None:
    about = info()
    other = replace(about.settings, processes=9, seed=8, timeout=1.0, input_sets=2)
    assert method_of(replace(about, settings=other)) == method_of(about)
    assert method_of(replace(about, settings=replace(about.settings, precision=0.03))) != method_of(about)


def test_the_method_of_a_converted_run_is_its_tool() -> None:
    assert method_of(replace(info(), converted=Conversion("nvbench", "0.1", ()))) == "nvbench 0.1"
