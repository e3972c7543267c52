"""The tutorial, walked through as a reader without a GPU would."""

from pathlib import Path

import pytest

from tests.conftest import Command
from tests.docs.walk import steps, walk

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "compare-your-own-kernels.md"
FAILING = "shflbench check ./my_exchange --variant smem-syncwarp --dtype f32"  # the first time, with one barrier


@pytest.mark.expensive
@pytest.mark.archs
def test_its_commands_do_and_print_what_it_promises(reader: Command) -> None:
    typed = walk(PAGE, reader)
    assert [(command.line, command.missing) for command in typed if command.missing] == []
    failed = [command.line for command in typed if command.outcome and command.outcome.code]
    assert failed == [FAILING]


def test_every_command_promises_something() -> None:
    blocks = [step.text for step in steps(PAGE) if step.kind == "console"]
    assert len(blocks) >= 5
    assert all(len(block.splitlines()) > block.count("$ ") for block in blocks)
