"""Read the text of a suite as a run keeps it, without its file and its patterns.

`compare` starts here. Most texts need no parser, so it is imported only for those that do.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.errors import SuiteError
from shflbench.thresholds import Thresholds

if TYPE_CHECKING:
    from collections.abc import Mapping

_UNMEASURED = frozenset({"title", "compare"})  # the keys that no measurement depends on

# Matches the key `compare` in every form; in double quotes it may consist of escapes.
_COMPARES = re.compile(r"""compare["']?\s*[:#]|\\""")


def thresholds_of(text: str) -> Thresholds:
    """Return the thresholds in the section `compare`; none if the text is not a suite of a known version."""
    if not _COMPARES.search(text):
        return Thresholds()
    content = _content(text)
    if content is None or content.get("schema") != 1 or "compare" not in content:
        return Thresholds()
    from pydantic import ValidationError  # noqa: PLC0415

    from shflbench.suite.schema import Compare  # noqa: PLC0415

    try:
        return Compare.model_validate(content["compare"]).thresholds
    except ValidationError:
        return Thresholds()


def same_measurements(one: str, other: str) -> bool:
    """Return whether two suites describe the same measurements; title, comments, layout and thresholds may differ.

    A text that is not a suite is the same only as itself.
    """
    if one == other:
        return True
    first, second = _content(one), _content(other)
    return first is not None and second is not None and _measurements(first) == _measurements(second)


def _measurements(content: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in content.items() if key not in _UNMEASURED}


def _content(text: str) -> Mapping[str, object] | None:
    """Return the keys and values of a suite; None if the text is not YAML."""
    from shflbench.suite.document import MAX_BYTES, parse  # noqa: PLC0415

    if len(text) > MAX_BYTES:
        return None
    try:
        return parse(text, Path())
    except SuiteError:
        return None
