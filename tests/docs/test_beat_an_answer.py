"""The page on `shflbench challenge`: its file is a challenger, and the command prints what the page shows."""

import re
from pathlib import Path

import pytest

from shflbench.cli.challenge.output import WORDS
from shflbench.user_kernels.challenge.verdict import ChallengeVerdict
from tests.conftest import Command
from tests.docs.walk import walk

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "beat-an-answer.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.archs
def test_its_command_prints_what_it_shows(reader: Command) -> None:
    (execution,) = walk(PAGE, reader)
    assert execution.outcome
    assert (execution.outcome.code, execution.missing) == (0, [])


@pytest.mark.archs
def test_the_template_of_its_first_command_runs(reader: Command) -> None:
    template, challenge = re.findall(r"^shflbench (.*)$", TEXT.partition("## Write")[0], re.MULTILINE)
    words, _, file = template.partition(" > ")
    Path(file).write_text(reader(*words.split()).out, encoding="utf-8")
    outcome = reader(*challenge.split(), "--launch", "2x32", "--device", "emulator")
    assert outcome.code == 0, outcome.err


def test_it_explains_each_verdict() -> None:
    assert {f"`{WORDS[verdict]}`" for verdict in ChallengeVerdict} <= set(re.findall(r"`[a-z ]+`", TEXT))
