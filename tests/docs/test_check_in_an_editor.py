"""The page on editors: its task runs as written, and its problem matcher reads what the task prints."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Command

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "check-in-an-editor.md").read_text(encoding="utf-8")
TASKS, MATCHER = re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
(VIMSCRIPT,) = re.findall(r"^```vim\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
RACY = """\
__global__ void shift(const int *in, int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[(threadIdx.x + 1) % 64];
}
"""


@pytest.fixture
def printed(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what the task of the page prints for a kernel with a race."""
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    Path("racy.cu").write_text(RACY, encoding="utf-8")
    (task,) = json.loads(TASKS)["tasks"]
    assert task["command"] == "shflbench"
    outcome = shflbench(*(word.replace("${file}", "racy.cu") for word in task["args"]))
    assert outcome.code == 1
    return outcome.out


@pytest.mark.archs
def test_problem_matcher_of_the_page_reads_each_line(printed: str) -> None:
    pattern = json.loads(f"{{{MATCHER}}}")["problemMatcher"]["pattern"]
    (match,) = [re.fullmatch(pattern["regexp"], line) for line in printed.splitlines()]
    assert match is not None
    names = ("file", "line", "column", "severity", "code")
    assert [match[pattern[name]] for name in names] == ["racy.cu", "4", "1", "error", "raw"]
    assert match[pattern["message"]].startswith("shift: RAW, WAR and uninitialized read: ")


@pytest.mark.archs
@pytest.mark.skipif(shutil.which("vim") is None, reason="vim is not installed")
def test_vim_reads_each_line_with_its_default_format(printed: str) -> None:
    assert "shflbench check %:S --format gcc" in VIMSCRIPT
    Path("errors.txt").write_text(printed, encoding="utf-8")
    commands = ("cgetfile errors.txt", "redir! > list.txt", "silent clist", "redir END", "qa!")
    words = [word for command in commands for word in ("-c", command)]
    subprocess.run(["vim", "-u", "NONE", "-es", *words], check=False, timeout=60, stdin=subprocess.DEVNULL)
    assert " 1 racy.cu:4 col 1: error: shift: " in Path("list.txt").read_text(encoding="utf-8")
