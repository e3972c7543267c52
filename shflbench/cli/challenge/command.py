"""Try kernels as challengers of a pattern's published variants."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import PATH, PATTERN_OPTIONS, format_option, group_of, named_values
from shflbench.cli.run.options import GPU, MEASURING, PLACES, RunPlace, processes_option, typed_words
from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.core.environment import cache_folder
from shflbench.errors import DeviceError, KernelError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shflbench.cli.console import Console
    from shflbench.core.model import Suite
    from shflbench.session.run_request import RunRequest
    from shflbench.user_kernels.challenge.challenged import ChallengedPattern
    from shflbench.user_kernels.challenge.folder import ChallengeFiles
    from shflbench.user_kernels.challenge.outcome import ChallengeOutcome
    from shflbench.user_kernels.challenge.prepare import Challenge

ANOTHER_FOLDER = "give another folder by --output"
NOTHING_TIMED = "there is no GPU, so nothing was timed: the estimates above do not show which kernel is faster"


@click.command(cls=Command)
@click.argument("pattern")
@click.argument("file", required=False, type=PATH)
@add_heading(
    "Challengers",
    option("--template", is_flag=True, help="Print a .cu file to start from: the simplest variant as your kernel."),
    option(
        "--kernel",
        "kernels",
        metavar="NAME",
        multiple=True,
        help="Try only this kernel of FILE (repeatable).",
        show_default="all `__global__` functions",
    ),
    option(
        "--shared",
        metavar="[NAME=]BYTES",
        multiple=True,
        help="Dynamic shared memory per block: 4096, 8*threads or 128*warps; NAME= for one kernel (repeatable).",
        show_default="as the variant of --template",
    ),
)
@add_heading(
    "Setting",
    option("--dtype", metavar="TYPE", help="Element type.", show_default="the pattern's"),
    PATTERN_OPTIONS,
    option(
        "--launch",
        "launches",
        metavar="GRIDxBLOCK",
        multiple=True,
        help="Launch configuration, such as `2*sms x 256` (repeatable).",
        show_default="those at which a suite times the pattern",
    ),
)
@add_heading(
    "Device",
    option(
        "--device",
        metavar="KIND",
        type=click.Choice(["auto", "cuda", "emulator"]),
        default="auto",
        show_default=True,
        help="cuda, emulator (nothing is timed), or auto: a GPU if there is one, else the emulator.",
    ),
    GPU,
    option("--arch", metavar="sm_XX", help="Emulate this architecture, even if a GPU is present."),
)
@add_heading("Measurement", processes_option("1"), *MEASURING)
@add_heading("Results", format_option(("table", "json")), *PLACES[:2])
@click.pass_context
def command(context: click.Context, /, pattern: str, file: Path | None, **flags: Any) -> int:  # noqa: ANN401  (each has its own type)
    r"""Try kernels as challengers of a pattern's published variants.

    FILE is a .cu file whose kernels take the arguments of the pattern's kernels; --template prints one that runs as it
    is. Checks the kernels for races and memory faults, compares their results with the pattern's reference, and times
    them beside all published safe variants, in the same groups. Says at each launch whether a kernel beats the
    published best of each mechanism, by what factor with its 95% interval, and why. Without a GPU, shows limits and
    predictions instead. The folder of the run keeps the pattern and the suite, and other commands read it as any run.

    \b
    Exit codes:
      1   the check found a race or a memory fault
      2   a kernel has another signature than those of the pattern, or the name of another kernel of the file
      4   there is no GPU, so that nothing was timed, unless --device emulator or --arch asks for that
      5   a kernel does not compile, computes a wrong result, or has no timed loop that runs
    """
    console: Console = context.obj
    challenged = _challenged(pattern, flags)
    if flags["template"]:
        return _print_template(challenged, file, console)
    if file is None:
        raise UsageError("no FILE is given", f"Start from: shflbench challenge {pattern} --template")
    _require_folder(flags)
    request = _request(flags)
    with TemporaryDirectory(prefix="shflbench-") as below:
        return _challenge(file, challenged, request, flags, Path(below), console)


def _require_folder(flags: Mapping[str, Any]) -> None:
    """Raise ResultsError where no run can be stored, before work begins that takes minutes."""
    from shflbench.store import require_unused, require_writable

    if flags["output"]:
        require_unused(flags["output"], ANOTHER_FOLDER)
    require_writable(flags["output"] or flags["results"])


def _challenged(pattern: str, flags: Mapping[str, Any]) -> ChallengedPattern:
    from shflbench.user_kernels.challenge.challenged import challenged_pattern

    options = named_values(flags["options"])
    return challenged_pattern(pattern, flags["dtype"], options, flags["arch"] or DEFAULT_ARCH)


def _print_template(challenged: ChallengedPattern, file: Path | None, console: Console) -> int:
    from shflbench.user_kernels.challenge.template import template_of

    if file is not None:
        raise UsageError("--template prints a file, and reads none", f"Leave out {file}.")
    console.data(template_of(challenged).text.rstrip("\n"))
    return 0


def _request(flags: Mapping[str, Any]) -> RunRequest:
    """Return the request of the run without its suite; DeviceError where a GPU is asked for, and there is none."""
    from shflbench.core.model import Overrides
    from shflbench.session.run_request import RunRequest

    request = group_of(RunRequest, flags, suite="", overrides=Overrides(), gpu=flags["gpu"] or None)
    if request.device == "cuda":
        _gpu_arch(request)
    return request


def _gpu_arch(request: RunRequest) -> str:
    """Return the architecture of the GPU that times the kernels; empty if none does."""
    from shflbench.cuda.backends.gpus import find
    from shflbench.session.run_request import without_gpu_option

    if without_gpu_option(request):
        return ""
    try:
        known = find()
    except DeviceError:
        if request.device == "cuda" or request.gpu is not None:
            raise
        return ""
    chosen = [gpu.arch for gpu in known if gpu.index == (request.gpu or 0)]
    if not chosen and (request.device == "cuda" or request.gpu is not None):
        raise DeviceError(f"the driver lists no GPU {request.gpu or 0}", "`shflbench list devices` shows them")
    return chosen[0] if chosen else ""


def _challenge(
    file: Path,
    challenged: ChallengedPattern,
    request: RunRequest,
    flags: Mapping[str, Any],
    below: Path,
    console: Console,
) -> int:
    """Check the challengers, run them, print the verdicts or the estimates, and return the exit code."""
    from shflbench.cli.challenge.check import show_check, show_doubts
    from shflbench.cuda.compile.build import Builder
    from shflbench.cuda.compile.toolchain import find as find_toolchain
    from shflbench.user_kernels.challenge.doubts import doubts_of
    from shflbench.user_kernels.challenge.outcome import ChallengeOutcome
    from shflbench.user_kernels.challenge.prediction import estimates_of
    from shflbench.user_kernels.challenge.prepare import prepare

    challenge = _read(file, challenged, flags)
    gpu_arch = _gpu_arch(request)
    toolchain = find_toolchain()
    arch = gpu_arch or request.arch or DEFAULT_ARCH
    toolchain.require(arch)
    builder = Builder(toolchain, arch, cache_folder())
    files = prepare(challenge, below, builder)
    reports, code = show_check(challenge, files, builder, request.seed, console)
    if code:
        _print(ChallengeOutcome(challenge, reports), flags, console)
        return code
    doubts = doubts_of(challenge, files, builder, reports, request.seed)
    show_doubts(doubts, challenge, console)
    request = replace(request, suite=str(files.suite))
    suite = request.load_suite()
    if not gpu_arch:
        suite = replace(suite, cases=tuple(case for case in suite.cases if case.variant in challenge.names))
    folder, code = _run(suite, files, request, flags, console)
    if folder is None:
        return code
    code = _exit_code(folder, challenge.names)
    outcome = ChallengeOutcome(challenge, reports, doubts, folder)
    if not gpu_arch and not code:
        estimates = tuple(estimates_of(challenge, files, toolchain, arch, console))
        _print(replace(outcome, estimates=estimates), flags, console)
        return _untimed_code(request, console)
    _print(outcome, flags, console)
    return code


def _read(file: Path, challenged: ChallengedPattern, flags: Mapping[str, Any]) -> Challenge:
    from shflbench.user_kernels.challenge.kernels import challengers_in, read_text
    from shflbench.user_kernels.challenge.prepare import Challenge
    from shflbench.user_kernels.challenge.settings import settings_of
    from shflbench.user_kernels.challenge.shared_memory import parse_shared

    text = read_text(file)
    challengers = tuple(challengers_in(file, text, challenged, flags["kernels"]))
    settings = settings_of(challenged, flags["launches"])
    return Challenge(challenged, file, text, challengers, settings, parse_shared(flags["shared"]))


def _run(
    suite: Suite, files: ChallengeFiles, request: RunRequest, flags: Mapping[str, Any], console: Console
) -> tuple[Path | None, int]:
    """Run the suite, and return the folder of the run and the exit code; no folder if the run was stopped."""
    from shflbench.cli.run.plan import folder_of, plan_of
    from shflbench.cli.run.stop import stopped_code
    from shflbench.cli.run.watch import watch
    from shflbench.session.plan import run_info
    from shflbench.user_kernels.challenge.folder import keep_in

    plan = plan_of(suite, request, console)
    info = run_info(plan, request.overrides, typed_words())
    with closing(plan), folder_of(plan, info, group_of(RunPlace, flags), ANOTHER_FOLDER) as (folder, _):
        kept = keep_in(files, folder.path)
        lasting = replace(suite, path=kept.suite, pattern_folders=dict.fromkeys(suite.pattern_folders, kept.pattern))
        try:
            code = watch(replace(plan, suite=lasting), folder, None, console).exit_code
        except KeyboardInterrupt as error:
            why = f"the finished groups are in {folder.path}"
            return None, stopped_code(error, why, "start it again", console)
        return folder.path, code


def _exit_code(folder: Path, names: Sequence[str]) -> int:
    """Return 5 if a challenger failed or computed a wrong result at one of the launches."""
    from shflbench.core.model import Status
    from shflbench.store import read_run

    rows = [row for row in read_run(folder).rows if row.variant in names]
    return KernelError.exit_code if any(row.status in {Status.INCORRECT, Status.FAILED} for row in rows) else 0


def _untimed_code(request: RunRequest, console: Console) -> int:
    """Return 4, with a sentence, unless the user asked for a run without a GPU."""
    from shflbench.session.run_request import without_gpu_option

    if without_gpu_option(request):
        return 0
    console.error(NOTHING_TIMED, "run it again on a machine with a GPU")
    return DeviceError.exit_code


def _print(outcome: ChallengeOutcome, flags: Mapping[str, Any], console: Console) -> None:
    """Print the verdicts and the estimates, or all as JSON."""
    from shflbench.cli.challenge.output import show_estimates, show_verdicts
    from shflbench.cli.challenge.records import as_json
    from shflbench.store import read_run
    from shflbench.user_kernels.challenge.verdict import verdicts_of

    challenge, folder, doubts = outcome.challenge, outcome.folder, outcome.doubts
    verdicts = list(verdicts_of(read_run(folder), challenge.names, doubts)) if folder else []
    if flags["form"] == "json":
        console.json(as_json(outcome, verdicts))
        return
    show_verdicts(verdicts, challenge.names, len(challenge.settings.launches), console)
    show_estimates(outcome.estimates, challenge.names, doubts, console)
    if folder:
        console.path(folder)
