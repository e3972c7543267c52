"""Refuse options, values and launches of a user that a pattern does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.launch import parse_launch
from shflbench.core.words import did_you_mean
from shflbench.errors import UsageError
from shflbench.patterns.declare import LAUNCH_OPTIONS
from shflbench.suite.quotes import quote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.core.model import Launch
    from shflbench.patterns.declare import Pattern


def require_options(pattern: str, declared: Pattern, options: Mapping[str, str]) -> None:
    """Raise UsageError for an option or a value that neither a pattern nor a launch has."""
    known = {**declared.options, **{name: values for name, (values, _) in LAUNCH_OPTIONS.items()}}
    for name, value in options.items():
        if name not in known:
            near = did_you_mean(name, declared.options)
            raise UsageError(f"{pattern} has no option {quote(name)}{near}", f"there are: {', '.join(known)}")
        values = [str(one) for one in known[name]]
        if value not in values:
            is_range = isinstance(known[name], range)
            near = "" if is_range else did_you_mean(value, values)
            allowed = f"{values[0]} to {values[-1]}" if is_range else ", ".join(values)
            raise UsageError(f"{pattern} has no {name}={quote(value)[1:-1]}{near}", f"allowed: {allowed}")


def read_launch(text: str) -> Launch:
    """Return the launch that --launch names; UsageError for a text that is none."""
    try:
        return parse_launch(text)
    except ValueError as error:
        raise UsageError(f"--launch {quote(text)} is no launch", f"allowed: {error}") from error


def require_launch(pattern: str, declared: Pattern, launch: Launch) -> None:
    """Raise UsageError for a launch that the kernels of a pattern do not support."""
    if allowed := declared.unsupported_launch(launch):
        raise UsageError(f"{pattern} has no launch {launch.expression}", f"its kernels support {allowed}")
