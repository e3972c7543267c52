"""The measured setting nearest to a request, and whether the settings around it agree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from shflbench.analysis.answers.over_settings import exceptions_to
from shflbench.analysis.answers.request import Difference, differences, distance, is_same_launch, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from shflbench.analysis.answers.answer import Answer
    from shflbench.analysis.answers.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """The answer to a request on one GPU."""

    request: Request
    answer: Answer  # of the nearest setting
    differences: tuple[Difference, ...]  # between that setting and the request
    around: tuple[Answer, ...]  # the settings that the request means as well, or lies between; with the nearest
    depends: tuple[str, ...]  # other variants that are clearly faster in some of them: which, where, by what factor
    robust: str | None  # a variant that ties at the nearest setting, and to which no other is preferable around it
    elsewhere: tuple[str, ...]  # as `depends`, in the other settings of the pattern and dtype

    @property
    def open_factors(self) -> tuple[str, ...]:
        """The options that the request leaves open and in which the settings around it differ."""
        values: dict[str, set[str]] = {}
        for answer in self.around:
            for name, value in answer.options:
                values.setdefault(name, set()).add(value)
        return tuple(name for name in values if len(values[name]) > 1 and name not in self.request.options)


def advise(request: Request, answers: Iterable[Answer]) -> Advice | None:
    """Return the advice from the answers of one GPU; None where none is of the pattern."""
    known = [answer for answer in answers if answer.pattern == request.pattern]
    if not known:
        return None
    nearest = min(known, key=lambda answer: distance(request, answer))
    alike = [answer for answer in known if answer.dtype == nearest.dtype]
    around = _around(request, nearest, alike)
    inside = set(map(id, around))  # answers are many, and comparing them takes long
    others = [answer for answer in alike if id(answer) not in inside]
    depends = exceptions_to(nearest.variant, around)
    robust = (variant for variant in nearest.tied if depends and not exceptions_to(variant, around))
    return Advice(
        request=request,
        answer=nearest,
        differences=differences(request, nearest),
        around=tuple(around),
        depends=depends,
        robust=next(robust, None),
        elsewhere=exceptions_to(nearest.variant, others, beside=around),
    )


def _around(request: Request, nearest: Answer, answers: Sequence[Answer]) -> list[Answer]:
    """Return the settings that agree with the request where it was measured, and enclose it where it was not."""
    kept = list(answers)
    for name, value in request.options.items():
        if (dict(nearest.options).get(name)) == value:
            kept = [answer for answer in kept if dict(answer.options).get(name) == value]
        elif (wanted := number(value)) is not None:
            kept = _enclosing(kept, wanted, partial(_option_value, name))
    if request.block:
        kept = _enclosing(kept, request.block, lambda answer: answer.block)
    if request.launch and is_same_launch(request, nearest):
        kept = [answer for answer in kept if is_same_launch(request, answer)]
    elif request.grid:
        kept = _enclosing(kept, request.grid, lambda answer: answer.grid)
    return kept if any(answer is nearest for answer in kept) else [nearest, *kept]


def _enclosing(answers: Sequence[Answer], wanted: float, value_of: Callable[[Answer], float | None]) -> list[Answer]:
    """Return the answers with the wanted value; if there are none, those with the next lower and the next higher."""
    values = {value for answer in answers if (value := value_of(answer)) is not None}
    if wanted in values:
        near = {wanted}
    else:
        lower, higher = [value for value in values if value < wanted], [value for value in values if value > wanted]
        near = {*([max(lower)] if lower else []), *([min(higher)] if higher else [])}
    return [answer for answer in answers if value_of(answer) in near]


def _option_value(name: str, answer: Answer) -> float | None:
    return number(dict(answer.options).get(name))
