"""How options are read that click does not know."""

from __future__ import annotations

import re

import click


def fraction(_: click.Context, option: click.Parameter, text: str | None) -> float | None:
    """Return a share written as in suites, `5%`, as a fraction, 0.05; BadParameter for anything else that is given."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%", text.strip())
    if match is None:
        message = f"`{text}` is no share; write it like 5% or 0.5%"
        raise click.BadParameter(message, param=option)
    return float(match[1]) / 100
