"""The three sentences at the top of a report: what to use, how certain the old rules are, how far to trust it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from shflbench.core.grouping import group_by
from shflbench.core.model import Mechanism
from shflbench.core.palette import NAMES
from shflbench.core.words import count_noun, join_words, one_or_many
from shflbench.output.export.html.answers import CLEAR, DEPENDS, UNDECIDED
from shflbench.output.export.html.selection import gpu_of, is_measured

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.output.export.html.content import AnswerLine, ClaimLine
    from shflbench.store import Run

_VERDICTS = {  # of claims, in words
    "confirmed": "are confirmed",
    "refuted": "refuted",
    "depends": "true in some settings only",
    "inconclusive": "inconclusive",
}


def three_sentences(answers: Sequence[AnswerLine], claims: Sequence[ClaimLine], runs: Sequence[Run]) -> tuple[str, ...]:
    """Return the three sentences."""
    if not any(map(is_measured, runs)):
        return _without_times(runs)
    by_gpu = group_by(answers, lambda answer: answer.gpu)
    use = " ".join(_use(gpu, part) for gpu, part in by_gpu.items())
    if not use and any(run.info.converted is None for run in runs):  # else nobody said which variants are safe
        use = "No pattern has two safe variants to choose from."
    return tuple(filter(None, (use, _gains(answers, claims), _trust(runs))))


def _without_times(runs: Sequence[Run]) -> tuple[str, ...]:
    """Say of emulated and compiled runs what became of their cases."""
    statuses = Counter(row.status.value for run in runs for row in run.rows)
    where = join_words(list(dict.fromkeys(map(gpu_of, runs))))
    known = join_words([f"{count:,} {status}" for status, count in statuses.most_common()]) or "none"
    return (
        "No case has a time, so that no variant is shown to be the fastest.",
        f"Of {count_noun(statuses.total(), 'case')}, {known}.",
        f"The results are from {count_noun(len(runs), 'run')} on {where}.",
    )


def _use(gpu: str, answers: Sequence[AnswerLine]) -> str:
    """Say which mechanism is the fastest how often."""
    clear = Counter(answer.mechanism for answer in answers if answer.outcome == CLEAR)
    parts = [f"{_name(mechanism)} for {count}" for mechanism, count in clear.most_common()]
    depends = sum(answer.outcome == DEPENDS for answer in answers)
    undecided = sum(answer.outcome == UNDECIDED for answer in answers)
    ties = len(answers) - clear.total() - depends - undecided
    rest = [f"{depends} {one_or_many(depends, 'depends', 'depend')} on the setting"] if depends else []
    rest += [f"{ties} {one_or_many(ties, 'is a tie', 'are ties')}"] if ties else []
    rest += [f"{undecided} {one_or_many(undecided, 'is', 'are')} undecided"] if undecided else []
    best = f"the fastest safe mechanism is {join_words(parts)}" if parts else "no safe mechanism is clearly the fastest"
    more = f"; {join_words(rest)}" if rest else ""
    return f"On {gpu}, of {count_noun(len(answers), 'pair')} of pattern and element type, {best}{more}."


def _name(mechanism: str) -> str:
    return NAMES[Mechanism(mechanism)] if mechanism in set(Mechanism) else mechanism


def _gains(answers: Sequence[AnswerLine], claims: Sequence[ClaimLine]) -> str:
    """Say what became of the claims; without claims, where the choice matters most."""
    by_gpu = group_by(claims, lambda claim: claim.gpu)
    tested = {gpu: text for gpu, part in by_gpu.items() if (text := _verdicts(part))}
    if len(tested) > 1:
        return " ".join(f"On {gpu}, of {text}." for gpu, text in tested.items())
    if tested:
        return f"Of {''.join(tested.values())}."
    ranked = [answer for answer in answers if answer.over_next_key and answer.outcome == CLEAR]
    if not ranked:
        return ""
    most = max(ranked, key=lambda answer: answer.over_next_key or 0.0)
    where, speed = f"{most.pattern} {most.dtype}", f"{most.over_next} the speed of the next safe mechanism"
    return f"The choice matters most for {where}: {most.use} runs at {speed}."


def _verdicts(claims: Sequence[ClaimLine]) -> str:
    """Return the number of claims that were tested, and how many have each verdict; empty where none was."""
    counts = Counter(claim.verdict for claim in claims)
    tested = [f"{counts[verdict]} {words}" for verdict, words in _VERDICTS.items() if counts[verdict]]
    total = count_noun(sum(counts[verdict] for verdict in _VERDICTS), "tested claim")
    return f"{total} about these patterns, {join_words(tested)}" if tested else ""


def _trust(runs: Sequence[Run]) -> str:
    """Say how much was measured, where, and how quiet the machines were."""
    measured = [run for run in runs if is_measured(run)]
    others = len(runs) - len(measured)
    beside = (
        f"; {count_noun(others, 'run')} without times {one_or_many(others, 'is', 'are')} listed apart" if others else ""
    )
    cases = sum(row.time_us is not None for run in measured for row in run.rows)
    days = sorted({run.info.started[:10] for run in measured if run.info.started})  # other tools may not say it
    when = "" if not days else f" of {days[0]}" if len(days) == 1 else f" of {days[0]} to {days[-1]}"
    known = [run.info.noise for run in measured if run.info.noise]
    quiet = sum(noise.quiet for noise in known)
    gpus = join_words(list(dict.fromkeys(map(gpu_of, measured))))
    how = "all on a quiet machine" if quiet == len(measured) else f"{quiet or 'none'} of them on a quiet machine"
    if not known:
        how = "and it is not known whether the machine was quiet"
    runs_text = count_noun(len(measured), "run")
    return f"The {cases:,} times are from {runs_text} on {gpus}{when}, {how}{beside}."
