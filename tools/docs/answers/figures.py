"""The figures of the answers, as their templates call them. Each is taken from a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.ranking import times
from shflbench.core.model import Mechanism
from tools.docs.answers.answer import SUITE, measured
from tools.docs.measured import per_iteration, settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from tools.docs.answers.answer import Answer

IS_ONE = "is one"  # a whole kernel


def time_of(setting: str, variant: str) -> float:
    """Return the time of a variant at a setting of the suite `opponents`, in cycles per iteration or µs of a launch."""
    return next(one.time for one in measured(setting).variants if one.variant == variant)


def cost(setting: str, variant: str) -> str:
    """Return the time of a variant at a setting of the suite `opponents`: `107 cycles`, or `9.1 µs` of a launch."""
    found = next(one for one in measured(setting).variants if one.variant == variant)
    if found.unit == "cycles":
        return f"{found.time:,.0f} cycles"
    return f"{found.time:.3g} µs"


def factor(setting: str, of: str, to: str) -> str:
    """Return the time of one variant divided by that of another: `1.4×`."""
    return times(time_of(setting, of) / time_of(setting, to))


def best(setting: str, *kinds: str) -> str:
    """Return the fastest variant at a setting, of some kinds if any are named."""
    found = measured(setting)
    return next(one.variant for one in found.own if not kinds or found.side(one) in kinds)


def over(setting: str, kind: str) -> str:
    """Return the speed of the fastest variant at a setting over that of the best of a kind, of a library too."""
    found = measured(setting)
    other = found.best_of(Mechanism(kind))
    if other is None:
        raise KeyError((setting, kind))
    return times(other.time / found.own[0].time)


def of_run(suite: str, setting: str, of: str, to: str) -> str:
    """Return the time of one variant divided by that of another in the reference run of a suite."""
    return times(_quotient(suite, setting, of, to))


def gain_of_a_kernel(answer: Answer) -> float | None:
    """Return the speed of a whole kernel that takes the advice over that of one that does not; None if not measured."""
    real = answer.real
    return None if isinstance(real, str) else _quotient(real["suite"], real["setting"], real["of"], real["to"])


def _quotient(suite: str, setting: str, of: str, to: str) -> float:
    if suite == SUITE:
        return time_of(setting, of) / time_of(setting, to)
    rows = settings()[f"{suite} {setting}"].rows
    return per_iteration(rows[of]) / per_iteration(rows[to])


FIGURES: tuple[Callable[..., str], ...] = (best, cost, factor, of_run, over)
