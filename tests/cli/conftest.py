"""`shflbench run` in a folder with a suite, with a scripted GPU or without any."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.demo import SUITE
from tests.fakes.backend import FakeBackend, plug_in, unplug

if TYPE_CHECKING:
    from tests.conftest import Command

Plug = Callable[[FakeBackend], FakeBackend]


@pytest.fixture
def run(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call `shflbench run` in a folder with the suite above, on a machine without a GPU."""
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    Path("demo.yaml").write_text(SUITE, encoding="utf-8")
    unplug(monkeypatch)
    return lambda *words: shflbench("run", *words)


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Plug:
    """Give this machine a scripted GPU."""
    return lambda device: plug_in(monkeypatch, device)
