"""How every format writes the numbers of a comparison, and which cases it shows."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from shflbench.analysis.compare.comparison import FINDINGS, UNDECIDED, Metric, Outcome, Reason
from shflbench.analysis.compare.verdicts import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.analysis.compare.comparison import Comparison, SideInfo, Verdict
    from shflbench.model import Interval

DIGITS = 4  # significant, of a value: a change of 0.1 % shows
COMMIT = 7  # characters of its hash, as git itself shortens it

# Line breaks, control characters (ANSI's colours first) and what is no character: a reason may be what a compiler
# printed, and a folder may be called anything. XML 1.0 has no way to write most of them, not even escaped.
_UNPRINTABLE = re.compile(r"(?:\x1b\[[0-9;]*m|[\s\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff])+")


def flat(text: str) -> str:
    """Return `text` on one line, with a blank for everything that cannot be printed."""
    return _UNPRINTABLE.sub(" ", text).strip()


def count_noun(number: int, noun: str) -> str:
    """Return `1 case`, `3 cases` or `2 processes`."""
    plural = "es" if noun.endswith("s") else "s"
    return f"{number:,} {noun}{'' if number == 1 else plural}"


def value(number: float | None, metric: Metric) -> str:
    """Return a value in the metric's unit without naming it; empty if it is not known."""
    if number is None or not math.isfinite(number):
        return ""
    if metric is Metric.REGISTERS or number == 0:
        return f"{number:g}"
    return f"{number:.{max(0, DIGITS - 1 - math.floor(math.log10(abs(number))))}f}"


def change(ratio: Interval | None) -> str:
    """Return a change with its interval, `+2.1 % (+1.9 to +2.3 %)`; empty if it is not known."""
    if ratio is None:
        return ""
    if ratio.low == ratio.high:
        return f"{percent(ratio.value)} %"
    return f"{percent(ratio.value)} % ({percent(ratio.low)} to {percent(ratio.high)} %)"


def fraction(part: float | None) -> str:
    """Return a fraction of a value, such as a threshold: `1 %`; empty if there is none."""
    return "" if part is None else f"{100 * part:.3g} %"


def side(info: SideInfo) -> str:
    """Return who a side is, with what is known of it."""
    known = (
        info.device,
        info.driver and f"driver {info.driver}",
        info.nvrtc and f"NVRTC {info.nvrtc}",
        info.commit and f"commit {info.commit[:COMMIT]}",
        count_noun(info.runs, "run"),
        f"{count_noun(info.processes, 'process')} a case" if info.processes else "",
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


def grounds(comparison: Comparison) -> Iterator[str]:
    """Yield what the verdicts rest on: threshold, noise, offset, and which findings are allowed."""
    thresholds = {verdict.threshold for verdict in comparison.verdicts if verdict.threshold is not None}
    if thresholds:
        low, high = fraction(min(thresholds)), fraction(max(thresholds))
        yield f"threshold {low}" if low == high else f"thresholds from {low} to {high}"
    if used := comparison.noise:
        yield f"noise: {flat(used.source)} ({used.a_us:.3g} µs and {100 * used.b:.2g} % of the time)"
    if offset := comparison.offset_us:
        than = "longer" if offset > 0 else "shorter"
        yield f"everything took {abs(offset):.3f} µs {than} on the new side by the sentinels, which is taken off"
    if comparison.allowed:
        yield f"allowed: {', '.join(sorted(comparison.allowed))}"


def unchanged(comparison: Comparison) -> str:
    """Say how many cases are the same, within what, and which slowdown would have been found; empty if none is."""
    same = [verdict for verdict in comparison.verdicts if verdict.outcome is Outcome.SAME]
    if not same:
        return ""
    within = {fraction(verdict.threshold) for verdict in same} - {""}
    limit = f" within {within.pop()}" if len(within) == 1 else " within their thresholds" if within else ""
    sentence = f"{count_noun(len(same), 'case')} {'is' if len(same) == 1 else 'are'} the same{limit}"
    detectable = max((verdict.detectable for verdict in same if verdict.detectable is not None), default=None)
    return sentence if detectable is None else f"{sentence}; a slowdown of {fraction(detectable)} would have been found"


def select_notable(comparison: Comparison) -> tuple[Verdict, ...]:
    """Return what a reader should see case by case, the most important first.

    That is what is not the same, and what is and has a remark; across what cannot be compared it is every case, in the
    order of the suite.
    """
    if comparison.across:
        return comparison.verdicts
    verdicts = comparison.by_importance()
    return tuple(verdict for verdict in verdicts if verdict.outcome is not Outcome.SAME or verdict.remarks)


def explain(verdict: Verdict) -> tuple[str, ...]:
    """Return what the numbers beside it do not say already: the sentence if it says more, why, and remarks."""
    judged = verdict.outcome not in UNDECIDED or verdict.reason is Reason.ACROSS
    sentence = () if judged and verdict.ratio else (verdict.sentence,)
    return tuple(flat(text) for text in (*sentence, *verdict.why, *verdict.remarks))


def fails(verdict: Verdict, comparison: Comparison) -> bool:
    """Whether the case alone makes `compare` exit with a finding."""
    return not comparison.across and verdict.outcome in FINDINGS - comparison.allowed
