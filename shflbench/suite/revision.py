"""Read the text of a suite as a run keeps it, without its file and its patterns.

`compare` starts here. Most texts need no parser, so it is imported only for those that do.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.thresholds import Thresholds
from shflbench.errors import SuiteError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.core.claims.claim import Claim

_UNMEASURED = frozenset({"title", "charts", "compare", "claims"})  # the keys that no measurement depends on

# Match a key in every form; in double quotes it may consist of escapes.
_COMPARES = re.compile(r"""compare["']?\s*[:#]|\\""")
_CHARTS = re.compile(r"""charts["']?\s*[:#]|\\""")
_CLAIMS = re.compile(r"""claims["']?\s*[:#]|\\""")


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


def charts_in(text: str) -> tuple[str, ...]:
    """Return the names of charts that a suite declares; none if the text has none, or is not a suite."""
    content = _content(text) if _CHARTS.search(text) else None
    names = content.get("charts") if content else None
    return tuple(name for name in (names if isinstance(names, list) else [names]) if isinstance(name, str))


def claims_of(text: str) -> tuple[Claim, ...] | None:
    """Return the claims in the section `claims`; None if the text has none, or is not a suite of a known version.

    Names of patterns, variants and options are not checked, because the patterns may no longer exist. No file is read.
    SuiteError reports the first problem of the section in one sentence: no claim is left out silently.
    """
    if not _CLAIMS.search(text):
        return None
    content = _content(text)
    if content is None or content.get("schema") != 1 or "claims" not in content:
        return None
    from pydantic import ValidationError  # noqa: PLC0415

    from shflbench.suite.claims import check_form, claims_from  # noqa: PLC0415
    from shflbench.suite.problems import first_sentence  # noqa: PLC0415
    from shflbench.suite.schema import ClaimSection  # noqa: PLC0415
    from shflbench.suite.schema_problems import from_pydantic  # noqa: PLC0415

    try:
        entries = ClaimSection.model_validate({"claims": content["claims"]}).claims
    except ValidationError as error:
        problems = from_pydantic(error, content)
    else:
        problems = list(check_form(entries))
        if not problems:
            return claims_from(entries)
    message = f"the stored suite has invalid claims: {first_sentence(content, problems)}"
    raise SuiteError(message, "Give a suite with valid claims: `--suite FILE`.")


def same_measurements(one: str, other: str) -> bool:
    """Return whether two suites describe the same measurements; title, comments, layout and thresholds may differ.

    A text that is not a suite is the same only as itself.
    """
    if one == other:
        return True
    first, second = _content(one), _content(other)
    return first is not None and second is not None and _measurements(first) == _measurements(second)


def patterns_by_folder(text: str) -> frozenset[str]:
    """Return the names of the patterns that a suite takes from folders of its own; none if the text is not a suite."""
    content = _content(text)
    experiments = content.get("experiments") if content else None
    listed = experiments if isinstance(experiments, list) else [experiments]
    words = [item.get("pattern") for item in listed if isinstance(item, dict)]
    folders = [Path(word) for word in words if isinstance(word, str) and ("/" in word or word.startswith("."))]
    return frozenset(folder.name.replace("_", "-") for folder in folders)


def _measurements(content: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in content.items() if key not in _UNMEASURED}


@lru_cache(maxsize=32)  # texts: commands ask for the same few again and again, and YAML takes 50 ms each
def _content(text: str) -> Mapping[str, object] | None:
    """Return the keys and values of a suite; None if the text is not YAML."""
    from shflbench.suite.document import MAX_BYTES, parse  # noqa: PLC0415

    if len(text) > MAX_BYTES:
        return None
    try:
        return parse(text, Path())
    except SuiteError:
        return None
