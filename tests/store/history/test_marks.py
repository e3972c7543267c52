"""Marks are texts that people edit: read with their mistakes named, and appended."""

from pathlib import Path

import pytest

from shflbench.errors import InputError, UsageError
from shflbench.store.history.marks import MARKS_FILE, Mark, MarkKind, add_mark, read_marks, require_valid

FIRST = Mark(case="reduce/*", since="2026-11-20", kind=MarkKind.INTENDED, reason='the "new" sum is exact: # see 12')
SECOND = Mark(case="scan/shfl", since="", kind=MarkKind.IGNORE, reason="yes")


def test_marks_are_read_as_they_were_added(tmp_path: Path) -> None:
    assert read_marks(tmp_path) == ()
    for mark in (FIRST, SECOND):
        add_mark(tmp_path, mark)
    assert read_marks(tmp_path) == (FIRST, SECOND)


def test_what_people_wrote_stays(tmp_path: Path) -> None:
    path = tmp_path / MARKS_FILE
    path.write_text("# ours\n- case: a\n  as: known\n  reason: |\n    two\n    lines\n\n", encoding="utf-8")
    before = path.read_text(encoding="utf-8")
    add_mark(tmp_path, FIRST)
    assert path.read_text(encoding="utf-8").startswith(before.rstrip())
    assert [mark.reason for mark in read_marks(tmp_path)] == ["two\nlines\n", FIRST.reason]


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
    with pytest.raises(InputError, match=words):
        read_marks(tmp_path)
    with pytest.raises(InputError, match=words):
        add_mark(tmp_path, FIRST)
    assert (tmp_path / MARKS_FILE).read_text(encoding="utf-8") == text


def test_a_file_of_other_bytes_is_refused(tmp_path: Path) -> None:
    (tmp_path / MARKS_FILE).write_bytes(b"- case: \xff\n")
    with pytest.raises(InputError, match="is not read"):
        read_marks(tmp_path)


@pytest.mark.parametrize("values", [{"case": ""}, {"case": "a\nb"}, {"reason": " "}, {"since": "yesterday"}])
def test_a_mark_that_no_file_may_hold_is_refused(values: dict[str, str]) -> None:
    mark = Mark(**{"case": "a", "since": "", "kind": MarkKind.KNOWN, "reason": "b", **values})  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        require_valid(mark)
