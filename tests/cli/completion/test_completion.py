import os
import subprocess
import sys

import pytest

from shflbench.cli.completion import SHELLS, VARIABLE
from tests.conftest import Command


def completed(*words: str) -> list[str]:
    """Return what bash is offered for the last of these words."""
    environment = {VARIABLE: "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    ran = subprocess.run(
        [sys.executable, "-m", "shflbench"], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    assert ran.stderr == ""
    return ran.stdout.split()


@pytest.mark.parametrize("shell", SHELLS)
def test_script_of_each_shell_calls_shflbench_back(shflbench: Command, shell: str) -> None:
    outcome = shflbench("completion", shell)
    assert (outcome.code, outcome.err) == (0, "")
    assert f"{VARIABLE}={shell}_complete" in outcome.out


def test_script_is_one_that_bash_can_read(shflbench: Command) -> None:
    script = shflbench("completion", "bash").out
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_unknown_shell_is_wrong_usage_and_names_the_known_ones(shflbench: Command) -> None:
    outcome = shflbench("completion", "tcsh")
    assert (outcome.code, outcome.out) == (2, "")
    assert "'bash', 'zsh', 'fish'" in outcome.err


def test_commands_and_options_are_completed() -> None:
    assert completed("shflbench", "comp") == ["plain,compare", "plain,completion"]
    assert completed("shflbench", "gate", "--ag") == ["plain,--against"]
