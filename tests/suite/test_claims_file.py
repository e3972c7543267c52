from pathlib import Path

import pytest

from shflbench.errors import SuiteError
from shflbench.suite.claims_file import read_claims

SUITE = """\
schema: 1
name: mine
experiments: {pattern: ./not_there}
claims:
  - {id: one, says: it is true, holds: 'speedup(shfl, smem) > 1'}
  - {id: two, says: nobody knows, untestable: no results can show it}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_claims_are_read_without_the_patterns_of_the_suite(tmp_path: Path) -> None:
    name, claims = read_claims(write(tmp_path, SUITE))
    assert name == "mine"
    assert [(claim.id, claim.holds is not None, claim.text) for claim in claims] == [
        ("one", True, "speedup(shfl, smem) > 1"),
        ("two", False, ""),
    ]


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [("> 1", ">> 1", "5:62"), ("id: two", "id: one", "6:10"), ("name: mine", "nme: mine", "2:1")],
)
def test_mistakes_are_named_with_their_position(tmp_path: Path, old: str, new: str, place: str) -> None:
    with pytest.raises(SuiteError, match=f"mine.yaml:{place}: "):
        read_claims(write(tmp_path, SUITE.replace(old, new)))
