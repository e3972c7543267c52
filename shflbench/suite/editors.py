"""The JSON Schema of suite files, by which editors complete and check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic.json_schema import GenerateJsonSchema

from shflbench.suite.schema import SuiteFile

if TYPE_CHECKING:
    from pydantic_core import CoreSchema


class _Plain(GenerateJsonSchema):
    """A JSON Schema without a title for each field, which would only repeat its name."""

    def field_title_should_be_set(self, schema: CoreSchema) -> bool:
        """Leave the titles out."""
        del schema
        return False


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of suite files, by which editors complete and check."""
    schema = SuiteFile.model_json_schema(schema_generator=_Plain)
    return {"$schema": _Plain.schema_dialect, **schema}
