"""The words for what a history shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.history.blame import RESOURCES, CauseLabel
from shflbench.analysis.history.rule import FEWEST_RUNS
from shflbench.core.model import Status
from shflbench.core.words import count_noun
from shflbench.printable import escape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.analysis.history.blame import ChangeCause, RecordedChange
    from shflbench.analysis.history.bridges import Bridge
    from shflbench.analysis.history.events import HistoryEvent
    from shflbench.analysis.history.findings import CaseLevel, HistoryChange, LikelyChange, RunMoment, SuiteHistory

MOST_NAMED = 5  # cases in a sentence
COMMIT = 9  # characters of a commit's hash
HASH = 40  # characters of a whole one
CAUSES = {
    CauseLabel.CODE: "code: other machine code by the same compiler",
    CauseLabel.COMPILER: "compiler: other machine code of the same source",
    CauseLabel.CODE_OR_COMPILER: "code or compiler: both changed",
    CauseLabel.LAUNCH: "launch",
    CauseLabel.DRIVER: "driver",
    CauseLabel.GPU: "GPU",
    CauseLabel.METHOD: "method of timing",
    CauseLabel.ENVIRONMENT: "environment",
    CauseLabel.UNEXPLAINED: "unexplained",
    CauseLabel.UNKNOWN: "unknown: no machine code was recorded",
}


def headline(history: SuiteHistory) -> str:
    """Return suite, GPU, number of runs and their dates."""
    moments = history.moments
    runs = count_noun(len(moments), "run")
    gpu = escape(", ".join(filter(None, (history.gpu_name or "unknown GPU", history.gpu))))
    days = f"from {moments[0].day} to {moments[-1].day}" if len(moments) > 1 else f"on {moments[0].day}"
    return f"{history.suite} on {gpu}: {runs} {days}"


def too_few(history: SuiteHistory) -> str:
    """Return that there are too few runs for any alarm; empty if there are enough."""
    missing = FEWEST_RUNS - len(history.moments)
    return f"too few runs to find changes: the first can be seen after {missing} more" if missing > 0 else ""


def percent(ratio: float) -> str:
    """Return how much slower or faster: `2.1%`."""
    return f"{100 * abs(ratio - 1):.1f}%"


def direction(change: HistoryChange) -> str:
    """Return `slower 2.1% (1.9% to 2.4%)`, and of a drift how fast it goes on."""
    word = "slower" if change.is_slower else "faster"
    if change.per_month is not None:
        begun = "" if change.named in {None, change.seen} else f", seen as a step on {change.seen.day}"
        return f"{word} {percent(change.per_month)} per month{begun}"
    low, high = sorted(100 * abs(ratio - 1) for ratio in (change.low, change.high))
    if (change.low - 1) * (change.high - 1) < 0:
        low = 0.0
    return f"{word} {percent(change.ratio)} ({low:.1f}% to {high:.1f}%)"


def revision(moment: RunMoment) -> str:
    """Return a commit as git shortens it, or a revision as it was given."""
    text = moment.commit[:COMMIT] if len(moment.commit) == HASH else moment.commit
    return f"{text} with changes" if text and moment.is_dirty else text


def when(event: HistoryEvent) -> str:
    """Return the runs between which an event lies, with their revisions."""
    head, old, first = event.head, event.old, event.first
    if head.is_drift:
        return f"from {old.day} on, named on {(head.named or head.seen).day}"
    days = first.day if old.day == first.day else f"between {old.day} and {first.day}"
    if not (revision(old) or revision(first)):
        return days
    was, now = (revision(moment) or "unknown" for moment in (old, first))
    return f"{days}, revision {now}" if was == now else f"{days}, revision {was} → {now}"


def causes(event: HistoryEvent) -> Iterator[str]:
    """Yield each cause of an event as a line."""
    for cause in event.head.blame.causes:
        yield cause_in_words(cause, is_drift=event.head.is_drift)


def cause_in_words(cause: ChangeCause, *, is_drift: bool = False) -> str:
    """Return a cause with what was recorded of it, except for the resources of the kernel."""
    if cause.label is CauseLabel.UNEXPLAINED:
        return f"unexplained: {_unexplained(cause, is_drift=is_drift)}"
    label = CAUSES[cause.label]
    parts = [_recorded(change, label) for change in cause.changes if change.name not in RESOURCES.values()]
    if cause.others:
        parts.append(f"{cause.moved} of {cause.others} other cases with the same machine code moved, too")
    return f"{label}{', ' if ':' in label else ': '}{', '.join(parts)}" if parts else label


def _recorded(change: RecordedChange, label: str) -> str:
    if change.name == "sentinels":
        return f"sentinels at {change.after} of their time before"
    return f"{'' if change.name == label else f'{change.name} '}{change.before} → {change.after}"


def _unexplained(cause: ChangeCause, *, is_drift: bool) -> str:
    if is_drift:
        return "neither code nor other cases go on changing with it"
    if not cause.others:
        return "the same machine code, and no other case to compare with"
    others = count_noun(cause.others, "other case")
    if not cause.moved:
        return f"the same machine code, and none of {others} moved"
    return f"the same machine code, and only {cause.moved} of {others} moved, too"


def kernel_in_words(change: HistoryChange) -> str:
    """Return how the resources of a kernel changed."""
    changes = dict.fromkeys(item for cause in change.blame.causes for item in cause.changes)
    return ", ".join(f"{item.name} {item.before} → {item.after}" for item in changes if item.name in RESOURCES.values())


def what_changed(event: HistoryEvent) -> str:
    """Return how many cases changed, and by how much."""
    ratios = [change.per_month or change.ratio for change in event.changes]
    sizes = sorted(abs(ratio - 1) for ratio in ratios)
    word = "slower" if event.head.is_slower else "faster"
    texts = dict.fromkeys(f"{100 * size:.1f}%" for size in (sizes[0], sizes[-1]))
    span = " to ".join(texts)
    each_month = " per month" if event.head.is_drift else ""
    return f"{count_noun(len(sizes), 'case')} {word} by {span}{each_month}"


def time_us(value: float | None) -> str:
    """Return a time with its unit."""
    return "–" if value is None else f"{value:.4g} µs"


def level_in_words(level: CaseLevel) -> str:
    """Return the time of a case, and half its interval."""
    error = "" if level.error is None else f" ±{100 * level.error:.2g}%"
    return f"{time_us(level.time_us)}{error}"


def likely_in_words(change: LikelyChange) -> str:
    """Return a change that the last runs suggest."""
    word = "slower" if change.ratio > 1 else "faster"
    return f"{word} {percent(change.ratio)} since {change.first.day}: {change.runs} of {change.needed} runs needed"


def bridge_in_words(bridge: Bridge) -> str:
    """Return how two GPUs are joined, or that they are not."""
    if not bridge.ratios:
        common = f"of commit {bridge.commit[:COMMIT]}, which both measured, the machine code differs"
        reason = common if bridge.commit else "no commit was measured on both"
        return f"{bridge.new} replaces {bridge.old}, and {reason}: its series begin anew"
    low, high = min(bridge.ratios), max(bridge.ratios)
    more = f" and {count_noun(bridge.commits - 1, 'other')}" if bridge.commits > 1 else ""
    return (
        f"{bridge.new} replaces {bridge.old}: joined by commit {bridge.commit[:COMMIT]}{more}, which both measured; "
        f"times before are multiplied by {low:.3f} to {high:.3f}"
    )


def offset(history: SuiteHistory) -> str:
    """Return how the time that is added to each launch changed; empty where it did not."""
    change = history.series.offset_change_us
    word = "longer" if change > 0 else "shorter"
    text = f"the sentinels show that each launch takes {abs(change):.2g} µs {word} than in the first runs"
    return f"{text}: times are without it" if change else ""


def not_timed(history: SuiteHistory) -> str:
    """Return the cases that the newest run does not time; empty if it times all."""
    newest = history.moments[-1].started
    texts = [
        f"{level.case} ({'missing since ' + level.last.day if level.last.started != newest else level.status})"
        for level in history.levels
        if level.last.started != newest or level.status != Status.TIMED
    ]
    more = f" and {len(texts) - MOST_NAMED} more" if len(texts) > MOST_NAMED else ""
    return f"not timed in the newest run: {', '.join(texts[:MOST_NAMED])}{more}" if texts else ""
