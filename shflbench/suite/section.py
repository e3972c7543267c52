"""What the mappings of a suite file have in common."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from shflbench.suite.values import as_list


class Section(BaseModel):
    """A mapping of the file; it allows no other keys than its fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def keys(cls) -> list[str]:
        """Return the keys as they stand in the file."""
        return [field.alias or name for name, field in cls.model_fields.items()]


def axis(item: Any) -> BeforeValidator:  # noqa: ANN401  (a type, which has no type of its own)
    """Take one value or a list of values, and tell editors so."""
    values = Annotated[list[item], Field(min_length=1, json_schema_extra={"uniqueItems": True})]
    return BeforeValidator(as_list, json_schema_input_type=item | values)
