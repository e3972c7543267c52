"""Read what compute-sanitizer prints: its result for each kernel."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

MARKER = "shflbench checks "  # what sanitizer_program.py prints before the readable name of each kernel

# A line of compute-sanitizer; a line that continues the one before is indented by four more spaces.
_LINE = re.compile(r"^=========(?: (?P<more>   )?(?P<text>.*))?$")
_RACE = re.compile(r"^(?P<level>Warning|WARN|WARNING|Error|ERROR)\b.*(?:Race reported|hazard detected)")
_HAZARDS = re.compile(r"\[(?P<count>[0-9]+) hazards?\]")
# Errors of the CUDA API are ignored, too: a kernel that crashes is reported anyway, and cupy probes some calls.
_IGNORED = re.compile(
    r"COMPUTE-SANITIZER|.*SUMMARY|Target application|This tool|Warning: (?!Race reported)|Program hit|\(?Hint|Process",
    re.IGNORECASE,
)


class Tool(StrEnum):
    """The tools of compute-sanitizer that run."""

    RACECHECK = "racecheck"
    SYNCCHECK = "synccheck"
    MEMCHECK = "memcheck"


@dataclass(slots=True)
class Count:
    """The number of records of one tool for one kernel, and of hazards where the tool counts them."""

    errors: int = 0
    warnings: int = 0  # racecheck calls hazards within a warp warnings; they are as wrong as others
    hazards: int = 0
    first: str = ""  # the first record, on one line


@dataclass(frozen=True, slots=True)
class SanitizerResult:
    """The results of compute-sanitizer for one kernel; a tool that did not finish is missing."""

    counts: Mapping[Tool, Count] = field(default_factory=dict)
    failures: tuple[str, ...] = ()

    @property
    def has_findings(self) -> bool:
        """Whether any tool reported an error or a warning, or failed."""
        return bool(self.failures) or any(count.errors or count.warnings for count in self.counts.values())

    @property
    def sentence(self) -> str:
        """The results of the tools, in short."""
        results = [f"{tool}: {_amount(count)}" for tool, count in self.counts.items() if count.errors or count.warnings]
        missing = [f"{tool}: no result" for tool in Tool if tool not in self.counts]
        return "; ".join((*results, *self.failures, *missing)) or "nothing found"


def parse(text: str, symbols: Mapping[str, Sequence[str]]) -> dict[str, Count]:
    """Return the counts of one tool's output for each kernel that was started.

    `symbols` holds, by each kernel's readable name, the names that the output may print for it. A record belongs to
    the kernel that it names. Where it names none, or several that share a name, it belongs to the running kernel.
    """
    counts: dict[str, Count] = {}
    for running, record in _records(text):
        if running is not None:
            counts.setdefault(running, Count())
        if not record or _IGNORED.match(record[0]):
            continue
        whole = " ".join(record)
        named = [name for name, printed in symbols.items() if any(word in whole for word in printed)]
        owner = running if running in named or not named else named[0]
        if owner is not None:
            _add(counts.setdefault(owner, Count()), record, whole)
    return counts


def _add(count: Count, record: Sequence[str], whole: str) -> None:
    race = _RACE.match(record[0])
    if race and race["level"].upper().startswith("WARN"):
        count.warnings += 1
    else:
        count.errors += 1
    count.hazards += sum(int(number) for number in _HAZARDS.findall(whole)) or int(race is not None)
    count.first = count.first or whole


def _records(text: str) -> Iterator[tuple[str | None, list[str]]]:
    """Yield the lines of each record with the kernel that was running; an empty record at each marker."""
    running: str | None = None
    record: list[str] = []
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            if line.startswith(MARKER):
                yield running, record
                running, record = line.removeprefix(MARKER).strip(), []
                yield running, []
        elif match["more"] and record:
            record.append(match["text"].strip())
        elif match["text"] and match["text"].strip():
            yield running, record
            record = [match["text"].strip()]
    yield running, record


def _amount(count: Count) -> str:
    parts = [f"{number} {noun}{'s' if number > 1 else ''}" for number, noun in _nouns(count) if number]
    hazards = f" ({count.hazards} hazards)" if count.hazards > count.errors + count.warnings else ""
    return ", ".join(parts) + hazards


def _nouns(count: Count) -> Iterable[tuple[int, str]]:
    return (count.errors, "error"), (count.warnings, "warning")
