"""Every pair of kernels gets the verdict that stands in its first line; with SOUND defined, it is clean."""

import re
from pathlib import Path

import pytest

from shflbench.checker.dependent.conflicts import MissingOrder
from shflbench.checker.dependent.reporting import WORDS
from shflbench.checker.dependent.requests import parse_chain, parse_same
from shflbench.checker.files import FileOptions, check_file
from shflbench.checker.inputs.shapes import parse_shape
from shflbench.checker.report import KernelReport
from tests import kernels

PAIRS = Path(__file__).parent / "pairs"
FILES = sorted(PAIRS.glob("*.cu"))


def options(text: str, cache: Path, *define: str) -> FileOptions:
    """Return the options that the first lines of a pair name; host code has its own launches."""
    return FileOptions(
        toolchain=kernels.tools(),
        cache=cache,
        define=define,
        launches=() if "main()" in text else (parse_shape("4x128"),),
        pdl=tuple(map(parse_chain, re.findall(r"^// pdl: (.*)", text, re.MULTILINE))),
        same=tuple(map(parse_same, re.findall(r"^// same: (.*)", text, re.MULTILINE))),
        outputs=False,
    )


def check(file: Path, cache: Path, *define: str) -> KernelReport:
    """Return the report on the last kernel of a pair."""
    return check_file(file, options(file.read_text(encoding="utf-8"), cache, *define)).kernels[-1]


def line_of(text: str, mark: str) -> int:
    """Return the number of the line that ends with a comment."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.endswith(f"// {mark}"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_pair_that_lacks_an_order_gets_its_verdict_with_both_lines(file: Path, kernel_cache: Path) -> None:
    text = file.read_text(encoding="utf-8")
    head = re.match(r"// (broken|doubtful|needs arguments): (\w+) (\w+)$", text, re.MULTILINE)
    assert head
    report = check(file, kernel_cache)
    assert report.verdict == head[1], report.sentence
    findings = [item for item in report.findings if item.kind.name == head[2]]
    assert len(findings) == 1 or "main()" in text
    (first, *_) = findings
    assert first.missing == WORDS[MissingOrder[head[3]]].format(earlier="primary", between="between")
    assert first.place is not None
    assert first.other is not None
    assert (first.place.line, first.other.line) == (line_of(text, "later"), line_of(text, "earlier"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_same_pair_with_the_order_is_clean(file: Path, kernel_cache: Path) -> None:
    report = check(file, kernel_cache, "SOUND")
    assert (report.verdict, report.findings) == ("clean", ()), report.sentence
