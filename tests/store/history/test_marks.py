"""Marks are texts that people edit: read with their mistakes named, and appended."""

from pathlib import Path

import pytest

from shflbench.errors import InputError, UsageError
from shflbench.store.history.marks import (
    MARKS_FILE,
    Mark,
    MarkKind,
    Marks,
    add_mark,
    matches,
    read_marks,
    require_valid,
)

FIRST = Mark(case="reduce/*", since="2026-11-20", kind=MarkKind.INTENDED, reason='the "new" sum is exact: # see 12')
SECOND = Mark(case="scan/shfl", since="", kind=MarkKind.IGNORE, reason="yes")


def test_marks_are_read_as_they_were_added(tmp_path: Path) -> None:
    assert read_marks(tmp_path) == Marks()
    for mark in (FIRST, SECOND):
        add_mark(tmp_path, mark)
    assert read_marks(tmp_path) == Marks((FIRST, SECOND))


def test_what_people_wrote_stays(tmp_path: Path) -> None:
    path = tmp_path / MARKS_FILE
    path.write_text("# ours\n- case: a\n  as: known\n  reason: |\n    two\n    lines\n\n", encoding="utf-8")
    before = path.read_text(encoding="utf-8")
    add_mark(tmp_path, FIRST)
    assert path.read_text(encoding="utf-8").startswith(before.rstrip())
    assert [mark.reason for mark in read_marks(tmp_path).marks] == ["two\nlines\n", FIRST.reason]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("case: a\n", "no list of marks"),
        ("- a\n", "mark 1 is no mapping of texts"),
        ("- case: a\n  as: known\n  reason: 5\n", "mark 1 is no mapping of texts"),
        ("- case: a\n  as: known\n", "mark 1 has no `reason`"),
        ("- case: a\n  as: fine\n  reason: b\n", "mark 1 has `as: fine`"),
        ("- case: a\n  as: known\n  reason: b\n  until: c\n", "mark 1 has `until`"),
        ("- case: a\n  as: known\n  reason: b\n  since: May\n", "mark 1 has `since: May`"),
        ("- case: [\n", "is not read"),
        ("<<<<<<< ours\n- case: a\n=======\n", "is not read"),
    ],
)
def test_a_mistake_is_named_and_nothing_is_added(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / MARKS_FILE).write_text(text, encoding="utf-8")
    (problem,) = read_marks(tmp_path).problems
    assert words in problem
    with pytest.raises(InputError, match=words):
        add_mark(tmp_path, FIRST)
    assert (tmp_path / MARKS_FILE).read_text(encoding="utf-8") == text


def test_a_file_of_other_bytes_is_refused(tmp_path: Path) -> None:
    (tmp_path / MARKS_FILE).write_bytes(b"- case: \xff\n")
    (problem,) = read_marks(tmp_path).problems
    assert "is not read" in problem


@pytest.mark.parametrize(
    "text", ["[]\n", "~\n", "# ours\n[]\n", "  - case: b\n    as: known\n    reason: c\n", "# ours\n"]
)
def test_an_entry_is_appended_in_the_form_of_the_file(text: str, tmp_path: Path) -> None:
    (tmp_path / MARKS_FILE).write_text(text, encoding="utf-8")
    before = read_marks(tmp_path).marks
    add_mark(tmp_path, FIRST)
    assert read_marks(tmp_path) == Marks((*before, FIRST))
    assert ("# ours" in text) == ("# ours" in (tmp_path / MARKS_FILE).read_text(encoding="utf-8"))


@pytest.mark.parametrize("text", ["[{case: b, as: known, reason: c}]\n", "- case: b\n  as: known\n  reason: c\n...\n"])
def test_a_file_of_another_form_stays_as_it_is(text: str, tmp_path: Path) -> None:
    (tmp_path / MARKS_FILE).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="no entry can be appended"):
        add_mark(tmp_path, FIRST)
    assert (tmp_path / MARKS_FILE).read_text(encoding="utf-8") == text


def test_a_wrong_entry_costs_that_entry_alone(tmp_path: Path) -> None:
    add_mark(tmp_path, FIRST)
    path = tmp_path / MARKS_FILE
    path.write_text(f"{path.read_text(encoding='utf-8')}- case: a\n  as: fine\n  reason: b\n", encoding="utf-8")
    read = read_marks(tmp_path)
    assert read.marks == (FIRST,)
    assert len(read.problems) == 1


def test_only_the_asterisk_of_a_pattern_is_special() -> None:
    assert matches("kernel[T=f32]*", "kernel[T=f32]/a")
    assert not matches("kernel?", "kernels")


@pytest.mark.parametrize(
    "values", [{"case": ""}, {"case": "a\nb"}, {"reason": " "}, {"since": "yesterday"}, {"since": "20261120"}]
)
def test_a_mark_that_no_file_may_hold_is_refused(values: dict[str, str]) -> None:
    mark = Mark(**{"case": "a", "since": "", "kind": MarkKind.KNOWN, "reason": "b", **values})  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        require_valid(mark)
