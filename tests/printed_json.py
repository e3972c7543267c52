"""Validates what commands print against their schemas, with keys forbidden that no schema declares.

Readers may meet keys that are new to them; what this version prints has to be described completely. The fixture
`shflbench` validates everything that a test lets a command print.
"""

import json
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from jsonschema import Draft202012Validator

from shflbench.schemas import commands, json_schema


def closed(schema: Any) -> Any:
    """Return a schema whose objects have no other keys than those that it declares."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: closed(item) for name, item in schema.items()}
    is_object = schema.get("type") == "object" and "properties" in schema
    return {**parts, "additionalProperties": False} if is_object else parts


@cache
def _validator(command: str) -> Draft202012Validator:
    return Draft202012Validator(closed(json_schema(command)))


def problems(command: str, value: object) -> list[str]:
    """Return what of a command's JSON its schema does not describe, a line each with the place."""
    return [
        f"{error.json_path}: {error.message[:300]}"
        for found in _validator(command).iter_errors(value)
        for error in (found, *(found.context or ()))
    ]


def check_printed(words: Sequence[str], out: str) -> None:
    """Fail if a command printed JSON that its schema does not describe; `gate` prints it among other lines."""
    command = next((word for word in words if word in commands()), "gate")
    if _is_json(words) and command != "gate" and out:
        found = problems(command, json.loads(out))
        assert not found, "\n".join(found[:20])


def _is_json(words: Sequence[str]) -> bool:
    return ("--format", "json") in pairwise(words) or "--format=json" in words
