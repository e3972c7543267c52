"""Call the functions of a task: what they print goes to stderr, and what they raise becomes one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shflbench.errors import UsageError
from shflbench.patterns.user_code import run_user_code

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def call_user(function: Callable[..., Any], subject: str, *arguments: object, **named: object) -> Any:  # noqa: ANN401
    """Return what a function of the user returns; UsageError for all that it raises: `subject`, then the reason."""
    path = Path(getattr(getattr(function, "__code__", None), "co_filename", "<function>"))
    with run_user_code(path, lambda reason: UsageError(f"{subject}{reason}", "Correct it.")):
        return function(*arguments, **named)


def sizes_text(sizes: Mapping[str, int]) -> str:
    """Return sizes in words."""
    return ", ".join(f"{name} = {value}" for name, value in sizes.items()) or "the given inputs"
