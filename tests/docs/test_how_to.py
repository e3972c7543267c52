"""The how-to pages, walked through as a reader would."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.cli.main import main

if TYPE_CHECKING:
    import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-pattern.md"
FILES = {"cuda": "swap_halves/kernels.cu", "python": "swap_halves/pattern.py", "yaml": "halves.yaml"}


def test_the_pattern_of_the_page_keeps_its_promises_and_is_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "swap_halves").mkdir()
    blocks = dict(re.findall(r"```(cuda|python|yaml)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL))
    for language, name in FILES.items():
        (tmp_path / name).write_text(blocks[language], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["validate", "halves.yaml"]) == 0
    assert main(["run", "halves.yaml", "--device", "emulator", "--output", "run"]) == 0
    with (tmp_path / "run" / "results.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["status"] for row in rows} == {"verified"}
    assert {(row["variant"], row["dtype"]): row["sass_per_iteration"] for row in rows} == {
        ("smem", "i32"): "STS=1;LDS=1;BAR=2",
        ("smem", "i64"): "STS=1;LDS=1;BAR=2",
        ("shfl", "i32"): "SHFL=1",
        ("shfl", "i64"): "SHFL=2",
    }


def test_the_reference_of_the_page_swaps_halves() -> None:
    import numpy as np

    block = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    names: dict[str, object] = {}
    exec(block[1], names)  # noqa: S102  (the page's own code is what is tested)
    reference = names["reference"]
    assert callable(reference)
    values = np.arange(32, dtype=np.int32).reshape(1, 32)
    swapped = [*range(16, 32), *range(16)]
    assert reference(values, 1).tolist() == [[value + 1 for value in swapped]]
    assert reference(values, 2).tolist() == [[value + 2 for value in range(32)]]
