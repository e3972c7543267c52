"""`shflbench inspect` as tests call it."""

import shutil
from pathlib import Path

import pytest

from tests.checker.in_process import start_no_processes
from tests.conftest import Command
from tests.kernel_facts.pattern_checks.conftest import PLANTED, compiled_pairs

OWN = """\
schema: 1
name: own
experiments:
  - {pattern: neighbor, variants: [smem, shfl], dtypes: [f32], launch: 2x64}
"""
OTHERS = """\
schema: 1
name: others
experiments:
  - {pattern: private-array, variants: [local], dtypes: [f32], launch: 2x64}
  - {pattern: struct-access, variants: [direct, soa], dtypes: [f32], launch: 2x64}
  - {pattern: transpose, variants: [smem], dtypes: [f32], launch: 2x64}
"""
WIDE = """\
schema: 1
name: wide
experiments:
  - {pattern: transpose, variants: [smem], dtypes: [f32], launch: 2x64, words: 32}
"""
ROLLED = Path(__file__).parent / "planted" / "rolled"


@pytest.fixture
def inspect(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call `shflbench inspect` in a folder with suites and two planted patterns."""
    compiled_pairs()
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    start_no_processes(monkeypatch)
    for name, text in (("own", OWN), ("others", OTHERS), ("wide", WIDE)):
        Path(f"{name}.yaml").write_text(text, encoding="utf-8")
    for folder in (PLANTED, ROLLED):
        shutil.copytree(folder, folder.name, ignore=shutil.ignore_patterns("__pycache__"))
    return lambda *words: shflbench("inspect", *words)
