"""Public fixes of races: before each one `check` gives the verdict at its lines, and after it none."""

from pathlib import Path

import pytest

from tests.checker.fixes.fix_files import FIXED, FOLDERS, FixFile, at_the_lines, fix_files

pytestmark = pytest.mark.expensive

FIXES = fix_files(*FOLDERS)


@pytest.mark.parametrize("file", FIXES, ids=lambda file: file.name)
def test_a_kernel_before_its_fix_gets_its_verdict_at_the_lines_of_the_race(file: FixFile, kernel_cache: Path) -> None:
    report = file.check(kernel_cache)
    assert report.verdict == file.before[0], report.sentence
    assert at_the_lines(report, file), [(item.kind, item.place, item.other) for item in report.findings]


@pytest.mark.parametrize("file", FIXES, ids=lambda file: file.name)
def test_a_kernel_after_its_fix_is_clean(file: FixFile, kernel_cache: Path) -> None:
    report = file.check(kernel_cache, FIXED)
    assert (report.verdict, report.findings) == (file.after, ()), report.sentence
