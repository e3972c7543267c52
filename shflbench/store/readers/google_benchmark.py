"""Read the JSON of Google Benchmark (`--benchmark_out=FILE --benchmark_out_format=json`).

Source: src/json_reporter.cc of google/benchmark. A repetition is a sample: the mean time of `iterations` executions.
"""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.model import Status
from shflbench.errors import ResultsError
from shflbench.store.readers.blocks import split_into_blocks
from shflbench.store.readers.content import WRITE_AGAIN
from shflbench.store.readers.names import MOST_CASES, check_name, shorten
from shflbench.store.readers.recording import RecordedCase, RecordedProcess, TimeSummary
from shflbench.store.readers.times import LEAST_US, TOO_SHORT, is_time, parse_started, timed_case

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.store.readers.json_node import JsonNode

MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}  # per `time_unit`
# Versions before 1.5 do not write `run_type`: aggregates end in their name.
_AGGREGATE = re.compile(r"_(?:mean|median|stddev|cv|BigO|RMS)$")
MANUAL = "manual_time"  # in the name of a benchmark that measures each iteration itself
ITERATION, AGGREGATE = "iteration", "aggregate"
FITS = {"BigO", "RMS"}  # of the time over a range of arguments: no times


def read_google_benchmark(root: JsonNode, content: bytes) -> RecordedProcess:
    """Return the process that wrote a file; ResultsError, which names the entry, if it is not as documented."""
    context = root.child("context")
    entries: dict[str, list[JsonNode]] = {}
    for entry in root.items("benchmarks"):
        if _run_type(entry) == AGGREGATE and _aggregate(entry) in FITS:
            continue
        name = check_name(_run_name(entry), root.path, entry.where)
        entries.setdefault(name, []).append(entry)
    if not entries:
        raise ResultsError(f"{root.path} has no benchmarks", WRITE_AGAIN)
    if len(entries) > MOST_CASES:
        raise ResultsError(f"{root.path} has more than {MOST_CASES:,} benchmarks", "split the file")
    date = context.optional_text("date")
    return RecordedProcess(
        file=root.path,
        sha256=sha256(content).hexdigest(),
        cases={name: _case(name, of_case) for name, of_case in entries.items()},
        started=parse_started(date) if date else None,
        host=context.optional_text("host_name"),
        version=context.optional_text("library_version"),
    )


def _run_name(entry: JsonNode) -> str:
    """Return the name without that of an aggregate."""
    return entry.text("run_name") if entry.has("run_name") else _AGGREGATE.sub("", entry.text("name"))


def _run_type(entry: JsonNode) -> str:
    if entry.has("run_type"):
        return entry.text("run_type")
    return AGGREGATE if _AGGREGATE.search(entry.text("name")) else ITERATION


def _case(name: str, entries: Sequence[JsonNode]) -> RecordedCase:
    """Return the case of all entries with one name: its repetitions, or its aggregates if these are all."""
    for entry in entries:
        if entry.flag("error_occurred"):
            return RecordedCase(status=Status.FAILED, reason=entry.optional_text("error_message") or "an error")
        if entry.flag("skipped"):
            return RecordedCase(status=Status.SKIPPED, reason=entry.optional_text("skip_message") or "skipped")
    repetitions = [entry for entry in entries if _run_type(entry) == ITERATION]
    if not repetitions:
        return _from_aggregates({_aggregate(entry): entry for entry in entries}, entries[0])
    _refuse_twice(name, repetitions)
    times = np.array([_time_us(entry) for entry in repetitions])
    iterations = [_iterations(entry) for entry in repetitions]
    case = timed_case(split_into_blocks(times, np.array(iterations) * times / 1e6), None, None)
    return case if MANUAL in name.split("/") else replace(case, executions=min(iterations))


def _refuse_twice(name: str, repetitions: Sequence[JsonNode]) -> None:
    """Raise ResultsError if two benchmarks have one name, which Google Benchmark allows."""
    known: set[int] = set()
    for entry in repetitions:
        if entry.has("repetition_index"):
            index = entry.whole("repetition_index")
            if index in known:
                raise ResultsError(
                    f"{entry.path}: {entry.where}: repetition {index} of `{shorten(name)}` is there twice",
                    "give each benchmark its own name",
                )
            known.add(index)


def _iterations(entry: JsonNode) -> int:
    iterations = entry.whole("iterations")
    if not 0 < iterations < 1 << 63:
        raise entry.child("iterations").wrong("a number of iterations")
    return iterations


def _time_us(entry: JsonNode) -> float:
    """Return the real time per iteration: of `UseManualTime`, that which the benchmark set."""
    unit = entry.optional_text("time_unit") or "ns"
    if unit not in MICROSECONDS:
        raise entry.child("time_unit").wrong(f"one of {', '.join(MICROSECONDS)}")
    time_us = entry.number("real_time") * MICROSECONDS[unit]
    if not is_time(time_us):
        raise entry.child("real_time").wrong("a time")
    return time_us


def _aggregate(entry: JsonNode) -> str:
    if entry.has("aggregate_name"):
        return entry.text("aggregate_name")
    match = _AGGREGATE.search(entry.text("name"))
    return match[0][1:] if match else ""


def _from_aggregates(entries: Mapping[str, JsonNode], first: JsonNode) -> RecordedCase:
    center = entries.get("median") or entries.get("mean")
    if center is None:
        return RecordedCase(status=Status.SKIPPED, reason="neither repetitions nor their median or mean are recorded")
    time_us = _time_us(center)
    if time_us < LEAST_US:
        return RecordedCase(status=Status.SKIPPED, reason=TOO_SHORT)
    deviation = _time_us(entries["stddev"]) if "stddev" in entries else None
    repetitions = first.whole("repetitions") if first.has("repetitions") else None
    return RecordedCase(summary=TimeSummary(time_us, deviation, repetitions))
