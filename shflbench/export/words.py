"""Numbers and sentences that all formats of a comparison share, and the cases that they show."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from shflbench.analysis.compare.cause import CauseKind
from shflbench.analysis.compare.comparison import FINDINGS, Metric, Outcome
from shflbench.analysis.compare.verdicts import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.analysis.compare.comparison import Comparison, SideInfo, Verdict
    from shflbench.model import Interval

DIGITS = 4  # significant, of a value: a change of 0.1% is visible
COMMIT = 7  # characters of a commit's hash, as git shortens it

# Line breaks, control characters (ANSI colors first) and code points that are no characters: a reason may be the output
# of a compiler, and a folder may have any name. XML 1.0 cannot represent most of them, not even escaped.
_UNPRINTABLE = re.compile(r"(?:\x1b\[[0-9;]*m|[\s\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff])+")


def flat(text: str) -> str:
    """Return `text` on one line, with a space for each sequence of unprintable characters."""
    return _UNPRINTABLE.sub(" ", text).strip()


def count_noun(number: int, noun: str) -> str:
    """Return `1 case`, `3 cases` or `2 processes`."""
    plural = "es" if noun.endswith("s") else "s"
    return f"{number:,} {noun}{'' if number == 1 else plural}"


def value(number: float | None, metric: Metric) -> str:
    """Return a value in the metric's unit, without the unit's name; empty if it is unknown."""
    if number is None or not math.isfinite(number):
        return ""
    if metric is Metric.REGISTERS or number == 0:
        return f"{number:g}"
    return f"{number:.{max(0, DIGITS - 1 - math.floor(math.log10(abs(number))))}f}"


def change(ratio: Interval | None) -> str:
    """Return a change with its interval, `+2.1% (+1.9 to +2.3%)`; empty if it is unknown."""
    if ratio is None:
        return ""
    if ratio.low == ratio.high:
        return f"{percent(ratio.value)}%"
    return f"{percent(ratio.value)}% ({percent(ratio.low)} to {percent(ratio.high)}%)"


def fraction(part: float | None) -> str:
    """Return a fraction of a value, such as a threshold: `1%`; empty if there is none."""
    return "" if part is None else f"{100 * part:.3g}%"


def side(info: SideInfo) -> str:
    """Return the name of a side and its known properties."""
    known = (
        info.device,
        info.driver and f"driver {info.driver}",
        info.nvrtc and f"NVRTC {info.nvrtc}",
        info.commit and f"commit {info.commit[:COMMIT]}",
        count_noun(info.runs, "run"),
        f"{count_noun(info.processes, 'process')} per case" if info.processes else "",
    )
    return flat(f"{info.name}: {', '.join(part for part in known if part)}")


def headline(comparison: Comparison) -> str:
    """Return the result in one line: `2 slower, 1 faster of 40 cases`."""
    cases = count_noun(len(comparison.verdicts), "case")
    if comparison.across:
        return f"{cases} side by side, without a verdict"
    notable = {outcome: count for outcome, count in comparison.counts().items() if outcome != Outcome.SAME}
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in notable.items())
    return f"{counts} of {cases}" if counts else f"no change that matters in {cases}"


def basis(comparison: Comparison) -> Iterator[str]:
    """Yield what the verdicts are based on: threshold, noise, offset, and allowed findings."""
    thresholds = {verdict.threshold for verdict in comparison.verdicts if verdict.threshold is not None}
    if thresholds:
        low, high = fraction(min(thresholds)), fraction(max(thresholds))
        yield f"threshold {low}" if low == high else f"thresholds from {low} to {high}"
    if used := comparison.noise:
        yield f"noise: {flat(used.source)} ({used.a_us:.3g} µs and {100 * used.b:.2g}% of the time)"
    if offset := comparison.offset_us:
        direction = "slower" if offset > 0 else "faster"
        yield f"sentinels ran {abs(offset):.3f} µs {direction} on the new side; subtracted"
    if comparison.allowed:
        yield f"allowed: {', '.join(sorted(comparison.allowed))}"


def unchanged(comparison: Comparison) -> str:
    """Return how many cases are the same, and the slowdown that would have been found; empty if none is the same."""
    same = [verdict for verdict in comparison.verdicts if verdict.outcome is Outcome.SAME]
    if not same:
        return ""
    within = {fraction(verdict.threshold) for verdict in same} - {""}
    limit = f" within {within.pop()}" if len(within) == 1 else " within their thresholds" if within else ""
    sentence = f"{count_noun(len(same), 'case')} {'is' if len(same) == 1 else 'are'} the same{limit}"
    detectable = max((verdict.detectable for verdict in same if verdict.detectable is not None), default=None)
    return sentence if detectable is None else f"{sentence}; a slowdown of {fraction(detectable)} would have been found"


def select_notable(comparison: Comparison) -> tuple[Verdict, ...]:
    """Return the cases to show, the most important first: all that are not the same, and those with a remark.

    If the sides cannot be compared, these are all cases, in the order of the suite.
    """
    if comparison.across:
        return comparison.verdicts
    verdicts = comparison.by_importance()
    return tuple(verdict for verdict in verdicts if verdict.outcome is not Outcome.SAME or verdict.remarks)


def explain(verdict: Verdict) -> tuple[str, ...]:
    """Return what the numbers beside it do not say: the sentence if there are none, and `details`."""
    sentence = "" if verdict.ratio else verdict.sentence
    return tuple(flat(text) for text in (sentence, *details(verdict)) if text)


def details(verdict: Verdict) -> tuple[str, ...]:
    """Return what accompanies the sentence: advice, what changed in the kernel, remarks, and last the likely cause.

    A change that the likely cause contains in its own words is not repeated.
    """
    contained = {change for cause in verdict.causes for change in cause.changes}
    changes = (change for change in verdict.why if change not in contained)
    return tuple(filter(None, (verdict.advice, *changes, *verdict.remarks, likely_cause(verdict))))


def likely_cause(verdict: Verdict) -> str:
    """Return the likely cause in words, the most specific part first; empty if none is known."""
    sentence = "; ".join(cause.sentence for cause in verdict.causes)
    inside = any(cause.kind is not CauseKind.SAME_CODE for cause in verdict.causes)
    return f"likely cause: {sentence}" if inside else sentence


def fails(verdict: Verdict, comparison: Comparison) -> bool:
    """Return whether this case makes `compare` exit with 1."""
    return not comparison.across and verdict.outcome in FINDINGS - comparison.allowed
