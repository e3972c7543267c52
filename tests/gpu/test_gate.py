"""The gate on a real GPU: unchanged code passes, and a kernel that shuffles twice where once did is found."""

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import Command, Outcome

pytestmark = pytest.mark.gpu

TEMPLATE = Path(__file__).parents[2] / "shflbench" / "patterns" / "template" / "my_exchange"
SUITE = """\
schema: 1
name: gate
defaults: {launch: 264x1024, dtypes: f32, iterations: [1600, 6400]}
experiments: [{pattern: ./my_exchange}]
"""
SHFL = [f"my-exchange/shfl/f32/264x1024/{iterations}" for iterations in (1600, 6400)]


@pytest.fixture
def against(run: Command, shflbench: Command, tmp_path: Path) -> Command:
    """Measure a baseline of the template's kernels, and return what measures and compares with it."""
    shutil.copytree(TEMPLATE, tmp_path / "my_exchange")
    (tmp_path / "gate.yaml").write_text(SUITE)
    base = run("gate.yaml", "--processes", "3", "--output", "base")
    assert base.code == 0, base.err
    saved = shflbench("baseline", "save", "main", "base")
    assert saved.code == 0, saved.err

    def measured(*words: str | Path) -> Outcome:
        return shflbench("gate", "gate.yaml", "--against", "main", "--output", "new", "--also", "json=new.json", *words)

    return measured


def test_unchanged_kernels_pass(against: Command) -> None:
    outcome = against()
    assert outcome.code == 0, outcome.err
    verdicts = json.loads(Path("new.json").read_text())["verdicts"]
    assert {each["outcome"] for each in verdicts} == {"same"}


def test_kernel_that_shuffles_twice_is_slower_and_the_report_says_why(against: Command, tmp_path: Path) -> None:
    for name, before, after in (
        ("kernels.cu", "shfl(x, left)", "shfl(shfl(x, lane()), left)"),
        ("pattern.py", "PerWord(1)", "PerWord(2)"),
    ):
        file = tmp_path / "my_exchange" / name
        assert before in file.read_text()
        file.write_text(file.read_text().replace(before, after))
    outcome = against()
    assert outcome.code == 1, outcome.err
    verdicts = {each["case_id"]: each for each in json.loads(Path("new.json").read_text())["verdicts"]}
    assert [name for name, each in verdicts.items() if each["outcome"] == "slower"] == SHFL
    for name in SHFL:
        assert verdicts[name]["ratio"]["value"] > 1.2
        assert "SHFL per iteration 1 → 2" in verdicts[name]["why"]
