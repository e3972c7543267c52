"""Apply what the command line changes in a suite: it filters by name, and replaces launches and iterations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from shflbench.core.launch import parse_launch
from shflbench.core.words import did_you_mean
from shflbench.errors import UsageError
from shflbench.suite.values import MAX_ITERATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shflbench.core.model import Case, Launch, Overrides


def apply_overrides(cases: Sequence[Case], overrides: Overrides, suite: str) -> list[Case]:
    """Return the cases of the suite `suite` under these overrides; UsageError if they do not fit.

    Cases that differed only in launch or iterations may then be equal.
    """
    launches = [_launch(text) for text in overrides.launches]
    for count in overrides.iterations:
        _check_iterations(count)
    filters = (("pattern", overrides.patterns), ("variant", overrides.variants), ("dtype", overrides.dtypes))
    kept = list(cases)
    for kind, words in filters:
        _check_words(kind, words, [getattr(case, kind) for case in cases], suite)
        kept = [case for case in kept if not words or getattr(case, kind) in words]
    if not kept:
        combination = ", ".join(f"{kind} {' or '.join(words)}" for kind, words in filters if words)
        message = f"no case of the suite `{suite}` combines {combination}"
        raise UsageError(message, "Leave one of these filters out, or give another suite.")
    return [
        replace(case, launch=launch, iterations=count)
        for case in kept
        for launch in launches or [case.launch]
        for count in overrides.iterations or [case.iterations]
    ]


def _launch(text: str) -> Launch:
    try:
        return parse_launch(text)
    except ValueError as error:
        message = f"found the launch `{text}`; allowed: {error}"
        raise UsageError(message) from None


def _check_iterations(count: int) -> None:
    if not 1 <= count <= MAX_ITERATIONS:
        message = f"found {count} iterations; allowed: an integer from 1 to {MAX_ITERATIONS}"
        raise UsageError(message)


def _check_words(kind: str, words: Iterable[str], known: Iterable[str], suite: str) -> None:
    known = list(dict.fromkeys(known))
    for word in words:
        if word not in known:
            message = f"unknown {kind} `{word}`; allowed: {', '.join(known)}{did_you_mean(word, known)}"
            raise UsageError(message, f"The suite `{suite}` has no other {kind}s; `shflbench list` shows all.")
