"""Frozen dataclasses as JSON files; an error names the file and the key. Only reading imports pydantic."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

from shflbench.core.json_text import DuplicateKeyError, parse
from shflbench.errors import ResultsError
from shflbench.store.run_files import RESTORE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from _typeshed import DataclassInstance
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

Record = TypeVar("Record")

LONGEST = 60  # characters of a wrong value that are shown

# Type of pydantic's error → what is allowed; other errors are shown as they are.
_ALLOWED = {
    "string_type": "a text",
    "bool_type": "true, false or null",
    "dict_type": "an object",
    "dataclass_type": "an object",
    "tuple_type": "a list",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "int_parsing": "an integer",
    "float_type": "a number",
    "finite_number": "a number",
    "greater_than": "above {gt:g}",
    "greater_than_equal": "{ge:g} or above",
}


def encode(record: DataclassInstance, schema: int) -> str:
    """Return the text of a file that holds the record."""
    return json.dumps({"schema": schema, **asdict(record)}, indent=2, ensure_ascii=False) + "\n"


def decode(
    adapter: Callable[[], TypeAdapter[Record]], text: str, path: Path, schema: int, advice: str = RESTORE
) -> Record:
    """Read the text of the file at `path`.

    ResultsError unless it is a JSON object with the keys of a record, each with a value of its kind, and of no schema
    newer than `schema`. Keys that the record does not have are ignored; those with a default may be missing.
    """
    from pydantic import ValidationError  # noqa: PLC0415  (slow to import, and only readers need it)

    _refuse_newer(_parsed(text, path, advice), path, schema, advice)
    try:
        return adapter().validate_json(text, strict=True)
    except ValidationError as error:
        raise ResultsError(f"{path}: {sentence_of(error.errors()[0])}", advice) from error


def _parsed(text: str, path: Path, advice: str) -> dict[str, Any]:
    try:
        content = parse(text)
    except json.JSONDecodeError as error:
        raise ResultsError(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}", advice) from error
    except DuplicateKeyError as error:
        raise ResultsError(f"{path}: {error}", advice) from error
    except (RecursionError, ValueError) as error:  # thousands of brackets, or of digits
        raise ResultsError(f"{path} is damaged: {error}", advice) from error
    if not isinstance(content, dict):
        raise ResultsError(f"{path}: not a JSON object", advice)
    return content


def refuse_twice(text: str, path: Path, advice: str) -> None:
    """Raise ResultsError where an object in the text has a key twice; what is no JSON at all is left to others."""
    try:
        parse(text)
    except DuplicateKeyError as error:
        raise ResultsError(f"{path}: {error}", advice) from error
    except (RecursionError, ValueError):
        return


def _refuse_newer(content: dict[str, Any], path: Path, newest: int, advice: str) -> None:
    """Raise ResultsError where the file was written by a later shflbench than this one."""
    if "schema" not in content:
        raise ResultsError(f"{path}: `schema` is missing", advice)
    schema = content["schema"]
    if not isinstance(schema, int) or isinstance(schema, bool):
        raise ResultsError(f"{path}: `schema` is {json.dumps(schema)}, not an integer", advice)
    if schema < 1:
        raise ResultsError(f"{path}: `schema` is {schema}, not 1 or above", advice)
    if schema > newest:
        raise ResultsError(
            f"{path} has schema {schema}, and this shflbench reads schemas up to {newest}",
            "read it with a newer version of shflbench",
        )


def sentence_of(error: ErrorDetails) -> str:
    """Return what pydantic found wrong, with the key and the value."""
    key = ".".join(str(part) for part in error["loc"] if part != "[key]")
    if error["type"] == "missing":
        return f"`{key}` is missing"
    value = json.dumps(error["input"], ensure_ascii=False)
    value = value if len(value) <= LONGEST else f"{value[:LONGEST]}…"
    if allowed := _ALLOWED.get(error["type"]):
        name = f"`{key}`" if key else "the content"
        return f"{name} is {value}, not {allowed.format_map(error.get('ctx', {}))}"
    return f"`{key}` is {value}: {error['msg']}" if key else f"damaged: {error['msg']}"
