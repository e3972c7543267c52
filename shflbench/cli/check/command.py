"""Check kernels for races and memory faults, without a GPU."""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from shflbench.cli.check_limits import limit_options
from shflbench.cli.file_arguments import CLUSTER, COMPILING, file_flags, refuse_without_files
from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.host_args import host_args_option
from shflbench.cli.parameters import OUTPUT_FILE, also_option, filters, format_option, seed_option
from shflbench.cli.stdin import files_given
from shflbench.core.bounds import BUDGET
from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.core.environment import cache_folder, compute_sanitizer
from shflbench.errors import FINDING_EXIT, UNDECIDED_EXIT, DeviceError, KernelError, UsageError
from shflbench.user_kernels.file_options import COMPILERS, divide_targets, refuse_filters

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.checker import CheckStep, FileOptions, FileReport, KernelVerdict
    from shflbench.cli.console import Console
    from shflbench.cuda.compile.toolchain import Toolchain
    from shflbench.kernel_facts.pattern_checks.subject_report import SubjectReport
    from shflbench.kernel_facts.pattern_checks.targets import KernelSubject


FORMATS = ("table", "json", "github", "sarif", "gcc", "junit", "markdown")


@click.command(cls=Command)
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...", callback=files_given)
@add_heading(
    "Files",
    option("--kernel", "kernels", metavar="NAME", multiple=True, help="Check only this kernel of a file (repeatable)."),
    option(
        "--launch",
        "launches",
        metavar="GRIDxBLOCK",
        multiple=True,
        help="Check every kernel at this launch, such as 4x256 or 8x8:16x16 (repeatable); --kernel selects one.",
        show_default="those of the host code, else one warp, blocks of several warps, a block that is no multiple of "
        "32, and three blocks",
    ),
    CLUSTER,
    option(
        "--arg",
        "arguments",
        metavar="NAME=VALUE",
        multiple=True,
        help="Pass this argument: n=1000, in=f32[1024], in=i32[64]:index, in=u8[4]:1,2,3,4, in=FILE.npy or in=null "
        "(repeatable).",
        show_default="from the host code, else chosen by the signature and the launch, and reported",
    ),
    option(
        "--shared",
        metavar="BYTES",
        type=click.IntRange(min=0),
        help="Bytes of dynamic shared memory per block.",
        show_default="from the host code, else chosen",
    ),
    host_args_option("none, or numbers that fit"),
    option(
        "--pdl",
        metavar="PRIMARY,SECONDARY",
        multiple=True,
        help="Check SECONDARY as a programmatic dependent launch that overlaps PRIMARY, the launch before it in the "
        "stream; of more than two kernels, each overlaps the one before (repeatable).",
        show_default="the launches of the host code with `cudaLaunchAttributeProgrammaticStreamSerialization`",
    ),
    option(
        "--same",
        metavar="KERNEL.NAME=KERNEL.NAME",
        multiple=True,
        help="Take two arguments of such kernels as one buffer, such as primary.out=secondary.in (repeatable).",
        show_default="what the host code passes",
    ),
    option(
        "--allow-no-kernels",
        is_flag=True,
        help="Report a file without kernels as `skipped`, for lists of files that a tool makes.",
    ),
    *COMPILING,
    option(
        "--compiler",
        metavar="NAME",
        type=click.Choice(COMPILERS),
        help="Compile with nvcc or nvrtc.",
        show_default="nvcc where it is on the PATH",
    ),
)
@add_heading(
    "Check",
    option("--arch", metavar="sm_XX", default=DEFAULT_ARCH, show_default=True, help="Compile for this architecture."),
    seed_option("Seed of the inputs and the schedules."),
    *limit_options(BUDGET),
    option(
        "--strict",
        is_flag=True,
        help="Exit 6 for `doubtful`, `needs arguments`, and variants declared unsafe in which nothing was found.",
    ),
)
@add_heading(
    "Report",
    format_option(FORMATS, " (github: annotations on source lines; gcc: lines that editors read)"),
    also_option(FORMATS),
    OUTPUT_FILE,
)
@add_heading(
    "Patterns and suites",
    *filters("Check"),
    option("--sanitizer", is_flag=True, help="Run each kernel on the first GPU under compute-sanitizer as well."),
)
@click.pass_obj
def command(
    console: Console,
    /,
    targets: tuple[str, ...],
    patterns: tuple[str, ...],
    variants: tuple[str, ...],
    dtypes: tuple[str, ...],
    arch: str,
    seed: int,
    *,
    strict: bool,
    sanitizer: bool,
    form: str,
    also: tuple[tuple[str, Path], ...],
    **given: object,
) -> int:
    r"""Check kernels for races and memory faults, without a GPU.

    TARGET is a .cu, .cuh or .ptx file, - for stdin, or a folder of such files. Runs the PTX of each kernel in an
    emulator, in lockstep and under other schedules that a GPU may choose. Reports races in shared and global memory,
    misuse of barriers and masks, deadlocks, accesses out of bounds, reads of uninitialized memory, and outputs that
    depend on the schedule. Does not decide whether a kernel computes what you want: for a file there is no reference.

    \b
    Verdicts and exit codes:
      clean                      0  no finding in the launches of the report
      schedule-dependent         0  outputs depend on the order of atomics, or on a clock
      doubtful                   0  relies on what CUDA does not guarantee; --strict: 6
      needs arguments            0  a fault with chosen arguments; --strict: 6
      broken                     1  a race, misuse of a barrier or mask, or a fault
      not checked, not compiled  5  the report says why

    TARGET may also be a pattern or a suite of shflbench, or the folder of one. Their results are also compared with a
    reference, and a variant that is declared unsafe does not count as broken.
    """
    from shflbench.cli.check.show import show
    from shflbench.output.export.checks import CheckOutcome

    names, files = divide_targets(targets)
    if not files:
        refuse_without_files(given)
    elif sanitizer:
        raise UsageError("--sanitizer runs the kernels of patterns, and a target is a file", "Leave --sanitizer out.")
    if not names:
        refuse_filters({"--pattern": patterns, "--variant": variants, "--dtype": dtypes})
    options = file_flags({**given, "arch": arch, "seed": seed}).options(files) if files else None
    reports = (
        _check_patterns(names, (patterns, variants, dtypes), arch, seed, console, sanitizer=sanitizer) if names else []
    )
    file_reports, seconds = _check_files(files, options, console) if options else ([], {})
    show(CheckOutcome(reports, file_reports, arch, seed, seconds), form, also, console)
    verdicts = [
        *(report.verdict for report in reports),
        *(item.verdict for file in file_reports for item in file.kernels),
    ]
    return _code(set(verdicts), strict=strict)


def _check_patterns(
    names: Sequence[str],
    filter_words: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]],
    arch: str,
    seed: int,
    console: Console,
    *,
    sanitizer: bool,
) -> list[SubjectReport]:
    from shflbench.cuda.compile.toolchain import find as find_toolchain
    from shflbench.kernel_facts.pattern_checks.targets import Filters, find

    subjects = find(names, Filters(*filter_words))
    toolchain = find_toolchain()
    toolchain.require(arch)
    program_and_arch = _find_sanitizer() if sanitizer else None
    reports = _emulate(subjects, toolchain, arch, seed, console)
    if program_and_arch:
        reports = _sanitize(subjects, reports, toolchain, program_and_arch, seed, console)
    return reports


def _check_files(
    files: Sequence[Path], options: FileOptions, console: Console
) -> tuple[list[FileReport], dict[tuple[Path, str], float]]:
    """Return the reports, and the seconds that each kernel took, by file and symbol."""
    from functools import partial

    from shflbench.checker import check_file, refuse_unknown_kernels, reports_with_kernels
    from shflbench.cli.check.progress import FileProgress, StepClock, check_timed
    from shflbench.core.processes import map_in_processes

    reports: list[FileReport] = []
    seconds: dict[tuple[Path, str], float] = {}
    with console.progress() as progress:
        if len(files) == 1:
            shown, clock = FileProgress(console, progress), StepClock()

            def watch(step: CheckStep) -> None:
                clock.watch(step)
                shown.show(step)

            report = check_file(files[0], options, watch)
            seconds = {(report.path, symbol): time for symbol, time in clock.seconds.items()}
            return reports_with_kernels([report], options.kernels), seconds
        progress.show("checking files", 0, len(files))
        for report, times in map_in_processes(partial(check_timed, options=options), files):
            reports.append(report)
            seconds |= {(report.path, symbol): time for symbol, time in times.items()}
            progress.show(f"checking, {len(reports)} of {len(files)} files", len(reports), len(files))
    if not options.kernels:
        refuse_unknown_kernels(reports, options.given.pdl, options.given.same)
    return reports_with_kernels(reports, options.kernels), seconds


def _emulate(
    subjects: Sequence[KernelSubject], toolchain: Toolchain, arch: str, seed: int, console: Console
) -> list[SubjectReport]:
    from shflbench.cli.check.output import verdict_counts
    from shflbench.cuda.compile.build import Builder
    from shflbench.kernel_facts.pattern_checks.kernels import add_references, check_all, compile_all

    builder = Builder(toolchain, arch, cache_folder())
    kernels, reports = {}, []
    with console.progress() as progress:
        wanted = add_references(subjects)
        for subject, kernel in compile_all(wanted, builder):
            kernels[subject] = kernel
            progress.show(f"compiling, {len(kernels)} of {len(wanted)} kernels", len(kernels), len(wanted))
        unfinished = Counter(subject.case.pattern for subject in subjects)
        for report in check_all(subjects, kernels, builder.target, seed):
            reports.append(report)
            progress.show(f"checking, {len(reports)} of {len(subjects)} kernels", len(reports), len(subjects))
            pattern = report.case.pattern
            unfinished[pattern] -= 1
            if len(unfinished) > 1 and not unfinished[pattern]:
                finished = [item.kernel for item in reports if item.case.pattern == pattern]
                done = f"{len(reports)} of {len(subjects)} kernels done"
                console.note(f"{pattern}: {verdict_counts(finished)} ({done})")
    if builder.cache.problem:
        console.warn(builder.cache.problem)
    return reports


def _sanitize(
    subjects: Sequence[KernelSubject],
    reports: Sequence[SubjectReport],
    toolchain: Toolchain,
    program_and_arch: tuple[Path, str],
    seed: int,
    console: Console,
) -> list[SubjectReport]:
    """Return the reports with compute-sanitizer's results; the kernels are compiled for the GPU."""
    from shflbench.cuda.compile.build import Builder
    from shflbench.kernel_facts.pattern_checks.kernels import compile_all
    from shflbench.kernel_facts.pattern_checks.sanitizer import jobs, merge, run_tools, with_result
    from shflbench.kernel_facts.pattern_checks.sanitizer_result import Tool

    program, arch = program_and_arch
    toolchain.require(arch)
    kernels = dict(compile_all(subjects, Builder(toolchain, arch, cache_folder())))
    answers = []
    with console.progress() as progress:
        progress.show("compute-sanitizer", 0, len(Tool))
        for answer in run_tools(program, jobs(subjects, kernels, seed)):
            answers.append(answer)
            progress.show(f"compute-sanitizer {answer[0]}", len(answers), len(Tool))
    merged = merge(answers)
    pairs = zip(subjects, reports, strict=True)
    return [with_result(report, merged.get(subject.name)) for subject, report in pairs]


def _find_sanitizer() -> tuple[Path, str]:
    """Return compute-sanitizer and the GPU's architecture; DeviceError for what this machine lacks."""
    from shflbench.cuda.backends.gpus import find

    gpus = find()
    if not gpus:
        raise DeviceError("--sanitizer needs a GPU, and the driver lists none", "leave --sanitizer out")
    if find_spec("cupy") is None:
        raise DeviceError(
            "--sanitizer runs kernels with cupy, which is not installed",
            "`shflbench doctor` says how to install it",
        )
    program = compute_sanitizer()
    if program is None:
        raise DeviceError(
            "compute-sanitizer is neither on the PATH nor in /usr/local/cuda/bin",
            "install the package cuda-sanitizer of the CUDA toolkit, or leave --sanitizer out",
        )
    return program, gpus[0].arch


def _code(verdicts: set[KernelVerdict], *, strict: bool) -> int:
    from shflbench.checker import KernelVerdict, Level

    if KernelVerdict.NOT_COMPILED in verdicts:
        return KernelError.exit_code
    if KernelVerdict.BROKEN in verdicts:
        return FINDING_EXIT
    if KernelVerdict.NOT_CHECKED in verdicts:
        return KernelError.exit_code
    return UNDECIDED_EXIT if strict and any(verdict.level is Level.WARNING for verdict in verdicts) else 0
