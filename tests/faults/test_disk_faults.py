"""Disks that are full, and folders that may not be written to or are gone: finished rows stay."""

import ctypes
import resource
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome
from tests.faults.conftest import CASES, Machine, Make, fault

pytestmark = pytest.mark.expensive

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1  # prctl(2), capabilities(7)


def heed_permissions() -> None:
    """Take away from root what lets it write to read-only files; others do not have it."""
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)


def test_disk_that_gets_full_ends_the_run_and_resume_goes_on(make: Make) -> None:
    variants = ("smem", "smem-double", "smem-syncwarp", "smem-unsafe", "smem-deck", "shfl")
    noisy = {variant: {"noise": 0.01} for variant in variants}  # does not compress: only the samples get too large
    made = make(cases_per_window=1, scripts=noisy)
    assert made.run("suite.yaml", "--output", "whole").code == 0
    most = 3 * (made.folder / "whole" / "samples.csv.gz").stat().st_size // 4  # more than one group, less than two
    outcome = made.run(
        "suite.yaml", "--output", "out", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    )
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.endswith(
        "\nerror: out cannot be written: no file may grow that large here\n"
        "Raise the limit (`ulimit -f`); what was finished is kept: go on with --resume out\n"
    )
    assert {row.pattern for row in made.rows().values()} == {"neighbor"}
    assert {sample.case_id.split("/")[0] for sample in made.samples()} == {"neighbor", "sentinel"}
    assert made.run("suite.yaml", "--resume", "out").code == 0
    assert len(made.rows()) == CASES


def test_compiled_kernels_that_cannot_be_kept_cost_a_warning(make: Make, tmp_path: Path) -> None:
    made = make(cache=tmp_path / "cache")
    made.cache.touch()
    outcome = made.run("suite.yaml", "--output", "out", "--pattern", "reduce", "--variant", "smem")
    assert outcome.code == 0
    assert f"warning: compiled kernels cannot be cached in {tmp_path / 'cache'}: Not a directory\n" in outcome.err


def meanwhile(made: Machine, change: Callable[[Path], object]) -> Outcome:
    """Run, and change something about the run's folder while the second of its groups is measured."""
    process = made.start("suite.yaml", "--output", "out", preexec_fn=heed_permissions)
    made.wait_for("hang")
    change(made.folder / "out")
    return made.end(process)


@pytest.fixture
def paused(make: Make) -> Machine:
    """Return a machine that hangs at the second group, until its worker process is replaced."""
    return make(fault("reduce/shfl", "verify", "hang"), cases_per_window=1)


def test_folder_that_became_read_only_ends_the_run_and_resume_goes_on(paused: Machine) -> None:
    def lock(folder: Path) -> None:
        for path in (*folder.iterdir(), folder):
            path.chmod(0o555)

    outcome = meanwhile(paused, lock)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.endswith(
        "\nerror: out/samples.csv.gz cannot be written: you may not write there\n"
        "Make it writable, or give another folder; what was finished is kept: go on with --resume out\n"
    )
    assert {row.pattern for row in paused.rows().values()} == {"neighbor"}
    for path in (paused.folder / "out", *(paused.folder / "out").iterdir()):
        path.chmod(0o755)
    assert paused.run("suite.yaml", "--resume", "out").code == 5
    assert set(paused.failures()) == {"reduce/shfl"}
    assert len(paused.rows()) == CASES


def test_folder_that_was_deleted_ends_the_run_and_is_not_made_again(paused: Machine) -> None:
    outcome = meanwhile(paused, shutil.rmtree)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.endswith(
        "\nerror: out/samples.csv.gz cannot be written: it is gone\n"
        "Somebody deleted or moved it: measure again in a new folder\n"
    )
    assert not (paused.folder / "out").exists()


def test_folder_that_may_not_be_written_to_is_said_before_anything_is_measured(make: Make) -> None:
    made = make()
    (made.folder / "locked").mkdir(mode=0o555)
    outcome = made.run("suite.yaml", "--output", "locked/out", preexec_fn=heed_permissions)
    assert (outcome.code, outcome.out) == (3, "")
    assert "error: locked/out cannot be written: you may not write there\n" in outcome.err
    assert list((made.folder / "locked").iterdir()) == []
