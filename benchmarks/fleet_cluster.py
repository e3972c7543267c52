"""Run a suite on a simulated cluster, through the real scheduler and client, and measure what both cost.

    python -m benchmarks.fleet_cluster                         measure 1, 10, 100 and 1,000 devices, print the page
    python -m benchmarks.fleet_cluster --record                write it to fleet_cluster.md, its figures to docs/
    python -m benchmarks.fleet_cluster --devices 100           measure this number of devices

Needs no GPU; 1,000 devices take minutes. Exits with 1 if a row is lost or doubled, or if a planted fault is not named.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it also runs as a file

from benchmarks.fleet_cluster_devices import LOG, PACE, PLANTS, ROOT, Plant, index_of, plants
from benchmarks.fleet_cluster_page import CASE_SECONDS, Outcome, current_machine, explained, page
from shflbench.fleet.cluster import WORKER_TTL
from shflbench.store import read_run
from shflbench.store.fleet_file import read_fleet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from shflbench.store.fleet_file import FleetMember

PAGE = Path(__file__).with_suffix(".md")
RECORD = Path(__file__).with_suffix(".json")
EXPLANATION = ROOT / "docs" / "explanation" / "what-a-fleet-costs.md"
COUNTS = (1, 10, 100, 1000)
VARIANTS = ("smem", "smem-double", "smem-syncwarp", "smem-unsafe", "shfl", "shfl-predicate", "cub", "cg")  # recorded
CASES = 48  # of that suite
# In windows as large as those of all cases: 24 to 29.
SUITE = (
    *("gtc2013", "--pattern", "scan", "--processes", "1"),
    *(word for variant in VARIANTS for word in ("--variant", variant)),
)
WINDOWS = 2  # of these cases
WORKERS_PER_PROCESS = 250
FAULT_CASE_SECONDS = 0.5  # of devices whose worker is lost, so that it is lost in the middle of a window
LOST_SECONDS = 1.5  # from the end of the first window of such a device to the loss
JOBS = "jobs.txt"  # a line per job: device, start and end in seconds
BEGAN = "began.json"
LOST = "lost.txt"  # when the workers were killed or stopped
COUNTED = ("cpu_seconds", "received", "sent")
PATIENCE = 3600.0  # seconds for one cluster
FINDINGS = {Plant.SLOW: "slow", Plant.WRONG: "wrong results", Plant.HUNG: "incomplete"}
NAMED = {*FINDINGS, Plant.KILLED}
UNACCUSED = {Plant.SOUND, Plant.KILLED, Plant.LATE}  # which a ranking must not name


@dataclass
class SimulatedCluster:
    """A scheduler, and processes with many workers each."""

    folder: Path
    planted: Sequence[Plant]
    case_seconds: float
    port: int = 0
    scheduler: subprocess.Popen[bytes] | None = None
    hosts: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        """The address of the scheduler."""
        return f"tcp://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the scheduler, and all workers but those that join late."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.scheduler = self._process("benchmarks.fleet_cluster_meter", "scheduler", f"{self.port}")
        steady = self.of(Plant.SOUND, Plant.SLOW, Plant.WRONG)
        for start in range(0, len(steady), WORKERS_PER_PROCESS):
            self.add(steady[start : start + WORKERS_PER_PROCESS])
        for plant in (Plant.KILLED, Plant.HUNG):
            if indexes := self.of(plant):
                self.add(indexes, FAULT_CASE_SECONDS)

    def add(self, indexes: Sequence[int], case_seconds: float | None = None) -> None:
        """Start a process with a worker for each of these devices."""
        name = f"node-{len(self.hosts)}"
        seconds = self.case_seconds if case_seconds is None else case_seconds
        words = (self.address, name, *map(str, indexes))
        self.hosts.append(self._process("benchmarks.fleet_cluster_host", *words, seconds=seconds))

    def of(self, *kinds: Plant) -> list[int]:
        """Return the indexes of the devices with these plants."""
        return [index for index, plant in enumerate(self.planted) if plant in kinds]

    def disturb(self) -> None:
        """Kill or stop the workers of the devices to be lost, in their second window, and let others join."""
        lost = self.of(Plant.KILLED, Plant.HUNG)
        if not lost:
            return
        wait_until(lambda: set(lost) <= jobs_in(self.folder / JOBS).keys())
        time.sleep(LOST_SECONDS)
        killed, hung = self.hosts[-2], self.hosts[-1]
        killed.kill()
        hung.send_signal(signal.SIGSTOP)
        (self.folder / LOST).write_text(f"{time.time()}", encoding="utf-8")
        self.add(self.of(Plant.KILLED))  # as a batch system does
        self.add(self.of(Plant.LATE))

    def close(self) -> None:
        """Kill all processes."""
        for process in filter(None, [*self.hosts, self.scheduler]):
            process.kill()
            process.wait()

    def _process(self, module: str, *words: str, seconds: float = 0.0) -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            PLANTS: json.dumps(self.planted),
            LOG: str(self.folder / JOBS),
            PACE: f"{seconds}",
            WORKER_TTL: "60s",  # as in a cluster on one machine; see what-a-fleet-costs.md
            "DASK_TEMPORARY_DIRECTORY": str(self.folder / "dask"),
        }
        with (self.folder / f"{module}.txt").open("ab") as output:
            return subprocess.Popen(
                [sys.executable, "-m", module, *words], cwd=ROOT, env=environment, stdout=output, stderr=output
            )


def wait_until(met: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait until a condition holds; TimeoutError after `seconds`."""
    end = time.monotonic() + seconds
    while not met():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.2)


def run(count: int, folder: Path, case_seconds: float) -> Outcome:
    """Run the suite on `count` simulated devices, and evaluate what it wrote to `folder`."""
    folder.mkdir(parents=True)
    cluster = SimulatedCluster(folder, plants(count), case_seconds)
    with ExitStack() as stack:
        stack.callback(cluster.close)
        cluster.start()
        present = count - len(cluster.of(Plant.LATE))
        words = ("run", *SUITE, "--scheduler", cluster.address, "--wait-for", f"{present}", "--output", "out")
        (folder / BEGAN).write_text(json.dumps({"began": time.time(), "case_seconds": case_seconds}), encoding="utf-8")
        with (folder / "client.txt").open("ab") as output:
            client = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.fleet_cluster_meter", "client", str(folder), *words],
                cwd=ROOT,
                stdout=output,
                stderr=output,
            )
        stack.callback(client.kill)
        cluster.disturb()
        client.wait(PATIENCE)
    return evaluate(count, folder)


def evaluate(count: int, folder: Path) -> Outcome:
    """Rank the devices of a run in `folder`, and compare rows and findings with what was planted."""
    out, jobs = folder / "out", jobs_in(folder / JOBS)
    lost = float((folder / LOST).read_text(encoding="utf-8")) if (folder / LOST).exists() else math.inf
    planted = [effective(plant, jobs[index], lost) for index, plant in enumerate(plants(count))]
    start = json.loads((folder / BEGAN).read_text(encoding="utf-8"))
    spent = json.loads((folder / "costs.json").read_text(encoding="utf-8"))
    change = {
        side: {key: spent["after"][side][key] - spent["before"][side][key] for key in COUNTED}
        for side in ("client", "scheduler")
    }
    ranked, fleet_cpu_seconds, fleet_memory = rank(out)
    findings = {
        index_of(entry["uuid"]): {finding["kind"] for finding in entry["findings"]}
        for model in ranked["models"]
        for entry in model["devices"]
    }
    members = {member.index: member for member in read_fleet(out).members}
    stored = {
        index: Counter(row.case_id for row in read_run(out / member.folder).rows) for index, member in members.items()
    }
    return Outcome(
        devices=count,
        cases=CASES,
        case_seconds=start["case_seconds"],
        rows=sum(map(len, stored.values())),
        doubled=sum(number - 1 for cases in stored.values() for number in cases.values()),
        missing=sum(CASES - len(stored.get(index, ())) for index in range(count) if planted[index] is not Plant.HUNG),
        unnamed=tuple(unnamed(planted, members, findings)),
        accused=sum(bool(kinds) for index, kinds in findings.items() if planted[index] in UNACCUSED),
        planted=sum(plant in NAMED for plant in planted),
        calls=len(spent["calls"]),
        until_all_seconds=max(
            min(began for began, _ in jobs[index])
            for index, plant in enumerate(planted)
            if plant is not Plant.LATE and jobs[index]  # without a job its rows are missing
        )
        - start["began"],
        client_cpu_seconds=change["client"]["cpu_seconds"],
        scheduler_cpu_seconds=change["scheduler"]["cpu_seconds"],
        client_bytes=change["client"]["received"] + change["client"]["sent"],
        client_memory=spent["after"]["client"]["memory"],
        scheduler_memory=spent["after"]["scheduler"]["memory"],
        client_threads=spent["after"]["client"]["most_threads"],
        added_seconds=median(added_seconds(spent["calls"], jobs)),
        fleet_cpu_seconds=fleet_cpu_seconds,
        fleet_memory=fleet_memory,
    )


def effective(plant: Plant, jobs: Sequence[tuple[float, float]], lost: float) -> Plant:
    """Return what was planted, and that a device is sound if it had done all its jobs before the workers were lost."""
    is_done = sum(ended < lost for _, ended in jobs) >= WINDOWS
    return Plant.SOUND if plant in {Plant.KILLED, Plant.HUNG} and is_done else plant


def rank(out: Path) -> tuple[dict[str, Any], float, int]:
    """Rank the devices by the command `fleet`; return its JSON, its CPU seconds, and its memory in bytes."""
    file = out.parent / "fleet.json"
    words = [sys.executable, "-m", "shflbench", "fleet", str(out), "--format", "json", "-o", str(file)]
    process = subprocess.Popen(words, cwd=ROOT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return json.loads(file.read_text(encoding="utf-8")), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def jobs_in(log: Path) -> dict[int, list[tuple[float, float]]]:
    """Return start and end of the jobs of each device, from the file that all of them write."""
    jobs = defaultdict(list)
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else ():
        index, began, ended = line.split()
        jobs[int(index)].append((float(began), float(ended)))
    return jobs


def added_seconds(calls: Sequence[tuple[int, float, float]], jobs: dict[int, list[tuple[float, float]]]) -> list[float]:
    """Return, for each job that a call returned, how much longer the call took than the device."""
    added = []
    for index, began, ended in calls:
        inside = [end - start for start, end in jobs[index] if began <= start and end <= ended]
        added += [ended - began - seconds for seconds in inside]
    return added


def unnamed(
    planted: Sequence[Plant], members: Mapping[int, FleetMember], findings: Mapping[int, set[str]]
) -> Iterator[str]:
    """Yield a sentence on each planted fault that neither `fleet` nor the record of the run names."""
    for index, plant in enumerate(planted):
        if plant in FINDINGS and FINDINGS[plant] not in findings.get(index, set()):
            yield f"device {index} is not named: {plant}"
        if index not in members:
            yield f"device {index} has no run: {plant}"
        elif plant in {Plant.KILLED, Plant.HUNG} and not members[index].losses:
            yield f"device {index} has no loss: {plant}"


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print the page, and write it if requested; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", type=int, action="append", metavar="N", help="number of devices (repeatable)")
    parser.add_argument("--case-seconds", type=float, default=CASE_SECONDS, metavar="S", help="that a case takes")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep all files there, and use what is there")
    parser.add_argument("--record", action="store_true", help=f"write {PAGE.name} and its figures, too")
    options = parser.parse_args(words)
    outcomes = []
    with tempfile.TemporaryDirectory() as temporary:
        for count in options.devices or COUNTS:
            folder = (options.keep or Path(temporary)) / f"{count}"
            outcomes.append(evaluate(count, folder) if folder.exists() else run(count, folder, options.case_seconds))
    machine = current_machine()
    text = page(outcomes, machine) if len(outcomes) > 1 else f"{outcomes[0]}\n"
    print(text)
    if options.record:
        PAGE.write_text(text, encoding="utf-8")
        record = {"machine": asdict(machine), "outcomes": [asdict(outcome) for outcome in outcomes]}
        RECORD.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        if EXPLANATION.exists():
            EXPLANATION.write_text(explained(EXPLANATION.read_text(encoding="utf-8"), outcomes), encoding="utf-8")
    return 0 if all(outcome.is_complete for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
