"""Write the page on the gate over NVBench's files.

    python -m benchmarks.nvbench_gate.page                   the recordings in tests/data/nvbench
    python -m benchmarks.nvbench_gate.page A.npz             this recording
    … --record FILE                                          also write the page to a file

Needs no GPU, but NVBench's scripts, on the PATH or in the folder NVBENCH_BIN: `pip install 'cuda-bench[compare]'`.
Takes one to two minutes per recording. Exits with 1 if a requirement is missed, with 2 on an error.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[2]))  # so that it also runs as a file

from benchmarks.compare_power.markdown import table
from benchmarks.compare_power.requirements import Requirement
from benchmarks.nvbench_gate.cases import percent_of
from benchmarks.nvbench_gate.recording import NVBenchRecording
from benchmarks.nvbench_gate.splits import PER_SIDE, apply, gate_rules
from benchmarks.nvbench_gate.truth import slowdowns
from shflbench.errors import ResultsError, ShflbenchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.nvbench_gate.splits import GateResult
    from benchmarks.nvbench_gate.truth import TrueSlowdown

RECORDED = Path(__file__).parents[2] / "tests" / "data" / "nvbench"
LONG_US, LEAST = 50.0, 0.019  # which slower copies must be found: from this time, and from this slowdown

PAGE = """\
# A gate over the files of NVBench

Written by `python -m benchmarks.nvbench_gate.page --record`; do not edit.

NVBench itself measured the same machine code in processes of unchanged kernels and of slower copies, in alternation,
with its default settings apart from `{settings}`, and `--jsonbin`. The slower copies do more iterations under the same
name. `shflbench compare BASE NEW --alternated` compares folders with {per_side} files each; NVBench's scripts compare
two files, one process with another. All read what NVBench wrote, apart from the clocks, rounded to 0.5 MHz.

{recordings}"""

RECORDING = """\
## `{name}`

{gpu}, driver {driver}, cuda-bench {cuda_bench}, started {started} (UTC), {processes} processes per side.

{requirements}

{unchanged}

An alarm is a case called slower or faster. For `compare` these are all ways to take two sides of {per_side} from the
unchanged processes; for the scripts, all pairs of them. Cases that wait for memory count as well.

Each case: its time, how far the medians of the unchanged processes are apart, how much slower its copy truly is by the
medians of all processes, how often it was not the same on unchanged code, and how often the copy was called slower.

{cases}
"""


@dataclass(frozen=True, slots=True)
class GatePage:
    """The results of all rules on one recording."""

    name: str
    recording: NVBenchRecording
    results: Sequence[GateResult]  # the first of them is that of `compare`
    cases: Sequence[TrueSlowdown]

    def text(self) -> str:
        """Return the part of the page."""
        facts = self.recording.facts
        return RECORDING.format(
            name=self.name,
            gpu=facts["gpu"],
            driver=facts["versions"]["driver"],
            cuda_bench=facts["cuda_bench"],
            started=facts["started"],
            processes=len(self.recording.processes) // 2,
            per_side=PER_SIDE,
            requirements="\n".join(map(str, self.requirements())),
            unchanged=self._unchanged(),
            cases=self._cases(),
        )

    def requirements(self) -> Iterator[Requirement]:
        """Yield the requirements for `compare`."""
        result = self.results[0]
        count = len(result.unchanged)
        yield Requirement(
            f"{result.alarmed} of {count} comparisons of unchanged processes raise an alarm; required: none",
            not result.alarmed,
        )
        wanted = [each for each in self.cases if each.time_us >= LONG_US and each.slowdown >= LEAST]
        counts = [result.counts(each.case_id, slowed=True) for each in wanted]
        found, total = sum(count["slower"] for count in counts), sum(count.total() for count in counts)
        yield Requirement(
            f"{found} of {total} verdicts on copies that are truly {100 * LEAST:g}% slower or more, of kernels of "
            f"{LONG_US:g} µs or more, are *slower*; required: all",
            found == total > 0,
        )

    def _unchanged(self) -> str:
        rows = []
        for result in self.results:
            verdicts = [verdict for of_pair in result.unchanged for verdict in of_pair.values()]
            open_ = sum(verdict not in {"slower", "faster", "same"} for verdict in verdicts)
            alarms = sum(verdict in {"slower", "faster"} for verdict in verdicts)
            comparisons = len(result.unchanged)
            cells = (
                f"{result.alarmed} of {comparisons}",
                f"{alarms} of {len(verdicts)}",
                f"{open_} of {len(verdicts)}",
            )
            rows.append([result.rule.name, str(result.rule.per_side), *cells])
        head = ("rule", "processes per side", "comparisons with alarm", "cases with alarm", "open cases")
        return table(head, rows)

    def _cases(self) -> str:
        names = [result.rule.name for result in self.results]
        head = (
            *("case", "µs", "range", "more iterations", "true slowdown"),
            *(f"{name}: not same" for name in names),
            *(f"{name}: slower" for name in names),
        )
        return table(head, map(self._case, sorted(self.cases, key=lambda each: each.time_us)))

    def _case(self, case: TrueSlowdown) -> list[str]:
        unchanged = [result.counts(case.case_id, slowed=False) for result in self.results]
        slowed = [result.counts(case.case_id, slowed=True) for result in self.results]
        memory = " (waits for memory)" if case.waits_for_memory else ""
        return [
            f"`{case.case_id}`{memory}",
            f"{case.time_us:.4g}",
            f"{case.range:.2%}",
            f"{percent_of(case.case_id)}%",
            f"{case.slowdown:+.2%}",
            *(f"{count.total() - count['same']} of {count.total()}" for count in unchanged),
            *(f"{count['slower']} of {count.total()}" for count in slowed),
        ]


def gate_page(path: Path) -> GatePage:
    """Apply all rules to a recording; ResultsError if it cannot be read, or if a rule fails."""
    recording = NVBenchRecording.load(path)
    return GatePage(path.stem, recording, [apply(rule, recording) for rule in gate_rules()], slowdowns(recording))


def whole_page(parts: Sequence[GatePage]) -> str:
    """Return the page on several recordings."""
    settings = " ".join(parts[0].recording.facts["settings"])
    return PAGE.format(settings=settings, per_side=PER_SIDE, recordings="\n".join(part.text() for part in parts))


def main(words: Sequence[str] | None = None) -> int:
    """Print the page and write it to a file if requested; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", nargs="*", type=Path, metavar="RECORDING.npz")
    parser.add_argument("--record", type=Path, metavar="FILE", help="also write the page to this Markdown file")
    wanted = parser.parse_args(words)
    try:
        paths = wanted.recordings or sorted(RECORDED.glob("*.npz"))
        if not paths:
            raise ResultsError(f"{RECORDED} has no recording", "make one: python -m benchmarks.nvbench_gate --help")
        parts = [gate_page(path) for path in paths]
        text = whole_page(parts)
        print(text)
        if wanted.record:
            wanted.record.write_text(text, encoding="utf-8")
    except (ShflbenchError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0 if all(requirement.met for part in parts for requirement in part.requirements()) else 1


if __name__ == "__main__":
    sys.exit(main())
