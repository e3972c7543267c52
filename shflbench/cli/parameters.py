"""Options that several commands share, and values that click does not know."""

from __future__ import annotations

import math
import os
import re
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from shflbench.cli.help import EMPTY, option
from shflbench.core.bounds import MAX_PRECISION, MAX_SEED
from shflbench.core.environment import baselines_folder
from shflbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from _typeshed import DataclassInstance

    Group = TypeVar("Group", bound=DataclassInstance)

SOURCES = frozenset({".cu", ".cuh", ".ptx", ".c", ".cc", ".cpp", ".h", ".hpp", ".py"})


class GivenPath(click.Path):
    """A path, or the name of a baseline; an empty text, which would stand for the current folder, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """Return the path; BadParameter for an empty text."""
        if value == "":
            self.fail(EMPTY, param, ctx)
        return super().convert(value, param, ctx)


PATH = GivenPath(path_type=Path)

BASELINES = option(
    "--baselines",
    metavar="FOLDER",
    type=PATH,
    default=baselines_folder,
    show_default="$SHFLBENCH_BASELINES, else ./baselines",
    help="Folder of baselines.",
)


def filters(verb: str) -> tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...]:
    """Return the options `--pattern`, `--variant` and `--dtype`, as `patterns`, `variants` and `dtypes`."""
    kinds = (("pattern", "NAME", "pattern"), ("variant", "NAME", "variant"), ("dtype", "TYPE", "element type"))
    return tuple(
        option(f"--{name}", f"{name}s", metavar=value, multiple=True, help=f"{verb} only this {words} (repeatable).")
        for name, value, words in kinds
    )


def format_option(forms: Sequence[str], note: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option that chooses one of the `forms`, the first by default; `note` explains one of them."""
    text = f"Print as {', '.join(forms[:-1])} or {forms[-1]}{note}."
    return option(
        "--format",
        "form",
        metavar="FORMAT",
        type=click.Choice(forms),
        default=forms[0],
        show_default=True,
        help=text,
    )


def _refuse_source(path: Path, name: str) -> None:
    if path.exists() and Path(os.path.realpath(path)).suffix.lower() in SOURCES:
        raise UsageError(f"{name} {path} would replace a file of source code", "Name another file.")


def _keep_output(context: click.Context, _: click.Parameter, path: Path | None) -> None:
    if path is None:
        return
    _refuse_source(path, "--output")
    context.find_root().obj.output = path


OUTPUT_FILE = option(
    "-o",
    "--output",
    metavar="FILE",
    type=PATH,
    expose_value=False,
    callback=_keep_output,
    help="Write the output to this file instead of stdout.",
)


def also_option(forms: Sequence[str]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return `--also`, which writes the report to files in other `forms`, as `also`: pairs of form and path."""

    def read(_: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> tuple[tuple[str, Path], ...]:
        pairs = [pair.partition("=") for pair in texts]
        for form, equals, path in pairs:
            if form not in forms or not path:
                message = f"`{form}{equals}{path}` is not FORMAT=FILE, such as junit=report.xml"
                raise click.BadParameter(f"{message}; formats: {', '.join(forms)}", param=parameter)
            _refuse_source(Path(path), "--also")
        return tuple((form, Path(path)) for form, _, path in pairs)

    return option(
        "--also",
        metavar="FORMAT=FILE",
        multiple=True,
        callback=read,
        help="Write the report to a file as well: junit=report.xml (repeatable).",
    )


PATTERN_OPTIONS = option(
    "--option",
    "options",
    metavar="NAME=VALUE",
    multiple=True,
    help="Option of the pattern, such as width=8 (repeatable); `shflbench list patterns` shows them.",
)


def named_values(words: Sequence[str]) -> dict[str, str]:
    """Return the options of a pattern that `name=value` words give; UsageError for another word."""
    from shflbench.suite.quotes import quote

    options = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not (name and sign and value):
            raise UsageError(f"--option {quote(word)} is not NAME=VALUE", "write it as --option width=8")
        options[name] = value
    return options


def fraction(_: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """Return a percentage, `5%`, as a fraction, 0.05; BadParameter for anything else that is given."""
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*%", text.strip())
    if match is None:
        message = f"`{text}` is not a percentage; write it as 5% or 0.5%"
        raise click.BadParameter(message, param=parameter)
    return float(match[1]) / 100


def precision(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """Return a percentage that a suite may ask for, as a fraction; BadParameter for anything else that is given."""
    share = fraction(context, parameter, text)
    if share is None:
        return None
    if not 0 < share <= MAX_PRECISION:
        message = f"`{text}` is out of range; allowed: above 0% and at most {MAX_PRECISION:.0%}"
        raise click.BadParameter(message, param=parameter)
    return share


def seed_option(text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return `--seed`; `text` says of what."""
    return option("--seed", metavar="N", type=click.IntRange(0, MAX_SEED), default=0, show_default=True, help=text)


def share(_: click.Context, parameter: click.Parameter, number: float | None) -> float | None:
    """Return a share of a number; BadParameter for `nan`, which click accepts as a number in range."""
    if number is not None and math.isnan(number):
        message = f"`{number}` is not a share; write it as 0.001 or 1e-3"
        raise click.BadParameter(message, param=parameter)
    return number


def millions(_: click.Context, parameter: click.Parameter, number: float | None) -> float | None:
    """Return millions of instructions; BadParameter for `nan` and `inf`, which click accepts as numbers in range."""
    if number is not None and not math.isfinite(number):
        message = f"`{number}` is not a number of millions; write it as 40 or 0.5"
        raise click.BadParameter(message, param=parameter)
    return number


def seconds(_: click.Context, parameter: click.Parameter, number: float | None) -> float | None:
    """Return a number of seconds; BadParameter for `nan` and `inf`, which click accepts as numbers in range."""
    if number is not None and not math.isfinite(number):
        message = f"`{number}` is not a number of seconds; write it as 2 or 0.5"
        raise click.BadParameter(message, param=parameter)
    return number


def group_of(kind: type[Group], values: Mapping[str, object], **others: object) -> Group:
    """Return a group of options: a dataclass whose fields are called as the parameters of the command.

    Fields that the command has no option for keep their default; `others` are values that no option has as they are.
    """
    make: Callable[..., Group] = kind
    return make(**{item.name: values[item.name] for item in fields(kind) if item.name in values} | others)
