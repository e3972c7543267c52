"""The JSON Schema (draft 2020-12) of values whose types are declared: typed dictionaries, dataclasses, lists, numbers.

The types that write the JSON describe it, so that the two cannot differ. A text in `Annotated[type, text]` is the
meaning of a key, with its unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from shflbench.core.docstrings import docstring_of

DIALECT = "https://json-schema.org/draft/2020-12/schema"
REFERENCE = "#/$defs/"
SCALARS = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}

JsonSchema = dict[str, Any]


class ColumnsOf:
    """An object with a key for each field of a dataclass, whose `meaning` is in its metadata, such as a row of a table.

    `types` are those of keys that JSON has in another form than the dataclass.
    """

    def __init__(self, columns: type, types: Mapping[str, Any] | None = None) -> None:
        """Take the dataclass, and the types of some of its keys."""
        self.columns = columns
        self.types = types or {}


def schema_of(kinds: Sequence[Any], title: str, description: str) -> JsonSchema:
    """Return the schema of values of one of several types."""
    definitions: dict[str, JsonSchema] = {}
    alternatives = [_schema(kind, definitions) for kind in kinds]
    head = {"$schema": DIALECT, "title": title, "description": description}
    body = alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}
    return {**head, **body, "$defs": definitions}


def _schema(kind: Any, definitions: dict[str, JsonSchema]) -> JsonSchema:  # noqa: ANN401  (a type, of any kind)
    """Return the schema of one type, and add those of the objects in it to the definitions."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is None:
        return _plain(kind, definitions)
    if origin is Annotated:
        return _annotated(arguments[0], arguments[1:], definitions)
    if origin is NotRequired:
        return _schema(arguments[0], definitions)
    if origin is Literal:
        return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
    if origin in {Union, UnionType}:
        return _union([_schema(item, definitions) for item in arguments])
    return _container(origin, arguments, definitions)


def _plain(kind: type, definitions: dict[str, JsonSchema]) -> JsonSchema:
    """Return the schema of a type without arguments."""
    if is_typeddict(kind):
        return _define(kind, get_type_hints(kind, include_extras=True), definitions)
    return {"type": "string" if issubclass(kind, Enum) else SCALARS[kind]}


def _container(origin: type, arguments: Sequence[Any], definitions: dict[str, JsonSchema]) -> JsonSchema:
    """Return the schema of an object with any keys, of a list, or of a list with a type for each place."""
    if issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(arguments[1], definitions)}
    if origin is not tuple or arguments[-1] is Ellipsis:
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    items = [_schema(item, definitions) for item in arguments]
    return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}


def _annotated(kind: Any, notes: Sequence[object], definitions: dict[str, JsonSchema]) -> JsonSchema:  # noqa: ANN401
    texts = [note for note in notes if isinstance(note, str)]
    columns = next((note for note in notes if isinstance(note, ColumnsOf)), None)
    schema = _schema(kind, definitions) if columns is None else _columns(columns, definitions)
    return {**schema, "description": texts[0]} if texts else schema


def _columns(columns: ColumnsOf, definitions: dict[str, JsonSchema]) -> JsonSchema:
    kinds = {**get_type_hints(columns.columns, include_extras=True), **columns.types}
    meanings = {item.name: item.metadata["meaning"] for item in fields(columns.columns)}
    known = {name: Annotated[kinds[name], meaning] for name, meaning in meanings.items()}
    return _define(columns.columns, known, definitions)


def _define(kind: type, kinds: Mapping[str, Any], definitions: dict[str, JsonSchema]) -> JsonSchema:
    """Return a reference to the schema of an object, which is defined once."""
    name = kind.__name__
    if name not in definitions:
        definitions[name] = {}  # of an object in which it occurs itself
        definitions[name] = {
            "type": "object",
            "description": (docstring_of(kind) or "").strip(),
            "properties": {key: _schema(item, definitions) for key, item in kinds.items()},
            "required": [key for key, item in kinds.items() if get_origin(item) is not NotRequired],
        }
    return {"$ref": f"{REFERENCE}{name}"}


def _union(schemas: Sequence[JsonSchema]) -> JsonSchema:
    """Return the schema of one of several; of plain types, a list of their names."""
    if all(schema.keys() == {"type"} for schema in schemas):
        return {"type": [schema["type"] for schema in schemas]}
    return {"anyOf": list(schemas)}
