from pathlib import Path

from shflbench.suite import find_shipped, load
from tests.conftest import Command

GOOD = """\
schema: 1
name: mine
experiments:
  - {pattern: neighbor, variants: shfl, dtypes: f32, launch: 26x1024}
"""


def test_valid_suite_is_printed_with_its_number_of_cases(shflbench: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(GOOD, encoding="utf-8")
    outcome = shflbench("validate", "mine.yaml", "gtc2013")
    assert (outcome.code, outcome.err) == (0, "")
    path = find_shipped()["gtc2013"]
    assert outcome.out == f"mine.yaml: 1 case\n{path}: {len(load(path).cases)} cases\n"


def test_invalid_suite_is_reported_with_its_place_and_the_next_one_is_checked(
    shflbench: Command, tmp_path: Path
) -> None:
    (tmp_path / "wrong.yaml").write_text(GOOD.replace("shfl", "shlf"), encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(GOOD, encoding="utf-8")
    outcome = shflbench("validate", "wrong.yaml", "mine.yaml")
    assert (outcome.code, outcome.out) == (3, "mine.yaml: 1 case\n")
    assert outcome.err.startswith("error: wrong.yaml:4:")
    assert "did you mean `shfl`?" in outcome.err
