"""Small pairs of kernels that lack one order, and real fixes: both get the verdict that stands in their first lines."""

from pathlib import Path

import pytest

from shflbench.checker.dependent.reporting import WORDS
from tests.checker.dependent.dependent_files import DependentFile, dependent_files

SLOW = "flag_in_memory"  # its first kernel polls until the limit of instructions
BETWEEN = "between"  # the kernel between the first and the last one


def parameters(folder: str) -> list[object]:
    """Return the files of a folder with their names."""
    return [
        pytest.param(file, id=file.name, marks=[pytest.mark.archs] if file.name == SLOW else [])
        for file in dependent_files(folder)
    ]


PAIRS, FIXES = parameters("pairs"), parameters("fixes")


@pytest.mark.one_in(6)
@pytest.mark.parametrize("file", [*PAIRS, *FIXES])
def test_a_pair_that_lacks_an_order_gets_its_verdict_with_both_lines(file: DependentFile, kernel_cache: Path) -> None:
    verdict, kind, missing = file.broken
    report = file.check(kernel_cache)
    assert report.verdict == verdict, report.sentence
    findings = [item for item in report.findings if item.kind.name == kind and item.place is not None]
    first = next(item for item in findings if item.place is not None and item.place.line == file.line("later"))
    assert first.missing == WORDS[missing].format(earlier="primary", between=BETWEEN)
    assert first.other is not None
    assert first.other.line == file.line("earlier")


@pytest.mark.parametrize("file", PAIRS)
def test_a_pair_has_no_other_finding(file: DependentFile, kernel_cache: Path) -> None:
    lines = {(item.place, item.other) for item in file.check(kernel_cache).findings if item.missing}
    assert len(lines) == 1 or file.has_host_code


@pytest.mark.one_in(5)
@pytest.mark.parametrize("file", PAIRS)
def test_the_same_pair_with_the_order_is_clean(file: DependentFile, kernel_cache: Path) -> None:
    report = file.check(kernel_cache, "SOUND")
    assert (report.verdict, report.findings) == ("clean", ()), report.sentence


@pytest.mark.one_in(3)
@pytest.mark.parametrize("file", FIXES)
def test_a_fix_is_clean_or_what_texts_disagree_on(file: DependentFile, kernel_cache: Path) -> None:
    report = file.check(kernel_cache, "FIXED")
    verdict, missing = file.fixed
    expected = {WORDS[missing].format(earlier="primary", between=BETWEEN)} if missing is not None else set()
    assert (report.verdict, {item.missing for item in report.findings}) == (verdict, expected), report.sentence
