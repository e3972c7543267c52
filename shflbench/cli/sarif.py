"""Results at source lines as SARIF 2.1.0, which code scanning services and editors read.

OASIS Standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0".
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from shflbench import __version__
from shflbench.checker import Level
from shflbench.core.files import relative
from shflbench.output.export.sarif_rules import HELP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.cuda_sources import SourceLine

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTICE: "note", Level.NONE: "none"}


def sarif_document(results: Sequence[dict[str, object]]) -> str:
    """Return results as one SARIF run of shflbench, with the rules that they name."""
    used = list(dict.fromkeys(str(result["ruleId"]) for result in results))
    driver = {
        "name": "shflbench",
        "version": __version__,
        "rules": [_rule(name) for name in used],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "results": [{**result, "ruleIndex": used.index(str(result["ruleId"]))} for result in results],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def sarif_result(
    rule: str, level: Level, text: str, place: SourceLine, other: tuple[SourceLine, str] | None = None
) -> dict[str, object]:
    """Return a result at a source line, perhaps with another line and what it is; paths are relative."""
    result: dict[str, object] = {
        "ruleId": rule,
        "level": LEVELS[level],
        "message": {"text": text},
        "locations": [_location(place)],
    }
    if other is not None:
        result["relatedLocations"] = [{**_location(other[0]), "message": {"text": other[1]}}]
    return result


def _location(place: SourceLine) -> dict[str, object]:
    path = relative(place.file.absolute(), Path.cwd())
    address = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    return {"physicalLocation": {"artifactLocation": {"uri": address}, "region": {"startLine": max(place.line, 1)}}}


def _rule(name: str) -> dict[str, object]:
    title, text = HELP.get(name, (name, name))
    return {
        "id": name,
        "name": "".join(word.capitalize() for word in name.split("-")),
        "shortDescription": {"text": title},
        "fullDescription": {"text": text},
        "help": {"text": text},
    }
