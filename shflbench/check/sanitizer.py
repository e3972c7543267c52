"""Run kernels on a GPU under compute-sanitizer and ask for its opinion."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from shflbench.check.kernels import call_of, workload_of
from shflbench.check.opinion import MARKER, Count, Opinion, Tool, parse
from shflbench.check.verdict import Verdict
from shflbench.compile.source import translation_unit
from shflbench.errors import DeviceError
from shflbench.model import DTYPES, Kernel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.backends.base import Array, KernelCall
    from shflbench.check.report import KernelReport
    from shflbench.check.targets import Subject
    from shflbench.errors import KernelError

SECONDS = 300  # for the kernels of one process; a kernel takes well below one
# Kernels a process. Of 670 in one process on an H200, racecheck said nothing about the last 60, races or not.
MOST = 128
RAN, FAILED = "ran", "failed"  # what sanitized.py says of each kernel


@dataclass(frozen=True, slots=True)
class Job:
    """One kernel to run under a tool, and what to run it with: pickled, so that the child only runs it."""

    name: str
    call: KernelCall
    inputs: list[Array]
    iterations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one process said of the kernels that it came to."""

    counts: Mapping[str, Count]
    finished: tuple[str, ...]
    failures: Mapping[str, str]


def jobs(subjects: Sequence[Subject], kernels: Mapping[Subject, Kernel | KernelError], seed: int) -> list[Job]:
    """Return what is to be run for those subjects that compiled for the GPU."""
    made = []
    for subject in subjects:
        kernel = kernels.get(subject)
        if isinstance(kernel, Kernel):
            workload = workload_of(subject, seed)
            call = call_of(subject, kernel, workload)
            made.append(Job(subject.name, call, workload.inputs(0), workload.verify_iterations))
    return made


def written(subject: Subject, kernel: Kernel) -> tuple[str, ...]:
    """Return how compute-sanitizer may write the kernel's name: demangled, or as the linker has it."""
    variant = subject.pattern.declaration.variant(subject.case.variant)
    source = translation_unit(subject.pattern, variant, DTYPES[subject.case.dtype], subject.case.options)
    return (f"{source.expression}(", kernel.symbol)


def opinions(
    program: Path, work: Sequence[Job], symbols: Mapping[str, Sequence[str]]
) -> Iterator[tuple[Tool, Mapping[str, Count], Mapping[str, str]]]:
    """Yield, for each tool, its counts and the failures by kernel; DeviceError where the tool or the GPU does not work.

    A kernel that crashes takes its process along; the kernels after it get a new one.
    """
    for tool in Tool:
        counts: dict[str, Count] = {}
        failures: dict[str, str] = {}
        left = list(work)
        while left:
            answer = _ask(program, tool, left[:MOST], symbols)
            counts |= {name: answer.counts.get(name, Count()) for name in answer.finished}
            failures |= answer.failures
            left = [job for job in left if job.name not in answer.finished]
        yield tool, counts, failures


def _ask(program: Path, tool: Tool, work: Sequence[Job], symbols: Mapping[str, Sequence[str]]) -> Answer:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "jobs"
        file.write_bytes(pickle.dumps(list(work)))
        # Without the limit of 100 messages, after which later kernels would look clean.
        sanitizer = [str(program), "--tool", tool.value, "--print-limit", "0"]
        command = [*sanitizer, sys.executable, "-m", "shflbench.check.sanitized", str(file)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)  # noqa: S603
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DeviceError(f"compute-sanitizer --tool {tool} does not end: {error}", ADVICE) from error
    answer = read(done.stdout, symbols)
    if not answer.finished:
        said = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()[-1]
        raise DeviceError(f"no kernel could be run under compute-sanitizer --tool {tool}: {said}", ADVICE)
    return answer


ADVICE = "Try `compute-sanitizer --tool memcheck` on a program of your own, or leave --sanitizer out."


def read(output: str, symbols: Mapping[str, Sequence[str]]) -> Answer:
    """Return what one process's output says."""
    states: dict[str, str] = {}
    running = ""
    for line in output.splitlines():
        if line.startswith(MARKER):
            running = line.removeprefix(MARKER).strip()
        elif running and (line == RAN or line.startswith(f"{FAILED}: ")):
            states[running] = line
    failures = {name: line.removeprefix(f"{FAILED}: ") for name, line in states.items() if line != RAN}
    return Answer(parse(output, symbols), tuple(states), failures)


def merge(answers: Sequence[tuple[Tool, Mapping[str, Count], Mapping[str, str]]]) -> dict[str, Opinion]:
    """Return the opinion on each kernel."""
    counts: dict[str, dict[Tool, Count]] = defaultdict(dict)
    failures: dict[str, list[str]] = defaultdict(list)
    for tool, by_kernel, failed in answers:
        for name, count in by_kernel.items():
            counts[name][tool] = count
        for name, why in failed.items():
            failures[name].append(f"{tool}: {why}")
    return {name: Opinion(counts[name], tuple(failures[name])) for name in counts}


def with_opinion(report: KernelReport, opinion: Opinion | None) -> KernelReport:
    """Return the report with compute-sanitizer's opinion, by which a verdict may turn."""
    if opinion is None:
        return report
    report = replace(report, opinion=opinion)
    if not opinion.found:
        return report
    says = f"compute-sanitizer found what no schedule showed: {opinion.sentence}"
    if report.verdict is Verdict.HARMLESS:
        return replace(report, verdict=Verdict.UNSAFE, sentence=says)
    if report.safe and report.verdict in {Verdict.CLEAN, Verdict.DOUBTFUL, Verdict.DEPENDENT}:
        return replace(report, verdict=Verdict.BROKEN, sentence=f"declared safe, but {says}")
    return report
