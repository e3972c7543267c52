"""`shflbench bench` in a folder with a file of kernels, on a machine without a GPU."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Command, Outcome
from tests.fakes.backend import unplug

BenchCommand = Callable[..., Outcome]


@pytest.fixture
def bench(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch, one_core: None) -> BenchCommand:
    """Write a text to sums.cu and call `shflbench bench sums.cu` with more words."""
    del one_core  # only for the machine
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    unplug(monkeypatch)

    def call(text: str, *words: str) -> Outcome:
        Path("sums.cu").write_text(text, encoding="utf-8")
        return shflbench("bench", "sums.cu", "--output", "run", *words)

    return call
