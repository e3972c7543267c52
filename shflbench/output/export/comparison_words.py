"""Numbers and sentences that all formats of a comparison share, and the cases that they show."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shflbench.analysis.compare.cause import CauseKind
from shflbench.analysis.compare.comparison import FINDINGS, LimitState, Metric, Outcome
from shflbench.analysis.compare.verdicts import change_percent, signed_like, significant
from shflbench.core.grouping import group_by
from shflbench.core.words import count_noun, flat, one_or_many

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shflbench.analysis.compare.comparison import ChangeVerdict, Comparison, SideInfo
    from shflbench.core.model import Interval

COMMIT = 7  # characters of a commit's hash, as git shortens it


def value(number: float | None, metric: Metric) -> str:
    """Return a value in the metric's unit, without the unit's name; empty if it is unknown."""
    if number is None or not math.isfinite(number):
        return ""
    return f"{number:g}" if metric is Metric.REGISTERS or number == 0 else significant(number)


def correction(verdict: ChangeVerdict) -> str:
    """Return what the judged difference has more than the measured one, `-1.44`; empty if it is unknown."""
    return signed_like(verdict.correction.total, verdict.measured_base or 0.0) if verdict.correction else ""


def columns(comparison: Comparison) -> dict[str, str]:
    """Return the numeric columns of a table of cases, and what each means; empty for columns that explain themselves.

    The numbers are those of `cells`, in their order.
    """
    unit = comparison.metric.unit
    values = dict.fromkeys((f"base {unit}", f"new {unit}"), _measured_in_words(comparison))
    if not comparison.is_corrected:
        return {**values, "change": ""}
    judged = "corrected change" if comparison.across else "judged change"
    return {
        **values,
        f"correction {unit}": correction_in_words(comparison),
        judged: f"new - base + correction, in percent of the corrected base, with an interval{_certainty(comparison)}",
    }


def cells(verdict: ChangeVerdict, comparison: Comparison) -> tuple[str, ...]:
    """Return the numbers of a case, one for each of `columns`."""
    values = (value(number, comparison.metric) for number in (verdict.measured_base, verdict.measured_new))
    corrected = (correction(verdict),) if comparison.is_corrected else ()
    return (*values, *corrected, change(verdict.ratio))


def legend(comparison: Comparison) -> tuple[str, ...]:
    """Return a line for each column that needs an explanation; columns with the same one share a line."""
    unit = f" {comparison.metric.unit}"
    shared = group_by(columns(comparison).items(), lambda column: column[1])
    return tuple(
        f"{', '.join(name.removesuffix(unit) for name, _ in alike)}: {meaning}"
        for meaning, alike in shared.items()
        if meaning
    )


def _measured_in_words(comparison: Comparison) -> str:
    if comparison.metric is Metric.REGISTERS:
        return ""
    column = "time_us" if comparison.metric is Metric.TIME else comparison.metric
    several = max(comparison.base.runs, comparison.new.runs) > 1
    return f"as measured ({column} in results.csv{'; of several runs, their median' if several else ''})"


def correction_in_words(comparison: Comparison) -> str:
    """Return how the judged difference follows from the measured one; empty if they are the same."""
    if not comparison.is_corrected:
        return ""
    fastest = "the mean of the fastest half of the samples replaces their median"
    if not (offset := comparison.offset_us) or comparison.metric is not Metric.TIME:
        return fastest
    direction = "slower" if offset > 0 else "faster"
    return f"sentinels ran {abs(offset):.3f} µs {direction} on the new side, which is subtracted; {fastest}"


def _certainty(comparison: Comparison) -> str:
    if not comparison.false_alarms:
        return ""
    return f" that holds for all cases together with {fraction(1 - comparison.false_alarms)} probability"


def change(ratio: Interval | None) -> str:
    """Return a change with its interval if that is known, `+2.1% (+1.9 to +2.3%)`; empty for None."""
    if ratio is None:
        return ""
    if ratio.low == ratio.high or not ratio.is_known:
        return f"{change_percent(ratio.value)}%"
    return f"{change_percent(ratio.value)}% ({change_percent(ratio.low)} to {change_percent(ratio.high)}%)"


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
        f"{_processes(info)} per case" if info.processes else "",
    )
    return flat(f"{info.name}: {', '.join(part for part in known if part)}")


def _processes(info: SideInfo) -> str:
    """Return the number of processes that measured a case: `3 processes`, `1 to 3 processes`."""
    most = count_noun(max(info.processes, info.most_processes), "process")
    return f"{info.processes} to {most}" if info.most_processes > info.processes else most


def headline(comparison: Comparison) -> str:
    """Return the result in one line: `1 over its limit, 2 slower, 1 faster of 40 cases`."""
    cases = count_noun(len(comparison.verdicts), "case")
    if comparison.across:
        return f"{cases} side by side, without a verdict"
    over = comparison.count_limits(LimitState.OVER)
    notable = {f"over {one_or_many(over, 'its limit', 'their limits')}": over} if over else {}
    notable |= {outcome: count for outcome, count in comparison.counts().items() if outcome != Outcome.SAME}
    if unsure := comparison.count_limits(LimitState.UNCERTAIN):
        notable |= {f"perhaps over {one_or_many(unsure, 'its limit', 'their limits')}": unsure}
    counts = ", ".join(f"{count:,} {words}" for words, count in notable.items())
    return f"{counts} of {cases}" if counts else f"no change that matters in {cases}"


def basis(comparison: Comparison) -> Iterator[str]:
    """Yield what the verdicts are based on: what was tested, the noise, and allowed findings."""
    if sentence := extent(comparison):
        yield sentence
    if used := comparison.noise:
        yield f"noise: {flat(used.source)} ({used.a_us:.3g} µs and {100 * used.b:.2g}% of the time)"
    if comparison.allowed:
        yield f"allowed: {', '.join(sorted(comparison.allowed))}"


def extent(comparison: Comparison) -> str:
    """Return how many cases were judged, in how many processes, by which threshold, and how often that goes wrong."""
    judged = [verdict for verdict in comparison.verdicts if verdict.ratio and verdict.threshold is not None]
    if not judged or comparison.across:
        return ""
    base, new = (_processes(info) if info.processes else "" for info in (comparison.base, comparison.new))
    processes = f"{base} per side" if base == new else f"{base} on the base side and {new} on the new side"
    parts = [f"tested: {count_noun(len(judged), 'case')}", processes if base and new else "without samples"]
    parts += [f"smallest change that matters (threshold): {_span(verdict.threshold for verdict in judged)}"]
    if rate := comparison.false_alarms:
        parts += [f"designed for false alarms in at most {fraction(rate)} of such comparisons of unchanged code"]
    return "; ".join(parts)


def count_unchanged(comparison: Comparison) -> str:
    """Return how many cases are the same; empty if none is."""
    same = _same(comparison)
    if not same:
        return ""
    sentence = f"{count_noun(len(same), 'case')} {one_or_many(len(same), 'is', 'are')} the same"
    if comparison.metric is Metric.REGISTERS:
        return f"{sentence}: {one_or_many(len(same), 'it needs', 'they need')} as many registers on both sides"
    within = {fraction(verdict.threshold) for verdict in same} - {""}
    if not within:
        return sentence
    subject = one_or_many(len(same), "it", "they")
    whose = "the threshold of" if len(same) == 1 or len(within) == 1 else "their thresholds of"
    return f"{sentence}: {subject} changed by less than {whose} {_span(verdict.threshold for verdict in same)}"


def describe_missed(comparison: Comparison) -> str:
    """Return which slowdowns of the cases that are the same might have been missed; empty if that is unknown."""
    known = [verdict for verdict in _same(comparison) if verdict.detectable_95 is not None]
    if not known:
        return ""
    least = fraction(max(verdict.detectable_95 or 0.0 for verdict in known))
    which = one_or_many(len(known), "this case", "each of these cases")
    return (
        f"what could have been missed: in {which}, a slowdown of {least} or more would have been reported as slower "
        "with 95% probability; a smaller one could have been left undecided (suspected or inconclusive), and one below "
        "the threshold counts as the same"
    )


def _same(comparison: Comparison) -> list[ChangeVerdict]:
    return [verdict for verdict in comparison.verdicts if verdict.outcome is Outcome.SAME]


def _span(fractions: Iterable[float | None]) -> str:
    """Return the smallest and the largest fraction: `1%`, `0.5% to 2%`."""
    known = [part for part in fractions if part is not None]
    low, high = fraction(min(known)), fraction(max(known))
    return low if low == high else f"{low} to {high}"


def select_notable(comparison: Comparison) -> tuple[ChangeVerdict, ...]:
    """Return the cases to show, the most important first: all that are not the same, and those with a remark.

    If the sides cannot be compared, these are all cases, in the order of the suite.
    """
    if comparison.across:
        return comparison.verdicts
    verdicts = comparison.by_importance()
    return tuple(
        verdict
        for verdict in verdicts
        if verdict.outcome is not Outcome.SAME or verdict.remarks or limit_in_words(verdict)
    )


def explain(verdict: ChangeVerdict) -> tuple[str, ...]:
    """Return what the numbers beside it do not say: the sentence if there are none, and `details`."""
    sentence = "" if verdict.ratio else verdict.sentence
    return tuple(flat(text) for text in (sentence, *details(verdict)) if text)


def details(verdict: ChangeVerdict) -> tuple[str, ...]:
    """Return what accompanies the sentence: a limit, advice, changes of the kernel, remarks, and last the likely cause.

    A change that the likely cause contains in its own words is not repeated.
    """
    contained = {change for cause in verdict.causes for change in cause.changes}
    changes = (change for change in verdict.why if change not in contained)
    parts = (limit_in_words(verdict), verdict.advice, *changes, *verdict.remarks, likely_cause(verdict))
    return tuple(filter(None, parts))


def verdict_word(verdict: ChangeVerdict) -> str:
    """Return the outcome; `over limit` before it for a time over its limit, `over limit, same`."""
    return f"over limit, {verdict.outcome}" if verdict.is_limit(LimitState.OVER) else str(verdict.outcome)


def limit_in_words(verdict: ChangeVerdict) -> str:
    """Return that the time is over its limit, or perhaps is, with its interval; empty within it and without one."""
    check = verdict.limit
    if check is None or check.state is LimitState.WITHIN:
        return ""
    time = f"{significant(check.time_us)} µs"
    if check.low_us is None or check.high_us is None:
        state = "over" if check.state is LimitState.OVER else "undecided"
        return f"limit of {check.limit_us:,.10g} µs: {state} at {time}, whose interval is unknown"
    span = f"{time} ({significant(check.low_us)} to {significant(check.high_us)} µs)"
    word = "over" if check.state is LimitState.OVER else "perhaps over"
    return f"{word} the limit of {check.limit_us:,.10g} µs: {span}"


def likely_cause(verdict: ChangeVerdict) -> str:
    """Return the likely cause in words, the most specific part first; empty if none is known."""
    sentence = "; ".join(cause.sentence for cause in verdict.causes)
    inside = any(cause.kind is not CauseKind.SAME_CODE for cause in verdict.causes)
    return f"likely cause: {sentence}" if inside else sentence


def fails(verdict: ChangeVerdict, comparison: Comparison) -> bool:
    """Return whether this case makes `compare` exit with 1."""
    is_finding = verdict.outcome in FINDINGS - comparison.allowed or verdict.is_limit(LimitState.OVER)
    return not comparison.across and is_finding
