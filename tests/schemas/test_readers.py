from copy import deepcopy
from typing import Annotated, NotRequired, TypedDict

from shflbench.core.json_schema import JsonSchema, schema_of
from tests.schemas.readers import unreadable


class Part(TypedDict):
    """A part."""

    name: Annotated[str, "name"]


class Whole(TypedDict):
    """A whole."""

    parts: Annotated[list[Part], "parts"]
    size: Annotated[float | None, "size"]
    pair: Annotated[tuple[int, int], "two numbers"]
    by_name: Annotated[dict[str, float], "sizes by name"]
    last: NotRequired[Annotated[Part | None, "the last part"]]


OLD = schema_of((Whole,), "whole", "A whole.")


def changed(name: str, **values: object) -> JsonSchema:
    """Return the schema with another key of the object."""
    new = deepcopy(OLD)
    new["$defs"]["Whole"]["properties"][name] |= values
    return new


def test_the_same_schema_is_readable() -> None:
    assert unreadable(OLD, deepcopy(OLD)) == []


def test_an_added_key_is_readable() -> None:
    new = deepcopy(OLD)
    new["$defs"]["Part"]["properties"]["color"] = {"type": "string"}
    new["$defs"]["Part"]["required"].append("color")
    assert unreadable(OLD, new) == []


def test_a_removed_key_is_not() -> None:
    new = deepcopy(OLD)
    del new["$defs"]["Part"]["properties"]["name"]
    assert "$.parts[].name: removed" in unreadable(OLD, new)


def test_a_key_that_may_be_missing_is_not() -> None:
    new = deepcopy(OLD)
    new["$defs"]["Whole"]["required"].remove("size")
    assert unreadable(OLD, new) == ["$.size: may be missing"]


def test_another_type_is_not() -> None:
    assert unreadable(OLD, changed("size", type="string")) == ["$.size: number became string"]
    assert unreadable(OLD, changed("by_name", additionalProperties={"type": "string"})) == [
        "$.by_name[]: number became string"
    ]


def test_a_value_that_may_be_null_now_is_not_and_one_that_no_longer_is_is_readable() -> None:
    null = {"type": ["number", "null"]}
    assert unreadable(OLD, changed("by_name", additionalProperties=null)) == ["$.by_name[]: number became null"]
    assert unreadable(OLD, changed("size", type="number")) == []


def test_an_integer_is_a_number_but_a_number_is_no_integer() -> None:
    assert unreadable(OLD, changed("size", type=["integer", "null"])) == []
    other = changed("pair", prefixItems=[{"type": "integer"}, {"type": "number"}])
    assert unreadable(OLD, other) == ["$.pair[]: integer became number"]


def test_another_number_of_places_is_not_readable() -> None:
    assert unreadable(OLD, changed("pair", prefixItems=[{"type": "integer"}])) == ["$.pair: another number of places"]


def test_a_further_form_is_readable_but_the_old_one_has_to_stay() -> None:
    both = schema_of((Part, Whole), "both", "Either.")
    assert unreadable(OLD, both) == []
    assert "$.parts: removed" in unreadable(OLD, schema_of((Part,), "part", "A part."))
