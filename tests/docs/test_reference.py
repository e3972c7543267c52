"""What the reference must name: every command, every variable, every exit code."""

import inspect
import re

import click

from shflbench import errors
from shflbench.analysis.compare import FOUND, UNCERTAIN
from shflbench.cli import environment
from shflbench.cli.commands.baseline import command as baseline
from shflbench.cli.main import READER_GONE
from tools.docs.generate import commands, exit_codes


def test_every_command_of_a_group_has_its_help_on_the_page() -> None:
    assert isinstance(baseline, click.Group)
    titles = re.findall("^### (.*)$", commands(), re.MULTILINE)
    assert titles == [f"baseline {name}" for name in baseline.commands]


def test_every_variable_that_is_read_is_on_the_page() -> None:
    read = set(re.findall(r'environ\.get\("(\w+)"', inspect.getsource(environment)))
    assert "GITHUB_STEP_SUMMARY" in read
    assert {name for name in read if f"`{name}`" not in commands()} == set()


def test_every_exit_code_is_on_the_page() -> None:
    raised = {each.exit_code for each in vars(errors).values() if isinstance(each, type) and hasattr(each, "exit_code")}
    own = {0, FOUND, UNCERTAIN, READER_GONE, errors.INTERRUPTED, errors.TERMINATED}
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", exit_codes(), re.MULTILINE)}
    assert listed == raised | own
