from pathlib import Path

import pytest

from shflbench.cuda_sources.source_lines import SourceLine
from shflbench.emulator.ptx.syntax import Location
from shflbench.kernel_facts.pattern_checks.source_files import SourceFiles
from shflbench.patterns.discover import builtin, load

REDUCE = builtin()["reduce"]


@pytest.fixture(scope="module")
def places() -> SourceFiles:
    return SourceFiles(load(REDUCE))


def test_a_source_is_found_wherever_it_was_compiled(places: SourceFiles) -> None:
    for name in ("reduce/cub.cu", "/elsewhere/reduce/cub.cu"):
        assert places.of(Location(name, 7)) == SourceLine(REDUCE / "cub.cu", 7)


def test_an_inlined_line_of_a_header_of_the_pattern_is_reported_instead_of_its_caller(places: SourceFiles) -> None:
    caller = Location("/elsewhere/reduce/kernels.cu", 40)
    assert places.of(Location("/elsewhere/recurrence.cuh", 12, caller)) == SourceLine(REDUCE / "recurrence.cuh", 12)


def test_a_line_of_a_library_is_reported_as_the_line_that_calls_it(places: SourceFiles) -> None:
    caller = Location("/elsewhere/reduce/cub.cu", 9)
    within = Location("/usr/include/cub/warp/warp_reduce.cuh", 300, caller)
    assert places.of(Location("/usr/include/cub/warp/detail.cuh", 80, within)) == SourceLine(REDUCE / "cub.cu", 9)


def test_a_compiled_line_has_no_folders_of_the_machine_that_compiled_it(places: SourceFiles) -> None:
    assert places.compiled_line(Location("/elsewhere/reduce/cub.cu", 7)) == ("reduce/cub.cu", 7)
    assert places.compiled_line(Location("/usr/include/cub/warp/detail.cuh", 80)) == (
        "/usr/include/cub/warp/detail.cuh",
        80,
    )


def test_no_location_is_no_place(places: SourceFiles) -> None:
    assert places.of(None) is None
    assert places.compiled_line(None) == ("", 0)


def test_a_message_of_the_compiler_leads_to_the_line_that_it_names(places: SourceFiles) -> None:
    assert places.line("reduce/kernels.cu", 21) == SourceLine(REDUCE / "kernels.cu", 21)
    assert places.line("reduce/kernels.cu", 0) is None
    assert places.line("nothing", 3) is None


def test_a_place_is_shown_relative_to_the_folder_that_holds_it(tmp_path: Path) -> None:
    assert SourceLine(tmp_path / "reduce" / "cub.cu", 7).shown(tmp_path) == "reduce/cub.cu:7"
    assert SourceLine(REDUCE / "cub.cu", 7).shown(tmp_path) == f"{REDUCE}/cub.cu:7"
