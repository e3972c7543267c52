"""Write the run folders of many devices from a recorded run, and measure what `shflbench fleet` costs on them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shflbench.store import read_run
from shflbench.store.fleet_file import FleetFolder, FleetInfo, FleetMember
from shflbench.store.run_files import ROWS_FILE, RUN_FILE, SAMPLES_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator

PER_HOST = 8  # devices
POLL_SECONDS = 0.2  # between two looks at the memory of all processes


class ReadingCost(NamedTuple):
    """What the command costs on the run folders of a fleet."""

    devices: int
    rows: int  # of all devices
    samples: int  # of a device
    cpu_seconds: float  # of the command and the processes that it starts, from its start to its end
    memory: int  # bytes, the most that all these processes had together; shared pages count once

    @property
    def ms_per_row(self) -> float:
        """The CPU time."""
        return 1e3 * self.cpu_seconds / self.rows


def write_members(recorded: Path, fleet: Path, devices: int) -> None:
    """Write a fleet whose devices have the rows and samples of a recorded run; these files are links, to save space."""
    info = json.loads((recorded / RUN_FILE).read_text(encoding="utf-8"))
    members = []
    for number in range(devices):
        host, index = f"node{number // PER_HOST}", number % PER_HOST
        uuid, folder = f"GPU-{number:08x}", f"{host}-{index}"
        info["device"] |= {"uuid": uuid, "index": index}
        info["host"] |= {"name": host}
        (fleet / folder).mkdir(parents=True)
        (fleet / folder / RUN_FILE).write_text(json.dumps(info), encoding="utf-8")
        for name in (ROWS_FILE, SAMPLES_FILE):
            _link(recorded / name, fleet / folder / name)
        members.append(FleetMember(folder, uuid, info["device"]["name"], host, index))
    about = FleetInfo(
        suite=info["suite"]["name"],
        argv=("shflbench", "run"),
        scheduler="local",
        started=info["started"],
        members=tuple(members),
        finished=info["finished"],
    )
    FleetFolder(fleet, about).write()


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # on another file system
        shutil.copyfile(source, target)


def reading_cost(recorded: Path, folder: Path, devices: int) -> ReadingCost:
    """Run the command on a fleet of so many devices, written below `folder`, and measure it."""
    fleet = folder / "fleet"
    write_members(recorded, fleet, devices)
    run = read_run(recorded)
    kept = run.kept_samples()
    words = [sys.executable, "-m", "shflbench", "fleet", str(fleet), "--format", "json", "-o", str(folder / "out.json")]
    before = os.times()
    with subprocess.Popen(words) as process:
        memory = max(_memory_until_end(process), default=0)
    after = os.times()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words)
    (model,) = json.loads((folder / "out.json").read_text(encoding="utf-8"))["models"]
    if {len(model["devices"]), *(len(case["slower"]) for case in model["cases"])} != {devices}:
        raise ValueError("the command did not rank all devices")
    return ReadingCost(
        devices=devices,
        rows=devices * len(run.rows),
        samples=len(kept.case) if kept else 0,
        cpu_seconds=after.children_user - before.children_user + after.children_system - before.children_system,
        memory=memory,
    )


def _memory_until_end(process: subprocess.Popen[bytes]) -> Iterator[int]:
    """Yield the memory of a process and its descendants, again and again, until it ends."""
    while process.poll() is None:
        yield sum(map(_memory, _descendants(process.pid)))
        time.sleep(POLL_SECONDS)


def _descendants(pid: int) -> Iterator[int]:
    """Yield a process and those that it started, and so on."""
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:  # it has just ended
        return
    for child in children:
        yield from _descendants(int(child))


def _memory(pid: int) -> int:
    """Return the bytes in memory of a process; of a page that several share, its part of it."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))
