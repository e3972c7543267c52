"""Lists and values in the sentences of charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def join(parts: Sequence[str], word: str = "and") -> str:
    """Return a list for a reader: `shfl, smem and vector`."""
    return f" {word} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def value_words(value: float) -> str:
    """Return a value in three digits, without an exponent: `0.0123`, `735`, `3990`."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:.0f}" if rounded >= 100 else f"{rounded:g}"  # noqa: PLR2004  (three digits)
