"""The pages on fixes of public races: every fix, the first answers, and what compute-sanitizer reports."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.checker.fixes.first_run import recorded
from tests.checker.fixes.fix_files import FOLDERS, fix_files
from tests.checker.fixes.page import PAGE, PLACES, current, sanitizer_record, texts, with_texts

NOTHING = {tool: [0, 0, ""] for tool in ("racecheck", "synccheck", "memcheck")}
HANGS = {tool: [0, 0, "hangs"] for tool in NOTHING}
SENTENCE = (
    "Of 36 files, compute-sanitizer reports on one H100: racecheck 1, synccheck 0 and memcheck 0 files before the fix, "
    "and 1 hang; racecheck 0, synccheck 0 and memcheck 0 files after the fix."
)


@pytest.mark.parametrize("page", PLACES, ids=lambda page: page.stem)
def test_a_page_has_its_tables(page: Path) -> None:
    assert page.read_text(encoding="utf-8") == current(page, sanitizer_record())


def test_every_file_is_recorded_once_before_and_after_its_fix() -> None:
    rows = Counter((answer.file, answer.form) for answer in recorded())
    assert rows == Counter((file.name, form) for file in fix_files(*FOLDERS) for form in ("before", "after"))


def test_a_record_of_compute_sanitizer_adds_a_sentence_and_two_columns(tmp_path: Path) -> None:
    files = fix_files(*FOLDERS[:2])
    fixes = {file.name: {"before": NOTHING, "after": NOTHING} for file in files}
    fixes["open/cudf_23681_next_block"] = {"before": NOTHING | {"racecheck": [0, 1, "Warning"]}, "after": NOTHING}
    fixes["open/triton_10669_lost_phase"] = {"before": HANGS, "after": NOTHING}
    fixes["open/sglang_38290_router_bias"] = {
        "before": NOTHING | {"memcheck": [0, 0, "ModuleNotFoundError"]},
        "after": NOTHING,
    }
    (tmp_path / "fixes-sanitizer-nvidia-h100.json").write_text(json.dumps({"device": "H100", "fixes": fixes}))
    page = current(PAGE, sanitizer_record(tmp_path))
    rows = [line for line in page.splitlines() if line.startswith("| [")]
    assert SENTENCE in " ".join(page.split())
    assert "| source | mechanism | before | after | compute-sanitizer before | compute-sanitizer after | set |" in page
    shown = {name: next(row for row in rows if name in row) for name in ("cudf 23681", "triton 10669", "sglang 38290")}
    assert [row.split(" | ")[4:6] for row in shown.values()] == [
        ["racecheck", "nothing"],
        ["hangs", "nothing"],
        ["fails", "nothing"],
    ]
    without = {name: texts(None)[name] for name in PLACES[PAGE]}
    assert with_texts(page, without) == PAGE.read_text(encoding="utf-8") or sanitizer_record() is not None
