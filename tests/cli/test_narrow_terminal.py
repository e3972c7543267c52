"""Tables on a terminal of 80 columns: no line is longer, and no word or figure is cut."""

import re
from pathlib import Path

import pytest

from tests.cli.terminal import on_terminal

ROOT = Path(__file__).parents[2]
COPIED = ("To settle it", "//", "    ", "__")  # lines to copy, which a terminal wraps
FLEET = ROOT / "tests" / "data" / "fleet" / "4-gpus"
GTC = ROOT / "results" / "gtc2013"


@pytest.mark.archs
@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("words", "row"),
    [
        (["list"], r"      dtypes f32 f64 i32 i64, variants 10, summary Each warp sorts 32 keys"),
        (
            ["fleet", str(FLEET)],
            r"      slower \+0\.0% \(-0\.6 to 0\.6\), worst pattern neighbor",
        ),
        (
            ["advise", "transpose", str(GTC), "--option", "words=8"],
            r"smem-padded +smem +\d+\.\d\d +1\.\d\d× +\d\d% +exchange$",
        ),
        (
            ["inspect", "reduce", "--dtype", "f32", "--variant", "smem"],
            r"      limit \(cycles/iteration\) 640\.0, limited by",
        ),
    ],
    ids=lambda words: words[0] if isinstance(words, list) else "",
)
def test_tables_fit_and_cut_nothing(words: list[str], row: str) -> None:
    shown = on_terminal(*words, columns=80)
    assert any(re.match(row, line) for line in shown), "\n".join(shown)
    assert [line for line in shown if len(line) > 80 and not line.startswith(COPIED)] == []
    wide = [word for line in on_terminal(*words, columns=1000) for word in line.split()]
    cut = {word.rstrip(",") for line in shown for word in line.split()} - {word.rstrip(",") for word in wide}
    assert cut == set()
