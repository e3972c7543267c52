"""What `compare` and `run --against` share: how a comparison is asked for, printed and written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from shflbench.cli.compare.report_file import FORMATS, TABLE, append_summary, text, write
from shflbench.cli.environment import baselines_folder, step_summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from shflbench.analysis.compare import Comparison, Settings
    from shflbench.cli.console import Console
    from shflbench.thresholds import Thresholds

    Function = TypeVar("Function", bound=Callable[..., Any])

GITHUB = "github"
ALLOWABLE = ("missing", "failed", "suite")


class _NamedPath(click.Path):
    """A path, or the name of a baseline; an empty text, which would stand for the current folder, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        if value == "":
            self.fail("it is empty; is a variable of a script not set?", param, ctx)
        return super().convert(value, param, ctx)


PATH = _NamedPath(path_type=Path)


@dataclass(frozen=True, slots=True)
class Gate:
    """How a comparison is judged, and where it goes."""

    thresholds: Thresholds
    strict: bool
    allow: tuple[str, ...]
    noise: Path | None
    baselines: Path
    form: str
    also: tuple[tuple[str, Path], ...]
    plot: Path | None

    def settings(self, **more: Any) -> Settings:  # noqa: ANN401  (fields of Settings, each of its own type)
        """Return what the comparison is asked for."""
        from shflbench.analysis.compare import Outcome, Settings

        allowed = frozenset(Outcome(word) for word in self.allow if word != "suite")
        return Settings(thresholds=self.thresholds, allowed=allowed, any_revision="suite" in self.allow, **more)


def _thresholds(_: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> Thresholds:
    from shflbench.thresholds import Thresholds

    for threshold in texts:
        try:
            Thresholds.parse([threshold])
        except ValueError as error:
            raise click.BadParameter(f"`{threshold}` is no threshold; write {error}", param=option) from None
    return Thresholds.parse(texts)


def _also(_: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> tuple[tuple[str, Path], ...]:
    pairs = [pair.partition("=") for pair in texts]
    for form, equals, path in pairs:
        if form not in FORMATS or not path:
            message = f"`{form}{equals}{path}` names no format and file; write it like junit=report.xml"
            raise click.BadParameter(f"{message}; formats are {', '.join(FORMATS)}", param=option)
    return tuple((form, Path(path)) for form, _, path in pairs)


OPTIONS = (
    click.option(
        "--threshold",
        "thresholds",
        metavar="[CASES=]AMOUNT",
        multiple=True,
        callback=_thresholds,
        help="The smallest change that matters: 1%, 0.2us, or for some cases neighbor/*=2%; may be repeated.  "
        "[default: the suite's, else 1%, and 2% where both sides have one process]",
    ),
    click.option("--strict", is_flag=True, help="Exit 6 where a case is suspected or cannot be decided."),
    click.option(
        "--allow",
        type=click.Choice(ALLOWABLE),
        multiple=True,
        help="Let the gate pass with cases that are missing or failed, or with another edition of the suite.",
    ),
    click.option(
        "--noise",
        metavar="FILE",
        type=PATH,
        help="What --learn-noise wrote, instead of what lies among the baselines.",
    ),
    click.option(
        "--baselines",
        metavar="FOLDER",
        type=PATH,
        default=baselines_folder,
        show_default="SHFLBENCH_BASELINES, else baselines",
        help="Where the baselines are.",
    ),
    click.option(
        "--format", "form", type=click.Choice(FORMATS), default=TABLE, show_default=True, help="How to print it."
    ),
    click.option(
        "--also",
        metavar="FORMAT=FILE",
        multiple=True,
        callback=_also,
        help="Write it to a file, too: junit=report.xml; may be repeated.",
    ),
    click.option(
        "--plot",
        metavar="FILE",
        type=PATH,
        help="Draw it as a forest plot: a file that ends in .svg, .png or .pdf.",
    ),
)


def options(function: Function) -> Function:
    """Give a command the options of a gate; `parse` turns them into one."""
    for option in reversed(OPTIONS):
        function = option(function)
    return function


def parse(flags: Mapping[str, Any]) -> Gate:
    """Return the gate that the options ask for; UsageError for a plot that cannot be drawn."""
    gate = Gate(**{name: flags[name] for name in Gate.__dataclass_fields__})
    if gate.plot:
        from shflbench.plot.forest import kind_of

        kind_of(gate.plot)
    return gate


def show(comparison: Comparison, gate: Gate, console: Console, *, data: bool = True) -> int:
    """Print the comparison, to stdout if it is `data`, write and draw it where asked, and return the exit code."""
    for sentence in comparison.notes:
        console.say(f"note: {sentence}")
    for sentence in (*comparison.warnings, *_idle(gate.thresholds, comparison)):
        console.warn(sentence)
    if gate.form == TABLE:
        from shflbench.cli.compare.table import lines

        console.styled(lines(comparison), data=data)
    else:
        (console.data if data else console.say)(text(comparison, gate.form).removesuffix("\n"))
    for form, path in gate.also:
        write(path, text(comparison, form))
        console.say(f"written: {path}")
    if gate.form == GITHUB and (summary := step_summary()):
        append_summary(summary, text(comparison, "markdown"))
    if gate.plot:
        from shflbench.plot.forest import draw_forest

        draw_forest(comparison, gate.plot)
        console.say(f"drawn: {gate.plot}")
    return comparison.exit_code(strict=gate.strict)


def _idle(thresholds: Thresholds, comparison: Comparison) -> Iterator[str]:
    """Yield a warning for each threshold that holds for no case, as one that is misspelt does."""
    for special in thresholds.some:
        if not any(special.holds_for(verdict.case_id) for verdict in comparison.verdicts):
            yield f"--threshold {special.case}={special.threshold} is of no use: no case matches `{special.case}`"
