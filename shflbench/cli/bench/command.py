"""Compare the kernels of a CUDA file: check them, compare their results, and time them."""

from __future__ import annotations

import json
import shlex
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from shflbench.cli.check_limits import limit_options
from shflbench.cli.file_arguments import CLUSTER, FILE_ARGUMENTS, as_built, file_flags
from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import PATH, format_option, group_of, share
from shflbench.cli.run.options import GPU, MEASURING, PLACES, RunPlace, processes_option, typed_words
from shflbench.cli.stdin import files_given
from shflbench.core.bounds import SHORT_BUDGET
from shflbench.core.environment import cache_folder
from shflbench.errors import FINDING_EXIT, KernelError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.core.model import Case, Suite
    from shflbench.measure.process import EarlyWorker
    from shflbench.session import RunEnd
    from shflbench.session.run_request import RunRequest
    from shflbench.user_kernels.bench.file_choice import FileChoice, FileRequest

CACHE_ADVICE = "set SHFLBENCH_CACHE to a folder that can be written"
ANOTHER_FOLDER = "give another folder by --output"


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE [NEW]", callback=files_given)
@add_heading(
    "Kernels",
    option(
        "--kernel",
        "kernels",
        metavar="NAME",
        multiple=True,
        help="Compare this kernel, the first one is the baseline (repeatable): `reduce<float, 256>` of a template, "
        "`partial+final` for kernels that follow one another, or `f()` for those that a host function launches.",
        show_default="kernels with the same parameters",
    ),
    *FILE_ARGUMENTS,
    CLUSTER,
    option("--against", metavar="REVISION", help="Compare with the same kernels of FILE at this revision in git."),
)
@add_heading(
    "Results of the kernels",
    option("--no-check", is_flag=True, help="Do not look for races and memory faults before."),
    *limit_options(SHORT_BUDGET),
    option("--reference", metavar="NAME", help="Compare results with those of this kernel, which is the baseline."),
    option(
        "--rtol",
        "tolerance",
        metavar="SHARE",
        type=click.FloatRange(min=0, max=1),
        callback=share,
        help="Allowed error of floating-point results, as a share of their magnitude; 0 compares bits.",
        show_default="1e-4 for f32, 1e-10 for f64, 0.02 for f16, 0.05 for bf16",
    ),
    option(
        "--any-order",
        "unordered",
        metavar="NAME",
        multiple=True,
        help="Compare this buffer without regard to the order of its elements (repeatable).",
    ),
)
@add_heading(
    "Device",
    option(
        "--device",
        metavar="KIND",
        type=click.Choice(["auto", "cuda", "emulator", "none"]),
        default="auto",
        show_default=True,
        help="cuda, emulator, none (compile only), or auto: a GPU if there is one, else the emulator.",
    ),
    GPU,
    option("--arch", metavar="sm_XX", help="Emulate this architecture, even if a GPU is present."),
)
@add_heading(
    "Measurement",
    option(
        "--l2",
        metavar="STATE",
        type=click.Choice(["warm", "cold"]),
        default="warm",
        show_default=True,
        help="L2 cache at a timed launch: warm, as the launch before left it, or cold, without the kernel's data.",
    ),
    processes_option("1"),
    *MEASURING,
)
@add_heading("Results", format_option(("table", "json")), *PLACES[:2])
@click.pass_context
def command(context: click.Context, /, files: tuple[Path, ...], form: str, **given: object) -> int:
    r"""Compare the kernels of a CUDA file: check them, compare their results, and time them.

    FILE is a .cu file, or - for stdin. Kernels with the same parameters are compared, at the launches and with the
    arguments of the host code in the file, which is read and not executed. Looks for races and memory faults first,
    compares what the kernels write, then times them in turn, as `run` does. Without a GPU nothing is timed. Prints the
    folder of the run, which `show`, `compare`, `plot` and `report` read, or the comparison as JSON. With NEW, or
    --against, kernels of the same name are compared, those of FILE, or of the revision, being the baseline. Several
    values, such as --arg n=1e6,1e7, are several sizes, and --launch NAME=GRIDxBLOCK gives one kernel a launch of its
    own. Kernels that follow one another are timed together, over the buffers that their launches in the host code
    share.

    \b
    Exit codes:
      1   a kernel is broken, or does not write what the others write
      4   there is no GPU, and --device cuda asks for one
      5   kernels computed different results, a launch failed, or a kernel of --kernel was not run
    """
    console: Console = context.obj
    _require_gpu(given["device"])
    place = group_of(RunPlace, given)
    if place.output:
        from shflbench.store import require_unused

        require_unused(place.output, ANOTHER_FOLDER)
    from shflbench.session.run_request import early_worker

    request = _request(given)
    with early_worker(request) as early:
        return _compare(files, given, _BenchRun(request, place, early, form), console)


@dataclass(frozen=True, slots=True)
class _BenchRun:
    """How the kernels are run, and where the results go."""

    request: RunRequest
    place: RunPlace
    early: EarlyWorker | None  # the process that opens the GPU
    form: str


def _compare(files: tuple[Path, ...], given: Mapping[str, object], bench: _BenchRun, console: Console) -> int:
    """Check the kernels and run them, and return the exit code."""
    from shflbench.cli.check.progress import show_step
    from shflbench.core.model import MeasureRules
    from shflbench.user_kernels.bench.choice_remarks import advice_without_kernels, argument_remarks, choice_remarks
    from shflbench.user_kernels.bench.file_choice import FileRequest, choose_in_files
    from shflbench.user_kernels.pattern_place import pattern_place
    from shflbench.user_kernels.stored_pattern import Equality
    from shflbench.user_kernels.suite import BenchSettings, suite_of

    file_request = group_of(FileRequest, given, files=files, flags=file_flags(given))
    file_request = replace(file_request, flags=as_built(file_request.new, file_request.flags, console))
    settings = group_of(
        BenchSettings, given, rules=bench.request.rules(MeasureRules()), equality=group_of(Equality, given)
    )
    choice = choose_in_files(file_request, show_step, console)
    for remark in choice_remarks(choice):
        remark.show(console)
    if not choice.kernels.comparisons:
        if choice.kernels.is_broken:
            _print(file_request, choice, None, (), bench.form, console)
            return FINDING_EXIT
        raise UsageError(f"{file_request.new} has no kernel that can be timed", advice_without_kernels(choice.kernels))
    for remark in argument_remarks(choice.kernels.comparisons):
        remark.show(console)
    with pattern_place(cache_folder()) as (place, problem):
        suite = suite_of(file_request.new, choice.kernels.comparisons, settings, place)
        if problem:
            console.warn(f"{problem}, so `inspect` and `limits` cannot read this run; {CACHE_ADVICE}")
        end, code = _run(suite, choice, bench, console)
        if end is not None:
            if settings.l2 == "warm":
                _say_what_l2_keeps(choice, end, console)
            _print(file_request, choice, end, suite.cases, bench.form, console)
    is_named = bool(file_request.flags.kernels) and bool(choice.kernels.left_out)
    return code or (FINDING_EXIT if choice.kernels.is_broken else KernelError.exit_code if is_named else 0)


def _require_gpu(device: object) -> None:
    """Raise DeviceError before the file is read if the user asks for a GPU, and there is none."""
    if device == "cuda":
        from shflbench.cuda.backends.gpus import find

        find()


def _request(given: Mapping[str, object]) -> RunRequest:
    from shflbench.core.model import Overrides
    from shflbench.session.run_request import RunRequest

    return group_of(RunRequest, given, suite="", overrides=Overrides(), gpu=given["gpu"] or None)


def _run(suite: Suite, choice: FileChoice, bench: _BenchRun, console: Console) -> tuple[RunEnd | None, int]:
    """Run the suite, and return the end of the run and the exit code; no end if the run was stopped."""
    from shflbench.cli.run.plan import folder_of, plan_of
    from shflbench.cli.run.stop import stopped_code
    from shflbench.cli.run.watch import watch
    from shflbench.session.plan import run_info
    from shflbench.user_kernels.bench.bench_outcome import is_refused
    from shflbench.user_kernels.shared_addresses import shared_address_sentence

    plan = replace(plan_of(suite, bench.request, console, bench.early), counts_launches=True)
    info = run_info(plan, bench.request.overrides, typed_words())
    with closing(plan), folder_of(plan, info, bench.place, ANOTHER_FOLDER) as (folder, _):
        if caution := shared_address_sentence(choice.kernels.comparisons, plan.toolchain):
            console.warn(caution)
        try:
            end = watch(plan, folder, None, console)
        except KeyboardInterrupt as error:
            why = f"the finished groups are in {folder.path}"
            return None, stopped_code(error, why, "start it again", console)
        return end, FINDING_EXIT if is_refused(end.run.rows) else end.exit_code


def _say_what_l2_keeps(choice: FileChoice, end: RunEnd, console: Console) -> None:
    """Say that the timed launches find their data in the L2 cache, where they do."""
    from shflbench.user_kernels.working_set import warm_l2_sentence

    device = end.run.info.device
    if device and (sentence := warm_l2_sentence(choice.kernels.comparisons, device.state.l2_bytes)):
        console.say(sentence)


def _print(
    file_request: FileRequest,
    choice: FileChoice,
    end: RunEnd | None,
    cases: Sequence[Case],
    form: str,
    console: Console,
) -> None:
    """Print the folder of the run if there is one, or all as JSON."""
    if form == "json":
        from shflbench.user_kernels.bench.records import bench_document

        folder = end.run.folder if end else None
        document = bench_document(file_request.files, choice.kernels, end, cases, folder)
        console.json(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
    elif end is not None:
        from shflbench.user_kernels.bench.bench_outcome import timed_pair

        if pair := timed_pair(end.run.rows):
            console.say(f"Why: shflbench inspect {shlex.join([str(end.run.folder), '--diff', *pair])}")
        console.path(end.run.folder)
