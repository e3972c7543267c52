"""The how-to page on `shflbench.check`: its code runs, and what it says of results is true."""

import re
import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shflbench.checker.python.results import CheckFinding, CheckResult
from shflbench.pytest_plugin import assert_race_free

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "how-to" / "check-a-kernel-from-python.md").read_text(encoding="utf-8")

IMPORTS = "import numpy as np\nimport shflbench\n"


def blocks(heading: str) -> list[str]:
    """Return the code of one section."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    found = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    assert found
    return found


def run(code: str, names: dict[str, Any]) -> dict[str, Any]:
    exec(code, names)  # noqa: S102  (the page's own code is what is tested)
    return names


def test_race_of_the_page_is_found_and_the_fixed_kernel_is_clean(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for code in blocks("A CUDA kernel"):
        run(code, names)
    assert names["result"].verdict == "broken"
    assert re.search(r"kernel\.cu:7 \(thread .*\) reads what kernel\.cu:5 \(thread", capsys.readouterr().out)
    assert names["fixed"].clean


def test_test_of_the_page_fails_with_the_race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = run(blocks("A CUDA kernel")[0], {})["SOURCE"]
    test = run(blocks("A test of pytest")[0], {"np": np})["test_reverse"]
    Path("reverse.cu").write_text(source, encoding="utf-8")
    with pytest.raises(pytest.fail.Exception, match=r"reverse\.cu:7 .* reads what reverse\.cu:5 "):
        test(assert_race_free)


def test_triton_kernel_of_the_page_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("triton", reason="Triton is not installed")
    names = imported(IMPORTS + blocks("A kernel of Triton")[0], tmp_path, monkeypatch)
    assert names["result"].verdict == "broken"
    assert {finding.kind for finding in names["result"].findings} >= {"RAW", "WAW"}


def test_numba_kernel_of_the_page_is_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba.cuda", reason="Numba is not installed")
    names = imported(IMPORTS + blocks("A kernel of Numba")[0], tmp_path, monkeypatch)
    np.testing.assert_array_equal(names["result"].outputs[1], [128, 128, 128])


def imported(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the names of a program in a file, which Triton reads."""
    (folder / "program_of_the_page.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("TRITON_CACHE_DIR", str(folder / "cache"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")  # Triton 3.9 warns where it is unset
    monkeypatch.delitem(sys.modules, "program_of_the_page", raising=False)
    return vars(import_module("program_of_the_page"))


@pytest.mark.parametrize("kind", [CheckResult, CheckFinding])
def test_every_member_of_a_result_is_explained(kind: type[CheckResult | CheckFinding]) -> None:
    assert [item.name for item in fields(kind) if f"`{item.name}`" not in PAGE and item.name != "kernel"] == []
