"""The how-to pages, followed as a reader does."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

from shflbench.core.dimensions import LaunchDims
from shflbench.core.model import DTYPES
from shflbench.patterns.declare import Setting
from tests.checker.in_process import start_no_processes
from tests.conftest import Command
from tests.docs.conftest import BLOCKS, PAGE
from tests.docs.walk import walk

OWN = Path(__file__).parents[2] / "docs" / "how-to" / "compare-your-own-kernels.md"


@pytest.fixture(autouse=True)
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    start_no_processes(monkeypatch)


@pytest.mark.archs
@pytest.mark.usefixtures("swap_halves")
def test_the_pattern_of_the_page_has_its_expected_instructions_and_is_verified(reader: Command) -> None:
    assert reader("validate", "halves.yaml").code == 0
    assert reader("run", "halves.yaml", "--device", "emulator", "--output", "run").code == 0
    with Path("run/results.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["status"] for row in rows} == {"verified"}
    assert {(row["variant"], row["dtype"]): row["sass_per_iteration"] for row in rows} == {
        ("smem", "i32"): "STS=1;LDS=1;BAR=2",
        ("smem", "i64"): "STS=1;LDS=1;BAR=2",
        ("shfl", "i32"): "SHFL=1",
        ("shfl", "i64"): "SHFL=2",
    }


def test_the_reference_of_the_page_swaps_halves() -> None:
    names: dict[str, object] = {}
    exec(BLOCKS["python"], names)  # noqa: S102  (the page's own code is what is tested)
    reference = names["reference"]
    assert callable(reference)
    values = np.arange(32, dtype=np.int32).reshape(1, 32)
    swapped = [*range(16, 32), *range(16)]
    assert reference(values, 1).tolist() == [[value + 1 for value in swapped]]
    assert reference(values, 2).tolist() == [[value + 2 for value in range(32)]]


def test_the_reference_of_the_page_for_two_dimensions_transposes() -> None:
    names: dict[str, object] = {}
    (text,) = re.findall(r"```py\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(f"import numpy as np\nfrom shflbench.patterns.declare import Input, Output\n{text}", names)  # noqa: S102
    reference, buffers = names["reference"], names["buffers"]
    assert callable(reference)
    assert isinstance(buffers, tuple)
    at = Setting(DTYPES["i32"], {}, 6, 256, LaunchDims((3, 2, 1), (16, 16, 1)))
    assert [buffer.count(at) for buffer in buffers] == [6 * 256] * 2
    matrix = np.arange(6 * 256)
    assert reference(matrix, at).tolist() == matrix.reshape(32, 48).T.tolist()


@pytest.mark.archs
def test_existing_kernels_are_compared_as_the_page_says(reader: Command) -> None:
    executions = walk(OWN, reader)
    assert [command.line.split()[1] for command in executions] == ["run", "check"]
    assert [(command.line, command.missing) for command in executions if command.missing] == []
    assert [command.outcome.code for command in executions if command.outcome] == [0, 0]


def mistakes() -> dict[str, str]:
    """Return the messages of the page, by mistake."""
    table = OWN.read_text(encoding="utf-8").partition("| mistake | message |")[2]
    return dict(re.findall(r"^\| (\w.+?) \| ``(.+?) ?`` \|$", table, re.MULTILINE))


EDITS: dict[str, tuple[str, str, int]] = {  # mistake → old and new text in pattern.py, exit code
    "forgot an argument": ('("n", "data", "sums")', '("n", "data")', 5),
    "mixed up the order": ('("n", "data", "sums")', '("data", "n", "sums")', 5),
    "named an argument that is not declared": ('("n", "data", "sums")', '("size", "data", "sums")', 3),
    "misspelled the kernel": ('kernel="smemScan"', 'kernel="smemSkan"', 5),
    "forgot `one_pass=True`": ("    one_pass=True,\n", "", 5),
    "declared several dtypes for one kernel": ('dtypes=("i32",)', 'dtypes=("i32", "i64")', 3),
    "excluded the reference variant": ("", "", 2),
    "chose a block size that is not in `blocks`": (
        "    one_pass=True,\n",
        "    one_pass=True,\n    blocks=(128, 256),\n",
        3,
    ),
}


def test_every_mistake_of_the_page_is_tested() -> None:
    assert mistakes().keys() == EDITS.keys()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mistake", EDITS)
def test_each_mistake_gives_the_message_of_the_page(reader: Command, mistake: str) -> None:
    walk(OWN, reader, run_commands=False)
    old, new, code = EDITS[mistake]
    pattern = Path("block_scan/pattern.py")
    text = pattern.read_text(encoding="utf-8")
    assert old in text
    pattern.write_text(text.replace(old, new, 1), encoding="utf-8")
    filters = ("--variant", "shfl") if mistake == "excluded the reference variant" else ()
    outcome = reader("run", "block-scan.yaml", *filters)
    assert outcome.code == code
    assert mistakes()[mistake] in outcome.err
