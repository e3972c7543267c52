"""Say how library calls compare with the fastest candidate of a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.analysis.ranking import TIE, times, times_within

if TYPE_CHECKING:
    from shflbench.analysis.answers.answer import Answer


def library_words(answer: Answer) -> list[str]:
    """Return in words which library calls beat the recommended variant, are as fast, or may be: nothing if none is."""
    ranks = [rank for name in answer.libraries if (rank := answer.rank(name))]
    faster = [rank for rank in ranks if 1 / rank.slowdown.high > 1 + TIE]
    level = [rank.variant for rank in ranks if rank not in faster]
    parts = [f"library calls as fast: {', '.join(level)}"] if level else []
    parts += [f"library call faster: {rank.variant} ({times(1 / rank.slowdown.value)})" for rank in faster]
    undecided = [rank for name in answer.undecided_libraries if (rank := answer.rank(name))]
    parts += [f"library call undecided: {rank.variant} ({times_within(rank.slowdown)} as long)" for rank in undecided]
    return parts
