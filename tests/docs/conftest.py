"""The files of the how-to page on patterns, and the command line of a machine without a GPU."""

import re
from pathlib import Path

import pytest

from tests.checker.in_process import start_no_processes
from tests.conftest import Command
from tests.fakes.backend import unplug

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-pattern.md"
FILES = {"cuda": "swap_halves/kernels.cu", "python": "swap_halves/pattern.py", "yaml": "halves.yaml"}
BLOCKS = dict(re.findall(rf"```({'|'.join(FILES)})\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))


@pytest.fixture
def reader(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Return the command line of a machine of one core without a GPU, which compiles in this process."""
    unplug(monkeypatch)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    start_no_processes(monkeypatch)
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    return shflbench


@pytest.fixture
def swap_halves(reader: Command) -> Path:
    """Write the page's files into the current folder, and return the folder of the pattern."""
    assert reader is not None
    folder = Path("swap_halves").resolve()
    folder.mkdir()
    for language, name in FILES.items():
        Path(name).write_text(BLOCKS[language], encoding="utf-8")
    return folder
