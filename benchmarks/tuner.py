"""Compare the choice of `shflbench tune` with the times of all members of a family.

    python -m benchmarks.tuner measure FOLDER [PATTERN …]   on a GPU: tune with two seeds, and time all candidates
    python -m benchmarks.tuner record FOLDER [FOLDER …]     write tuner.json and tuner.md beside this file

All candidates are timed as the last rung of tuning times those that reach it, but in one process. A choice is judged by
the times of that run: those of the rungs decided it. GPU time is that from the first to the last sample of a process.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shflbench.store import read_run
from shflbench.tuner.answer import gpu_seconds
from shflbench.tuner.record import read_record
from shflbench.tuner.rules import RUNGS
from shflbench.tuner.rung_suite import suite_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.store import Row
    from shflbench.tuner.record import TuneRecord

PATTERNS = ("reduce", "scan", "block-reduce")
SEEDS = (0, 1)
RECORD, PAGE = Path(__file__).with_suffix(".json"), Path(__file__).with_suffix(".md")
HEAD = """\
# The choice of `shflbench tune` beside all members

Written by `python -m benchmarks.tuner record FOLDER …`; do not edit.

Tuned with two seeds, then all candidates timed as the last rung times those that reach it, but in one process instead
of three. Each choice is judged by the times of that run: how much longer it takes than the fastest of all candidates.
GPU time is that from the first to the last sample of each process, of all settings of a pattern.
"""


def measure(folder: Path, patterns: Sequence[str]) -> None:
    """Tune the patterns with each seed, and time all their candidates."""
    for pattern in patterns:
        for seed in SEEDS:
            place = folder / f"{pattern}-tuned-{seed}"
            words = ["tune", pattern, "--device", "cuda", "--seed", str(seed), "--output", str(place)]
            subprocess.run([sys.executable, "-m", "shflbench", *words], check=True)
        tuned = read_record(folder / f"{pattern}-tuned-{SEEDS[0]}")
        suite = folder / f"{pattern}-all.yaml"
        every = {one.launch: [each.variant for each in one.candidates] for one in tuned.settings}
        suite.write_text(suite_text(tuned, "all", replace(RUNGS[-1], processes=1), every), encoding="utf-8")
        words = ["run", str(suite), "--output", str(folder / f"{pattern}-all")]
        subprocess.run([sys.executable, "-m", "shflbench", *words], check=True)


def recorded(folder: Path, pattern: str) -> dict[str, Any]:
    """Return the record of a pattern: its GPU, its settings, and the GPU time of all runs."""
    every = read_run(folder / f"{pattern}-all")
    places = [folder / f"{pattern}-tuned-{seed}" for seed in SEEDS]
    rungs = [[read_run(place / f"rung-{number}") for number in range(1, len(RUNGS) + 1)] for place in places]
    tuned = read_record(places[0])
    device = every.info.device
    return {
        "pattern": pattern,
        "device": device.name if device else "",
        "uuid": device.uuid if device else "",
        "nvrtc": every.info.versions.nvrtc,
        "started": every.info.started,
        "all_gpu_seconds": round(gpu_seconds(every), 2),
        "tune_gpu_seconds": [round(sum(map(gpu_seconds, runs)), 2) for runs in rungs],
        "settings": [
            _setting(setting.launch, tuned, every.rows, [runs[-1].rows for runs in rungs]) for setting in tuned.settings
        ],
    }


def _setting(launch: str, tuned: TuneRecord, every: Sequence[Row], last: Sequence[Sequence[Row]]) -> dict[str, Any]:
    """Return what was chosen at a launch, the times by the run of all candidates, and the errors of predictions."""
    times = _times(launch, every)
    setting = next(one for one in tuned.settings if one.launch == launch)
    of_last = [_times(launch, rows) for rows in last]
    chosen = [min(rung, key=rung.__getitem__) for rung in of_last]
    clock = {row.variant: row.cycles_per_iteration for row in every if row.launch == launch}
    pairs = [(clock.get(one.variant), one.predicted_cycles) for one in setting.candidates]
    return {
        "launch": launch,
        "candidates": len(setting.candidates),
        "measured": len(setting.measured),
        "fastest": min(times, key=times.__getitem__),
        "fastest_us": min(times.values()),
        "chosen": chosen,
        "chosen_us": [times[name] for name in chosen],
        "predicted_ratios": [round(cycles / predicted, 3) for cycles, predicted in pairs if cycles and predicted],
    }


def _times(launch: str, rows: Sequence[Row]) -> dict[str, float]:
    return {row.variant: row.time_us for row in rows if row.launch == launch and row.time_us}


def page(records: Sequence[Mapping[str, Any]]) -> str:
    """Return the page on the records."""
    return HEAD + "".join(f"\n{part}" for record in records for part in _section(record))


def _section(record: Mapping[str, Any]) -> Iterator[str]:
    most = max(record["tune_gpu_seconds"])
    yield f"## {record['pattern']}\n"
    yield (
        f"On an {record['device']} (`{record['uuid'][:12]}`, NVRTC {record['nvrtc']}, {record['started'][:10]}): all "
        f"candidates took {record['all_gpu_seconds']:.0f} s of GPU time, tuning "
        f"{' and '.join(f'{seconds:.1f}' for seconds in record['tune_gpu_seconds'])} s, "
        f"1/{record['all_gpu_seconds'] / most:.0f}.\n"
    )
    lines = [
        "| launch | candidates | measured | fastest | chosen, seed 0 | takes | chosen, seed 1 | takes |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in record["settings"]:
        cells = [f"`{one['launch']}`", one["candidates"], one["measured"], f"`{one['fastest']}`"]
        for name, time_us in zip(one["chosen"], one["chosen_us"], strict=True):
            cells += [f"`{name}`", f"{time_us / one['fastest_us']:.3f}×"]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    yield "".join(f"{line}\n" for line in lines)


def _is_finished(run: Path) -> bool:
    return run.exists() and read_run(run).is_finished


def main(words: Sequence[str]) -> None:
    """Measure, or read folders and write the record and the page."""
    match words:
        case ["measure", folder, *patterns]:
            measure(Path(folder), patterns or PATTERNS)
        case ["record", *folders]:
            found = [(Path(folder), name) for name in PATTERNS for folder in folders]
            records = [recorded(folder, name) for folder, name in found if _is_finished(folder / f"{name}-all")]
            RECORD.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
            PAGE.write_text(page(records), encoding="utf-8")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
