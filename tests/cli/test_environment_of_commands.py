"""Commands as processes under odd conditions: empty words, closed streams, Python without docstrings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.conftest import PYTHONPATH, shflbench_commands

ROOT = Path(__file__).parents[2]
RUN = ROOT / "results" / "quick" / "nvidia-h200"
EMPTY = "it is empty; is a variable of a script not set?"
COMMANDS: list[tuple[str, ...]] = [
    *((command, "") for command in ("run", "check", "inspect", "validate", "advise", "new", "plot", "show")),
    *((command, "") for command in ("report", "claims", "limits", "convert", "fleet")),
    ("gate", "", "--against", "main"),
    ("list", "patterns", ""),
    ("compare", "", str(RUN)),
    ("noise", "learn", ""),
    ("baseline", "save", "main", ""),
    ("baseline", "show", ""),
    ("validate", "quick", ""),
    ("run", "quick", "--output", ""),
    ("run", "quick", "--resume="),
    ("run", "--scheduler-file", ""),
    ("check", "neighbor", "--variant", ""),
]


def test_an_empty_word_is_a_usage_error_in_every_command(tmp_path: Path) -> None:
    outcomes = shflbench_commands(tmp_path, *COMMANDS)
    for words, outcome in zip(COMMANDS, outcomes, strict=True):
        assert (outcome.code, outcome.out) == (2, ""), words
        assert EMPTY in outcome.err, words
    assert list(tmp_path.iterdir()) == []


def test_other_values_that_stand_for_nothing_are_named(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("__global__ void k(float* x) { x[threadIdx.x] = 1; }\n", encoding="utf-8")
    (tmp_path / "baselines").write_text("", encoding="utf-8")
    commands = [
        ("check", "k.cu", "--launch", "4294967296x1"),
        ("check", "k.cu", "--launch", "1x65536:32"),
        ("baseline", "list"),
        ("compare", str(RUN), str(RUN)),
    ]
    too_wide, too_high, listed, compared = shflbench_commands(tmp_path, *commands)
    assert too_wide.err.startswith("error: --launch `4294967296x1`: a grid has at most 2147483647 blocks along x\n")
    assert too_high.err.startswith("error: --launch `1x65536:32`: a grid has at most 65535 blocks along y\n")
    assert (listed.code, listed.out) == (3, "")
    assert listed.err == (
        "error: baselines is a file, not a folder of baselines\nName a folder by --baselines or SHFLBENCH_BASELINES\n"
    )
    assert "not a folder of baselines" not in compared.err  # which needs none


@pytest.mark.parametrize(
    ("redirection", "why"), [(">&-", "standard output is closed"), (">/dev/full", "no space left")]
)
def test_output_that_nothing_takes_is_an_error(redirection: str, why: str) -> None:
    command = f"'{sys.executable}' -m shflbench show '{RUN}' {redirection}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith(f"error: the output cannot be written: {why}")


SAME = """
import json
from shflbench.cli.registry import COMMANDS
from tests.fakes import commands
words = [["--help"], *([name, "--help"] for name in COMMANDS), ["baseline", "save", "--help"], ["schema"]]
print(json.dumps([commands.call(one) for one in words]))
"""


@pytest.mark.archs
def test_help_and_descriptions_do_not_need_docstrings() -> None:
    printed = []
    for optimized in ("", "2"):
        environment = {**os.environ, "PYTHONPATH": PYTHONPATH, "PYTHONOPTIMIZE": optimized}
        command = [sys.executable, "-c", SAME]
        printed.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert printed[0] == printed[1]
    assert "Draw the charts of runs" in printed[1]
