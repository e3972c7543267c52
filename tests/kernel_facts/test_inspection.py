"""`shflbench.inspect` returns what the command prints."""

import json
from pathlib import Path

import pytest

import shflbench as package
from shflbench.core.model import AccessSpace
from shflbench.errors import PatternError, UsageError
from tests.cli.inspect.conftest import inspect as inspect  # noqa: PLC0414  (a fixture)
from tests.conftest import Command

QUICK = Path(__file__).parents[2] / "results" / "quick" / "nvidia-h200"


@pytest.mark.archs
def test_records_are_those_of_the_command(inspect: Command) -> None:
    result = package.inspect("own.yaml", variants=["shfl"], arch=("sm_75", "sm_90"), resident=(2, 256), code=True)
    words = ("own.yaml", "--variant", "shfl", "--arch", "sm_75,sm_90", "--resident", "2x256", "--sass")
    printed = json.loads(inspect(*words, "--format", "json").out)["kernels"]
    assert json.loads(json.dumps(result.records)) == printed
    assert [one.arch for one in result.kernels] == ["sm_75", "sm_90"]
    assert printed[0]["loop"]["instructions"]


@pytest.mark.usefixtures("inspect")
def test_the_table_has_a_row_per_kernel() -> None:
    table = package.inspect("own.yaml").table
    assert list(table.variant) == ["smem", "shfl"]
    assert (table.limit_cycles_per_iteration > 0).all()
    assert "loop" not in table


@pytest.mark.usefixtures("inspect")
def test_accesses_are_counted_on_request() -> None:
    (plain,) = package.inspect("others.yaml", variants=["smem"]).kernels
    (counted,) = package.inspect("others.yaml", variants=["smem"], accesses=True).kernels
    assert plain.accesses is None
    assert counted.accesses is not None
    assert {one.access.space for one in counted.accesses} <= set(AccessSpace)


def test_a_run_is_inspected_as_it_was_compiled() -> None:
    result = package.inspect(QUICK, patterns=["neighbor"])
    assert {one.arch for one in result.kernels} == {"sm_90"}
    with pytest.raises(UsageError, match="--arch needs the files of a pattern"):
        package.inspect(QUICK, arch="sm_90")


@pytest.mark.usefixtures("inspect")
def test_what_is_not_known_is_an_error_of_shflbench() -> None:
    with pytest.raises(PatternError, match="unknown target `nothing`"):
        package.inspect("nothing")
    with pytest.raises(UsageError, match="no figures are known for `sm_99`"):
        package.inspect("own.yaml", arch="sm_99")


def test_a_program_and_a_notebook_get_what_the_command_prints(inspect: Command) -> None:
    result = package.inspect("own.yaml", variants=["shfl"])
    printed = json.loads(inspect("own.yaml", "--variant", "shfl", "--format", "json").out)
    assert json.loads(json.dumps(result.to_dict())) == printed
    assert repr(result) == "<InspectResult: 1 kernel of 1 pattern for sm_90>"
    html = result._repr_html_()
    assert "<th>limit_cycles_per_iteration</th>" in html
    assert "<td>shfl</td>" in html
    assert "<th>time_us</th>" not in html
