"""Run the own programs and `shflbench bench`, and return the ratios of both."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.bench_pairs.pairs import own_times
from benchmarks.common.runs import call

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.bench_pairs.pairs import Pair

REPEATS = 3  # of an own program that does not time the kernels in turn
OWN_SECONDS = 60
SEED = 1


def make_contents(folder: Path) -> None:
    """Write contents that two own programs draw by `rand`, and on which times or validity depend."""
    random = np.random.default_rng(SEED)
    np.save(folder / "inp.npy", random.integers(0, 50257, 8192, dtype=np.int32))
    np.save(folder / "d_val.npy", random.integers(0, 16, 8192 * 8192, dtype=np.int8))


def run_own(pair: Pair, programs: Path) -> dict[str, Any]:
    """Return the ratio of the own times, first kernel by second one, by threads per block: median, ends and times."""
    program = programs / pair.program
    # Without EAGER, the first timed launch of a program without a warm-up includes the loading of its kernel.
    environment = {**os.environ, "CUDA_MODULE_LOADING": "EAGER"}
    times: dict[str, tuple[list[float], list[float]]] = {}
    for _ in range(1 if pair.in_turn else REPEATS):
        outcome = call([str(program), *pair.arguments], OWN_SECONDS, programs, environment)
        if outcome.returncode:
            return {"failed": f"exit code {outcome.returncode}: {outcome.stdout.strip()[-200:]}"}
        for key, (first, second) in own_times(pair, outcome.stdout).items():
            known = times.setdefault(key, ([], []))
            known[0].extend(first)
            known[1].extend(second)
    return {key: _ratio(first, second) for key, (first, second) in times.items()}


def _ratio(first: Sequence[float], second: Sequence[float]) -> dict[str, float]:
    ratios = [a / b for a, b in zip(first, second, strict=True)]
    return {
        "ratio": median(ratios),
        "low": min(ratios),
        "high": max(ratios),
        "first_us": median(first),
        "second_us": median(second),
    }


def run_bench(pair: Pair, sources: Path, contents: Path, limit_s: float) -> dict[str, Any]:
    """Return exit code, seconds, device and ratios of `bench`, or its last message if it has none."""
    file = sources / pair.file
    options = [word.replace("{data}", str(contents)) for word in pair.options]
    command = [sys.executable, "-m", "shflbench", "bench", file.name, *options, "--l2", pair.l2]
    started = time.monotonic()
    outcome = call(
        [*command, "--device", "cuda", "--format", "json", "--max-seconds", "0.5"], limit_s, file.parent, os.environ
    )
    result: dict[str, Any] = {"exit": outcome.returncode, "seconds": round(time.monotonic() - started, 1)}
    try:
        record = json.loads(outcome.stdout)
    except ValueError:
        return {**result, "groups": {}, "why": outcome.stderr.strip()[-300:]}
    groups = [found for group in record["groups"] if (found := bench_ratio(pair, group))]
    reasons = [kernel["verification"] for group in record["groups"] for kernel in group["kernels"]]
    why = next((reason for reason in reasons if reason.startswith("INCORRECT")), None)
    return {**result, "device": record["device"], "groups": dict(groups), "why": why}


def bench_ratio(pair: Pair, group: dict[str, Any]) -> tuple[str, dict[str, float]] | None:
    """Return the threads per block and the ratio of a group in which both kernels have times."""
    kernels = {_plain(kernel["kernel"]): kernel for kernel in group["kernels"]}
    first, second = (kernels.get(_plain(name)) for name in pair.kernels)
    if not first or not second or not first["time_us"] or not second["time_us"]:
        return None
    threads = int(np.prod(first["block"]))
    # The speed-up of a kernel is the baseline's time by its own.
    is_first = first["kernel"] == group["baseline"] or first["variant"] == group["baseline"]
    low, high = (second if is_first else first)["speedup_low"], (second if is_first else first)["speedup_high"]
    ends = (
        {}
        if low is None or high is None
        else dict(zip(("low", "high"), _turned(low, high, is_first=is_first), strict=True))
    )
    ratio = first["time_us"] / second["time_us"]
    times = {"first_us": first["time_us"], "second_us": second["time_us"]}
    return str(threads) if pair.by_block else "", {"ratio": ratio, **ends, **times}


def _turned(low: float, high: float, *, is_first: bool) -> tuple[float, float]:
    return (low, high) if is_first else (1 / high, 1 / low)


def _plain(name: str) -> str:
    """Return the letters and digits of a kernel's name, without the suffix of unsigned constants."""
    return re.sub(r"[^A-Za-z0-9_]", "", re.sub(r"(?<=\d)u\b", "", name))
