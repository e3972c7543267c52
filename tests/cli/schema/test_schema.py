import json

from shflbench.suite import json_schema
from tests.conftest import Command


def test_schema_is_printed_as_json(shflbench: Command) -> None:
    outcome = shflbench("schema")
    assert (outcome.code, outcome.err) == (0, "")
    assert json.loads(outcome.out) == json_schema()
