"""Compare the choice of `shflbench tune` with the times of all members of a family.

    python -m benchmarks.tuner measure FOLDER SECONDS [PATTERN …]   on a GPU: tune with two seeds, time all candidates
    python -m benchmarks.tuner record FOLDER [FOLDER …]             write tuner.json and tuner.md beside this file

`measure` takes one pattern after another, and ends after SECONDS at the latest: the step that runs then is stopped, and
`steps.json` of the folder has what became of each. Started again with the same folder, it goes on where it was. All
candidates are timed for up to 0.25 s each, to 0.2%, in one process. A choice is judged by the times of that run: those
of the rungs decided it. A pattern whose steps did not all end is recorded as cut, and has no figures.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from shflbench.errors import KernelError
from shflbench.measure.job_runner import STEADY_STEPS, STEP_MS
from shflbench.store import read_run, run_files
from shflbench.tuner.answer import sampling_seconds
from shflbench.tuner.record import read_record
from shflbench.tuner.rules import RUNGS, Rung
from shflbench.tuner.rung_suite import suite_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from shflbench.store import Row, Run
    from shflbench.tuner.record import TuneRecord

PATTERNS = ("reduce", "scan", "block-reduce")
SEEDS = (0, 1)
ALL = Rung(0.002, 0.25, 1, 0)  # how all candidates are timed, whatever the rules of the rungs are
STOP_SECONDS = 20.0  # that a stopped command gets to put finished rows on the disk
WARM_UP_SECONDS = STEADY_STEPS * STEP_MS / 1000  # of each process
STEPS = "steps.json"
FINISHED, CUT, NOT_STARTED = "finished", "cut", "not started"
NAMES = (*(f"tuned-{seed}" for seed in SEEDS), "all")  # of a pattern's steps, in their order
COMMAND = (sys.executable, "-m", "shflbench")
RECORD, PAGE = Path(__file__).with_suffix(".json"), Path(__file__).with_suffix(".md")
HEAD = """\
# The choice of `shflbench tune` beside all members

Written by `python -m benchmarks.tuner record FOLDER …`; do not edit.

Tuned with two seeds, then all candidates timed in one process, for up to 0.25 s each, to 0.2%. Each choice is judged by
the times of that run: how much longer it takes than the fastest of all candidates. GPU time is that of all settings of
a pattern while samples were taken, without verification; a share counts the warm-up of each process,
{warm_up} s or more, too. All figures are measured.
"""


@dataclass(frozen=True, slots=True)
class Step:
    """A command of a pattern, and how it ended: `finished`, `cut` by the limit, `not started`, or `failed`."""

    pattern: str
    name: str
    ended: str
    seconds: float = 0.0


def measure(folder: Path, limit_s: float, patterns: Sequence[str]) -> list[Step]:
    """Tune the patterns with each seed, and time all their candidates, within a limit; return and store the steps."""
    deadline = monotonic() + limit_s - STOP_SECONDS
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [(pattern, name) for pattern in patterns for name in NAMES]
    steps = {(step.pattern, step.name): step for step in _read_steps(folder)}
    steps |= {(pattern, name): Step(pattern, name, NOT_STARTED) for pattern, name in chosen}
    for pattern, name in chosen:
        steps[pattern, name] = Step(pattern, name, CUT)  # what stays there if this process is killed
        _write_steps(folder, steps.values())
        steps[pattern, name] = _step(folder, pattern, name, deadline)
        _write_steps(folder, steps.values())
    return [steps[key] for key in chosen]


def _write_steps(folder: Path, steps: Iterable[Step]) -> None:
    run_files.replace(folder / STEPS, (json.dumps(list(map(asdict, steps)), indent=1) + "\n").encode())


def _read_steps(folder: Path) -> list[Step]:
    """Return the steps that an earlier call with other patterns left in the folder."""
    file = folder / STEPS
    return [Step(**step) for step in json.loads(file.read_text(encoding="utf-8"))] if file.exists() else []


def _step(folder: Path, pattern: str, name: str, deadline: float) -> Step:
    place = folder / f"{pattern}-{name}"
    if _is_finished(place):
        return Step(pattern, name, FINISHED)
    if monotonic() >= deadline:
        return Step(pattern, name, NOT_STARTED)
    if name == "all":
        if not _is_finished(folder / f"{pattern}-tuned-{SEEDS[0]}"):
            return Step(pattern, name, NOT_STARTED)
        words = _run_all(folder, pattern, place)
    else:
        seed = name.removeprefix("tuned-")
        new = [pattern, "--device", "cuda", "--seed", seed, "--output", str(place)]
        words = ["tune", *(["--resume", str(place)] if (place / "tune.json").exists() else new)]
    began = monotonic()
    code = _command(words, deadline)
    seconds = round(monotonic() - began, 1)
    is_whole = code in {0, KernelError.exit_code} and _is_finished(place)  # a candidate may fail
    ended = FINISHED if is_whole else CUT if code is None else f"failed with exit code {code}"
    return Step(pattern, name, ended, seconds)


def _run_all(folder: Path, pattern: str, place: Path) -> list[str]:
    tuned = read_record(folder / f"{pattern}-tuned-{SEEDS[0]}")
    suite = folder / f"{pattern}-all.yaml"
    every = {one.launch: [item.variant for item in one.candidates] for one in tuned.settings}
    suite.write_text(suite_text(tuned, "all", ALL, every), encoding="utf-8")
    is_begun = (place / run_files.RUN_FILE).exists()
    return ["run", str(suite), *(["--resume", str(place)] if is_begun else ["--output", str(place)])]


def _command(words: Sequence[str], deadline: float) -> int | None:
    """Run a command until it ends or the deadline stops it; return its exit code, None if it was stopped."""
    process = subprocess.Popen([*COMMAND, *words])
    try:
        return process.wait(max(0.0, deadline - monotonic()))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return None


def _is_finished(place: Path) -> bool:
    if (place / "tune.json").exists():
        return (place / "winners.yaml").exists()
    return (place / run_files.RUN_FILE).exists() and read_run(place).is_finished


def rungs_of(place: Path) -> list[Run]:
    """Return the runs of a tuning run's rungs, in the order in which they were measured."""
    runs = [read_run(file.parent) for file in place.glob("rung-*/run.json")]
    return sorted(runs, key=lambda run: run.info.started)


def recorded(folder: Path, pattern: str) -> dict[str, Any]:
    """Return the record of a pattern: its GPU, its settings, and the GPU time of all runs; or how it was cut."""
    steps = json.loads((folder / STEPS).read_text(encoding="utf-8"))
    if cut := [step for step in steps if step["pattern"] == pattern and step["ended"] != FINISHED]:
        return {"pattern": pattern, "cut": {step["name"]: step["ended"] for step in cut}}
    every = read_run(folder / f"{pattern}-all")
    places = [folder / f"{pattern}-tuned-{seed}" for seed in SEEDS]
    rungs = [rungs_of(place) for place in places]
    tuned = read_record(places[0])
    device = every.info.device
    return {
        "pattern": pattern,
        "device": device.name if device else "",
        "uuid": device.uuid if device else "",
        "nvrtc": every.info.versions.nvrtc,
        "started": every.info.started,
        "rules": [asdict(rung) for rung in RUNGS],
        "all_gpu_seconds": round(sampling_seconds(every), 2),
        "tune_gpu_seconds": [round(sum(map(sampling_seconds, runs)), 2) for runs in rungs],
        "tune_processes": [sum(run.info.settings.processes or 1 for run in runs) for runs in rungs],
        "settings": [_setting(setting.launch, tuned, every.rows, rungs) for setting in tuned.settings],
    }


def _setting(launch: str, tuned: TuneRecord, every: Sequence[Row], rungs: Sequence[Sequence[Run]]) -> dict[str, Any]:
    """Return what was chosen at a launch, the times by the run of all candidates, and the errors of predictions."""
    times = _times(launch, every)
    setting = next(one for one in tuned.settings if one.launch == launch)
    of_last = [_last_times(launch, runs) for runs in rungs]
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


def _last_times(launch: str, runs: Sequence[Run]) -> dict[str, float]:
    """Return the times of the last rung that measured a launch."""
    return next(times for run in reversed(runs) if (times := _times(launch, run.rows)))


def share(record: Mapping[str, Any]) -> float:
    """Return the GPU time of the slower tuning as a share of that of all candidates, with the warm-up of processes."""
    tunings = zip(record["tune_gpu_seconds"], record["tune_processes"], strict=True)
    slower = max(seconds + count * WARM_UP_SECONDS for seconds, count in tunings)
    return float(slower / (record["all_gpu_seconds"] + WARM_UP_SECONDS))


def page(records: Sequence[Mapping[str, Any]]) -> str:
    """Return the page on the records."""
    return HEAD.format(warm_up=WARM_UP_SECONDS) + "".join(
        f"\n{part}" for record in records for part in _section(record)
    )


def _section(record: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {record['pattern']}\n"
    if cut := record.get("cut"):
        yield f"Cut, without figures: {', '.join(f'`{name}` {ended}' for name, ended in cut.items())}.\n"
        return
    yield (
        f"On an {record['device']} (`{record['uuid'][:12]}`, NVRTC {record['nvrtc']}, {record['started'][:10]}): all "
        f"candidates took {record['all_gpu_seconds']:.0f} s of GPU time, tuning "
        f"{' and '.join(f'{seconds:.1f}' for seconds in record['tune_gpu_seconds'])} s in "
        f"{' and '.join(map(str, record['tune_processes']))} processes, 1/{1 / share(record):.0f}. The rungs: "
        f"{'; '.join(map(_rung_text, record['rules']))}.\n"
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


def _rung_text(rung: Mapping[str, Any]) -> str:
    processes = f", {rung['processes']} processes" if rung["processes"] > 1 else ""
    return f"{rung['max_seconds']} s to {rung['precision']:.1%}{processes}"


def main(words: Sequence[str]) -> None:
    """Measure, or read folders and write the record and the page."""
    match words:
        case ["measure", folder, seconds, *patterns]:
            steps = measure(Path(folder), float(seconds), patterns or PATTERNS)
            for step in steps:
                print(f"{step.pattern} {step.name}: {step.ended}, {step.seconds} s")
            sys.exit(any(step.ended != FINISHED for step in steps))
        case ["record", *folders]:
            records = merged(json.loads(RECORD.read_text(encoding="utf-8")), list(map(Path, folders)))
            RECORD.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
            PAGE.write_text(page(records), encoding="utf-8")
        case _:
            sys.exit(__doc__)


def merged(records: Sequence[dict[str, Any]], folders: Sequence[Path]) -> list[dict[str, Any]]:
    """Return the records with those of the patterns that the folders have in place of earlier ones.

    One that was cut replaces no figures: it is added, as cut.
    """
    known = {(record["pattern"], "cut" in record): record for record in records}
    for folder in folders:
        for pattern in dict.fromkeys(step["pattern"] for step in json.loads((folder / STEPS).read_text("utf-8"))):
            record = recorded(folder, pattern)
            known.pop((pattern, True), None)
            known[pattern, "cut" in record] = record
    order = {name: place for place, name in enumerate(PATTERNS)}
    return [known[key] for key in sorted(known, key=lambda key: (order.get(key[0], len(order)), key))]


if __name__ == "__main__":
    main(sys.argv[1:])
