"""Each command with JSON has a schema, which says everything of each key, and old readers keep reading."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import click
import pytest
from jsonschema import Draft202012Validator

from shflbench.advice.files.kernel_pairs import ExpectedOrder
from shflbench.analysis.answers.answer import Role
from shflbench.analysis.answers.predicted import Basis
from shflbench.analysis.claims.verdict import ClaimStatus, SettingStatus
from shflbench.analysis.compare.cause import CauseKind
from shflbench.analysis.compare.comparison import LimitState, Metric, Outcome
from shflbench.analysis.compare.spread_kind import SpreadKind
from shflbench.analysis.fleet.report import OutlierKind
from shflbench.analysis.ranking import Certainty
from shflbench.checker.exchanges.barrier_advice import BarrierNeed
from shflbench.checker.verdict import KernelVerdict, Level
from shflbench.cli.main import shflbench as root
from shflbench.cli.registry import COMMANDS
from shflbench.core.claims.claim import Quantifier
from shflbench.core.model import Status
from shflbench.kernel_facts.launch_results import ResultRelation
from shflbench.schemas import about, commands, json_schema
from shflbench.user_kernels.challenge.verdict import ChallengeVerdict
from tests.schemas.readers import unreadable
from tests.schemas.stored import current, path_of

UNITS = {"_us": "µs", "_mhz": "MHz", "_bytes": "bytes", "_gib": "GiB", "_seconds": ", s", "seconds": ", s", "_w": ", W"}
UNITS |= {
    "temperature_c": "°C",
    "gb_per_s": "GB/s",
    "ns_per_iteration": "ns",
    "_cycles": "cycles",
    "fraction": "divided",
}


CLOSED_LISTS = [
    (KernelVerdict, "check", "CheckedKernelObject", "verdict"),
    (Level, "check", "FindingObject", "level"),
    (Outcome, "compare", "VerdictObject", "outcome"),
    (LimitState, "compare", "LimitObject", "state"),
    (CauseKind, "compare", "CauseObject", "kind"),
    (Metric, "compare", "ComparisonDocument", "metric"),
    (Status, "bench", "BenchKernel", "status"),
    (Certainty, "bench", "BenchGroup", "certainty"),
    (Certainty, "advise", "MeasuredAnswer", "certainty"),
    (Role, "advise", "RankedVariantObject", "role"),
    (Basis, "advise", "PredictedAnswerObject", "basis"),
    (BarrierNeed, "advise", "BarrierObject", "need"),
    (ExpectedOrder, "advise", "KernelPairObject", "faster"),
    (ResultRelation, "advise", "KernelPairObject", "results"),
    (ClaimStatus, "claims", "JudgedClaim", "verdict"),
    (SettingStatus, "claims", "SettingObject", "outcome"),
    (Quantifier, "claims", "JudgedClaim", "quantifier"),
    (ChallengeVerdict, "challenge", "RivalObject", "verdict"),
    (OutlierKind, "fleet", "OutlierObject", "kind"),
    (SpreadKind, "noise", "NoisyCaseObject", "manner"),
]


def keys_of(command: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield each key with its object."""
    for title, part in json_schema(command)["$defs"].items():
        for key, value in part["properties"].items():
            yield title, key, value


def options_of(command: click.Command) -> Iterator[click.Option]:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            yield parameter
    for part in getattr(command, "commands", {}).values():
        yield from options_of(part)


def test_every_command_that_prints_json_has_a_schema() -> None:
    context = click.Context(root)
    printing = {
        name
        for name in COMMANDS
        if (command := root.get_command(context, name))
        for option in options_of(command)
        if option.name == "form" and isinstance(option.type, click.Choice) and "json" in option.type.choices
    }
    assert printing == set(commands())


@pytest.mark.parametrize("command", commands())
def test_the_schema_is_one_of_draft_2020_12(command: str) -> None:
    schema = json_schema(command)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert json.loads(json.dumps(schema)) == schema


@pytest.mark.parametrize("command", commands())
def test_every_object_and_every_key_has_a_meaning(command: str) -> None:
    assert about(command)[1]
    assert all(part["description"] for part in json_schema(command)["$defs"].values())
    assert [(title, key) for title, key, value in keys_of(command) if not value.get("description")] == []


@pytest.mark.parametrize("command", commands())
def test_the_meaning_of_a_number_with_a_unit_in_its_name_says_the_unit(command: str) -> None:
    def is_number(value: dict[str, Any]) -> bool:
        return bool(
            {"number", "integer"}
            & set(value.get("type", ()) if isinstance(value.get("type"), list) else [value.get("type")])
        )

    silent = [
        (title, key, value["description"])
        for title, key, value in keys_of(command)
        for ending, unit in UNITS.items()
        if key.endswith(ending) and is_number(value) and unit not in value["description"]
    ]
    assert silent == []


@pytest.mark.parametrize(("words", "command", "title", "key"), CLOSED_LISTS)
def test_the_meaning_of_a_word_from_a_closed_list_names_all(
    words: Iterable[str], command: str, title: str, key: str
) -> None:
    meaning = json_schema(command)["$defs"][title]["properties"][key]["description"]
    assert [word for word in words if word not in meaning] == []


@pytest.mark.parametrize("command", commands())
def test_each_form_has_the_number_of_the_schema(command: str) -> None:
    schema = json_schema(command)
    numbered = [part for part in schema["$defs"].values() if "schema" in part["properties"]]
    assert {part["properties"]["schema"]["const"] for part in numbered} == {about(command)[0]}
    assert all("schema" in part["required"] for part in numbered)
    forms = [
        re.findall(r'"#/\$defs/(\w+)"', json.dumps(form))[0] for form in schema.get("anyOf", [schema_head(schema)])
    ]
    assert all("schema" in schema["$defs"][form]["properties"] for form in forms)


def schema_head(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != "$defs"}


@pytest.mark.parametrize("command", commands())
def test_old_readers_keep_reading(command: str) -> None:
    """Programs were written for the stored schema: a change that they cannot read needs the next number."""
    stored = json.loads(path_of(command).read_text())
    assert unreadable(stored, json_schema(command)) == [], "give SCHEMA the next number, or keep what was"


@pytest.mark.parametrize("command", commands())
def test_what_is_added_is_stored_so_that_it_stays(command: str) -> None:
    stored = json.loads(path_of(command).read_text())
    assert stored == current(command), "run `python -m tests.schemas.stored`"
