"""The job of the how-to page, run as GitHub would run it."""

import re
import shlex
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from shflbench.backends.emulator.machine.policies import POLICIES
from shflbench.check import KernelVerdict
from tests.conftest import Command

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "how-to" / "check-my-kernel-in-ci.md").read_text(encoding="utf-8")
PATTERN = (DOCS / "how-to" / "add-a-pattern.md").read_text(encoding="utf-8")
PROOF = (DOCS / "explanation" / "what-the-emulator-proves.md").read_text(encoding="utf-8")


def steps() -> list[list[str]]:
    block = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    job = YAML(typ="safe").load(block[1])["jobs"]["check"]
    return [shlex.split(step["run"]) for step in job["steps"] if step.get("run", "").startswith("shflbench")]


@pytest.fixture
def kernels(shflbench: Command) -> Path:
    """Return the kernels of the other page, in the current folder."""
    assert shflbench is not None
    folder = Path("swap_halves")
    folder.mkdir()
    for language, name in (("cuda", "kernels.cu"), ("python", "pattern.py")):
        block = re.search(rf"```{language}\n(.*?)```", PATTERN, re.DOTALL)
        assert block is not None
        (folder / name).write_text(block[1], encoding="utf-8")
    return folder / "kernels.cu"


@pytest.mark.expensive
@pytest.mark.archs
def test_the_job_passes_and_fails_once_a_barrier_is_gone(
    shflbench: Command, kernels: Path, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    assert len(steps()) == 2
    assert [shflbench(*words[1:]).code for words in steps()] == [0, 0]
    text = kernels.read_text(encoding="utf-8")
    kernels.write_text(text.replace("T(1));\n        __syncthreads();", "T(1));"), encoding="utf-8")
    outcome = shflbench("check", "swap_halves", "--variant", "smem", "--dtype", "i32", "--format", "github")
    assert outcome.code == 1
    assert [line.partition(":: ")[0].partition(",title=")[0] for line in outcome.out.splitlines()] == [
        "::error file=swap_halves/kernels.cu,line=9",
        "::error file=swap_halves/kernels.cu,line=11",
        "::error file=swap_halves/kernels.cu,line=4",  # the declaration promises two barriers
    ]


@pytest.mark.parametrize("verdict", KernelVerdict)
def test_every_verdict_is_explained(verdict: KernelVerdict) -> None:
    assert f"`{verdict}`" in PAGE


@pytest.mark.parametrize("schedule", POLICIES)
def test_every_schedule_is_explained(schedule: str) -> None:
    assert f"\n| {schedule} | " in PROOF
