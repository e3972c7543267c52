"""Measure what running a suite on all GPUs of a host at the same time changes, against each GPU alone.

    python -m benchmarks.fleet_host FOLDER            measure; FOLDER gets the runs and page.md
    python -m benchmarks.fleet_host FOLDER --turns 1  the first half only
    python -m benchmarks.fleet_host FOLDER --record   after that, write the page of this number of GPUs, and keep the
                                                      last run on all GPUs, and its chart, beside it

Needs two GPUs or more. Each GPU runs the suite alone twice, and all of them run it at the same time twice, in turns.
Runs that FOLDER already has are not made again.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))  # so that it also runs as a file

from benchmarks.compare_power.markdown import table
from shflbench.analysis.fleet.model_times import FEWEST_DEVICES
from shflbench.model import Status
from shflbench.store import read_run
from shflbench.store.fleet_file import read_fleet
from shflbench.store.run_files import KERNELS_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).with_suffix("")
SECONDS = "seconds.json"  # of each command, by the folder of its run
TURNS = 2
LEAST_US, MOST_MOVED, MOST_CASES, MOST_RATIO = 50.0, 0.005, 0.01, 1.15

Times = dict[str, float]  # µs, by case


class Record(NamedTuple):
    """What the repository keeps about hosts with this number of GPUs."""

    gpus: int

    @property
    def run(self) -> Path:
        """The folder of the last run on all GPUs."""
        return FOLDER / f"{self.gpus}-gpus"

    @property
    def page(self) -> Path:
        """The page."""
        return FOLDER / f"{self.gpus}-gpus.md"

    @property
    def has_chart(self) -> bool:
        """Whether there are enough GPUs to compare them with one another."""
        return self.gpus >= FEWEST_DEVICES

    @property
    def chart(self) -> Path:
        """The chart of the run, if it has one."""
        return self.page.with_suffix(".svg")


class Pair(NamedTuple):
    """How two runs of one GPU differ."""

    cases: int  # of at least LEAST_US in both
    moved: int  # whose median moved by more than MOST_MOVED
    median: float  # of the relative differences
    p95: float

    @classmethod
    def of(cls, one: Times, other: Times) -> Pair:
        """Compare two runs; StatisticsError if they have fewer than two long cases in common."""
        long = [case for case in one.keys() & other.keys() if min(one[case], other[case]) >= LEAST_US]
        moved = sorted(abs(other[case] / one[case] - 1) for case in long)
        share = statistics.quantiles(moved, n=20)[-1]
        return cls(len(long), sum(value > MOST_MOVED for value in moved), statistics.median(moved), share)


class Device(NamedTuple):
    """The comparisons of one GPU."""

    number: int  # its CUDA index
    alone: Pair  # between its two runs alone
    together: list[Pair]  # of each run at the same time with each alone

    @property
    def more(self) -> float:
        """Share of the cases that move at the same time, on average, and not between two runs alone."""
        return statistics.fmean(pair.moved for pair in self.together) / self.alone.cases - (
            self.alone.moved / self.alone.cases
        )


def measure(folder: Path, suite: str, gpus: int, turns: int) -> dict[str, float]:
    """Run the suite on each GPU alone and on all, in turns; return the seconds of each run.

    CalledProcessError if a command fails.
    """
    file = folder / SECONDS
    seconds: dict[str, float] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if not seconds:
        _run(folder / "compiled", suite, "--device", "none")
    for turn in range(turns):
        for name, which in (*((f"alone-{gpu}", str(gpu)) for gpu in range(gpus)), ("all", "all")):
            target = folder / f"{name}-{turn}"
            if target.name in seconds:
                continue
            started = perf_counter()
            _run(target, suite, "--gpu", which)
            seconds[target.name] = perf_counter() - started
            file.write_text(json.dumps(seconds, indent=1), encoding="utf-8")
            print(f"{target.name}: {seconds[target.name]:.1f} s", flush=True)
    return seconds


def _run(target: Path, suite: str, *options: str) -> None:
    command = [sys.executable, "-m", "shflbench", "-q", "run", suite, "-o", str(target), *options]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


def times(folder: Path) -> Times:
    """Return the median of each timed case of a run."""
    rows = read_run(folder).rows
    return {row.case_id: row.time_us for row in rows if row.status is Status.TIMED and row.time_us is not None}


def members(folder: Path) -> Iterator[tuple[int, Times]]:
    """Yield the CUDA index and the times of each GPU of a fleet run."""
    for member in read_fleet(folder).members:
        yield member.index, times(folder / member.folder)


def compare(folder: Path) -> list[Device]:
    """Compare each GPU with itself."""
    together: dict[int, list[Times]] = {}
    for turn in range(TURNS):
        for index, measured in members(folder / f"all-{turn}"):
            together.setdefault(index, []).append(measured)
    devices = []
    for index, runs in sorted(together.items()):
        alone = [times(folder / f"alone-{index}-{turn}") for turn in range(TURNS)]
        pairs = [Pair.of(one, other) for one, other in product(alone, runs)]
        devices.append(Device(index, Pair.of(*alone), pairs))
    return devices


def requirements(devices: Sequence[Device], seconds: Mapping[str, float]) -> list[tuple[str, bool]]:
    """Return a sentence for each requirement, and whether it is met."""
    ratio = _mean(seconds, "all") / _mean(seconds, "alone")
    worst = max(devices, key=lambda device: device.more)
    duration = (
        f"a run on all {len(devices)} GPUs takes {ratio:.2f}× the time of a run on one of them alone "
        f"(at most {MOST_RATIO}): {_mean(seconds, 'all'):.1f} s against {_mean(seconds, 'alone'):.1f} s"
    )
    moved = (
        f"{worst.more:+.2%} of the cases move by more than {MOST_MOVED:.1%}, beyond those between two runs alone "
        f"of the same GPU (GPU {worst.number}, the worst; at most {MOST_CASES:.0%})"
    )
    return [(duration, ratio <= MOST_RATIO), (moved, worst.more <= MOST_CASES)]


def _mean(seconds: Mapping[str, float], name: str) -> float:
    return statistics.fmean(value for run, value in seconds.items() if run.startswith(f"{name}-"))


def page(folder: Path, seconds: Mapping[str, float]) -> tuple[str, bool]:
    """Return the page, and whether all requirements are met."""
    devices = compare(folder)
    info = read_run(folder / "alone-0-0").info
    record = Record(len(devices))
    judged = requirements(devices, seconds)
    rows = [
        [
            f"GPU {device.number}",
            f"{device.alone.cases}",
            f"{device.alone.moved}",
            ", ".join(f"{pair.moved}" for pair in device.together),
            f"{device.more:+.2%}",
            f"{device.alone.median:.3%}, {device.alone.p95:.2%}",
            ", ".join(
                (
                    f"{statistics.fmean(pair.median for pair in device.together):.3%}",
                    f"{statistics.fmean(pair.p95 for pair in device.together):.2%}",
                )
            ),
        ]
        for device in devices
    ]
    text = TEXT.format(
        suite=info.suite.name,
        gpus=record.gpus,
        picture=PICTURE.format(chart=record.chart.name, run=record.run.name) if record.has_chart else "",
        version=f"{info.versions.shflbench} (commit {(info.versions.git_commit or 'unknown')[:10]})",
        name=info.device.name if info.device else "GPU",
        requirements="\n".join(f"- {'met' if met else '**missed**'}: {words}" for words, met in judged),
        commands=table(("command", "seconds"), [[name, f"{value:.1f}"] for name, value in seconds.items()]),
        devices=table(
            (
                "",
                "cases",
                "moved, alone",
                "moved, at the same time",
                "more",
                "difference alone: median, p95",
                "difference at the same time: median, p95",
            ),
            rows,
        ),
    )
    return text, all(met for _, met in judged)


TEXT = """\
# All GPUs of a host at the same time, against each alone

Written by `python -m benchmarks.fleet_host FOLDER --record`; do not edit. [Run on many
GPUs](../../docs/how-to/run-on-many-gpus.md) says how to use the command.

Suite `{suite}` on a host with {gpus} {name}: each GPU runs it alone, then all run it at the same time (`--gpu all`),
and both again. Measured with shflbench {version}; the kernels were compiled before. Cases of at least
50 µs count; a case has moved if its median differs by more than 0.5%.

{requirements}

{devices}

"Moved, at the same time" compares each run at the same time with each run alone of the same GPU.

{picture}{commands}
"""
PICTURE = """\
![Time of each pattern on each GPU, relative to their median]({chart})

The chart is of the last run on all GPUs, which is in `{run}`.

"""


def keep(folder: Path, record: Record, text: str) -> None:
    """Write the page into the repository, with the last run on all GPUs and its chart.

    Without the kernels, which are the same on all GPUs: nothing reads them here, and they are half of the bytes.
    """
    shutil.rmtree(record.run, ignore_errors=True)
    shutil.copytree(folder / f"all-{TURNS - 1}", record.run, ignore=shutil.ignore_patterns(KERNELS_FILE))
    record.page.write_text(text, encoding="utf-8")
    if record.has_chart:
        command = [sys.executable, "-m", "shflbench", "-q", "fleet", str(record.run), "--chart", str(record.chart)]
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


def main(words: Sequence[str] | None = None) -> int:
    """Measure where that was not done, print the page, and write it if requested; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="of the runs")
    parser.add_argument("--suite", default="gtc2013")
    parser.add_argument("--gpus", type=int, default=2, metavar="N", help="of the host")
    parser.add_argument("--turns", type=int, default=TURNS, metavar="N", help=f"stop after N of the {TURNS} turns")
    parser.add_argument("--record", action="store_true", help="write the page, its chart and its run, too")
    options = parser.parse_args(words)
    seconds = measure(options.folder, options.suite, options.gpus, options.turns)
    if options.turns < TURNS:
        return 0
    text, met = page(options.folder, seconds)
    print(text)
    (options.folder / "page.md").write_text(text, encoding="utf-8")
    if options.record:
        keep(options.folder, Record(options.gpus), text)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
