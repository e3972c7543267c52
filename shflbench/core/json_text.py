"""Parse JSON of which each key of an object is there once."""

from __future__ import annotations

import json
from typing import Any


class DuplicateKeyError(ValueError):
    """A key that an object has twice; which value is meant cannot be known."""

    def __init__(self, key: str) -> None:
        """Keep the key."""
        super().__init__(f"the key `{key}` is there twice in one object")


def parse(text: str) -> Any:  # noqa: ANN401  (any value of JSON)
    """Return the value; ValueError for other text, as JSONDecodeError or DuplicateKeyError where it is one of these."""
    return json.loads(text, object_pairs_hook=_unique)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members:
            raise DuplicateKeyError(key)
        members[key] = value
    return members
