"""Count what `history` blames where the truth is known: `python -m benchmarks history_blame`.

Each history has 24 cases and 60 daily runs with 0.25% of noise (Student's t, 4 degrees of freedom). On one day
something changes: the driver, the compiler, the method of timing or the load, each with a step of 2% to 5% of a third
of the cases, or the GPU, with and without a commit that both GPUs measured. In other histories the code of a quarter
of the cases changes on that day, too. `--record` writes the table to history_blame.md.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from shflbench.analysis.history.blame import CauseLabel
from shflbench.analysis.history.findings import history_of
from shflbench.store.history.record import HistoryCase, HistoryKernel, HistoryMachine, HistoryRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PAGE = Path(__file__).with_suffix(".md")
CASES, DAYS = 24, 60
FIRST = datetime(2026, 1, 1, 3, tzinfo=UTC)
NOISE, FREEDOM = 0.0025, 4
STEPS = 0.02, 0.05
EARLIEST, LATEST = 30, 50  # day of the change
RECOMPILED = 0.97  # of old sources that the new compiler takes
SENTINELS_US = {"a": 11.0, "b": 15.0, "c": 22.0, "d": 300.0, "e": 310.0}
KINDS = ("driver", "compiler", "method", "load", "load-on-sentinels", "GPU", "GPU-without-bridge")
COLUMNS = (
    *("what changed", "changes of cases with old code", "blamed on code", "blamed on"),
    *("changes of cases with new code", "blamed on code, too", "`code or compiler`"),
)


@dataclass(frozen=True, slots=True)
class SimulatedChange:
    """What happens on one day of a history."""

    kind: str
    day: int
    moved: frozenset[int]  # cases that it makes slower or faster
    edited: frozenset[int]  # cases whose code changes, too


def history(change: SimulatedChange, rng: np.random.Generator) -> Iterator[HistoryRun]:
    """Yield the runs of a history."""
    base = np.exp(rng.uniform(np.log(5), np.log(400), CASES))
    times = base[:, None] * (1 + NOISE * rng.standard_t(FREEDOM, (CASES, DAYS)))
    steps = 1 + rng.uniform(*STEPS, CASES) * rng.choice([-1, 1])
    for case in change.moved | change.edited:
        times[case, change.day :] *= steps[case]
    takes = rng.random(CASES) < RECOMPILED
    for day in range(DAYS):
        is_after = day >= change.day
        started = (FIRST + timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%SZ")
        yield HistoryRun(
            suite="simulated",
            suite_sha256="0" * 64,
            started=started,
            commit=f"{day:040x}",
            machine=_machine(change, day, rng),
            cases=tuple(
                HistoryCase(
                    case=f"case-{case}",
                    status="timed",
                    time_us=float(times[case, day]),
                    error=NOISE,
                    processes=3,
                    kernel=_kernel(change, case, is_new=day == change.day, is_after=is_after, takes=bool(takes[case])),
                )
                for case in range(CASES)
            ),
        )


def bridge(run: HistoryRun, change: SimulatedChange, rng: np.random.Generator) -> HistoryRun:
    """Return the run of the last day on the new GPU, of the code before the change."""
    return replace(
        run,
        started=f"{run.started[:11]}05:00:00Z",
        machine=_machine(change, change.day, rng),
        cases=tuple(replace(case, time_us=(case.time_us or 0) * 0.9) for case in run.cases),
    )


def _kernel(change: SimulatedChange, case: int, *, is_new: bool, is_after: bool, takes: bool) -> HistoryKernel:
    is_edited = is_after and case in change.edited
    compiler = change.kind == "compiler" and is_after
    code = f"code {case}, {'edited' if is_edited else 'old'}, compiler {int(compiler)}"
    recompiled = f"code {case}, old, compiler 1" if is_new and compiler and is_edited and takes else ""
    source = f"source {case}, edited" if is_edited else f"source {case}"
    of = f"source {case}" if recompiled else ""
    return HistoryKernel(code=code, source=source, recompiled=recompiled, recompiled_of=of, registers=32)


def _machine(change: SimulatedChange, day: int, rng: np.random.Generator) -> HistoryMachine:
    changed = change.kind if day >= change.day else ""
    slower = 1.01 if changed == "load-on-sentinels" else 1.0
    times = {name: time * slower * (1 + 0.0004 * rng.standard_normal()) for name, time in SENTINELS_US.items()}
    return HistoryMachine(
        gpu=f"GPU-{changed.startswith('GPU'):d}",
        gpu_name="simulated",
        arch="sm_90",
        host="host",
        driver="590.1" if changed == "driver" else "580.1",
        compiler="13.1" if changed == "compiler" else "13.0",
        options="-arch=sm_90",
        cccl="3.1",
        method="2" if changed == "method" else "1",
        sentinels=tuple(times.items()),
        sentinel_version="1",
    )


def drawn(kind: str, rng: np.random.Generator, *, with_code: bool) -> SimulatedChange:
    """Return a change of a kind, and with it one of code if wanted."""
    cases = [int(case) for case in rng.permutation(CASES)]
    moved = [] if kind.startswith("GPU") else cases[:8]  # what a GPU changes is in the bridge, too
    day = int(rng.integers(EARLIEST, LATEST))
    return SimulatedChange(kind, day, frozenset(moved), frozenset(cases[5:11] if with_code else ()))


def labels_of(change: SimulatedChange, rng: np.random.Generator) -> Iterator[tuple[int, tuple[CauseLabel, ...]]]:
    """Yield the case and the labels of each change that is seen."""
    runs = list(history(change, rng))
    if change.kind == "GPU":  # the first run of the new GPU measures the last commit of the old one
        runs = [
            *runs[: change.day],
            bridge(runs[change.day - 1], change, rng),
            *(_times(run, 0.9) for run in runs[change.day :]),
        ]
    for suite in history_of(runs):
        for found in suite.changes:
            yield int(found.case.removeprefix("case-")), found.blame.labels


def _times(run: HistoryRun, factor: float) -> HistoryRun:
    return replace(run, cases=tuple(replace(case, time_us=(case.time_us or 0) * factor) for case in run.cases))


def counted(kind: str, histories: int, rng: np.random.Generator, *, with_code: bool) -> Counter[str]:
    """Return how many changes got which blame, over so many histories."""
    counts: Counter[str] = Counter()
    for _ in range(histories):
        change = drawn(kind, rng, with_code=with_code)
        for case, labels in labels_of(change, rng):
            if case in change.edited:
                counts["edited"] += 1
                counts["edited: code"] += CauseLabel.CODE in labels
                counts["edited: undecided"] += CauseLabel.CODE_OR_COMPILER in labels
            else:
                counts["unedited"] += 1
                counts["unedited: code"] += CauseLabel.CODE in labels
                counts["unedited: undecided"] += CauseLabel.CODE_OR_COMPILER in labels
                counts[f"unedited: {' + '.join(labels)}"] += 1
    return counts


def table(histories: int, seed: int) -> Iterator[str]:
    """Yield the lines of the page."""
    rng = np.random.default_rng(seed)
    yield f"| {' | '.join(COLUMNS)} |"
    yield "|---|--:|--:|---|--:|--:|--:|"
    total: Counter[str] = Counter()
    for kind in KINDS:
        counts = counted(kind, histories, rng, with_code=False) + counted(kind, histories, rng, with_code=True)
        total += counts
        others = {
            name.removeprefix("unedited: "): count for name, count in counts.items() if name.startswith("unedited: ")
        }
        shown = [f"{name} {count}" for name, count in others.items() if name not in {"code", "undecided"}]
        yield _line(kind, counts, ", ".join(shown))
    yield _line("all", total, "")


def _line(kind: str, counts: Counter[str], blamed: str) -> str:
    names = ("unedited", "unedited: code"), ("edited", "edited: code", "edited: undecided")
    first, second = ([f"{counts[name]:,}" for name in part] for part in names)
    return f"| {' | '.join((kind, *first, blamed, *second))} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, or record it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks history_blame")
    parser.add_argument("--histories", type=int, default=40, help="per kind of change, and as many with code")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true", help=f"write {PAGE.name}")
    options = parser.parse_args(arguments)
    lines = [
        f"{options.histories} histories per kind of change, and as many with a change of code; seed {options.seed}.",
        "",
        *table(options.histories, options.seed),
    ]
    print(*lines, sep="\n")
    if options.record:
        PAGE.write_text("\n".join((*BEGINNING, *lines, "")), encoding="utf-8")
    return 0


BEGINNING = (
    "# What a history blames",
    "",
    "Simulated by `python -m benchmarks history_blame --record`, whose text says how. A change is one case of one",
    "history in which `history` saw a step. A number above 0 in the third column is wrong: the source of these cases",
    "stayed.",
    "",
)

if __name__ == "__main__":
    raise SystemExit(main())
