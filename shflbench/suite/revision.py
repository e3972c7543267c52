"""What a suite's text asks for, as a run keeps it: without its file, and whoever may have edited it since.

Comparing starts here, and most texts need no parser: it is imported for those that do.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.errors import SuiteError
from shflbench.thresholds import Thresholds

if TYPE_CHECKING:
    from collections.abc import Mapping

_APART = frozenset({"title", "compare"})  # the keys on which no measurement depends

# However the key `compare` is written, it shows this; in double quotes an escape may spell it.
_COMPARES = re.compile(r"""compare["']?\s*[:#]|\\""")


def thresholds_of(text: str) -> Thresholds:
    """Return what the suite says about `compare`: nothing where the text is none, or one that is not known here."""
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
    """Return whether two suites ask for the same measurements, whatever their title, comments, form and thresholds.

    A text that is no suite asks for what only the same text does.
    """
    if one == other:
        return True
    first, second = _content(one), _content(other)
    return first is not None and second is not None and _measurements(first) == _measurements(second)


def _measurements(content: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in content.items() if key not in _APART}


def _content(text: str) -> Mapping[str, object] | None:
    """Return the keys of a suite and what they hold; None where the text is none."""
    from shflbench.suite.document import MAX_BYTES, parse  # noqa: PLC0415

    if len(text) > MAX_BYTES:
        return None
    try:
        return parse(text, Path())
    except SuiteError:
        return None
