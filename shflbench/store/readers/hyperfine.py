"""Read the JSON of hyperfine (`--export-json FILE`).

Source: src/benchmark/benchmark_result.rs of sharkdp/hyperfine. An execution of a command is a sample: its wall time in
seconds. All executions of one file count as one process: they follow one another in the same state of the machine.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from shflbench.core.model import Status
from shflbench.core.words import count_noun
from shflbench.errors import ResultsError
from shflbench.store.readers.blocks import split_into_blocks
from shflbench.store.readers.content import WRITE_AGAIN
from shflbench.store.readers.names import MOST_CASES, check_name, shorten
from shflbench.store.readers.recording import RecordedCase, RecordedProcess, TimeSummary
from shflbench.store.readers.times import LEAST_US, TOO_SHORT, read_time, read_times, timed_case

if TYPE_CHECKING:
    from shflbench.store.readers.json_node import JsonNode

SECOND = 1e6  # µs
MOST_NOTES = 10  # commands with exit codes other than 0 that are named


def read_hyperfine(root: JsonNode, content: bytes) -> RecordedProcess:
    """Return the results of one call of hyperfine; ResultsError, which names the entry, if it is not as documented."""
    cases: dict[str, RecordedCase] = {}
    notes: list[str] = []
    for entry in root.items("results"):
        name = check_name(entry.text("command"), root.path, entry.where)
        if name in cases:
            raise ResultsError(
                f"{root.path}: {entry.where}: `{shorten(name)}` is there twice",
                "give each command its own name with `--command-name`",
            )
        cases[name] = _case(entry)
        notes.extend(_failures(entry, name))
        if len(cases) > MOST_CASES:
            raise ResultsError(f"{root.path} has more than {MOST_CASES:,} commands", "split the file")
    if not cases:
        raise ResultsError(f"{root.path} has no results", WRITE_AGAIN)
    return RecordedProcess(
        file=root.path, sha256=sha256(content).hexdigest(), cases=cases, notes=tuple(notes[:MOST_NOTES])
    )


def _case(entry: JsonNode) -> RecordedCase:
    """Return the case: its executions, or what the file says about them; failed if all of them failed."""
    codes = [code.value for code in entry.items("exit_codes")]
    if codes and all(code != 0 for code in codes):
        return RecordedCase(status=Status.FAILED, reason=f"all {count_noun(len(codes), 'execution')} failed")
    if entry.has("times"):
        times = read_times(entry, "times", SECOND)
        return timed_case(split_into_blocks(times, times / SECOND), None, None)
    median = read_time(entry, "median", SECOND)
    if median < LEAST_US:
        return RecordedCase(status=Status.SKIPPED, reason=TOO_SHORT)
    deviation = read_time(entry, "stddev", SECOND) if entry.has("stddev") else None
    count = sum(1 for _ in entry.items("exit_codes"))
    return RecordedCase(summary=TimeSummary(median, deviation or None, count or None))


def _failures(entry: JsonNode, name: str) -> list[str]:
    """Return a remark if `--ignore-failure` let failed executions count; null is the code of a killed one."""
    codes = [code.value for code in entry.items("exit_codes")]
    failed = sum(code != 0 for code in codes)
    if failed in {0, len(codes)}:  # a command that never succeeds is a failed case
        return []
    executions = count_noun(len(codes), "execution")
    return [f"{entry.path}: {failed} of {executions} of `{shorten(name)}` failed, and their times count"]
