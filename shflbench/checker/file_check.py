"""Check the kernels of a CUDA or PTX file that no pattern declares.

`check_file(path, options)` is the function that the command line, the Python API and the benchmarks call. It returns a
`FileReport`; what cannot be decided is a verdict of it, and only unusable input raises.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from shflbench.checker.dependent.check import ChainOptions, DependentLaunches, chains_to_check
from shflbench.checker.host_numbers import names_of_sizes, traced_numbers, variables_of, with_passed
from shflbench.checker.inputs.grammar import NumberValue
from shflbench.checker.inputs.launch_rules import launch_rules, refuse_invalid, without_invalid
from shflbench.checker.inputs.linked import LinkedKernel, linked_kernel
from shflbench.checker.inputs.names import gives_buffers, match_names, refuse_unknown
from shflbench.checker.inputs.run_plan import plan_runs
from shflbench.checker.invalid_launches import with_invalid
from shflbench.checker.judgment.judge import judge_kernel
from shflbench.checker.judgment.misfits import body_sites, find_undecided, kind_of_causes, overlaps
from shflbench.checker.removed_stores import RemovedStoreCheck
from shflbench.checker.report import FileReport, KernelReport
from shflbench.checker.reporter import LONGEST_PROBLEM, KernelReporter
from shflbench.checker.runs.alternative_runs import with_alternatives, with_shorter
from shflbench.checker.runs.budget import RunBudget
from shflbench.checker.runs.earlier_launches import EarlierLaunches
from shflbench.checker.runs.kernel_runs import KernelRuns
from shflbench.checker.runs.order import order_reasons
from shflbench.checker.selection import chosen_kernels, is_chosen, launches_of
from shflbench.checker.verdict import KernelVerdict
from shflbench.cuda_sources.fragments import read_with_includer
from shflbench.cuda_sources.generators import is_of_triton
from shflbench.cuda_sources.read import read_cuda, read_ptx
from shflbench.cuda_sources.sampling import sample_instances
from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.dimensions import NO_CLUSTER
from shflbench.emulator.file_budget import NEVER, OPTIONS, SHARES, FileBudget
from shflbench.emulator.link.unsupported import UnsupportedKernelError
from shflbench.emulator.ptx.parse import parse
from shflbench.emulator.ptx.syntax import shorten
from shflbench.errors import CompileError, InputError, KernelError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shflbench.checker.dependent.requests import SameBuffer
    from shflbench.checker.inputs.grammar import GivenArgument
    from shflbench.checker.inputs.shapes import LaunchShape
    from shflbench.checker.judgment.judge import KernelJudgment
    from shflbench.checker.runs.evidence import KernelEvidence
    from shflbench.compile.toolchain import Toolchain
    from shflbench.cuda_sources.kernel_file import KernelFile, RejectedKernel, SourceKernel
    from shflbench.dimensions import Dims
    from shflbench.emulator.ptx.syntax import Module

    Study: TypeAlias = Callable[[LinkedKernel, KernelEvidence], None]

SUFFIXES = frozenset({".cu", ".cuh", ".ptx"})


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How to check the kernels of a file; what is empty is derived."""

    kernels: tuple[str, ...] = ()
    launches: tuple[LaunchShape, ...] = ()
    named_launches: tuple[tuple[str, LaunchShape], ...] = ()  # of single kernels, by their names
    pdl: tuple[tuple[str, ...], ...] = ()  # kernels whose launches overlap, in their order
    same: tuple[SameBuffer, ...] = ()  # arguments of these kernels that point to one buffer
    arguments: tuple[GivenArgument, ...] = ()
    shared_bytes: int | None = None  # dynamic, per block
    cluster: Dims | None = None  # blocks of a cluster; None: from the host code or the kernel
    include: tuple[Path, ...] = ()
    define: tuple[str, ...] = ()
    host_args: tuple[str, ...] | None = None  # the words of the program's command line
    fast_math: bool = False  # approximate division, square roots and functions of single precision, as with nvcc
    host_numbers: tuple[tuple[str, int | float], ...] = ()  # variables of the host code that begin with other values
    host_calls: bool = False  # also read which function of the host code performs which launches
    # Template arguments with which the host code calls its functions → those to call them with instead.
    host_instance: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    device_launches: bool = True  # compile kernels that launch kernels, which a GPU cannot load from this PTX alone
    arch: str = "sm_90"
    seed: int = 0
    nvcc: Path | None = None  # None: NVRTC
    toolchain: Toolchain | None = None  # None: only PTX, or nvcc, can be used
    cache: Path | None = None  # folder for what NVRTC returns
    outputs: bool = True  # keep the buffers after the first launch
    several: bool = False  # one of several files: another one may have the kernels
    most_work: float = math.inf  # instructions of the emulator, for one file
    shares: int = SHARES  # of that work, which a kernel may take of those that are left; 1: no other one gets less
    time_limit_s: float = math.inf  # for compiling and emulation of one file
    clock: Callable[[], float] = time.monotonic  # that the limit is measured by; seconds
    limit_options: tuple[str, str] = OPTIONS  # which give more work, and more time, for messages
    budget: FileBudget = NEVER  # that the check of a file spends, once it has begun

    @property
    def of_chains(self) -> ChainOptions:
        """What decides on the check of launches that overlap."""
        return ChainOptions(**{item.name: getattr(self, item.name) for item in fields(ChainOptions)})

    def begun(self) -> FileOptions:
        """Return the options with the budget of a file that begins now."""
        return replace(self, budget=FileBudget.of(self.most_work, self.time_limit_s, self.clock, self.limit_options))


@dataclass(frozen=True, slots=True)
class CheckStep:
    """What the check of a file does now: compiles it, checks a kernel of it, or has finished that kernel."""

    number: int = 0  # of the kernel, from 1; 0 while the file is compiled
    kernels: int = 0  # of the file
    kernel: str = ""
    report: KernelReport | None = None  # None: the kernel is not finished


def _ignore(_: CheckStep) -> None:
    """Show nothing of the progress."""


def _ignore_evidence(_: LinkedKernel, __: KernelEvidence) -> None:
    """Look at no evidence."""


@dataclass(frozen=True, slots=True)
class _Watch:
    """What also looks at the runs of each kernel."""

    removed: RemovedStoreCheck
    study: Study


def check_file(path: Path, options: FileOptions, watch: Callable[[CheckStep], None] = _ignore) -> FileReport:
    """Check the kernels of one file and return the report; `watch` is called with each step.

    Raises InputError if the file cannot be read, UsageError if an option does not fit it, and CompilerError if there is
    no compiler for it.
    """
    options = options.begun()
    watch(CheckStep())
    try:
        file = read_file(path, options)
    except CompileError as error:
        return _failed(path, options, KernelVerdict.NOT_COMPILED, _without_name(error, path))
    except KernelError as error:
        return _failed(path, options, KernelVerdict.NOT_CHECKED, error.message)
    return check_kernels(*with_given_numbers(file, options), watch)


def check_or_name(path: Path, options: FileOptions) -> FileReport:
    """Check one of several files; one that cannot be read is `not checked`, which does not affect the others.

    The report on a file that has none of the kernels that the options name is empty. Raises what `check_file` raises
    but InputError.
    """
    try:
        return check_file(path, replace(options, several=True))
    except InputError as error:
        return _failed(path, options, KernelVerdict.NOT_CHECKED, error.message)


def read_file(path: Path, options: FileOptions, compiled: KernelFile | None = None) -> KernelFile:
    """Return the kernels of the file, compiled where it is CUDA C++.

    Of a file that has been `compiled`, only the host code is read again.

    Raises InputError, CompilerError, or KernelError if it has no kernel, or does not compile within the time limit.
    """
    if path.suffix == ".ptx":
        return read_ptx(path)
    read = partial(
        read_cuda,
        arch=options.arch,
        include=options.include,
        define=options.define,
        instances=tuple(name for name in options.kernels if "<" in name),
        skip_unknown=options.several,
        toolchain=options.toolchain,
        nvcc=options.nvcc,
        cache=options.cache,
        host_args=options.host_args,
        fast_math=options.fast_math,
        host_numbers=dict(options.host_numbers),
        host_calls=options.host_calls,
        host_instance=options.host_instance,
        compiled=compiled,
        device_launches=options.device_launches,
        budget=options.budget,
    )
    return read_with_includer(path, read)


def with_given_numbers(file: KernelFile, options: FileOptions) -> tuple[KernelFile, FileOptions]:
    """Return a file whose host code passes the given numbers to the kernels, and the options that it is read with.

    Numbers that the host code does not pass on stay as they are. UsageError for numbers that contradict each other.
    """
    chosen = chosen_kernels(file, options.kernels, several=True)
    given = [(kernel, launches_of(kernel, options.launches, options.named_launches)) for kernel in chosen]
    if all(launches and gives_buffers(options.arguments, kernel) for kernel, launches in given):
        return file, options

    def with_numbers(numbers: Mapping[str, int | float]) -> FileOptions:
        return replace(options, host_numbers=tuple(numbers.items()))

    def read(numbers: Mapping[str, int | float]) -> KernelFile:
        return read_file(file.path, with_numbers(numbers), compiled=file) if numbers else file

    variables = [item.name for item in variables_of(file, chosen)]
    given_numbers = [item for item in options.arguments if isinstance(item.value, NumberValue)]
    known = [
        item for item in given_numbers if item.name in variables or any(match_names([item], one) for one in chosen)
    ]
    if len(known) < len(given_numbers):
        refuse_unknown(given_numbers, chosen, names_of_sizes(file, chosen, read))
    numbers = traced_numbers(chosen, options.arguments, read)
    changed = read(numbers)
    return changed, replace(with_numbers(numbers), arguments=with_passed(changed, chosen, options.arguments))


def check_kernels(
    file: KernelFile,
    options: FileOptions,
    watch: Callable[[CheckStep], None] = _ignore,
    study: Study = _ignore_evidence,
) -> FileReport:
    """Check the kernels of a file that has been read, and return the report; UsageError if an option does not fit.

    It ends where the budget of the options is over, which has begun.

    `study` is called with each kernel that ran, and its launches.
    """
    refused = [_refused(item) for item in file.rejected if is_chosen(item.name, options.kernels)]
    known = [item.name for item in file.rejected]
    chosen = chosen_kernels(file, options.kernels, several=options.several, rejected=known)
    chains = chains_to_check(file, options.of_chains, chosen)
    if not chosen:
        return FileReport(file.path, options.arch, file.compiler, tuple(refused))
    chosen, skipped = (chosen, []) if options.kernels else sample_instances(chosen)
    try:
        module = parse(file.ptx)
    except KernelError as error:
        return _failed(file.path, options, KernelVerdict.NOT_CHECKED, error.message, file)
    linked = [_link(file, module, kernel, options) for kernel in chosen]
    kernels = [item.kernel if isinstance(item, LinkedKernel) else item[0] for item in linked]
    refuse_unknown(options.arguments, kernels, [item.name for item in file.numbers])
    removed = RemovedStoreCheck(file, options.budget)
    earlier = EarlierLaunches(file, module, options.arch, options.budget)
    dependent = DependentLaunches(file, module, options.of_chains, chains, options.budget, earlier)
    reports: list[KernelReport] = []
    for number, item in enumerate(linked, 1):
        if isinstance(item, LinkedKernel):
            watch(CheckStep(number, len(linked), item.kernel.name))
            launches = launches_of(item.kernel, options.launches, options.named_launches)
            part = options.budget.part_of(len(linked) - number + 1, options.shares)
            given = replace(options, launches=launches, budget=part)
            report = dependent.completed(_check(file, earlier.completed(item), given, _Watch(removed, study)))
        else:
            report = item[1]
        reports.append(report)
        watch(CheckStep(number, len(linked), report.name, report))
    return FileReport(file.path, options.arch, file.compiler, (*reports, *refused), (*removed.notes, *skipped))


def _refused(kernel: RejectedKernel) -> KernelReport:
    """Return the report on a kernel that the compiler rejects."""
    sentence = shorten(kernel.sentence, LONGEST_PROBLEM)
    return KernelReport(kernel.name, "", kernel.place, KernelVerdict.NOT_COMPILED, sentence, errors=(sentence,))


def _link(
    file: KernelFile, module: Module, kernel: SourceKernel, options: FileOptions
) -> LinkedKernel | tuple[SourceKernel, KernelReport]:
    """Return the linked kernel, or the report that says why it cannot run."""
    try:
        return linked_kernel(file, module, kernel, arch=options.arch, shared_bytes=options.shared_bytes)
    except KernelError as error:
        problems = error.problems if isinstance(error, UnsupportedKernelError) else [error.message]
        return kernel, KernelReporter(file, kernel).not_checked(problems, module)


def _check(file: KernelFile, linked: LinkedKernel, options: FileOptions, watchers: _Watch) -> KernelReport:
    """Check the launches against the limits of GPUs, and report on them and on the runs within the budget."""
    reporter = KernelReporter(file, linked.kernel, outputs=options.outputs)
    if options.budget.is_over:
        limit = options.budget.error
        more = f"give more with {limit.option}, or choose kernels with --kernel"
        return reporter.not_checked([f"{limit.message} before it ran; {more}"])
    if options.launches:
        rules = launch_rules(linked, options.arch, raises_shared_limit=True)
        shapes = [replace(shape, cluster=options.cluster or NO_CLUSTER) for shape in options.launches]
        refuse_invalid(rules, shapes, options.shared_bytes or 0, linked.kernel.name)
        return _run(file, linked, options, watchers, reporter)
    rules = launch_rules(linked, options.arch, raises_shared_limit=file.raises_shared_limit)
    valid, invalid = without_invalid(linked, rules)
    if invalid and not valid.kernel.host_launches:
        return with_invalid(reporter.not_run(), invalid)
    return with_invalid(_run(file, valid, options, watchers, reporter), invalid)


def _run(
    file: KernelFile, linked: LinkedKernel, options: FileOptions, watchers: _Watch, reporter: KernelReporter
) -> KernelReport:
    """Plan the runs of a kernel whose launches are valid, run it, judge what was seen, and report it."""
    wishes, launches = plan_runs(linked, options.arguments, options.launches, options.shared_bytes, options.cluster)
    budget = RunBudget.shared_by(len(options.kernels or file.kernels), options.budget)
    runs = KernelRuns(linked.kernel, linked.program, wishes, options.seed, budget=budget)
    try:
        evidence = runs.collect(launches)
    except KernelError as error:
        return reporter.not_checked([error.message])
    reasons = order_reasons(linked.program, reporter.line_of)
    judge = partial(judge_kernel, order_matters=reasons, replicates_stores=is_of_triton(file.ptx))
    judgment = judge(evidence, linked.slicer)
    if evidence.ended_by is not None and judgment.verdict is KernelVerdict.NOT_CHECKED and not options.launches:
        runs.budget = replace(budget, of_file=options.budget.again())
        evidence = with_shorter(runs, evidence, launches, body_sites(linked.slicer))
        judgment = judge(evidence, linked.slicer)
    elif evidence.launches and _depends_on_derived(judgment, linked):
        failed = find_undecided(judgment.observations, evidence, linked.slicer)
        evidence = with_alternatives(runs, evidence, *failed, kind_of_causes(judgment.observations))
        judgment = judge(evidence, linked.slicer)
    watchers.study(linked, evidence)
    supported = [launch for launch in launches if str(launch.shape) not in judgment.refused]
    if evidence.ended_by is not None:
        return reporter.report(linked, evidence, judgment)
    stores = watchers.removed.judge(linked.kernel, linked.program, supported, (wishes, options.seed), reporter.line_of)
    return reporter.report(linked, evidence, judgment, stores)


def _depends_on_derived(judgment: KernelJudgment, linked: LinkedKernel) -> bool:
    """Whether other derived values may lead to another verdict."""
    if judgment.verdict is KernelVerdict.DOUBTFUL:
        return overlaps(judgment.observations, linked.slicer)
    return judgment.verdict in {KernelVerdict.NEEDS_ARGUMENTS, KernelVerdict.NOT_CHECKED}


def _without_name(error: CompileError, path: Path) -> str:
    """Return why a file does not compile, without the file's name, unless the error is about another one."""
    return error.reason if error.reason and Path(error.subject).name == path.name else error.message


def _failed(
    path: Path, options: FileOptions, verdict: KernelVerdict, sentence: str, file: KernelFile | None = None
) -> FileReport:
    """Return the report on a file none of whose kernels can be checked, with one entry in the file's name."""
    sentence = shorten(sentence, LONGEST_PROBLEM)
    entry = KernelReport(path.name, "", SourceLine(path, 1), verdict, sentence, errors=(sentence,))
    return FileReport(path, options.arch, file.compiler if file else "", (entry,), file.notes if file else ())
