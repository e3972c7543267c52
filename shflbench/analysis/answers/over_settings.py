"""One answer for a pattern and dtype over all settings that were measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.answers.answer import SummaryAnswer
from shflbench.analysis.answers.request import distance, usual_request
from shflbench.analysis.answers.where import where
from shflbench.analysis.ranking import times_range
from shflbench.analysis.settings import BLOCK, GRID, ITERATIONS
from shflbench.core.grouping import group_by
from shflbench.core.launch import grid_and_block

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from shflbench.analysis.answers.answer import Answer
    from shflbench.core.model import Device


def summary_answers(answers: Iterable[Answer], device: Device | None = None) -> list[SummaryAnswer]:
    """Return one answer for each GPU, pattern and dtype, in the order of the answers."""
    topics = group_by(answers, lambda answer: (answer.gpu, answer.arch, answer.pattern, answer.dtype))
    return [_summary(part, device) for part in topics.values()]


def _summary(answers: Sequence[Answer], device: Device | None) -> SummaryAnswer:
    request = usual_request(answers[0].pattern, answers[0].dtype, device)
    usual = min(answers, key=lambda answer: distance(request, answer))
    return SummaryAnswer(
        usual=usual,
        leads=sum(usual.variant in answer.leaders for answer in answers),
        exceptions=exceptions_to(usual.variant, answers),
        answers=tuple(answers),
    )


def exceptions_to(variant: str, answers: Sequence[Answer], beside: Sequence[Answer] = ()) -> tuple[str, ...]:
    """Return each other variant that is clearly faster somewhere, where, and by what factor; most settings first.

    The settings are named by what sets them apart from the rest of the answers, and from those `beside` them.
    """
    return tuple(_exceptions(variant, answers, beside))


def _exceptions(variant: str, answers: Sequence[Answer], beside: Sequence[Answer]) -> Iterator[str]:
    lost = [answer for answer in answers if variant not in answer.leaders]
    winners = group_by(lost, lambda answer: answer.variant)
    for winner in sorted(winners, key=lambda name: -len(winners[name])):
        for part in _with_and_without(winners[winner], variant):
            ids = set(map(id, part))  # answers are many, and comparing them takes long
            others = [answer for answer in (*answers, *beside) if id(answer) not in ids]
            gains = [over.value for answer in part if (over := answer.speedup(winner, variant))]
            factor = f"{times_range(gains)} the speed of {variant}" if gains else f"{variant} was not measured"
            inside, outside = _factors(part, others)
            yield f"{winner} ({factor}) at {where(inside, outside)}"


def _with_and_without(answers: Sequence[Answer], variant: str) -> Iterator[list[Answer]]:
    """Yield the answers of settings in which a variant was measured, then the others; no empty list."""
    measured = [answer for answer in answers if any(one.variant == variant for one in answer.ranking)]
    ids = set(map(id, measured))
    yield from filter(None, (measured, [answer for answer in answers if id(answer) not in ids]))


def _factors(part: Sequence[Answer], others: Sequence[Answer]) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Return what sets each setting apart: options first, because they say more of a pattern than the launch.

    The number of iterations is left out where it follows from the rest, as suites choose it to take a similar time.
    """
    settings = [_of_setting(answer) for answer in (*part, *others)]
    shorter = [{name: value for name, value in setting.items() if name != ITERATIONS} for setting in settings]
    chosen = shorter if _number(shorter) == _number(settings) else settings
    return chosen[: len(part)], chosen[len(part) :]


def _number(settings: Sequence[dict[str, str]]) -> int:
    return len({tuple(sorted(setting.items())) for setting in settings})


def _of_setting(answer: Answer) -> dict[str, str]:
    grid, block = grid_and_block(answer.launch, answer.block)
    return dict(answer.options) | {BLOCK: block, GRID: grid, ITERATIONS: str(answer.iterations)}
