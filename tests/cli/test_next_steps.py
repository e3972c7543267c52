"""Where a new user gets stuck: each message names the next step."""

from contextlib import chdir
from pathlib import Path

import pytest

from shflbench.core.files import SHARED_HEADERS
from shflbench.patterns.discover import builtin
from tests import kernels
from tests.conftest import Outcome
from tests.fakes.commands import call


def shflbench(folder: Path, *words: str) -> Outcome:
    with chdir(folder), pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("SHFLBENCH_CACHE", str(kernels.CACHE))
        monkeypatch.setenv("PATH", "/usr/bin:/bin")  # no nvcc
        return Outcome(*call(words))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a new pattern and its suite."""
    place = tmp_path_factory.mktemp("next-steps")
    assert shflbench(place, "new", "my-exchange").code == 0
    return place


def test_commands_stand_under_headings_the_everyday_ones_first(folder: Path) -> None:
    lines = shflbench(folder, "--help").out.splitlines()
    headings = [line for line in lines if line.endswith(":") and line[0] != " "]
    assert headings == [
        "Measure:", "Understand:", "Guard against slowdowns:", "Kernels and suites:", "Global options:"
    ]  # fmt: skip
    firsts = [lines[lines.index(heading) + 1].split()[0] for heading in headings[:-1]]
    assert firsts == ["bench", "advise", "compare", "check"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("advise", "warpsum", "--arch", "sm_90"), "did you mean `reduce`?"),
        (("list", "patterns", "prefix sum"), "Did you mean `scan`?"),
        (("check", "cumsum"), "did you mean `scan`?"),
        (("run", "my_exchange"), "Its suite is the file beside it: my-exchange.yaml"),
    ],
)
def test_another_word_for_a_pattern_or_a_suite_names_it(folder: Path, words: tuple[str, ...], said: str) -> None:
    outcome = shflbench(folder, *words)
    assert outcome.code in {2, 3}
    assert said in outcome.err


def test_a_number_that_an_option_lacks_is_near_no_other_number(folder: Path) -> None:
    outcome = shflbench(folder, "advise", "reduce", "--option", "width=64")
    assert outcome.code == 2
    assert "did you mean" not in outcome.err
    assert "Allowed: 32, 16, 8, 4, 2" in outcome.err


def test_the_file_of_a_pattern_leads_to_its_folder(folder: Path) -> None:
    outcome = shflbench(folder, "check", "my_exchange/kernels.cu")
    assert outcome.code == 5
    assert "shflbench.cuh belongs to patterns; check the pattern: shflbench check " in outcome.out


def test_the_file_of_a_pattern_with_copied_code_leads_to_its_folder_whatever_folders_are_given(folder: Path) -> None:
    file = builtin()["neighbor"] / "kernels.cu"
    outcome = shflbench(folder, "check", str(file), "-I", str(SHARED_HEADERS))
    assert outcome.code == 5
    assert f"copied/shfl.cuh belongs to patterns; check the pattern: shflbench check {file.parent}\n" in outcome.out


def test_a_pattern_may_include_headers_of_c_and_errors_name_its_real_file(folder: Path) -> None:
    kernels_file = folder / "my_exchange" / "kernels.cu"
    text = kernels_file.read_text(encoding="utf-8")
    kernels_file.write_text(f"#include <float.h>\n#include <stdint.h>\n{text}", encoding="utf-8")
    assert shflbench(folder, "run", "my-exchange.yaml", "--device", "none", "--output", "a").code == 0
    kernels_file.write_text(f"#include <nowhere.h>\n{text}", encoding="utf-8")
    outcome = shflbench(folder, "run", "my-exchange.yaml", "--device", "none", "--output", "b")
    kernels_file.write_text(text, encoding="utf-8")
    assert outcome.code == 5
    assert "does not compile: my_exchange/kernels.cu:1: cannot open source file" in outcome.err


@pytest.mark.archs
def test_an_emulated_run_has_nothing_to_draw_as_the_tutorial_says(folder: Path) -> None:
    assert shflbench(folder, "run", "my-exchange.yaml", "--device", "none", "--output", "c").code == 0
    outcome = shflbench(folder, "plot", "c")
    assert (outcome.code, "there is nothing to draw" in outcome.err) == (3, True)
    tutorial = Path(__file__).parents[2] / "docs" / "tutorial" / "compare-your-own-kernels.md"
    words = " ".join(tutorial.read_text(encoding="utf-8").split())
    assert "says that there is nothing to draw, and exits with 3" in words
