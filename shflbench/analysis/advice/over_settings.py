"""One answer for a pattern and dtype over all settings that were measured."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.analysis.advice.answer import Certainty, SummaryAnswer
from shflbench.analysis.advice.simplicity import mechanism_place
from shflbench.analysis.advice.where import where
from shflbench.analysis.contest import times_range
from shflbench.analysis.settings import BLOCK, GRID, ITERATIONS
from shflbench.grouping import group_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shflbench.analysis.advice.answer import Answer
    from shflbench.model import Interval

_DOUBT = (Certainty.CLEAR, Certainty.TIE, Certainty.UNDECIDED)  # least first


def summary_answers(answers: Iterable[Answer]) -> list[SummaryAnswer]:
    """Return one answer for each GPU, pattern and dtype, in the order of the answers."""
    topics = group_by(answers, lambda answer: (answer.gpu, answer.arch, answer.pattern, answer.dtype))
    return [_summary(part) for part in topics.values()]


def _summary(answers: Sequence[Answer]) -> SummaryAnswer:
    first, variant = answers[0], _leader(answers)
    led = [answer for answer in answers if variant in answer.leaders]
    ratios = [over.value for answer in led if (over := _over_baseline(answer, variant))]
    baselines = {answer.baseline for answer in led if _over_baseline(answer, variant)}
    ranks = [rank for answer in led if (rank := answer.rank(variant))]
    fractions = [rank.limit_fraction for rank in ranks if rank.limit_fraction is not None]
    limiters = Counter(rank.limit_by for rank in ranks if rank.limit_by)
    exceptions = exceptions_to(variant, answers)
    summary = SummaryAnswer(
        gpu=first.gpu,
        arch=first.arch,
        pattern=first.pattern,
        dtype=first.dtype,
        variant=variant,
        mechanism=ranks[0].mechanism,
        depends=bool(exceptions),
        certainty=max((answer.certainty for answer in led), key=_DOUBT.index),
        leads=len(led),
        baseline=baselines.pop() if len(baselines) == 1 else None,
        over_baseline=(min(ratios), max(ratios)) if ratios else None,
        limit_fractions=(min(fractions), max(fractions)) if fractions else None,
        limit_by=limiters.most_common(1)[0][0] if limiters else None,
        exceptions=exceptions,
        sentence="",
        answers=tuple(answers),
    )
    return replace(summary, sentence=_sentence(summary))


def _leader(answers: Sequence[Answer]) -> str:
    """Return the variant that leads in the most settings; of several, the most recommended, the simplest."""
    leads = Counter(variant for answer in answers for variant in answer.leaders)
    recommended = Counter(answer.variant for answer in answers)
    places = {rank.variant: mechanism_place(rank.mechanism) for answer in answers for rank in answer.ranking}
    return min(leads, key=lambda name: (-leads[name], -recommended[name], places[name], name))


def _over_baseline(answer: Answer, variant: str) -> Interval | None:
    if answer.baseline is None or answer.baseline == variant:
        return None
    return answer.speedup(variant, answer.baseline)


def exceptions_to(variant: str, answers: Sequence[Answer], beside: Sequence[Answer] = ()) -> tuple[str, ...]:
    """Return each other variant that is clearly faster somewhere, where, and by what factor; most settings first.

    The settings are named by what sets them apart from the rest of the answers, and from those `beside` them.
    """
    return tuple(_exceptions(variant, answers, beside))


def _exceptions(variant: str, answers: Sequence[Answer], beside: Sequence[Answer]) -> Iterator[str]:
    lost = [answer for answer in answers if variant not in answer.leaders]
    winners = group_by(lost, lambda answer: answer.variant)
    for winner in sorted(winners, key=lambda name: -len(winners[name])):
        part = winners[winner]
        inside = set(map(id, part))  # answers are many, and comparing them takes long
        others = [answer for answer in (*answers, *beside) if id(answer) not in inside]
        gains = [over.value for answer in part if (over := answer.speedup(winner, variant))]
        factor = f" ({times_range(gains)})" if gains else f", where {variant} was not measured"
        yield f"{winner} at {where(list(map(_factors, part)), list(map(_factors, others)))}{factor}"


def _factors(answer: Answer) -> dict[str, str]:
    """Return options first, because they say more of a pattern than the launch."""
    grid = answer.launch.rpartition("x")[0].strip()
    return dict(answer.options) | {BLOCK: str(answer.block), GRID: grid, ITERATIONS: str(answer.iterations)}


def _sentence(summary: SummaryAnswer) -> str:
    """Return the answer in one sentence, without pattern and dtype."""
    led = [answer for answer in summary.answers if summary.variant in answer.leaders]
    parts = [f"{summary.variant} {_leads(summary.leads, len(summary.answers))}{_doubts(led)}"]
    if summary.over_baseline and summary.baseline:
        parts.append(f"{times_range(summary.over_baseline)} the speed of {summary.baseline}")
    if summary.exceptions:
        parts.append(f"depends: {', '.join(summary.exceptions)}")
    if summary.limit_fractions:
        by = f", set by {summary.limit_by}" if summary.limit_by else ""
        parts.append(f"reaches {_percent_range(summary.limit_fractions)} of the limit{by}")
    return "; ".join(parts)


def _leads(led: int, settings: int) -> str:
    if led < settings:
        return f"leads in {led} of {settings} settings"
    if settings == 1:
        return "leads in the one setting measured"
    return "leads in both settings" if settings == 2 else f"leads in all {settings} settings"  # noqa: PLR2004  (a pair)


def _doubts(led: Sequence[Answer]) -> str:
    """Return in how many settings the variant does not lead alone."""
    counts = Counter(answer.certainty for answer in led)
    named = {Certainty.TIE: "tied", Certainty.UNDECIDED: "undecided"}
    if len(led) == 1:
        return "".join(f", {word}" for certainty, word in named.items() if counts[certainty])
    return "".join(f", {word} in {counts[certainty]}" for certainty, word in named.items() if counts[certainty])


def _percent_range(fractions: tuple[float, float]) -> str:
    low, high = (f"{100 * fraction:.0f}%" for fraction in fractions)
    return low if low == high else f"{low} to {high}"
