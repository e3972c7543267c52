"""`shflbench check --format markdown`: the summary of a job on GitHub."""

from pathlib import Path

import pytest

from tests.checker.in_process import start_no_processes
from tests.conftest import Command


def test_findings_are_rows_and_clean_kernels_folded(check: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    start_no_processes(monkeypatch)
    lines = check("kernels/racy.cu", "kernels/rejected.cu", "--format", "markdown").out.splitlines()
    assert lines[0] == "### shflbench check: 1 broken, 1 not compiled, 1 needs arguments, 1 clean of 4 kernels"
    rows = [line.split(" | ")[:3] for line in lines if line.startswith("| ")]
    assert rows[2:] == [
        ["| **broken**", "`shift`", "`kernels/racy.cu:4`"],
        ["| **not compiled**", "`rejected.cu`", "`kernels/rejected.cu:2`"],
        ["| needs arguments", "`count`", "`kernels/racy.cu:6`"],
    ]
    assert "<details><summary>1 kernel without findings</summary>" in lines
    assert any(line.startswith("- `kernels/racy.cu: sound`: no hazard in ") for line in lines)


def test_text_of_a_compiler_is_no_markup(check: Command) -> None:
    Path("hostile.cu").write_text("#error <b>|`x`|[a](b)\n__global__ void f() {}\n", encoding="utf-8")
    out = check("hostile.cu", "--format", "markdown").out
    assert "&lt;b>\\|\\`x\\`\\|\\[a\\](b)" in out
