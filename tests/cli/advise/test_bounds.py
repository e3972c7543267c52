"""Kernels that were written so that a proof on a barrier would be false: `bounds/*.cu`."""

import json
from pathlib import Path

import pytest

from tests.conftest import Command

pytestmark = pytest.mark.expensive

FOLDER = Path(__file__).parent / "bounds"
FILES = sorted(path.stem for path in FOLDER.glob("*.cu"))


@pytest.fixture(autouse=True)
def _cache(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch, shflbench: Command) -> None:
    del shflbench  # for its folder, which has no results
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))


@pytest.mark.archs
@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", FILES)
def test_what_does_not_hold_for_all_values_is_not_proved(shflbench: Command, name: str) -> None:
    outcome = shflbench("advise", FOLDER / f"{name}.cu", "--format", "json")
    (kernel,) = json.loads(outcome.out)["kernels"]
    assert kernel["barriers"] or kernel["missing_barriers"]
    assert not any(item["proved"] for item in (*kernel["barriers"], *kernel["exchanges"]) if item.get("instead") != "")
    assert {item["enough"] for item in kernel["missing_barriers"]} <= {"__syncthreads()"}
