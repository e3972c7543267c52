"""A run on a real Dask cluster of processes with scripted GPUs, of which workers and the scheduler are lost."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from shflbench.core.model import Status
from shflbench.store import read_run
from shflbench.store.fleet_file import FleetMember, read_fleet
from tests.faults.conftest import CASES, PYTHONPATH, Machine, Make, fault

pytestmark = [pytest.mark.expensive, pytest.mark.archs]  # a cluster takes seconds to start

WAIT = fault("reduce/shfl", "time", "wait", 4)
LOSE = fault("reduce/shfl", "time", "lose the parent", 4, worker=0)
# Without a heartbeat, after which a worker counts as hung. A beat is due each 0.5 s, but on a machine with more busy
# processes than cores, beats were late by several seconds.
TTL = "20s"
LONG = 600.0  # seconds after which a test gives up: a cluster has a dozen processes, and each imports Dask
CLOSED = 10.0  # seconds after the end of a run in which its processes must be gone: unused ones end after 60 s
HANG = fault("reduce/shfl", "time", "stop the parent", 4, worker=0)


@dataclass
class Cluster:
    """A scheduler on a free port of this machine, and workers, each with scripted GPUs of its own."""

    folder: Path
    port: int
    mark: str = field(default_factory=lambda: uuid4().hex)  # in the environment of every process of the cluster
    scheduler: subprocess.Popen[bytes] | None = None
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    def start_scheduler(self) -> None:
        self.scheduler = self._start("dask_scheduler", "--host", "127.0.0.1", "--port", f"{self.port}", plan={})

    def add(self, first: int, *faults: Mapping[str, Any], gpus: int = 1, **plan: Any) -> None:
        """Start a worker process per GPU, on a machine with the GPUs from index `first` on, and these faults."""
        log = str(self.folder / f"log-{first}")
        plan = {"first_gpu": first, "gpus": gpus, "faults": faults, "log": log, "cases_per_window": 1, **plan}
        words = ("--nworkers", f"{gpus}", "--nthreads", "2", "--preload", "tests.fakes.fleet_worker")
        self.workers.append(self._start("dask_worker", self.address, *words, plan=plan))

    def _start(self, program: str, *words: str, plan: Mapping[str, Any]) -> subprocess.Popen[bytes]:
        environment = {
            "PYTHONPATH": PYTHONPATH,
            "FAKE_MACHINE": json.dumps(plan),
            "CLUSTER_MARK": self.mark,
            "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": TTL,
            "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": f"{LONG}s",
        }
        with (self.folder / f"{program}.txt").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{program}", *words, "--no-dashboard"],
                cwd=self.folder,
                env={**os.environ, **environment},
                stdout=log,
                stderr=log,
            )

    def happened(self, first: int) -> str:
        log = self.folder / f"log-{first}"
        return log.read_text(encoding="utf-8") if log.exists() else ""

    def measuring(self) -> list[str]:
        """Return the command lines of the processes that have a scripted GPU open."""
        return [line for _, line in self._processes() if "shflbench.measure.worker" in line]

    def kill_scheduler(self) -> None:
        assert self.scheduler
        self.scheduler.kill()
        self.scheduler.wait()

    def kill(self, first: int) -> None:
        """Kill all processes of the machine whose GPUs begin at this index: nanny, workers, measuring processes."""
        for pid, _ in self._processes(f'log-{first}"'):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        """End all processes of the cluster."""
        for pid, _ in self._processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process in filter(None, [self.scheduler, *self.workers]):
            process.wait()

    def _processes(self, also: str = "") -> list[tuple[int, str]]:
        """Return the processes of the cluster, those with `also` in their environment if given."""
        present = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                environment = (process / "environ").read_bytes()
                if self.mark.encode() in environment and also.encode() in environment:
                    line = (process / "cmdline").read_text(encoding="utf-8").replace("\0", " ")
                    present.append((int(process.name), line))
            except OSError:  # it ended meanwhile, or belongs to another user
                continue
        return present


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    one = Cluster(tmp_path, port)
    one.start_scheduler()
    yield one
    one.close()


def members(made: Machine) -> dict[int, FleetMember]:
    """Return the members by the index of their GPU."""
    return {member.index: member for member in read_fleet(made.folder / "out").members}


def device_log(made: Machine, index: int) -> str:
    """Return what the run wrote about a GPU for an administrator."""
    log = made.folder / "out" / "logs" / f"{members(made)[index].folder}.log"
    return log.read_text(encoding="utf-8") if log.exists() else ""


def statuses(made: Machine, member: FleetMember) -> dict[str, Status]:
    rows = made.all_rows(f"out/{member.folder}")
    assert len({row.case_id for row in rows}) == len(rows)
    return {f"{row.pattern}/{row.variant}": row.status for row in rows}


def is_finished(made: Machine, index: int) -> bool:
    """Whether the run of a GPU is finished."""
    if not (made.folder / "out" / "fleet.json").exists() or index not in members(made):
        return False
    info = made.folder / "out" / members(made)[index].folder / "run.json"
    return info.exists() and json.loads(info.read_text(encoding="utf-8"))["finished"] is not None


def test_workers_that_die_hang_compute_wrong_or_join_late_and_a_scheduler_that_restarts_cost_no_finished_row(
    make: Make, cluster: Cluster
) -> None:
    made = make(return_seconds=LONG)
    cluster.add(0, WAIT)
    cluster.add(1, LOSE)
    cluster.add(2, HANG)
    cluster.add(3, wrong=["reduce/smem"])
    run = made.start("suite.yaml", "--scheduler", cluster.address, "--wait-for", "4", "--output", "out")
    made.wait_until(lambda: "wait" in cluster.happened(0), seconds=LONG)
    cluster.add(4)  # joins late
    made.wait_until(lambda: all(is_finished(made, index) for index in (1, 2, 3, 4)), seconds=LONG)
    cluster.kill_scheduler()
    made.wait_until(lambda: "connection to the scheduler" in device_log(made, 0), seconds=LONG)
    cluster.kill(0)  # workers end with their scheduler, but one that runs a job takes 30 s
    cluster.start_scheduler()
    cluster.add(0)  # as a batch system does
    outcome = made.end(run)
    assert outcome.code == 5, outcome.err
    by_index = members(made)
    timed = dict.fromkeys(statuses(made, by_index[4]), Status.TIMED)
    assert len(timed) == CASES
    for index, member in by_index.items():
        expected = timed | ({"reduce/smem": Status.INCORRECT} if index == 3 else {})
        assert statuses(made, member) == expected
        assert member.error is None
    assert {index for index, member in by_index.items() if member.losses} >= {0, 1, 2}
    assert "connection to the scheduler" in by_index[0].losses[0]
    assert "measuring continues with worker" in outcome.err
    assert read_fleet(made.folder / "out").finished
    made.wait_until(lambda: not cluster.measuring(), seconds=CLOSED)
    report = named(made)
    assert {index for index, (findings, _) in report.items() if findings} == {3}
    assert report[3][0] == ["wrong results"]
    for index, member in by_index.items():
        assert all(loss in report[index][1] for loss in member.losses)


def named(made: Machine) -> dict[int, tuple[list[str], str]]:
    """Return, by the index of each GPU, the findings of `fleet` and its notes."""
    outcome = made.run("out", "--format", "json", command="fleet")
    (model,) = json.loads(outcome.out)["models"]
    index_of = {member.uuid: index for index, member in members(made).items()}
    return {
        index_of[device["uuid"]]: (
            [finding["kind"] for finding in device["findings"]],
            " ".join(device["remarks"]),
        )
        for device in model["devices"]
    }


def test_device_that_comes_back_when_its_run_was_given_up_finishes_it(make: Make, cluster: Cluster) -> None:
    made = make(return_seconds=1.0)
    cluster.add(0, WAIT)
    cluster.add(1, WAIT)
    run = made.start("suite.yaml", "--scheduler", cluster.address, "--wait-for", "2", "--output", "out")
    made.wait_until(lambda: "wait" in cluster.happened(0) and "wait" in cluster.happened(1), seconds=LONG)
    cluster.kill(0)
    made.wait_until(lambda: members(made)[0].error, seconds=LONG)
    cluster.add(0)  # after more than `return_seconds`
    made.wait_until(lambda: is_finished(made, 0), seconds=LONG)
    made.end_wait()
    outcome = made.end(run)
    assert outcome.code == 0, outcome.err
    assert "no worker offered" in outcome.err
    expected = dict.fromkeys(statuses(made, members(made)[1]), Status.TIMED)
    assert len(expected) == CASES
    for member in members(made).values():
        assert statuses(made, member) == expected
        assert member.error is None
    assert members(made)[0].losses
    assert read_fleet(made.folder / "out").finished


def test_groups_of_a_run_that_was_stopped_and_of_a_lost_device_are_measured_by_another_of_its_model(
    make: Make, cluster: Cluster
) -> None:
    made = make()
    cluster.add(0, WAIT)
    cluster.add(1, WAIT)
    words = ("suite.yaml", "--scheduler", cluster.address, "--wait-for", "2", "--shard", "--output", "out")
    run = made.start(*words)
    made.wait_until(lambda: "wait" in cluster.happened(0) + cluster.happened(1), seconds=LONG)
    run.send_signal(signal.SIGINT)
    outcome = made.end(run)
    assert outcome.code == 130, outcome.err
    assert "run suite.yaml --resume out" in outcome.err.replace("\n", " ")
    made.wait_until(lambda: not cluster.measuring(), seconds=CLOSED)
    waiting = 0 if "wait" in cluster.happened(0) else 1  # measures `reduce`
    run = made.start("suite.yaml", "--resume", "out", "--wait-for", "2")
    made.wait_until(lambda: cluster.happened(waiting).count("wait") == 2, seconds=LONG)
    run.kill()  # the client goes away, and so does a worker
    assert made.end(run).code == -9
    cluster.kill(waiting)
    made.end_wait()
    again = made.run("suite.yaml", "--resume", "out")
    assert again.code == 0, again.err
    info = read_fleet(made.folder / "out")
    rows = [row for member in info.members for row in made.all_rows(f"out/{member.folder}")]
    assert len(rows) == len({row.case_id for row in rows}) == CASES
    assert {row.status for row in rows} == {Status.TIMED}
    assert info.finished
    assert len({member.uuid for member in info.members if member.groups}) == 1


def test_run_stopped_while_it_waits_leaves_no_process_and_the_next_one_records_the_host_of_its_worker(
    make: Make, cluster: Cluster
) -> None:
    made = make()
    cluster.add(0, host="node7")
    words = ("suite.yaml", "--scheduler", cluster.address, "--output", "out")
    run = made.start(*words, "--wait-for", "2")
    made.wait_for_text(run, "Waiting for GPUs: 1 of 2.")
    assert len(cluster.measuring()) == 1
    run.send_signal(signal.SIGINT)
    assert made.end(run).code == 130
    made.wait_until(lambda: not cluster.measuring(), seconds=CLOSED)
    assert not (made.folder / "out").exists()
    outcome = made.run(*words)
    assert outcome.code == 0, outcome.err
    (member,) = members(made).values()
    assert member.folder == "node7-0"
    assert read_run(made.folder / "out" / member.folder).info.host.name == "node7"
