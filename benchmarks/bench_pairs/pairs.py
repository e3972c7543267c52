"""The list of pairs, two kernels of a public file each, and the ratios by their own programs and by `bench`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
import numpy as np

from benchmarks.common.runs import call, shflbench

LIST = Path(__file__).with_name("pairs.json")
MICROSECONDS = {"s": 1e6, "ms": 1e3, "us": 1.0}  # groups of the regular expressions that find times
REPEATS = 3  # of an own program that does not time the kernels in turn
OWN_SECONDS, BENCH_SECONDS = 60, 180
SEED = 1


@dataclass(frozen=True)
class Pair:
    """Two kernels of a file, with the options of `bench` and the own program that times both.

    Attributes:
        source: `owner/name@commit` on GitHub.
        path: Path of the file there; `file` is that below the folder of sources given to the benchmark.
        options: Options of `bench`; `{data}` is the folder of the contents that the own program draws at random.
        program: Name of the own program; `arguments` are its command line.
        in_turn: Whether the program prints `TURN 0` and `TURN 1` and times the kernels in turn in one process.
        times: A regular expression for both kernels, or one each, with a group `s`, `ms`, `us` or `rate`, and `key` for
            the threads per block if the program times several.
        method: How the program times.

    """

    id: str
    source: str
    path: str
    file: str
    task: str
    kernels: tuple[str, str]
    options: tuple[str, ...]
    l2: str
    program: str
    arguments: tuple[str, ...]
    in_turn: bool
    times: tuple[str, ...]
    method: str

    @property
    def kinds_of_options(self) -> int:
        """The number of different options that the user has to know."""
        return len({word for word in self.options if word.startswith("--")})

    @property
    def by_block(self) -> bool:
        """Whether the own program times several sizes of blocks."""
        return "(?P<key>" in self.times[0]


def pairs() -> list[Pair]:
    """Return the pairs of the list, in its order."""
    return msgspec.json.decode(LIST.read_bytes(), type=list[Pair])


def own_times(pair: Pair, text: str) -> dict[str, tuple[list[float], list[float]]]:
    """Return the times in µs that the own program printed: by threads per block ("" for one), those of each kernel.

    For a program that prints rates, the times are relative: inverse rates.
    """
    times: dict[str, tuple[list[float], list[float]]] = {}
    if pair.in_turn:
        parts = re.split(r"^TURN (\d+).*$", text, flags=re.MULTILINE)[1:]
        turns = [(int(number), pair.times[0], part) for number, part in zip(parts[::2], parts[1::2], strict=True)]
    else:
        turns = [(kernel, expression, text) for kernel, expression in enumerate(pair.times)]
    for kernel, expression, part in turns:
        for match in re.finditer(expression, part):
            groups = match.groupdict()
            if groups.get("rate"):
                time_us = 1 / float(groups["rate"])
            else:
                unit = next(name for name in MICROSECONDS if groups.get(name))
                time_us = float(groups[unit]) * MICROSECONDS[unit]
            times.setdefault(groups.get("key") or "", ([], []))[kernel].append(time_us)
    return times


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
        reply = call([str(program), *pair.arguments], OWN_SECONDS, programs, environment)
        if reply.code:
            return {"failed": f"exit code {reply.code}: {reply.out.strip()[-200:]}"}
        for key, (first, second) in own_times(pair, reply.out).items():
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


def run_bench(pair: Pair, sources: Path, contents: Path) -> dict[str, Any]:
    """Return exit code, seconds, device and ratios of `bench`, or its last message if it has none."""
    file = sources / pair.file
    options = [word.replace("{data}", str(contents)) for word in pair.options]
    words = ["bench", file.name, *options, "--l2", pair.l2, "--device", "cuda", "--format", "json"]
    reply = shflbench(*words, "--max-seconds", "0.5", folder=file.parent, seconds=BENCH_SECONDS)
    result = {"exit": reply.code, "seconds": reply.seconds}
    try:
        record = reply.json()
    except ValueError:
        record = {}
    if not record:
        return {**result, "groups": {}, "why": reply.errors.strip()[-300:]}
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
    # The speed-up of a kernel is the baseline's time by its own.
    is_first = group["baseline"] in {first["kernel"], first["variant"]}
    known = second if is_first else first
    low, high, ends = known["speedup_low"], known["speedup_high"], {}
    if low is not None and high is not None:
        ends = {"low": low, "high": high} if is_first else {"low": 1 / high, "high": 1 / low}
    times = {"first_us": first["time_us"], "second_us": second["time_us"]}
    threads = str(int(np.prod(first["block"]))) if pair.by_block else ""
    return threads, {"ratio": first["time_us"] / second["time_us"], **ends, **times}


def _plain(name: str) -> str:
    """Return the letters and digits of a kernel's name, without the suffix of unsigned constants."""
    return re.sub(r"[^A-Za-z0-9_]", "", re.sub(r"(?<=\d)u\b", "", name))
