"""The tutorial, followed as a reader without a GPU does."""

from pathlib import Path

import pytest

from tests.conftest import Command
from tests.docs.walk import steps, walk

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "compare-your-own-kernels.md"
# On their second and first use, with a barrier missing.
FAILING = ["shflbench bench block_sum.cu", "shflbench check ./my_exchange --variant smem-syncwarp --dtype f32"]


@pytest.mark.expensive
@pytest.mark.archs
def test_its_commands_print_what_it_shows(reader: Command) -> None:
    executions = walk(PAGE, reader)
    assert [(command.line, command.missing) for command in executions if command.missing] == []
    failed = [command.line for command in executions if command.outcome and command.outcome.code]
    assert failed == FAILING


def test_every_command_has_expected_output() -> None:
    blocks = [step.text for step in steps(PAGE) if step.kind == "console"]
    assert len(blocks) >= 5
    assert all(len(block.splitlines()) > block.count("$ ") for block in blocks)
