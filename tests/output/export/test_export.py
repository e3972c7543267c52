import subprocess
import sys
from dataclasses import replace

import pytest

from shflbench.output.export import FORMATS, render
from tests.fakes.comparisons import NEW, quiet, rich
from tests.output.export.golden_files import FOLDER, texts

ASK = (
    "import sys, shflbench.output.export; "
    "print(*(name for name in sys.modules if name.startswith('shflbench.output.export.')))"
)


def test_a_format_is_imported_only_when_it_is_used() -> None:
    requested = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=True)
    assert requested.stdout.split() == []


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_comparison_is_the_same_text(form: str) -> None:
    assert render(form, rich()) == render(form, rich())


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_ends_with_one_newline(form: str) -> None:
    text = render(form, rich())
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@pytest.mark.parametrize("form", FORMATS)
def test_a_folder_whose_name_is_no_text_can_be_written(form: str) -> None:
    name = b"runs-\xff".decode("utf-8", "surrogateescape")
    comparison = replace(quiet(), new=replace(NEW, name=name), warnings=(f"{name} is short",))
    assert b"runs-" in render(form, comparison).encode("utf-8")


@pytest.mark.parametrize("form", FORMATS)
def test_a_comparison_without_cases_is_written(form: str) -> None:
    assert "no change that matters in 0 cases" in render(form, replace(quiet(), verdicts=()))


TEXTS = texts()


@pytest.mark.parametrize("name", TEXTS)
def test_each_format_writes_what_the_golden_file_holds(name: str) -> None:
    assert TEXTS[name].encode() == (FOLDER / name).read_bytes(), (
        "python -m tests.output.export.golden_files, if that is meant"
    )


def test_no_golden_file_is_left_over() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(TEXTS)
