from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from shflbench.core.json_objects import IntervalObject, object_of
from shflbench.core.json_schema import DIALECT, ColumnsOf, schema_of
from shflbench.core.model import Interval


class Color(StrEnum):
    RED = "red"


class Leaf(TypedDict):
    """A leaf."""

    name: Annotated[str, "name of the leaf"]


class Tree(TypedDict):
    """A tree."""

    schema: Annotated[Literal[1], "number"]
    leaves: Annotated[Sequence[Leaf], "its leaves"]
    top: NotRequired[Annotated[Leaf | None, "the uppermost leaf"]]


@dataclass(frozen=True)
class Columns:
    """A row."""

    size: float | None = field(metadata={"meaning": "size, m"})
    options: tuple[tuple[str, str], ...] = field(metadata={"meaning": "options"})


def test_an_object_is_defined_once_with_the_meanings_of_its_keys() -> None:
    assert schema_of((Tree,), "tree", "About.") == {
        "$schema": DIALECT,
        "title": "tree",
        "description": "About.",
        "$ref": "#/$defs/Tree",
        "$defs": {
            "Leaf": {
                "type": "object",
                "description": "A leaf.",
                "properties": {"name": {"type": "string", "description": "name of the leaf"}},
                "required": ["name"],
            },
            "Tree": {
                "type": "object",
                "description": "A tree.",
                "properties": {
                    "schema": {"const": 1, "description": "number"},
                    "leaves": {"type": "array", "items": {"$ref": "#/$defs/Leaf"}, "description": "its leaves"},
                    "top": {
                        "anyOf": [{"$ref": "#/$defs/Leaf"}, {"type": "null"}],
                        "description": "the uppermost leaf",
                    },
                },
                "required": ["schema", "leaves"],
            },
        },
    }


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (float | None, {"type": ["number", "null"]}),
        (Mapping[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (tuple[bool, ...], {"type": "array", "items": {"type": "boolean"}}),
        (
            tuple[int, str],
            {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "minItems": 2,
                "maxItems": 2,
            },
        ),
        (Literal["a", "b"], {"enum": ["a", "b"]}),
        (Color, {"type": "string"}),
    ],
)
def test_types_have_schemas(kind: Any, schema: dict[str, Any]) -> None:
    made = schema_of((kind,), "", "")
    assert {
        name: value for name, value in made.items() if name not in {"$schema", "title", "description", "$defs"}
    } == (schema)


def test_several_types_are_alternatives() -> None:
    assert schema_of((Leaf, Tree), "", "")["anyOf"] == [{"$ref": "#/$defs/Leaf"}, {"$ref": "#/$defs/Tree"}]


def test_a_row_of_a_table_has_the_meanings_of_its_columns() -> None:
    kind = Annotated[dict[str, Any], ColumnsOf(Columns, {"options": Mapping[str, str]})]
    assert schema_of((kind,), "", "")["$defs"]["Columns"]["properties"] == {
        "size": {"type": ["number", "null"], "description": "size, m"},
        "options": {"type": "object", "additionalProperties": {"type": "string"}, "description": "options"},
    }


def test_an_object_has_the_declared_keys_only_in_their_order() -> None:
    class Ends(TypedDict):
        high: float
        low: float
        unit: str

    assert object_of(IntervalObject, Interval(2.0, 1.0, 3.0)) == {"value": 2.0, "low": 1.0, "high": 3.0}
    assert list(object_of(Ends, Interval(2.0, 1.0, 3.0), unit="µs").items()) == [
        ("high", 3.0),
        ("low", 1.0),
        ("unit", "µs"),
    ]
