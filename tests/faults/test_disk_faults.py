"""Disks that are full, and folders that cannot be written or were deleted: finished rows stay."""

import ctypes
import re
import resource
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome
from tests.faults.conftest import CASES, RECORDED, Machine, Make, Start, fault, shflbench

pytestmark = pytest.mark.expensive

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1  # prctl(2), capabilities(7)


@pytest.fixture(autouse=True)
def _no_byte_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep processes with a limit on file sizes from leaving truncated byte code, which breaks all later ones."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")


def heed_permissions() -> None:
    """Drop the capability that lets root write to read-only files."""
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)


@pytest.mark.archs
def test_full_disk_ends_the_run_and_resume_continues_it(make: Make) -> None:
    variants = ("smem", "smem-double", "smem-syncwarp", "smem-unsafe", "smem-deck", "shfl")
    noisy = {variant: {"noise": 0.01} for variant in variants}  # does not compress: only the samples get too large
    made = make(cases_per_window=1, scripts=noisy)
    assert made.call("suite.yaml", "--output", "whole").code == 0
    most = 3 * (made.folder / "whole" / "samples.csv.gz").stat().st_size // 4  # more than one group, less than two

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    refused = (
        "\nerror: {} cannot be written: the limit on file sizes is reached\n"
        "Raise the limit (`ulimit -f`); finished rows are kept: continue with --resume out\n"
    )
    without_kernels = made.run("suite.yaml", "--output", "out", preexec_fn=limit)
    assert (without_kernels.code, without_kernels.out, made.rows()) == (3, "", {})
    assert without_kernels.err.endswith(refused.format("out"))
    shutil.copy(made.folder / "whole" / "kernels.zip", made.folder / "out")  # is larger than all samples
    outcome = made.run("suite.yaml", "--resume", "out", preexec_fn=limit)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.endswith(refused.format("out"))
    assert {row.pattern for row in made.rows().values()} == {"neighbor"}
    assert {sample.case_id.split("/")[0] for sample in made.samples()} == {"neighbor", "sentinel"}
    assert made.call("suite.yaml", "--resume", "out").code == 0
    assert len(made.rows()) == CASES


@pytest.mark.archs
def test_unwritable_cache_causes_a_warning(make: Make, tmp_path: Path) -> None:
    made = make(cache=tmp_path / "cache")
    made.cache.touch()
    outcome = made.run("suite.yaml", "--output", "out", "--pattern", "reduce", "--variant", "smem")
    assert outcome.code == 0
    assert f"warning: compiled kernels cannot be cached in {tmp_path / 'cache'}: Not a directory\n" in outcome.err


def meanwhile(made: Machine, change: Callable[[Path], object]) -> Outcome:
    """Run, and change something about the run's folder while the second of its groups is measured."""
    process = made.start("suite.yaml", "--output", "out", preexec_fn=heed_permissions)
    made.wait_for("wait")
    change(made.folder / "out")
    made.end_wait()
    return made.end(process)


@pytest.fixture
def paused(make: Make) -> Machine:
    """Return a machine that waits at the second group."""
    return make(fault("reduce/shfl", "verify", "wait"), cases_per_window=1)


@pytest.mark.archs
def test_folder_that_became_read_only_ends_the_run_and_resume_continues_it(paused: Machine) -> None:
    def lock(folder: Path) -> None:
        for path in (*folder.iterdir(), folder):
            path.chmod(0o555)

    outcome = meanwhile(paused, lock)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.endswith(
        "\nerror: out/samples.csv.gz cannot be written: you have no permission to write there\n"
        "Make it writable; finished rows are kept: continue with --resume out\n"
    )
    assert {row.pattern for row in paused.rows().values()} == {"neighbor"}
    for path in (paused.folder / "out", *(paused.folder / "out").iterdir()):
        path.chmod(0o755)
    assert paused.call("suite.yaml", "--resume", "out").code == 0
    assert paused.failures() == {}
    assert len(paused.rows()) == CASES


@pytest.mark.archs
def test_deleted_folder_ends_the_run_and_is_not_created_again(paused: Machine) -> None:
    outcome = meanwhile(paused, shutil.rmtree)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.endswith(
        "\nerror: out/samples.csv.gz cannot be written: the folder was deleted or moved\nGive another folder\n"
    )
    assert not (paused.folder / "out").exists()


@pytest.mark.archs
def test_folder_without_write_permission_is_reported_before_anything_is_measured(make: Make) -> None:
    made = make()
    (made.folder / "locked").mkdir(mode=0o555)
    outcome = made.run("suite.yaml", "--output", "locked/out", preexec_fn=heed_permissions)
    assert (outcome.code, outcome.out) == (3, "")
    assert "error: locked/out cannot be written: you have no permission to write there\n" in outcome.err
    assert list((made.folder / "locked").iterdir()) == []


def limited() -> None:
    """Let no file grow beyond a few bytes, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))


@pytest.mark.parametrize(
    ("start", "output", "why"),
    [
        (Machine.run, "file/out", "file is not a folder"),
        (Machine.call, "/dev/null/out", "/dev/null is not a folder"),
        (Machine.call, "/proc/out", "no folder can be created there"),
        (Machine.call, 256 * "x", "its name is too long"),
    ],
)
def test_output_that_cannot_exist_is_reported_before_anything_is_measured(
    make: Make, start: Start, output: str, why: str
) -> None:
    made = make()
    (made.folder / "file").touch()
    outcome = start(made, "suite.yaml", "--output", output)
    assert (outcome.code, outcome.out) == (3, "")
    assert f"error: {output} cannot be written: {why}\n" in outcome.err
    assert outcome.err.endswith("ive another folder\n")
    assert sorted(path.name for path in made.folder.iterdir()) == ["file", "log", "suite.yaml"]


@pytest.mark.archs
def test_run_that_cannot_start_on_a_full_disk_leaves_no_folder(make: Make) -> None:
    made = make()
    outcome = made.run("suite.yaml", "--output", "out", preexec_fn=limited)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.endswith(
        "\nerror: out cannot be written: the limit on file sizes is reached\n"
        "Raise the limit (`ulimit -f`), or give another folder\n"
    )
    assert not (made.folder / "out").exists()


@pytest.mark.archs
def test_new_on_a_full_disk_leaves_nothing_and_works_once_there_is_space(tmp_path: Path) -> None:
    outcome = shflbench(tmp_path, "new", "my-exchange", preexec_fn=limited)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == (
        f"error: {tmp_path} cannot be written: the limit on file sizes is reached\n"
        "Raise the limit (`ulimit -f`), or choose another folder by --output\n"
    )
    assert list(tmp_path.iterdir()) == []
    assert shflbench(tmp_path, "new", "my-exchange").code == 0


@pytest.mark.archs
def test_plot_on_a_full_disk_leaves_the_old_charts_and_no_part_of_a_new_one(tmp_path: Path) -> None:
    shutil.copytree(RECORDED, tmp_path / "run")
    folder = tmp_path / "plots" / "quick" / "run"
    folder.mkdir(parents=True)
    (folder / "neighbor-time.svg").write_text("an older chart", encoding="utf-8")
    outcome = shflbench(tmp_path, "plot", "run", preexec_fn=limited)
    assert (outcome.code, outcome.out) == (3, "")
    assert re.fullmatch(
        r"error: plots/quick/run/?\S* cannot be written: the limit on file sizes is reached\n"
        r"Raise the limit \(`ulimit -f`\), or name another with --output\n",
        outcome.err,
    )
    assert {path.name: path.read_text("utf-8") for path in folder.iterdir()} == {"neighbor-time.svg": "an older chart"}
