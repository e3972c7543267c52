"""The options that `run` and `gate` share: what is measured, how, and where the results go."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from shflbench.cli.help import add_heading, option
from shflbench.cli.parameters import PATH, filters, group_of, precision, seconds, seed_option
from shflbench.core.bounds import MAX_PROCESSES, MAX_SECONDS
from shflbench.errors import UsageError
from shflbench.session.run_request import RunRequest, from_record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

FOLDER = PATH

SELECTION = add_heading(
    "Cases",
    *filters("Run"),
    option(
        "--launch",
        "launches",
        metavar="GRIDxBLOCK",
        multiple=True,
        help="Use this launch configuration instead of the suite's: `2*sms x 256` (repeatable).",
    ),
    option(
        "--iterations",
        metavar="N",
        type=int,
        multiple=True,
        help="Use this number of iterations instead of the suite's (repeatable).",
    ),
    option("--dry-run", is_flag=True, help="List the cases and the estimated time; run nothing."),
)

GPU = option("--gpu", metavar="N", type=click.IntRange(min=0), default=0, show_default=True, help="CUDA device index.")


def processes_option(default: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option for the number of processes, with the text of its default."""
    return option(
        "--processes",
        metavar="N",
        type=click.IntRange(1, MAX_PROCESSES),
        show_default=default,
        help="Number of new processes that measure each case.",
    )


SAMPLING = (
    option(
        "--precision",
        metavar="PERCENT",
        callback=precision,
        show_default="the suite's",
        help="Half-width of the 95% confidence interval to reach, in percent of the median, such as 0.5%.",
    ),
    option(
        "--max-seconds",
        metavar="SECONDS",
        type=click.FloatRange(min=0.01, max=MAX_SECONDS),
        callback=seconds,
        show_default="the suite's",
        help="Maximum time to sample one case in one process.",
    ),
)
MEASURING = (*SAMPLING, seed_option("Seed of the input data and of the order of launches."))

PLACES = (
    option("-o", "--output", metavar="FOLDER", type=FOLDER, help="Folder of the run; new or empty."),
    option(
        "--results",
        metavar="FOLDER",
        type=FOLDER,
        default="results",
        show_default=True,
        help="Parent folder in which the run's folder is created.",
    ),
    option(
        "--resume",
        metavar="FOLDER",
        type=FOLDER,
        help="Resume the stopped run in this folder. Options that change its cases, device, settings or folder are "
        "refused.",
    ),
)


@dataclass(frozen=True, slots=True)
class RunPlace:
    """The folder of a run, as `PLACES` say it."""

    output: Path | None
    results: Path
    resume: Path | None = None


def request_of(
    context: click.Context, suite: str | None, given: Mapping[str, object], also_of_resumed: Collection[str] = ()
) -> RunRequest:
    """Return the run that the options ask for, or the stopped run that `--resume` names.

    `also_of_resumed` are the options, beside the suite, that a resumed run takes. UsageError for options that exclude
    one another.
    """
    from shflbench.core.model import Overrides

    if folder := group_of(RunPlace, given).resume:
        from shflbench.store import read_info

        refuse_fixed(context, also_of_resumed)
        return from_record(read_info(folder), suite, folder, context.info_name or "run")
    refuse_two_places(context)
    if suite is None:
        raise UsageError("no suite given", "`shflbench list suites` lists those that come with shflbench")
    return group_of(RunRequest, given, suite=suite, overrides=group_of(Overrides, given))


def refuse_two_places(context: click.Context) -> None:
    """Raise UsageError where both `--output` and `--results` are given."""
    if {"output", "results"} <= _given_flags(context).keys():
        raise UsageError("--output and --results both name a place for the run", "leave one of them out")


def refuse_fixed(context: click.Context, also: Collection[str] = ()) -> None:
    """Raise UsageError for an option that a resumed run does not take; it takes a suite, and `also` those."""
    fixed = [flag for name, flag in _given_flags(context).items() if name not in {"suite", "resume", *also}]
    if fixed:
        raise UsageError(
            f"--resume keeps the options of the stopped run, and {fixed[0]} cannot change them",
            "leave the option out, or start a new run",
        )


def typed_words() -> tuple[str, ...]:
    """Return the command line, as a run's record keeps it."""
    return ("shflbench", *sys.argv[1:])


def _given_flags(context: click.Context) -> dict[str, str]:
    """Return what stands on the command line: parameter's name → flag, the long one of two."""
    return {
        str(parameter.name): parameter.opts[-1]
        for parameter in context.command.params
        if parameter.expose_value and context.get_parameter_source(str(parameter.name)) is ParameterSource.COMMANDLINE
    }
