"""The files of a set, and the third that is held out."""

from pathlib import Path

import pytest

from benchmarks.public_sets.sets import SETS, Part, part_of
from shflbench.errors import ResultsError


def test_about_a_third_of_the_paths_is_held_out() -> None:
    parts = [part_of(f"examples/drf/{number}.cu") for number in range(3000)]
    assert 0.3 < parts.count(Part.HELD_OUT) / len(parts) < 0.37


def test_the_part_of_a_file_depends_on_its_path_alone() -> None:
    # sha256 of the path, as a number, modulo 3.
    assert part_of("tutorial/saxpy.cu") is Part.TUNING
    assert part_of("examples/drf/drf-cav21.cu") is Part.HELD_OUT


def test_a_file_that_was_seen_before_a_rule_changed_is_not_held_out() -> None:
    assert part_of("Samples/2_Concepts_and_Techniques/reduction/reduction_kernel.cu") is Part.SEEN


def test_only_kernels_below_the_roots_are_files_of_a_set(tmp_path: Path) -> None:
    for path in ("examples/drf/a.cu", "tutorial/b.cu", "tutorial/README.md", "test/c.cu"):
        (tmp_path / "faial" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "faial" / path).write_text("")
    assert list(SETS["faial"].files(tmp_path)) == ["examples/drf/a.cu", "tutorial/b.cu"]


def test_a_missing_clone_is_an_error_that_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ResultsError) as error:
        list(SETS["indigo"].files(tmp_path))
    assert "--fetch" in error.value.advice
