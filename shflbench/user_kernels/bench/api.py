"""Check kernels, compare their results, and time them, as one run."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from shflbench.checker import KernelVerdict
from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.core.environment import baselines_folder, cache_folder
from shflbench.core.model import Overrides, Status
from shflbench.cuda.backends import gpus
from shflbench.cuda.backends.emulator import EmulatorBackend
from shflbench.cuda.compile.toolchain import find
from shflbench.errors import DeviceError, UsageError
from shflbench.measure import executor, process
from shflbench.session import LimitContext, Note, Plan, end_run, run
from shflbench.session.plan import run_info
from shflbench.store import RunFolder, require_unused
from shflbench.store.lock import sole_creator
from shflbench.user_kernels.bench.records import bench_document
from shflbench.user_kernels.bench.result import BenchResult
from shflbench.user_kernels.pattern_place import pattern_place
from shflbench.user_kernels.several_sources import choose_each
from shflbench.user_kernels.shared_addresses import shared_address_sentence
from shflbench.user_kernels.suite import suite_of
from shflbench.user_kernels.unset_variables import unset_variables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.checker import CandidateFile
    from shflbench.core.model import Suite
    from shflbench.measure.executor import Executor
    from shflbench.store import Row
    from shflbench.user_kernels.bench.request import BenchRequest, DeviceArguments
    from shflbench.user_kernels.comparison import KernelChoice

ANOTHER_FOLDER = "pass another folder"
NAME = "python-kernels"  # of the pattern and the suite
COMPARED = (Status.VERIFIED, Status.INCORRECT)


@dataclass(frozen=True, slots=True)
class BenchTarget:
    """Where kernels run: on a GPU, or in the emulator."""

    gpu: int = 0
    arch: str | None = None  # that is emulated
    seed: int = 0
    reason: str = ""  # why nothing is timed, if nothing is


@dataclass(frozen=True, slots=True)
class BenchSubject:
    """What is compared."""

    files: tuple[Path, ...]  # of the kernels
    choice: KernelChoice
    sentences: tuple[str, ...] = ()  # on the check

    @property
    def left_out(self) -> dict[str, str]:
        """Kernels that are not run → why."""
        return {item.kernel: item.sentence for item in self.choice.left_out}

    def without_run(self) -> BenchResult:
        """Return the result where nothing can be run."""
        return BenchResult(
            (), self.left_out, (), None, document=bench_document(self.files, self.choice, None, (), None)
        )


def bench(request: BenchRequest) -> BenchResult:
    """Compare the kernels of a request, and return their times where there is a GPU; `shflbench.bench` says more."""
    target = BenchTarget(request.device.gpu, request.device.arch, request.seed, no_gpu(request.device))
    if request.output:
        require_unused(request.output, ANOTHER_FOLDER)
    candidates = request.candidates()
    subject = BenchSubject(request.files(), choose_each(NAME, candidates))
    if not subject.choice.comparisons:
        return subject.without_run()
    subject = replace(subject, sentences=(*_undecided(candidates), *_cautions(subject.choice)))
    with TemporaryDirectory(prefix="shflbench-") as temporary:
        if not request.output:
            suite = _suite(subject.choice, request, Path(temporary))
            return measure(suite, target, subject, Path(temporary) / "run")
        # A kept run is read again with its patterns. Others would fill the cache with arrays.
        with pattern_place(cache_folder()) as (place, problem):
            subject = replace(subject, sentences=(*subject.sentences, *([f"Note: {problem}."] if problem else [])))
            return measure(_suite(subject.choice, request, place), target, subject, request.output, is_kept=True)


def _undecided(candidates: Mapping[str, CandidateFile]) -> Iterator[str]:
    """Yield a sentence for each kernel of which the check does not say whether it is right."""
    for name, file in candidates.items():
        for report in file.reports.values():
            if report.verdict in {KernelVerdict.NOT_CHECKED, KernelVerdict.DOUBTFUL}:
                yield f"{name}: {report.verdict}, {report.sentence}."


def _cautions(choice: KernelChoice) -> Iterator[str]:
    if sentence := shared_address_sentence(choice.comparisons, find()):
        yield f"{sentence}."
    yield from (f"Note: {clause}." for item in choice.comparisons for clause, _ in unset_variables(item))


def measure(
    suite: Suite, target: BenchTarget, subject: BenchSubject, path: Path, *, is_kept: bool = False
) -> BenchResult:
    """Run the suite of a comparison in a folder, and return the result.

    A run that is kept has what its launches do, and their limits, as `inspect` and `limits` read them.
    """
    notes = list(subject.sentences)
    with closing(replace(_plan(suite, target), counts_launches=is_kept)) as plan:
        info = run_info(plan, Overrides(), ("shflbench.bench",))
        with sole_creator(path):
            folder = RunFolder.create_at(info, path, ANOTHER_FOLDER)
            notes += [event.sentence for event in run(plan, folder) if isinstance(event, Note)]
            limits = LimitContext(suite.pattern_folders, baselines_folder(), cache_folder=plan.cache_folder)
            end = end_run(folder, limits if is_kept else None)
    notes += [f"Note: {problem}." for problem in (end.samples_problem, end.limits_problem) if problem]
    if end.noise:
        notes.append(end.noise.sentence)
    rows = end.run.rows
    if target.reason:
        notes.append(_not_timed(target.reason, rows))
    ratios = {row.variant: end.ratios[row.case_id] for row in rows if row.case_id in end.ratios}
    kept = path if is_kept else None
    document = bench_document(subject.files, subject.choice, end, suite.cases, kept)
    return BenchResult(rows, subject.left_out, (*end.sentences, *notes), kept, ratios, document=document)


def _not_timed(reason: str, rows: Sequence[Row]) -> str:
    """Return the sentence of a run without a GPU."""
    text = f"Nothing was timed: {reason}."
    return f"{text} The results were compared in the emulator." if any(row.status in COMPARED for row in rows) else text


def no_gpu(arguments: DeviceArguments) -> str:
    """Return why nothing is timed, empty if a GPU is used; DeviceError where one is asked for and there is none."""
    if arguments.device == "cuda" and arguments.arch is not None:
        raise UsageError('device="cuda" asks for a GPU, and arch=… for none', "Leave one of them out.")
    if arguments.device == "emulator" or arguments.arch is not None:
        return "the emulator was asked for"
    try:
        if gpus.find():
            return ""
        error = DeviceError("the driver lists no GPU", 'Pass device="emulator" to compare results without one.')
    except DeviceError as reason:
        error = reason
    if arguments.device == "cuda":
        raise error
    return error.message


def _plan(suite: Suite, target: BenchTarget) -> Plan:
    toolchain = find()
    opened: Executor
    if target.reason:
        opened = executor.InProcessExecutor(EmulatorBackend(target.arch or DEFAULT_ARCH))
    else:
        opened = executor.GpuExecutor(process.GPU_OPENER, target.gpu, suite.rules.timeout)
    device = opened.device
    toolchain.require(device.arch)
    sms = None if target.reason else device.sms
    return Plan(suite, toolchain, device.arch, opened, cache_folder(), sms, target.seed)


def _suite(choice: KernelChoice, request: BenchRequest, below: Path) -> Suite:
    return suite_of(Path(f"{NAME}.cu"), choice.comparisons, request.settings, below)
