"""Read the JSON of pytest-benchmark (`--benchmark-json=FILE`, or `--benchmark-save=NAME` with `--benchmark-save-data`).

Source: pytest_benchmark/plugin.py and stats.py. A round is a sample: the mean time of `iterations` executions, in
seconds. The date in the file is that of its end, so the start of the process stays unknown.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

from shflbench.core.model import Status
from shflbench.errors import ResultsError
from shflbench.store.readers.blocks import split_into_blocks
from shflbench.store.readers.content import WRITE_AGAIN
from shflbench.store.readers.names import MOST_CASES, check_name, shorten
from shflbench.store.readers.recording import RecordedCase, RecordedProcess, TimeSummary
from shflbench.store.readers.times import LEAST_US, TOO_SHORT, read_time, read_times, timed_case

if TYPE_CHECKING:
    from shflbench.store.readers.json_node import JsonNode

SECOND = 1e6  # µs
MOST_ITERATIONS = 1 << 63


def read_pytest_benchmark(root: JsonNode, content: bytes) -> RecordedProcess:
    """Return the process that wrote a file; ResultsError, which names the entry, if it is not as documented."""
    cases: dict[str, RecordedCase] = {}
    for entry in root.items("benchmarks"):
        name = check_name(entry.text("fullname"), root.path, entry.where)
        if name in cases:
            raise ResultsError(f"{root.path}: {entry.where}: `{shorten(name)}` is there twice", WRITE_AGAIN)
        cases[name] = _case(entry.child("stats"))
        if len(cases) > MOST_CASES:
            raise ResultsError(f"{root.path} has more than {MOST_CASES:,} benchmarks", "split the file")
    if not cases:
        raise ResultsError(f"{root.path} has no benchmarks", WRITE_AGAIN)
    return RecordedProcess(
        file=root.path,
        sha256=sha256(content).hexdigest(),
        cases=cases,
        host=root.child("machine_info").optional_text("node"),
        version=root.optional_text("version"),
    )


def _case(stats: JsonNode) -> RecordedCase:
    """Return the case: its rounds, or what the file says about them."""
    if stats.has("data"):
        times = read_times(stats, "data", SECOND)
        iterations = _amount(stats, "iterations")
        case = timed_case(split_into_blocks(times, times * iterations / SECOND), None, None)
        return replace(case, executions=iterations) if case.status is Status.TIMED else case
    median = read_time(stats, "median", SECOND)
    if median < LEAST_US:
        return RecordedCase(status=Status.SKIPPED, reason=TOO_SHORT)
    deviation = read_time(stats, "stddev", SECOND)
    return RecordedCase(summary=TimeSummary(median, deviation or None, _amount(stats, "rounds")))


def _amount(stats: JsonNode, key: str) -> int:
    amount = stats.whole(key)
    if not 0 < amount < MOST_ITERATIONS:
        raise stats.child(key).wrong("a number above 0")
    return amount
