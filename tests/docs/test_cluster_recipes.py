"""The scripts of the page on many GPUs, run with real TLS, Dask and shflbench; ssh and Slurm are replaced."""

import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from shflbench.store import Row, read_run
from shflbench.store.fleet_file import read_fleet
from tests.docs.recipes import RecipeMachine
from tests.faults.conftest import CASES, PATIENCE, fault

pytestmark = [pytest.mark.expensive, pytest.mark.archs]  # a cluster takes seconds to start

Prepare = Callable[..., RecipeMachine]


@pytest.fixture
def prepare(tmp_path: Path, kernel_cache: Path) -> Iterator[Prepare]:
    """Prepare two hosts with these faults, and a certificate."""
    slurm = {
        "SLURM_JOB_ID": "7",
        "SLURM_JOB_NUM_NODES": "2",
        "SLURM_GPUS_ON_NODE": "1",
        "SLURM_CPUS_PER_TASK": "4",
        "SHFLBENCH_CACHE": str(kernel_cache),
    }
    machine = RecipeMachine(tmp_path, slurm)

    def one(**plan: object) -> RecipeMachine:
        machine.set_up(plan)
        made = machine.start("certificate.sh")
        _, err = made.communicate()
        assert made.returncode == 0, err
        return machine

    yield one
    machine.kill()


def rows(folder: Path) -> dict[str, tuple[Row, ...]]:
    return {member.folder: read_run(folder / member.folder).rows for member in read_fleet(folder).members}


def test_the_script_for_ssh_measures_on_all_gpus_of_all_hosts_and_ends_its_processes(prepare: Prepare) -> None:
    machine = prepare()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    run = machine.start("fleet.sh", "suite.yaml", "--wait-for", "4", "--output", "out", replace={"8786": port})
    _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, err
    assert f"on 4 GPUs of tls://127.0.0.1:{port}" in err
    assert [len(some) for some in rows(machine.folder / "out").values()] == [CASES] * 4
    assert "Traceback" not in err
    assert (machine.folder / "worker-node2.log").read_text(encoding="utf-8").count("Start worker at") == 2
    machine.wait_until(lambda: not machine.processes())


def test_a_job_of_slurm_that_is_preempted_resumes_its_run_when_it_is_requeued(prepare: Prepare) -> None:
    machine = prepare(gpus=1, faults=[fault("reduce/shfl", "time", "wait", 4)])
    job = machine.start("fleet.sbatch", "suite.yaml")
    machine.wait_until(lambda: machine.log.exists() and machine.log.read_text(encoding="utf-8").count("wait") == 2)
    machine.signal(signal.SIGTERM)
    _, err = job.communicate(timeout=PATIENCE)
    assert job.returncode == 143, err
    assert "Traceback" not in err
    assert "the finished groups are in fleet-7" in err
    kept = rows(machine.folder / "fleet-7")
    assert all(0 < len(some) < CASES for some in kept.values())
    machine.kill()
    (machine.folder / "continue").touch()
    again = machine.start("fleet.sbatch", "suite.yaml")
    _, err = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0, err
    complete = rows(machine.folder / "fleet-7")
    assert [len({row.case_id for row in some}) for some in complete.values()] == [CASES] * 2
    assert all(row in complete[name] for name, some in kept.items() for row in some)
    assert read_fleet(machine.folder / "fleet-7").finished


@pytest.mark.parametrize(("name", "log"), [("fleet.sbatch", "scheduler-7.log"), ("fleet.sh", "scheduler.log")])
def test_a_scheduler_that_cannot_start_ends_the_script_with_the_name_of_its_log(
    prepare: Prepare, name: str, log: str
) -> None:
    machine = prepare()
    (machine.folder / ".config" / "dask" / "key.pem").unlink()
    script = machine.start(name, "suite.yaml")
    _, err = script.communicate(timeout=PATIENCE)
    assert (script.returncode, err) == (1, f"the scheduler ended: {log} says why\n")
    assert "FileNotFoundError" in (machine.folder / log).read_text(encoding="utf-8")
    machine.wait_until(lambda: not machine.processes())


def test_a_job_of_slurm_ends_when_no_worker_can_start(prepare: Prepare) -> None:
    machine = prepare()
    (machine.folder / "bin" / "srun").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    job = machine.start("fleet.sbatch", "suite.yaml")
    _, err = job.communicate(timeout=PATIENCE)
    assert job.returncode == 143, err
    assert "the scheduler or all workers ended: scheduler-7.log and worker-7-*.log say why" in err
    machine.wait_until(lambda: not machine.processes())
