"""The published claims that the shipped suites test."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from shflbench.suite.find import find_shipped
from shflbench.suite.revision import claims_of

if TYPE_CHECKING:
    from shflbench.core.claims.claim import Claim


@cache
def shipped_claims() -> dict[str, list[Claim]]:
    """Return the claims of each shipped suite, by the suite's name."""
    texts = {name: path.read_text(encoding="utf-8") for name, path in find_shipped().items()}
    return {name: list(claims_of(text) or ()) for name, text in texts.items()}


def claims_by_pattern() -> dict[str, list[Claim]]:
    """Return the claims that name a pattern in `where`, by the pattern's name, in the order of their ids."""
    claims: dict[str, list[Claim]] = {}
    for one in sorted((claim for several in shipped_claims().values() for claim in several), key=lambda one: one.id):
        for pattern in one.where.get("pattern", ()):
            claims.setdefault(pattern, []).append(one)
    return claims
