"""Compare the kernels of a CUDA file: check them, compare their results, and time them."""

from __future__ import annotations

import shlex
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from shflbench.cli.check_limits import limit_options
from shflbench.cli.file_arguments import CLUSTER, FILE_ARGUMENTS, as_built, file_flags
from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import PATH, format_option, share
from shflbench.cli.run.options import GPU, MEASURING, PLACES, processes_option, typed_words
from shflbench.core.bounds import SHORT_BUDGET
from shflbench.core.environment import cache_folder
from shflbench.core.grouping import group_by
from shflbench.core.words import count_noun, join_words, one_or_many
from shflbench.errors import FINDING_EXIT, KernelError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shflbench.checker import CandidateFile, FileOptions, KernelReport
    from shflbench.cli.console import Console
    from shflbench.core.model import Case, Suite
    from shflbench.measure.process import EarlyWorker
    from shflbench.session.run_request import RunRequest
    from shflbench.store import RunFolder
    from shflbench.user_kernels.comparison import KernelChoice, KernelComparison

CACHE_ADVICE = "set SHFLBENCH_CACHE to a folder that can be written"
ANOTHER_FOLDER = "give another folder by --output"


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, type=PATH, metavar="FILE [NEW]")
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
def command(context: click.Context, /, files: tuple[Path, ...], **flags: Any) -> int:  # noqa: ANN401  (each has its own type)
    r"""Compare the kernels of a CUDA file: check them, compare their results, and time them.

    FILE is a .cu file. Kernels with the same parameters are compared, at the launches and with the arguments of the
    host code in the file, which is read and not executed. Looks for races and memory faults first, compares what the
    kernels write, then times them in turn, as `run` does. Without a GPU nothing is timed. Prints the folder of the run,
    which `show`, `compare`, `plot` and `report` read, or the comparison as JSON. With NEW, or --against, kernels of the
    same name are compared, those of FILE, or of the revision, being the baseline. Several values, such as
    --arg n=1e6,1e7, are several sizes, and --launch NAME=GRIDxBLOCK gives one kernel a launch of its own. Kernels that
    follow one another are timed together, over the buffers that their launches in the host code share.

    \b
    Exit codes:
      1   a kernel is broken, or does not write what the others write
      4   there is no GPU, and --device cuda asks for one
      5   kernels computed different results, a launch failed, or a kernel of --kernel was not run
    """
    console: Console = context.obj
    _require_gpu(flags["device"])
    if flags["output"]:
        from shflbench.store import require_unused

        require_unused(flags["output"], ANOTHER_FOLDER)
    from shflbench.session.run_request import early_worker

    request = _request(flags)
    with early_worker(request) as early:
        return _compare(files, flags, request, early, console)


def _compare(
    files: Sequence[Path], flags: dict[str, Any], request: RunRequest, early: EarlyWorker | None, console: Console
) -> int:
    """Check the kernels and run them, on the GPU that the `early` process opens, and return the exit code."""
    from shflbench.user_kernels.pattern_place import pattern_place

    choice, reports = _choice(files, flags, console)
    _show_left_out(choice, reports, console)
    is_broken = any(item.is_broken for item in choice.left_out)
    if not choice.comparisons:
        if is_broken:
            _print(files, choice, None, flags, console)
            return FINDING_EXIT
        raise UsageError(f"{files[-1]} has no kernel that can be timed", _advice(choice))
    _show_arguments(choice, console)
    with pattern_place(cache_folder()) as (place, problem):
        suite = _suite(files[-1], choice, request, flags, place)
        if problem:
            console.warn(f"{problem}, so `inspect` and `limits` cannot read this run; {CACHE_ADVICE}")
        folder, code = _run(suite, choice.comparisons, request, flags, early, console)
        if folder is not None:
            if flags["l2"] == "warm":
                _say_what_l2_keeps(choice, folder, console)
            _print(files, choice, folder, flags, console, suite.cases)
    is_named = bool(flags["kernels"]) and bool(choice.left_out)
    return code or (FINDING_EXIT if is_broken else KernelError.exit_code if is_named else 0)


def _show_arguments(choice: KernelChoice, console: Console) -> None:
    """Say which arguments the kernels get, and which of them make results or times uncertain."""
    from shflbench.user_kernels.own_memory import own_memory
    from shflbench.user_kernels.replaced_inputs import fixed_inputs
    from shflbench.user_kernels.unset_variables import unset_variables

    for comparison in choice.comparisons:
        if renamed := comparison.instances:
            console.say(f"{comparison.name}: {renamed}.")
        for sentence in filter(None, comparison.arguments):
            console.say(f"{comparison.name}: {sentence}.")
        if sentence := "; ".join(own_memory(comparison)):
            console.say(f"{comparison.name}: {sentence}.")
        for name in comparison.derived_indexes:
            console.warn(
                f"{comparison.name}: contents of `{name}` are indices or numbers of iterations, on which times depend, "
                f"and are derived; give them by --arg {name}=FILE.npy"
            )
        for clause, given in unset_variables(comparison):
            console.warn(f"{comparison.name}: {clause}; give its contents by {given}")
        for name in fixed_inputs(comparison):
            console.warn(
                f"{comparison.name}: all elements of `{name}` are equal, and because of indices results cannot be "
                f"compared for others: wrong kernels may be right; give other contents by --arg {name}=FILE.npy"
            )


def _advice(choice: KernelChoice) -> str:
    """Return what helps if no kernel can be timed."""
    if any(item.advice or item.names_options for item in choice.left_out):
        return "Give the options that are named above."
    return "Change the kernels that are named above."


def _choice(files: Sequence[Path], flags: dict[str, Any], console: Console) -> tuple[KernelChoice, list[KernelReport]]:
    """Return what of the files is compared, and the reports on their kernels; UsageError for too many files."""
    from shflbench.user_kernels.comparison import choose, choose_between
    from shflbench.user_kernels.revision import checked_out

    new = files[-1]
    if len(files) > 2 or (len(files) > 1 and flags["against"]):  # noqa: PLR2004  (old and new)
        raise UsageError("bench compares two files at most", "Give FILE, FILE NEW, or FILE --against REVISION.")
    flags = as_built(new, flags, console)
    if len(files) == 1 and not flags["against"]:
        file = _read(new, flags, console, joins=not flags["kernels"] and not flags["reference"])
        choice = choose(file, named=bool(flags["kernels"]), reference=_first(file, flags))
        return choice, list(file.reports.values())
    if len(files) > 1:
        old = _read(files[0], flags, console)
    else:
        with checked_out(new, flags["against"]) as revision:
            include = tuple(map(revision.path, flags["include"]))
            place = revision.path(new)
            if place.read_bytes() == new.read_bytes():
                console.warn(f"{new} is as at {flags['against']}: only what it includes can differ")
            old = _read(place, {**flags, "include": include}, console)
    file = _read(new, flags, console)
    earlier = str(files[0]) if len(files) > 1 else f"{flags['against']}:{new}"
    return choose_between(old, file, (earlier, str(new))), [*old.reports.values(), *file.reports.values()]


def _require_gpu(device: str) -> None:
    """Raise DeviceError before the file is read if the user asks for a GPU, and there is none."""
    if device == "cuda":
        from shflbench.cuda.backends.gpus import find

        find()


def _file_options(file: Path, flags: dict[str, Any]) -> FileOptions:
    named = flags["kernels"]
    given = replace(
        file_flags(flags).timed(list(dict.fromkeys([*filter(None, [flags["reference"]]), *named])) if named else ()),
        launches=[text for text in flags["launches"] if "=" not in text],
        named_launches=[text for text in flags["launches"] if "=" in text],
    )
    return given.options([file])


def _read(file: Path, flags: dict[str, Any], console: Console, *, joins: bool = False) -> CandidateFile:
    from shflbench.checker import parse_argument_sets, read_candidates
    from shflbench.cli.check.progress import show_step

    sets = parse_argument_sets(flags["arguments"])
    options = _file_options(file, flags)
    with console.progress() as progress:
        watch = None if flags["no_check"] else partial(show_step, progress)
        return read_candidates(file, options, watch, sets, joins=joins)


def _first(candidates: CandidateFile, flags: dict[str, Any]) -> str:
    """Return the name of the kernel that is the baseline; UsageError if the file has no kernel of the name."""
    name = flags["reference"] or next(iter(flags["kernels"]), "")
    of_function = f"{name}()"  # of which the parentheses were left out
    name = of_function if of_function in candidates.names else name
    if flags["reference"] and name not in candidates.names:
        known = ", ".join(candidates.names)
        raise UsageError(f"--reference: there is no kernel `{name}`", f"Choose one of: {known}.")
    return name


def _show_left_out(choice: KernelChoice, reports: Sequence[KernelReport], console: Console) -> None:
    """Say which kernels are not timed, what the check found of the others, and of which it could not decide."""
    from shflbench.checker import KernelVerdict
    from shflbench.user_kernels.check_coverage import coverage_of

    for sentence, alike in group_by(choice.left_out, lambda item: item.sentence).items():
        kernels = join_words([item.kernel for item in alike])
        console.warn(f"{kernels} {one_or_many(len(alike), 'is', 'are')} not timed: {sentence}")
    undecided = {KernelVerdict.NOT_CHECKED, KernelVerdict.DOUBTFUL, KernelVerdict.NEEDS_ARGUMENTS}
    compared = list(coverage_of(choice.comparisons, reports))
    if decided := [item.report for item in compared if item.report.verdict not in undecided and item.ran]:
        console.say(_result(decided))
    for item in compared:
        report = item.report
        if report.verdict in undecided:
            console.warn(f"{report.name}: {report.verdict}, {report.sentence}")
        elif item.sentence:
            console.warn(f"{report.name}: {item.sentence}")


def _result(reports: Sequence[KernelReport]) -> str:
    """Return the verdicts on the compared kernels as a sentence: `Checked: clean (2 kernels, 5 launches).`."""
    parts = []
    for verdict, alike in group_by(reports, lambda report: report.verdict).items():
        launches = sum(len(report.launches) for report in alike)
        parts.append(f"{verdict} ({count_noun(len(alike), 'kernel')}, {count_noun(launches, 'launch')})")
    return f"Checked: {', '.join(parts)}."


def _request(flags: dict[str, Any]) -> RunRequest:
    from shflbench.core.model import Overrides
    from shflbench.session.run_request import RunRequest

    names = ("device", "arch", "precision", "max_seconds", "processes", "seed")
    return RunRequest("", Overrides(), gpu=flags["gpu"] or None, **{name: flags[name] for name in names})


def _suite(file: Path, choice: KernelChoice, request: RunRequest, flags: dict[str, Any], below: Path) -> Suite:
    from shflbench.core.model import MeasureRules
    from shflbench.user_kernels.folder import Equality
    from shflbench.user_kernels.suite import BenchSettings, suite_of

    usual = MeasureRules()
    rules = replace(
        usual,
        precision=request.precision or usual.precision,
        max_seconds=request.max_seconds or usual.max_seconds,
        processes=request.processes or usual.processes,
    )
    equality = Equality(flags["tolerance"], frozenset(flags["unordered"]))
    settings = BenchSettings(rules, equality, is_cold=flags["l2"] == "cold")
    return suite_of(file, choice.comparisons, settings, below)


def _run(
    suite: Suite,
    comparisons: Sequence[KernelComparison],
    request: RunRequest,
    flags: dict[str, Any],
    early: EarlyWorker | None,
    console: Console,
) -> tuple[Path | None, int]:
    """Run the suite, and return the folder of the run and the exit code; no folder if the run was stopped."""
    from shflbench.cli.run.plan import folder_of, plan_of
    from shflbench.cli.run.stop import stopped_code
    from shflbench.cli.run.watch import watch
    from shflbench.session.plan import run_info
    from shflbench.user_kernels.shared_addresses import shared_address_sentence

    plan = replace(plan_of(suite, request, console, early), counts_launches=True)
    with (
        closing(plan),
        folder_of(
            plan, run_info(plan, request.overrides, typed_words()), {**flags, "resume": None}, ANOTHER_FOLDER
        ) as (folder, _),
    ):
        if caution := shared_address_sentence(comparisons, plan.toolchain):
            console.warn(caution)
        try:
            code = watch(plan, folder, None, console)
        except KeyboardInterrupt as error:
            why = f"the finished groups are in {folder.path}"
            return None, stopped_code(error, why, "start it again", console)
        return folder.path, FINDING_EXIT if _is_refused(folder) else code


def _say_what_l2_keeps(choice: KernelChoice, folder: Path, console: Console) -> None:
    """Say that the timed launches find their data in the L2 cache, where they do."""
    from shflbench.store import read_info
    from shflbench.user_kernels.working_set import warm_l2_sentence

    device = read_info(folder).device
    if device and (sentence := warm_l2_sentence(choice.comparisons, device.state.l2_bytes)):
        console.say(sentence)


def _print(
    files: Sequence[Path],
    choice: KernelChoice,
    folder: Path | None,
    flags: dict[str, Any],
    console: Console,
    cases: Sequence[Case] = (),
) -> None:
    """Print the folder of the run if there is one, or all as JSON."""
    if flags["form"] == "json":
        from shflbench.cli.bench.records import text
        from shflbench.cli.run_times import joint_times
        from shflbench.store import read_run

        run = read_run(folder) if folder else None
        times = joint_times(run, console) if run else None
        console.json(text(files, choice, run, cases, times))
    elif folder is not None:
        if pair := _timed_pair(folder):
            console.say(f"Why: shflbench inspect {shlex.join([str(folder), '--diff', *pair])}")
        console.path(folder)


def _timed_pair(folder: Path) -> tuple[str, str] | None:
    """Return the baseline and the fastest other kernel of the first group that has both times; None if none has."""
    from shflbench.cli.show.tables import by_group
    from shflbench.store import read_run

    for rows in by_group(read_run(folder).rows):
        times = {row.variant: row.time_us for row in rows if row.time_us is not None}
        baseline = next((row.baseline for row in rows if row.baseline), None)
        others = [name for name in times if name != baseline]
        if baseline in times and others:
            return baseline, min(others, key=lambda name: times[name])
    return None


def _is_refused(folder: RunFolder) -> bool:
    """Whether a kernel left its work out, which makes it fast and is no result."""
    from shflbench.measure.verify import UNWRITTEN
    from shflbench.measure.verify_again import STALE
    from shflbench.session.write_bound import TOO_FAST
    from shflbench.store import read_run

    rows = read_run(folder.path).rows
    return any(cheat in (row.reason or "") for row in rows for cheat in (UNWRITTEN, STALE, TOO_FAST))
