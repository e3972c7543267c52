"""Check one file, in a process of its own, which bounds time and memory."""

from __future__ import annotations

import json
import resource
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from shutil import which
from time import monotonic
from typing import TYPE_CHECKING

from benchmarks.public_sets.arguments import RunArguments
from shflbench.checker.options import FileOptions, LaunchOptions
from shflbench.cuda_sources.kernel_file import CompileOptions
from shflbench.cuda_sources.read_options import Compilers
from shflbench.errors import ShflbenchError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from shflbench.checker.report import KernelReport

MOST_FINDINGS = 4  # per kernel, in a record
KB_PER_MB = 1024  # getrusage(2) counts in KB on Linux


@dataclass(frozen=True, slots=True)
class Job:
    """One file and the options of `check`."""

    clone: str  # the folder of the set
    path: str  # of the file, in the clone
    runs: tuple[RunArguments, ...] = (RunArguments(),)
    defines: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()  # in the clone
    nvcc: bool = True  # use the nvcc on the PATH, if there is one

    def key(self) -> str:
        """Return the job as JSON, the same for a clone in any folder."""
        return json.dumps({**asdict(self), "clone": Path(self.clone).name})


@dataclass(frozen=True, slots=True)
class KernelResult:
    """The verdict on one kernel."""

    name: str
    verdict: str
    sentence: str
    findings: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()  # of all findings: `RAW`, `OUT_OF_BOUNDS`
    launches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JobResult:
    """What `check` says about one file."""

    kernels: tuple[KernelResult, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""  # that ended `check`: unusable options, a timeout, a crash
    compiler: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0  # with those of the compiler
    megabytes: float = 0.0  # the largest memory of a process
    machine: str = ""  # on which it was measured


def check(job: Job) -> JobResult:
    """Return what `check` says about the file of a job; its options that do not fit are an error of the result."""
    from shflbench.checker.file_check import check_file  # noqa: PLC0415  (slow, and tests need none of it)
    from shflbench.checker.inputs.grammar import parse_arguments  # noqa: PLC0415
    from shflbench.checker.inputs.shapes import parse_shape  # noqa: PLC0415
    from shflbench.cuda.compile import toolchain  # noqa: PLC0415

    nvcc = which("nvcc") if job.nvcc else None
    nvrtc = toolchain.find()  # also beside nvcc, for files that include headers the toolkit lacks
    kernels: list[KernelResult] = []
    notes: list[str] = []
    compiler = ""
    try:
        for run in job.runs:
            options = FileOptions(
                kernels=(run.kernel,) if run.kernel else (),
                compile=CompileOptions(
                    include=tuple(Path(job.clone) / include for include in job.includes), define=job.defines
                ),
                compilers=Compilers(nvrtc, nvcc=Path(nvcc) if nvcc else None),
                given=LaunchOptions(
                    launches=tuple(map(parse_shape, run.launches)),
                    arguments=parse_arguments(run.args),
                    shared_bytes=run.shared,
                ),
            )
            report = check_file(Path(job.clone) / job.path, options)
            kernels += (_kernel(kernel, job.clone) for kernel in report.kernels)
            notes += (f"{note.kind}: {note.text}" for note in report.notes)
            compiler = report.compiler
    except ShflbenchError as error:
        return JobResult(error=error.message.replace(f"{job.clone}/", ""))
    return JobResult(tuple(kernels), tuple(dict.fromkeys(notes)), compiler=compiler)


def _kernel(report: KernelReport, clone: str) -> KernelResult:
    base = report.place.file.parent
    findings = tuple(finding.sentence(base) for finding in report.findings[:MOST_FINDINGS])
    sentence = report.sentence.replace(f"{clone}/", "")  # the record is the same for a clone in any folder
    launches = tuple(launch.shape for launch in report.launches)
    kinds = tuple(dict.fromkeys(finding.kind.name for finding in report.findings))
    return KernelResult(report.name, str(report.verdict), sentence, findings, kinds, launches)


def work(job: Job, results: Connection) -> None:
    """Check the file of a job in this process, which the fork server has made for it, and send the record as JSON.

    A fault of `check` ends the process with a traceback on stderr, and costs one file.
    """
    from benchmarks.public_sets.start import CPU_SECONDS  # noqa: PLC0415  (measures, where it is imported first)

    start = monotonic()
    result = check(job)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    result = replace(
        result,
        seconds=round(monotonic() - start, 2),
        cpu_seconds=round(sum(usage.ru_utime + usage.ru_stime for usage in used) + CPU_SECONDS, 2),
        megabytes=round(max(usage.ru_maxrss for usage in used) / KB_PER_MB),
    )
    results.send(json.dumps(asdict(result)))
