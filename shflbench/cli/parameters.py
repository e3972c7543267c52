"""How options are read that click does not know."""

from __future__ import annotations

import math
import re

import click


def fraction(_: click.Context, option: click.Parameter, text: str | None) -> float | None:
    """Return a percentage, `5%`, as a fraction, 0.05; BadParameter for anything else that is given."""
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*%", text.strip())
    if match is None:
        message = f"`{text}` is no percentage; write it like 5% or 0.5%"
        raise click.BadParameter(message, param=option)
    return float(match[1]) / 100


def precision(context: click.Context, option: click.Parameter, text: str | None) -> float | None:
    """Return a percentage that a suite may ask for, as a fraction; BadParameter for anything else that is given."""
    from shflbench.suite.values import MAX_PRECISION

    share = fraction(context, option, text)
    if share is not None and not 0 < share <= MAX_PRECISION:
        message = f"`{text}` is out of range; allowed: above 0% and at most {MAX_PRECISION:.0%}"
        raise click.BadParameter(message, param=option)
    return share


def seconds(_: click.Context, option: click.Parameter, number: float | None) -> float | None:
    """Return a number of seconds; BadParameter for `nan` and `inf`, which click takes for numbers in range."""
    if number is not None and not math.isfinite(number):
        message = f"`{number}` is no number of seconds; write it like 2 or 0.5"
        raise click.BadParameter(message, param=option)
    return number
