"""The texts of the forest plot of a comparison: title, figures and notes."""

from __future__ import annotations

from math import ceil
from statistics import median
from typing import TYPE_CHECKING

from shflbench.analysis.compare.comparison import UNDECIDED, Metric, Outcome, Reason
from shflbench.core.words import count_noun
from shflbench.output.plot.page import Caption
from shflbench.printable import escape

if TYPE_CHECKING:
    from shflbench.analysis.compare.comparison import ChangeVerdict, Comparison, SideInfo

_MOST_NOTES = 6  # warnings and differences that are listed; the others are counted
_ROUNDING = 1e-6  # of the last digit: what binary fractions may add to a half-width that is a whole number of them
_TWO_DIGITS, _ONE_DIGIT = 10, 100  # percent below which a figure has two decimals, one decimal
_MINUS = "\N{MINUS SIGN}"
# The outcome of one case, and of several.
_OUTCOMES = {
    Outcome.SLOWER: ("got slower", "got slower"),
    Outcome.FAILED: ("failed", "failed"),
    Outcome.MISSING: ("is missing", "are missing"),
    Outcome.SUSPECTED: ("is suspected", "are suspected"),
    Outcome.INCONCLUSIVE: ("is inconclusive", "are inconclusive"),
    Outcome.NOT_COMPARABLE: ("cannot be compared", "cannot be compared"),
    Outcome.FASTER: ("got faster", "got faster"),
    Outcome.NEW: ("is new", "are new"),
}
_OF_REGISTERS = {
    Outcome.SLOWER: ("needs more registers", "need more registers"),
    Outcome.FASTER: ("needs fewer registers", "need fewer registers"),
}
_NAMES = {
    Metric.TIME: "the time",
    Metric.NS_PER_ITERATION: "the time of an iteration",
    Metric.CYCLES_PER_ITERATION: "the cycles of an iteration",
    Metric.REGISTERS: "the number of registers",
}


def title(comparison: Comparison) -> str:
    """Return the finding: `2 of 40 cases got slower, 1 is inconclusive`."""
    if not comparison.verdicts:
        return "There are no cases to compare"
    if comparison.across:
        return f"Report without verdict: {_span(comparison)}"
    phrases = _OUTCOMES | (_OF_REGISTERS if comparison.metric is Metric.REGISTERS else {})
    (_, slower), *others = ((comparison.count(outcome), words) for outcome, words in phrases.items())
    return ", ".join(
        [_slower(comparison, slower), *(f"{count} {words[count > 1]}" for count, words in others if count)]
    )


def _slower(comparison: Comparison, phrases: tuple[str, str]) -> str:
    """Say how many cases got slower; if none did but some are undecided, only that none is shown to be slower."""
    count, of_all = comparison.count(Outcome.SLOWER), f"of {cases(len(comparison.verdicts))}"
    if count:
        return f"{count} {of_all} {phrases[count > 1]}"
    undecided = any(comparison.count(outcome) for outcome in UNDECIDED)
    return f"None {of_all} {'is shown to be slower' if undecided else phrases[0]}"


def _span(comparison: Comparison) -> str:
    changes = sorted(change_in_percent(verdict.ratio.value) for verdict in comparison.verdicts if verdict.ratio)
    if not changes:
        return f"none of {cases(len(comparison.verdicts))} has a value on both sides"
    low, middle, high = (signed_change(change) for change in (changes[0], median(changes), changes[-1]))
    far = f"{low} to {high}%, the median by {middle}%" if len(changes) > 1 else f"{low}%"
    return f"{_NAMES[comparison.metric]} of {cases(len(changes))} changes by {far}"


def subtitle(comparison: Comparison) -> tuple[str]:
    """Say how a line is read."""
    simultaneous = ", simultaneous for all cases" if comparison.noise else ""
    corrected = " with the correction that `shflbench compare` prints" if comparison.is_corrected else ""
    return (
        f"A line is a case: its mark is the change from base to new{corrected}, its bar the interval{simultaneous}.",
    )


def direction(comparison: Comparison) -> str:
    """Return the label of x, with the meaning of both directions."""
    less, more = ("fewer", "more") if comparison.metric is Metric.REGISTERS else ("faster", "slower")
    return f"← {less}      change of {_NAMES[comparison.metric]}, %      {more} →"


def plain(text: str) -> str:
    """Return the text on one line, with unprintable characters escaped: an SVG must not contain control characters."""
    return escape(" ".join(text.split()))


def cases(count: int) -> str:
    """Return the number of cases in words."""
    return count_noun(count, "case")


def change_in_percent(ratio: float) -> float:
    """Return a ratio as a change in percent."""
    return 100 * (ratio - 1)


def signed_change(change: float) -> str:
    """Return a change in percent with its sign and about three digits: `+2.13`, `+41.0`."""
    digits = _decimals(change)
    return f"{round(change, digits) + 0.0:+.{digits}f}".replace("-", _MINUS)  # + 0.0: no minus before a rounded zero


def _decimals(change: float) -> int:
    return 2 if abs(change) < _TWO_DIGITS else 1 if abs(change) < _ONE_DIGIT else 0


def why_not(verdict: ChangeVerdict, *, judged: bool) -> str:
    """Return why a case has no change, preceded by its outcome if there are verdicts."""
    outcome = verdict.outcome.replace("-", " ")
    complete = not judged or verdict.reason is Reason.CASE_FAILED  # whose sentence begins with its outcome
    return plain(verdict.sentence if complete else f"{outcome}: {verdict.sentence}")


def figure_of(verdict: ChangeVerdict) -> str:
    """Return the change and the wider half of its interval, rounded up: `+2.13 ± 0.10%`; empty for what is unknown."""
    if verdict.ratio is None:
        return ""
    change = change_in_percent(verdict.ratio.value)
    if not verdict.ratio.is_known:
        return f"{signed_change(change)}%"
    digits = _decimals(change)
    half = 100 * max(verdict.ratio.high - verdict.ratio.value, verdict.ratio.value - verdict.ratio.low)
    up = ceil(half * 10**digits - _ROUNDING) / 10**digits
    return f"{signed_change(change)} ± {up:.{digits}f}%" if up > 0 else f"{signed_change(change)}%"


def notes(comparison: Comparison) -> list[str]:
    """Return the warnings, the differences, and the two sides, one per line."""
    lines = [f"Not comparable: {reason}" for reason in comparison.across]
    lines += [f"Warning: {warning}" for warning in comparison.warnings]
    lines += [f"Note: {note}" for note in comparison.notes]
    if len(lines) > _MOST_NOTES:
        lines[_MOST_NOTES:] = [f"… and {len(lines) - _MOST_NOTES} more, which `shflbench compare` prints"]
    return [plain(line) for line in (*lines, f"Base: {_side(comparison.base)}", f"New: {_side(comparison.new)}")]


def _side(side: SideInfo) -> str:
    parts = (
        side.name,
        side.device,
        f"driver {side.driver}" if side.driver else "",
        f"NVRTC {side.nvrtc}" if side.nvrtc else "",
        f"run of {side.started[:10]}" if side.started else "",
        count_noun(side.processes, "process"),
    )
    return " · ".join(part for part in parts if part)


def caption(comparison: Comparison) -> Caption:
    """Return the suite, the metric, and the noise that the intervals follow from."""
    suites = dict.fromkeys((comparison.base.suite, comparison.new.suite))
    parts = [f"Suite {' and '.join(suites)}", f"metric {comparison.metric}, in {comparison.metric.unit}"]
    if noise := comparison.noise:
        parts += [f"noise {noise.source}: sd² = ({noise.a_us:.3g} µs)² + ({100 * noise.b:.2g}% of the time)²"]
    return Caption(plain(" · ".join(parts)))
