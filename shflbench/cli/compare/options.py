"""The options that `compare` and `gate` share: how a comparison is judged, printed and written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from shflbench.cli.help import add_heading, option
from shflbench.cli.parameters import BASELINES, PATH, also_option, format_option, group_of
from shflbench.core.environment import step_summary
from shflbench.errors import UNDECIDED_EXIT, UsageError
from shflbench.output.export import FORMATS as EXPORTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from shflbench.analysis.compare import Comparison, Settings
    from shflbench.analysis.compare.comparison import ChangeVerdict
    from shflbench.cli.console import Console
    from shflbench.core.thresholds import Thresholds
    from shflbench.core.time_limits import LongestTime, TimeLimits

GITHUB, JSON = "github", "json"
TABLE = "table"
FORMATS = (TABLE, *EXPORTED)
ALLOWABLE = ("missing", "failed", "suite")


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """How a comparison is judged, and where its report goes."""

    thresholds: Thresholds
    limits: TimeLimits
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
        return Settings(
            thresholds=self.thresholds,
            limits=self.limits,
            allowed=allowed,
            any_revision="suite" in self.allow,
            **more,
        )


def _thresholds(_: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> Thresholds:
    from shflbench.core.thresholds import Thresholds

    for threshold in texts:
        try:
            Thresholds.parse([threshold])
        except ValueError as error:
            raise click.BadParameter(f"`{threshold}` is not a threshold; write {error}", param=parameter) from None
    return Thresholds.parse(texts)


def _limits(_: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> TimeLimits:
    from shflbench.core.time_limits import TimeLimits

    for text in texts:
        try:
            TimeLimits.parse([text])
        except ValueError as error:
            raise click.BadParameter(f"`{text}` is not a limit; write {error}", param=parameter) from None
    return TimeLimits.parse(texts)


JUDGING = add_heading(
    "Verdicts",
    option(
        "--threshold",
        "thresholds",
        metavar="AMOUNT",
        multiple=True,
        callback=_thresholds,
        show_default="the suite's, else 1%; 2% with one process per side",
        help="Smallest change that matters: 1%, 0.2us, neighbor/*=2% (repeatable, last match wins).",
    ),
    option(
        "--limit",
        "limits",
        metavar="TIME",
        multiple=True,
        callback=_limits,
        help="Fail if a new time is longer: 500us, scan/*=2ms (repeatable).",
    ),
    option(
        "--allow",
        metavar="KIND",
        type=click.Choice(ALLOWABLE),
        multiple=True,
        help="Accept `missing` cases, `failed` cases or a changed `suite` (repeatable).",
    ),
    option(
        "--strict", is_flag=True, help="Exit 6 for suspected (weak evidence), inconclusive or not comparable cases."
    ),
    option(
        "--noise",
        metavar="FILE",
        type=PATH,
        show_default="this GPU's file in --baselines",
        help="File written by `noise learn`.",
    ),
    BASELINES,
)

REPORTING = (
    format_option(FORMATS),
    also_option(FORMATS),
    option("--plot", metavar="FILE", type=PATH, help="Draw a forest plot to this .svg, .png or .pdf file."),
)


def parse(flags: Mapping[str, object]) -> ComparisonOptions:
    """Return what the options ask for; UsageError for a plot that cannot be drawn."""
    options = group_of(ComparisonOptions, flags)
    if options.plot:
        from shflbench.output.plot.forest import kind_of

        kind_of(options.plot)
    return options


def show(comparison: Comparison, options: ComparisonOptions, console: Console, *, data: bool) -> int:
    """Print the comparison to stdout if it is `data`, else to stderr; write and draw it, and return the exit code."""
    from shflbench.store.output_file import append_summary, write

    for sentence in comparison.notes:
        console.say(f"note: {sentence}")
    for sentence in (*comparison.warnings, *_unmatched(options, comparison)):
        console.warn(sentence)
    if options.form == TABLE:
        from shflbench.cli.compare.table import lines

        console.lines(lines(comparison, console.width(data=data)), data=data)
    else:
        content = _text(comparison, options.form).removesuffix("\n")
        if options.form == JSON:
            console.json(content, data=data)
        else:
            (console.data if data else console.report)(content)
    for form, path in options.also:
        write(path, _text(comparison, form), "--also")
        console.say(f"written: {path}")
    if options.form == GITHUB and (summary := step_summary()):
        append_summary(summary, _text(comparison, "markdown"))
    if options.plot:
        from shflbench.output.plot.forest import draw_forest

        draw_forest(comparison, options.plot)
        console.say(f"drawn: {options.plot}")
    return _exit_code(options, comparison)


def _exit_code(options: ComparisonOptions, comparison: Comparison) -> int:
    """Return that of the comparison; a limit for which no case has a name is a mistake, which hides no finding."""
    code = comparison.exit_code(strict=options.strict)
    unchecked = [limit for limit in options.limits.limits if not any(_checked(limit, comparison))]
    if code == 0 and any(not any(_matched(limit, comparison)) for limit in unchecked):
        return UsageError.exit_code
    return UNDECIDED_EXIT if code == 0 and unchecked and options.strict else code


def _matched(limit: LongestTime, comparison: Comparison) -> Iterator[ChangeVerdict]:
    return (verdict for verdict in comparison.verdicts if limit.holds_for(verdict.case_id))


def _checked(limit: LongestTime, comparison: Comparison) -> Iterator[ChangeVerdict]:
    return (verdict for verdict in _matched(limit, comparison) if verdict.limit)


def _unmatched(options: ComparisonOptions, comparison: Comparison) -> Iterator[str]:
    """Yield a warning for each threshold and limit that holds for no case, as one that is misspelled does."""
    for special in options.thresholds.some:
        if not any(special.holds_for(verdict.case_id) for verdict in comparison.verdicts):
            yield f"--threshold {special.case}={special.threshold} has no effect: no case matches `{special.case}`"
    for limit in options.limits.limits:
        if not any(_matched(limit, comparison)):
            yield f"--limit {limit} has no effect: no case matches `{limit.case}`"
        elif not any(_checked(limit, comparison)):
            yield f"--limit {limit} has no effect: the new side has no time of its cases"


def _text(comparison: Comparison, form: str) -> str:
    """Return the comparison in one of the `FORMATS`, with a newline at its end and without colors."""
    if form == TABLE:
        from shflbench.cli.compare.table import lines

        return "\n".join(line for line, _ in lines(comparison)) + "\n"
    from shflbench.output.export import render

    return render(form, comparison)
