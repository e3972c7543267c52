"""Run kernels on a GPU under compute-sanitizer."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from shflbench.checker import KernelVerdict
from shflbench.core.model import DTYPES, Kernel
from shflbench.cuda.compile.source import expression
from shflbench.errors import DeviceError
from shflbench.kernel_facts.pattern_checks.sanitizer_result import MARKER, Count, SanitizerResult, Tool, parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.cuda.backends.base import Array, KernelCall
    from shflbench.errors import KernelError
    from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport
    from shflbench.kernel_facts.pattern_checks.targets import KernelSubject

SECONDS = 300  # for the kernels of one process; one kernel takes well below a second
# Kernels per process. Of 670 in one process on an H200, racecheck reported nothing for the last 60, races or not.
MOST = 128
RAN, FAILED = "ran", "failed"  # what sanitizer_program.py prints for each kernel


@dataclass(frozen=True, slots=True)
class SanitizerJob:
    """One kernel to run under a tool, with its data: pickled, so that the child process only runs it."""

    name: str
    printed_names: tuple[str, ...]  # of the kernel: demangled, and mangled
    call: KernelCall
    inputs: list[Array]
    iterations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """The results of one process for the kernels that it started."""

    counts: Mapping[str, Count]
    finished: tuple[str, ...]
    failures: Mapping[str, str]


def jobs(
    subjects: Sequence[KernelSubject], kernels: Mapping[KernelSubject, Kernel | KernelError], seed: int
) -> list[SanitizerJob]:
    """Return a job for each subject that compiled for the GPU."""
    made = []
    for subject in subjects:
        kernel = kernels.get(subject)
        if isinstance(kernel, Kernel):
            workload = subject.workload(seed)
            call = subject.call(kernel, workload)
            dtype = DTYPES[subject.case.dtype]
            names = (f"{expression(subject.case.pattern, subject.variant, dtype)}(", kernel.symbol)
            made.append(SanitizerJob(subject.name, names, call, workload.inputs(0), workload.verify_iterations))
    return made


def run_tools(
    program: Path, work: Sequence[SanitizerJob]
) -> Iterator[tuple[Tool, Mapping[str, Count], Mapping[str, str]]]:
    """Yield, for each tool, its counts and the failures by kernel; DeviceError where the tool or the GPU does not work.

    A kernel that crashes ends its process; the kernels after it run in a new one.
    """
    for tool in Tool:
        counts: dict[str, Count] = {}
        failures: dict[str, str] = {}
        remaining = list(work)
        while remaining:
            output = _run(program, tool, remaining[:MOST])
            counts |= {name: output.counts.get(name, Count()) for name in output.finished}
            failures |= output.failures
            remaining = [job for job in remaining if job.name not in output.finished]
        yield tool, counts, failures


def _run(program: Path, tool: Tool, work: Sequence[SanitizerJob]) -> ToolOutput:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "jobs"
        file.write_bytes(pickle.dumps(list(work)))
        # No limit: after the default of 100 messages, later kernels would look clean.
        sanitizer = [str(program), "--tool", tool.value, "--print-limit", "0"]
        command = [
            *sanitizer,
            sys.executable,
            "-m",
            "shflbench.kernel_facts.pattern_checks.sanitizer_program",
            str(file),
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)  # noqa: S603
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DeviceError(f"compute-sanitizer --tool {tool} does not end: {error}", ADVICE) from error
    output = read(done.stdout, {job.name: job.printed_names for job in work})
    if not output.finished:
        last = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()[-1]
        raise DeviceError(f"no kernel could be run under compute-sanitizer --tool {tool}: {last}", ADVICE)
    return output


ADVICE = "Try `compute-sanitizer --tool memcheck` on a program of your own, or leave --sanitizer out."


def read(output: str, symbols: Mapping[str, Sequence[str]]) -> ToolOutput:
    """Return the results that one process printed."""
    states: dict[str, str] = {}
    running = ""
    for line in output.splitlines():
        if line.startswith(MARKER):
            running = line.removeprefix(MARKER).strip()
        elif running and (line == RAN or line.startswith(f"{FAILED}: ")):
            states[running] = line
    failures = {name: line.removeprefix(f"{FAILED}: ") for name, line in states.items() if line != RAN}
    return ToolOutput(parse(output, symbols), tuple(states), failures)


def merge(outputs: Sequence[tuple[Tool, Mapping[str, Count], Mapping[str, str]]]) -> dict[str, SanitizerResult]:
    """Return the result of all tools for each kernel."""
    counts: dict[str, dict[Tool, Count]] = defaultdict(dict)
    failures: dict[str, list[str]] = defaultdict(list)
    for tool, by_kernel, failed in outputs:
        for name, count in by_kernel.items():
            counts[name][tool] = count
        for name, why in failed.items():
            failures[name].append(f"{tool}: {why}")
    return {name: SanitizerResult(counts[name], tuple(failures[name])) for name in counts}


def with_result(report: SubjectReport, result: SanitizerResult | None) -> SubjectReport:
    """Return the report with compute-sanitizer's result, which may change the verdict."""
    if result is None:
        return report
    report = replace(report, sanitizer=result)
    if not result.has_findings:
        return report
    reason = f"compute-sanitizer found what no schedule showed: {result.sentence}"
    if report.verdict is KernelVerdict.HARMLESS:
        return replace(report, kernel=replace(report.kernel, verdict=KernelVerdict.UNSAFE, reason=reason))
    if report.safe and report.verdict in {KernelVerdict.CLEAN, KernelVerdict.DOUBTFUL, KernelVerdict.DEPENDENT}:
        return replace(report, kernel=replace(report.kernel, verdict=KernelVerdict.BROKEN, reason=reason))
    return report
