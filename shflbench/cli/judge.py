"""Judge kernels: one verdict on each candidate."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from shflbench.cli.check_limits import limit_options
from shflbench.cli.file_arguments import CLUSTER, FILE_ARGUMENTS, NAMES, as_built, file_flags
from shflbench.cli.help import Command, add_heading, option
from shflbench.cli.parameters import OUTPUT_FILE, PATH, format_option, seed_option, share
from shflbench.cli.run.options import GPU, SAMPLING, processes_option
from shflbench.core.bounds import BUDGET, TIME_LIMIT_S
from shflbench.errors import FINDING_EXIT, UNDECIDED_EXIT, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from shflbench.cli.console import Console
    from shflbench.user_kernels.judge.result import JudgeResult
    from shflbench.user_kernels.judge.task import JudgeTask

_SAME = (  # options that are arguments of `shflbench.judge`
    "special",
    "stop_early",
    "l2",
    "device",
    "gpu",
    "arch",
    "precision",
    "max_seconds",
    "processes",
    "include",
    "define",
    "seed",
    "failures",
)
_WORD = re.compile(r"\w+", re.ASCII)
_LONGEST = 150  # characters of a name
_OF_CUDA = "kernels", "launches", "arguments", "shared", "cluster", "host_args"  # options on a reference in CUDA
_SIZE = re.compile(r"(?P<name>\w+)=(?P<least>\d+):(?P<greatest>\d+)", re.ASCII)


@click.command(cls=Command)
@click.argument("candidates", nargs=-1, required=True, type=PATH, metavar="CANDIDATE...")
@add_heading(
    "Task",
    option(
        "--reference",
        metavar="FILE",
        type=PATH,
        required=True,
        help="A .cu file whose kernel computes what candidates must, or a .py file with a task: `reference`, `inputs`, "
        "`sizes`, `grid` and `block`, as `shflbench.judge` takes them. A .py file is run.",
    ),
    option(
        "--kernel", "kernels", metavar="NAME", multiple=True, help="The kernel of a .cu file that is the reference."
    ),
    option("--size", metavar="NAME=LEAST:GREATEST", help="Compare at sizes in this range; the greatest is timed."),
    *FILE_ARGUMENTS,
    CLUSTER,
)
@add_heading(
    "Results of the kernels",
    option(
        "--rtol",
        metavar="SHARE",
        type=click.FloatRange(min=0, max=1),
        callback=share,
        help="Allowed error of floating-point results, as a share of their magnitude; 0 compares bits.",
        show_default="1e-4 for f32, 1e-10 for f64, 0.02 for f16",
    ),
    option(
        "--any-order",
        "unordered",
        metavar="NAME",
        multiple=True,
        help="Compare this buffer of a reference in CUDA without regard to the order of its elements (repeatable).",
    ),
    option("--special", is_flag=True, help="Compare results for infinities and NaN, too."),
    option("--stop-early", is_flag=True, help="End each candidate at the first reason against it."),
    *limit_options(BUDGET),
)
@add_heading(
    "Device",
    option(
        "--device",
        metavar="KIND",
        type=click.Choice(["auto", "cuda", "emulator"]),
        default="auto",
        show_default=True,
        help="cuda, emulator, or auto: a GPU if there is one, else the emulator, which times nothing.",
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
    *SAMPLING,
    seed_option("Seed of the schedules and of the order of launches; inputs are drawn anew each time."),
)
@add_heading(
    "Results",
    format_option(("table", "json")),
    OUTPUT_FILE,
    option(
        "--failures",
        metavar="FOLDER",
        type=PATH,
        help="Keep the input that shows a failure of each candidate below this folder, with a task that repeats it.",
    ),
)
@click.pass_obj
def command(
    console: Console, /, candidates: tuple[Path, ...], reference: Path, size: str | None, form: str, **given: object
) -> int:
    r"""Judge kernels: one verdict on each candidate.

    CANDIDATE is a .cu file with one kernel, which takes the arguments of the reference in their order. It is accepted,
    rejected or undecided, with the reasons. Asks of each, in a process of its own: does it compile, is it free of races
    and of accesses out of bounds, does it compute what the reference computes, at sizes around warps and blocks and for
    equal, ordered and extreme contents, does it leave no work out, and, on a GPU, is it faster than the reference? Host
    code of a candidate is not run, and it may include files beside it, in the folders of -I, and of CUDA.

    \b
    Exit codes:
      1   a candidate is rejected
      4   there is no GPU, and --device cuda asks for one
      6   none is rejected, and the verdict on one is undecided
    """
    from shflbench.user_kernels.judge.verdict import Decision

    if reference.suffix != ".py" and given["fast_math"] is None:
        given["fast_math"] = as_built(reference, file_flags(given), console).fast_math
    result = _judged(candidates, _task(reference, _size(size), given), given)
    if form == "json":
        console.json(result.json())
    else:
        console.data(result.text())
    return {Decision.ACCEPTED: 0, Decision.REJECTED: FINDING_EXIT, Decision.UNDECIDED: UNDECIDED_EXIT}[result.decision]


def _size(text: str | None) -> tuple[str, tuple[int, int]] | None:
    if text is None:
        return None
    match = _SIZE.fullmatch(text)
    if match is None or int(match["least"]) > int(match["greatest"]):
        raise UsageError(f"--size `{text}` is not NAME=LEAST:GREATEST", "Write it as --size n=1:65536.")
    return match["name"], (int(match["least"]), int(match["greatest"]))


def _task(reference: Path, size: tuple[str, tuple[int, int]] | None, given: Mapping[str, Any]) -> JudgeTask:
    from shflbench.user_kernels.judge.reference_file import task_of_file
    from shflbench.user_kernels.judge.task import read_task

    if reference.suffix != ".py":
        return task_of_file(reference, file_flags(given), size, given["unordered"])
    options = {"--size": size, "--any-order": given["unordered"], **{NAMES[name]: given[name] for name in _OF_CUDA}}
    for name, value in options.items():
        if value is not None and value != ():
            raise UsageError(f"{name} is for a reference in CUDA", f"Write it into {reference}.")
    return read_task(reference)


def _names(candidates: Sequence[Path]) -> list[str]:
    """Return a name per candidate: that of its file, or where several have the same, of its path or with a number."""
    names = [_name(path.stem) for path in candidates]
    if len(set(names)) < len(names):
        names = [_name(str(path.with_suffix(""))) for path in candidates]
    if len(set(names)) < len(names):
        names = [f"{name}-{number}" for number, name in enumerate(names, 1)]
    return names


def _name(text: str) -> str:
    """Return a text as the name of a kernel: words with hyphens between, the first one with a letter in front."""
    name = "-".join(_WORD.findall(text))[:_LONGEST]
    return name if name[:1].isalpha() and name != "reference" else f"candidate-{name}".rstrip("-")


def _judged(candidates: tuple[Path, ...], task: JudgeTask, given: Mapping[str, Any]) -> JudgeResult:
    from shflbench import judge

    names = _names(candidates)
    declared: dict[str, Any] = {item.name: getattr(task, item.name) for item in fields(task)}
    if given["rtol"] is not None:
        declared["rtol"] = given["rtol"]
    return judge(
        dict(zip(names, candidates, strict=True)),
        **declared,
        budget=BUDGET if given["budget"] is None else given["budget"],
        time_limit=TIME_LIMIT_S if given["time_limit_s"] is None else given["time_limit_s"],
        use_fast_math=bool(given["fast_math"]),
        **{name: given[name] for name in _SAME},
    )
