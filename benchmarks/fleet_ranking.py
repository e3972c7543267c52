"""Measure which slow and faulty devices of a simulated fleet `shflbench fleet` names, and how many sound ones.

    python -m benchmarks fleet_ranking                print the page
    python -m benchmarks fleet_ranking --record       write it to benchmarks/fleet_ranking.md, too
    python -m benchmarks fleet_ranking --seeds 3      simulate fewer fleets
    python -m benchmarks fleet_ranking --devices 40   write fewer run folders

Needs no GPU; takes about ten minutes on two cores, most of them to read the run folders of 1,000 devices. Exits with 1
if a requirement is missed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.common.pages import met, program, publish, table, written_by
from benchmarks.common.records import read_json, write_json
from benchmarks.compare_power.batch import load
from benchmarks.fleet_devices import MODELS, SHARES, Recorded, Truth, simulate
from shflbench.analysis.fleet import FleetReport, OutlierKind, rank
from shflbench.analysis.fleet.model_times import FEWEST_DEVICES
from shflbench.session.fleet.device_records import READERS
from shflbench.store import read_run
from shflbench.store.fleet_file import FleetFolder, FleetInfo, FleetMember
from shflbench.store.run_files import ROWS_FILE, RUN_FILE, SAMPLES_FILE

PER_HOST = 8  # devices
POLL_SECONDS = 0.2  # between two looks at the memory of all processes
PAGE = Path(__file__).with_suffix(".md")
ROOT = Path(__file__).parents[1]
RECORDED = ROOT / "tests" / "data" / "compare"
REAL_RUN = ROOT / "results" / "gtc2013" / "nvidia-h200"
SEEDS, SEED = 20, 17
DEVICES = 1000  # with run folders
SPREADS, FEWER_SEEDS = (0.002, 0.005, 0.01), 5
COPIES = 8  # of 54 cases: as many rows per device as the largest suite
MOST_SOUND, LEAST_SLOW = 0.01, 0.99
MOST_MS, MOST_BYTES = 1.0, 1e9
SLOW_3 = (Truth.SLOW_3, Truth.CASES_3)
EXPECTED: dict[Truth, OutlierKind] = {
    Truth.NOISY: OutlierKind.NOISY,
    Truth.HOT: OutlierKind.HOT,
    Truth.THROTTLED: OutlierKind.THROTTLED,
    Truth.WRONG: OutlierKind.WRONG,
    Truth.INCOMPLETE: OutlierKind.INCOMPLETE,
}
TEXT = """\
# Slow and faulty devices that `shflbench fleet` names

{written} [Find a slow
GPU](../docs/how-to/find-a-slow-gpu.md) says how to use the command.

Simulated: {seeds} fleets of 1,000 devices of ten models, {faulty} of them with a fault, each measured by one process.
The noise is that of the {gpus} H200s of [compare_power](compare_power.md). A device has the times of one recorded
process of unchanged code, drawn from {processes}, with its scatter and its sentinels; the difference between devices is
a random combination of those between the {gpus} GPUs. Not in it: one GPU on different days, and GPUs whose power limit
is reached.

## Requirements

{requirements}

The command spends most of its time on samples: each of the {reading.devices:,} devices has the rows and samples of
`{source}` ({per_device} rows, {reading.samples:,} samples). It used {reading.cpu_seconds:.0f} s of CPU time, in at most
{readers} processes that read at the same time, and keeps of each run only what a ranking needs.

## By fault

{truths}

A slowdown of 1% is below the threshold of 1.5%, and is not to be named.

## By model

{models}

## Where devices of a model differ more

The {gpus} H200s differ by {differ:.2%} (standard deviation of the median of all cases). GPUs that reach a power limit
may differ more. With a further difference that is the same for all cases of a device, normally distributed ({fewer}
fleets each):

{spreads}

A device is then only named if it is beyond what its model shows.
"""


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
    info = read_json(recorded / RUN_FILE)
    members = []
    for number in range(devices):
        host, index = f"node{number // PER_HOST}", number % PER_HOST
        uuid, folder = f"GPU-{number:08x}", f"{host}-{index}"
        info["device"] |= {"uuid": uuid, "index": index}
        info["host"] |= {"name": host}
        (fleet / folder).mkdir(parents=True)
        write_json(fleet / folder / RUN_FILE, info)
        for name in (ROWS_FILE, SAMPLES_FILE):
            (fleet / folder / name).symlink_to((recorded / name).resolve())
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
    (model,) = read_json(folder / "out.json")["models"]
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


class Cost(NamedTuple):
    """What a ranking costs."""

    rows: int
    rank_ms: float  # per row
    memory: float  # bytes, the most that the process had
    reading: ReadingCost  # of run folders, by the command


class Counts:
    """Devices by truth, and by the finding that was made."""

    def __init__(self) -> None:
        """Start without devices."""
        self.devices: Counter[tuple[str, Truth]] = Counter()
        self.named: Counter[tuple[str, Truth]] = Counter()
        self.other: Counter[Truth] = Counter()  # named for something else only

    def add(self, report: FleetReport, truths: Mapping[str, Truth]) -> None:
        """Count the devices of models with enough of them."""
        for model in report.models:
            for device in model.devices if model.comparable else ():
                truth = truths[device.uuid]
                kinds = {finding.kind for finding in device.findings}
                right = bool(kinds) if truth is Truth.SOUND else EXPECTED.get(truth, OutlierKind.SLOW) in kinds
                self.devices[model.model, truth] += 1
                self.named[model.model, truth] += right
                self.other[truth] += bool(kinds) and not right

    def total(self, truths: Sequence[Truth], model: str = "") -> tuple[int, int]:
        """Return the named devices and all, of some truths, and of a model if given."""
        keys = [key for key in self.devices if key[1] in truths and model in {"", key[0]}]
        return sum(self.named[key] for key in keys), sum(self.devices[key] for key in keys)

    def share(self, *truths: Truth, model: str = "") -> float:
        """Return the share of the devices that are named."""
        named, count = self.total(truths, model)
        return named / count if count else 0.0


def judge(recorded: Recorded, seeds: int, spread: float = 0.0) -> tuple[Counts, list[str]]:
    """Rank simulated fleets; return the counts and the models that were not comparable.

    `spread` is the standard deviation of the speed of devices of one model, beyond what the recorded devices differ.
    """
    counts, refused = Counts(), set[str]()
    for seed in range(seeds):
        fleet = simulate(recorded, np.random.default_rng((SEED, seed)), spread=spread)
        report = rank(fleet.records)
        counts.add(report, fleet.truths)
        refused |= {model.model for model in report.models if not model.comparable}
    return counts, sorted(refused)


def cost(recorded: Recorded, devices: int) -> Cost:
    """Measure a ranking of 1,000 devices with as many rows as the largest suite, and the command on run folders."""
    fleet = simulate(recorded, np.random.default_rng(SEED), COPIES)
    rows = sum(len(record.times.ids) for record in fleet.records)
    start = time.process_time()
    rank(fleet.records)
    ranked = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    with tempfile.TemporaryDirectory() as folder:
        reading = reading_cost(REAL_RUN, Path(folder), devices)
    return Cost(rows, 1e3 * ranked / rows, memory, reading)


def requirements(counts: Counts, refused: Sequence[str], spent: Cost) -> list[tuple[str, bool]]:
    """Return each requirement with its result, and whether it is met."""
    few = [model for model, (count, _) in MODELS.items() if count < FEWEST_DEVICES]
    slow, sound, reading = counts.share(*SLOW_3), counts.share(Truth.SOUND), spent.reading
    read = f"`shflbench fleet` on {reading.devices:,} run folders"
    ms, cpu_ms = f"{spent.rank_ms:.4f} ms", f"{reading.ms_per_row:.2f} ms of CPU time"
    used, read_used = (f"{memory / 1e6:.0f} MB" for memory in (spent.memory, reading.memory))
    results = {
        f"devices slower by 3% that are named: {slow:.2%}; required: {LEAST_SLOW:.0%}": slow >= LEAST_SLOW,
        f"sound devices that are named: {sound:.3%}; required: at most {MOST_SOUND:.0%}": sound <= MOST_SOUND,
        f"models that have too few devices: {', '.join(refused)}; required: {', '.join(few)}": few == [*refused],
        f"ranking: {ms} per row; required: below {MOST_MS:.0f} ms": spent.rank_ms < MOST_MS,
        f"memory of the ranking: {used} with {spent.rows:,} rows; required: below 1 GB": spent.memory < MOST_BYTES,
        f"{read}: {cpu_ms} per row; required: below {MOST_MS:.0f} ms": reading.ms_per_row < MOST_MS,
        f"{read}: {read_used} in all its processes; required: below 1 GB": reading.memory < MOST_BYTES,
    }
    return list(results.items())


def page(
    recorded: Recorded, judged: tuple[Counts, Sequence[str]], spent: Cost, seeds: int, spreads: Mapping[float, Counts]
) -> str:
    """Return the page."""
    counts, refused = judged
    by_truth = []
    for truth in Truth:
        named, count = counts.total([truth])
        what = "any" if truth is Truth.SOUND else EXPECTED.get(truth, OutlierKind.SLOW)
        by_truth.append((truth, what, f"{count:,}", f"{named:,}", f"{named / max(1, count):.2%}", counts.other[truth]))
    by_model = [
        (model, size, *("{:,} of {:,}".format(*counts.total(truths, model)) for truths in (SLOW_3, [Truth.SOUND])))
        for model, (size, _) in MODELS.items()
        if model not in refused
    ]
    by_spread = (
        (f"{spread:.1%}", f"{wider.share(*SLOW_3):.1%}", f"{wider.share(Truth.SOUND):.2%}")
        for spread, wider in spreads.items()
    )
    return TEXT.format(
        written=written_by("fleet_ranking --record"),
        gpus=len(recorded.devices),
        processes=len(recorded.ratios),
        differ=np.median(recorded.devices, axis=1).std(ddof=1),
        seeds=seeds,
        faulty=sum(SHARES.values()),
        requirements=met(requirements(counts, refused, spent)),
        truths=table(("device", "finding", "devices", "named", "share", "named for something else"), by_truth),
        models=table(("model", "devices", "3% slower, named", "sound, named"), by_model),
        reading=spent.reading,
        source=REAL_RUN.relative_to(ROOT),
        readers=READERS,
        per_device=spent.reading.rows // spent.reading.devices,
        fewer=FEWER_SEEDS,
        spreads=table(("standard deviation", "3% slower, named", "sound, named"), by_spread, 0),
    )


def main(words: Sequence[str] | None = None) -> int:
    """Print the page, and write it if requested; return the exit code."""
    parser = program(__doc__, PAGE)
    parser.add_argument("--seeds", type=int, default=SEEDS, metavar="N", help="simulated fleets")
    parser.add_argument("--devices", type=int, default=DEVICES, metavar="N", help="devices with run folders")
    options = parser.parse_args(words)
    recorded = Recorded.of(load(sorted(RECORDED.glob("*.npz"))))
    judged = judge(recorded, options.seeds)
    spent = cost(recorded, options.devices)
    spreads = {spread: judge(recorded, min(FEWER_SEEDS, options.seeds), spread)[0] for spread in SPREADS}
    publish(page(recorded, judged, spent, options.seeds, spreads), options.record)
    return 0 if all(is_met for _, is_met in requirements(*judged, spent)) else 1
