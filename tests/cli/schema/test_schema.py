import json

import pytest

from shflbench import schemas
from shflbench.suite import json_schema
from tests.conftest import Command


def test_the_schema_of_suites_is_printed_as_json(shflbench: Command) -> None:
    outcome = shflbench("schema", "suite")
    assert (outcome.code, outcome.err) == (0, "")
    assert json.loads(outcome.out) == json_schema()


@pytest.mark.parametrize("command", schemas.commands())
def test_the_schema_of_a_command_is_printed_as_json(shflbench: Command, command: str) -> None:
    outcome = shflbench("schema", command)
    assert (outcome.code, outcome.err) == (0, "")
    assert json.loads(outcome.out) == schemas.json_schema(command)


def test_without_a_command_all_are_listed_with_their_numbers(shflbench: Command) -> None:
    outcome = shflbench("schema")
    assert (outcome.code, outcome.err) == (0, "")
    title, *lines = outcome.out.splitlines()
    assert title.split() == ["command", "schema", "what", "it", "describes"]
    listed = [tuple(line.split()[:2]) for line in lines]
    assert listed == [*((name, str(schemas.about(name)[0])) for name in schemas.commands()), ("suite", "1")]


def test_an_unknown_command_suggests_the_nearest_one(shflbench: Command) -> None:
    outcome = shflbench("schema", "bnch")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(
        "error: there is no schema of `bnch`; did you mean `bench`?\nThere are: advise, bench, "
    )
