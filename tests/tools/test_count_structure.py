"""The counts of packages, modules and signatures."""

from pathlib import Path

import pytest

from tools.count_structure import PIPELINE, imported_modules, imports, structures, table

CODE = """\
from shflbench.emulator import link
from shflbench.checker.small import one


class Many:
    def of_nine(self, a, b, c, d, e, f, g, h, i):
        def inner(*, only): ...

    def of_eight(self, a, b, c, d, e, f, g, *, h): ...
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a tree with two packages."""
    for name, text in {
        "checker/__init__.py": "",
        "checker/file_check.py": CODE,
        "checker/small.py": "one = 1\n",
        "checker/used_twice.py": "",
        "emulator/__init__.py": "",
        "emulator/link.py": "import shflbench.checker.used_twice\n",
        "cli.py": "if TYPE_CHECKING:\n    from shflbench.checker.used_twice import a\n",
    }.items():
        path = tmp_path / "shflbench" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_packages_are_counted_and_the_whole(root: Path) -> None:
    counts = structures(root)
    checker, total = counts["checker"], counts["total"]
    assert (checker.files, checker.lines, checker.classes, checker.functions) == (4, 10, 1, 3)
    assert (total.files, total.lines) == (7, 13)
    assert [line.split()[:2] for line in table(counts)][1:] == [
        ["emulator", "1"], ["cuda_sources", "0"], ["checker", "10"], ["total", "13"],
    ]  # fmt: skip


def test_signatures_of_more_than_eight_parameters_without_self_are_named(root: Path) -> None:
    assert structures(root)["checker"].long_signatures == ["shflbench/checker/file_check.py:6 of_nine"]


def test_small_modules_with_one_importer_are_named(root: Path) -> None:
    counts = structures(root)
    assert counts["checker"].small_modules == ["shflbench/checker/small.py"]
    assert counts["emulator"].small_modules == ["shflbench/emulator/link.py"]


def test_modules_of_ours_that_the_pipeline_imports_count_once(root: Path) -> None:
    assert imported_modules(root, PIPELINE) == ["shflbench.checker.small", "shflbench.emulator.link"]
    assert imports("import os\nfrom . import x\nfrom numpy import y\n") == set()
