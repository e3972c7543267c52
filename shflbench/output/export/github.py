"""A comparison as workflow commands, which GitHub Actions shows as annotations of the job.

Syntax: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
Escapes: https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from shflbench.analysis.compare.comparison import UNDECIDED, LimitState
from shflbench.core.words import flat
from shflbench.output.export.comparison_words import (
    count_unchanged,
    describe_missed,
    details,
    extent,
    fails,
    headline,
    select_notable,
    verdict_word,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.analysis.compare.comparison import ChangeVerdict, Comparison

    Level = Literal["error", "warning", "notice"]

MOST = 10  # errors, warnings and notices each that GitHub shows for a step: it drops the rest without a message
NAME = "shflbench"


def render(comparison: Comparison) -> str:
    """Return an error per finding, a warning per undecided case, and notices for the result and other changes.

    The most important of each level come first; if there are too many, the last one gives the number of the others.
    """
    levels: dict[Level, list[tuple[str, str]]] = {"error": [], "warning": [], "notice": []}
    for level, title, text in _annotations(comparison):
        levels[level].append((title, text))
    lines = [_command(level, *message) for level, messages in levels.items() for message in _most(messages)]
    return "".join(f"{line}\n" for line in lines)


def _annotations(comparison: Comparison) -> Iterator[tuple[Level, str, str]]:
    """Yield level, title and text of each annotation."""
    result = (headline(comparison), count_unchanged(comparison), describe_missed(comparison), extent(comparison))
    yield "notice", NAME, "; ".join(filter(None, result))
    for warning in comparison.warnings:
        yield "warning", NAME, warning
    for reason in comparison.across:
        yield "notice", NAME, f"no verdict: {reason}"
    for verdict in () if comparison.across else select_notable(comparison):
        yield _level(verdict, comparison), f"{verdict_word(verdict)}: {verdict.case_id}", _text(verdict)


def _level(verdict: ChangeVerdict, comparison: Comparison) -> Level:
    if fails(verdict, comparison):
        return "error"
    is_undecided = verdict.outcome in UNDECIDED or verdict.is_limit(LimitState.UNCERTAIN)
    return "warning" if is_undecided else "notice"


def _text(verdict: ChangeVerdict) -> str:
    return "; ".join((verdict.sentence, *details(verdict)))


def _most(messages: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the messages that GitHub shows, the last one with the number of the others."""
    if len(messages) <= MOST:
        return messages
    kept = messages[: MOST - 1]
    return [*kept, (NAME, f"{len(messages) - len(kept)} more are in the full report")]


def _command(level: Level, title: str, text: str) -> str:
    """Return one workflow command, with the ends of properties and lines escaped."""
    title = _escape(flat(title)).replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={title}::{_escape(flat(text))}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
