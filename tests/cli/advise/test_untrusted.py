"""Results of others are text: they name no file that is read, and control no terminal."""

import json
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from tests.cli.advise.results import RESULTS, Cells, part_of, set_in_record
from tests.conftest import Command

CONFIDENTIAL = "not for readers of results"
RED = "\x1b[31m"


def own_pattern(row: Cells) -> None:
    """Make the rows those of a pattern that does not come with shflbench."""
    row["pattern"] = "mine"
    row["case_id"] = row["case_id"].replace("vote/", "mine/", 1)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Return a run of an own pattern, whose texts control a terminal or name a file."""
    secret = tmp_path / "secret.py"
    secret.write_text(f"raise SystemExit({CONFIDENTIAL!r})\n", encoding="utf-8")

    def change(row: Cells) -> None:
        own_pattern(row)
        if row["variant"] == "vote":
            row["variant"] = f"{RED}vote\x07<script>\u202e\x7f\x9b{secret}"

    folder = part_of("quick", tmp_path / "results", lambda row: row["pattern"] == "vote", change)
    set_in_record(folder, lambda run: run["suite"].update(path=str(secret)))
    set_in_record(folder, lambda run: run["device"].update(name=f"{RED}GPU\x07"))
    return secret


def test_texts_of_a_run_are_escaped(shflbench: Command, hostile: Path) -> None:
    outcome = shflbench("advise", "mine")
    assert outcome.code == 0
    assert "Use \\x1b[31mvote\\x07<script>\\u202e" in outcome.out
    assert not {"\x1b", "\x07", "\u202e"} & set(outcome.out)
    assert CONFIDENTIAL not in outcome.out + outcome.err
    assert hostile.exists()


def test_json_of_such_a_run_is_ascii(shflbench: Command, hostile: Path) -> None:
    assert hostile.exists()
    outcome = shflbench("advise", "mine", "--format", "json")
    assert outcome.code == 0
    assert outcome.out.isascii()
    assert not {"\x1b", "\x07"} & set(outcome.out)
    (advice,) = json.loads(outcome.out)["advice"]
    assert advice["measured"]["variant"] == f"{RED}vote\x07<script>\u202e\x7f\x9b{hostile}"


def test_no_pattern_of_a_run_is_imported(shflbench: Command, hostile: Path) -> None:
    folder = hostile.parent / "mine"
    folder.mkdir()
    (folder / "pattern.py").write_text(f"raise SystemExit({CONFIDENTIAL!r})\n", encoding="utf-8")
    before = set(sys.modules)
    assert shflbench("advise", "mine").code == 0
    assert not [name for name in set(sys.modules) - before if name.startswith("shflbench_pattern_")]


def test_an_own_pattern_shows_the_kernel_that_the_run_stored(shflbench: Command, tmp_path: Path) -> None:
    folder = part_of("quick", tmp_path / "results", lambda row: row["pattern"] == "vote", own_pattern)
    with (
        zipfile.ZipFile(RESULTS / "quick" / "nvidia-h200" / "kernels.zip") as kernels,
        zipfile.ZipFile(folder / "kernels.zip", "w") as own,
    ):
        for name in kernels.namelist():
            content = kernels.read(name)
            own.writestr(name, content.replace(b'"vote/', b'"mine/') if name == "index.json" else content)
    outcome = shflbench("advise", "mine", "--format", "code")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("// vote_vote")
    assert "as compiled for results\n" in outcome.out
    assert "shflbench::vote::WARP_VOTE(predicate(x))" in outcome.out


def test_an_own_pattern_without_stored_kernels_has_no_code(shflbench: Command, tmp_path: Path) -> None:
    part_of("quick", tmp_path / "results", lambda row: row["pattern"] == "vote", own_pattern)
    assert "__all_sync" not in shflbench("advise", "mine").out
    outcome = shflbench("advise", "mine", "--format", "code")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: there is no code of vote to copy\n")


def test_an_own_pattern_with_the_name_of_a_shipped_one_has_no_code_of_that(shflbench: Command, tmp_path: Path) -> None:
    folder = part_of("quick", tmp_path / "results", lambda row: row["pattern"] == "vote")
    assert "__all_sync" in shflbench("advise", "vote").out
    text = "schema: 1\nname: mine\nexperiments:\n  - pattern: ./vote\n"
    set_in_record(folder, lambda run: run["suite"].update(text=text, sha256=sha256(text.encode()).hexdigest()))
    outcome = shflbench("advise", "vote")
    assert outcome.code == 0
    assert "__all_sync" not in outcome.out


@pytest.mark.parametrize("value", ["1e308", "9" * 400, "-5", "nan"])
def test_huge_values_end_in_an_answer_or_an_error(shflbench: Command, tmp_path: Path, value: str) -> None:
    def change(row: Cells) -> None:
        if row["variant"] == "vote":
            row["time_us"] = value

    part_of("quick", tmp_path / "results", lambda row: row["pattern"] == "vote", change)
    outcome = shflbench("advise", "vote")
    assert outcome.code in {0, 3}
    assert "Traceback" not in outcome.err
