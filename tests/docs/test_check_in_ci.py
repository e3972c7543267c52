"""The job of the how-to page, run as GitHub would run it."""

import re
import shlex
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from shflbench.checker.verdict import KernelVerdict
from shflbench.emulator.machine.policies import POLICIES
from tests.conftest import Command

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "how-to" / "check-my-kernel-in-ci.md").read_text(encoding="utf-8")
SCHEDULES = (DOCS / "explanation" / "which-launches-check-runs.md").read_text(encoding="utf-8")


def steps() -> list[list[str]]:
    block = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    job = YAML(typ="safe").load(block[1])["jobs"]["check"]
    return [shlex.split(step["run"]) for step in job["steps"] if step.get("run", "").startswith("shflbench")]


@pytest.mark.archs
def test_the_job_passes_and_fails_once_a_barrier_is_gone(reader: Command, swap_halves: Path) -> None:
    assert len(steps()) == 2
    assert [reader(*words[1:]).code for words in steps()] == [0, 0]
    kernels = swap_halves / "kernels.cu"
    text = kernels.read_text(encoding="utf-8")
    kernels.write_text(text.replace("T(1));\n        __syncthreads();", "T(1));"), encoding="utf-8")
    outcome = reader("check", "swap_halves", "--variant", "smem", "--dtype", "i32", "--format", "github")
    assert outcome.code == 1
    assert [line.partition(":: ")[0].partition(",title=")[0] for line in outcome.out.splitlines()] == [
        "::error file=swap_halves/kernels.cu,line=11",
        "::error file=swap_halves/kernels.cu,line=4",  # the declaration promises two barriers
    ]


@pytest.mark.parametrize("verdict", KernelVerdict)
def test_every_verdict_is_explained(verdict: KernelVerdict) -> None:
    assert f"`{verdict}`" in PAGE


@pytest.mark.parametrize("schedule", POLICIES)
def test_every_schedule_is_explained(schedule: str) -> None:
    assert f"\n| {schedule} | " in SCHEDULES
