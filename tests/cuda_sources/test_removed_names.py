"""Names of Thrust and CUB that CUDA 13 removed."""

from pathlib import Path

import pytest

from shflbench.cuda_sources.host_code import UserFile
from shflbench.cuda_sources.removed_names import old_definitions, removed_names
from tests.cuda_sources.conftest import Read

USE = "struct Twice : thrust::unary_function<int, int> {};\n// cub::Min\nusing Most = cub :: Max;\n"


def file_of(text: str) -> UserFile:
    return UserFile.of(Path("kernel.cu"), "kernel.cu", text.encode())


def test_the_removed_names_of_a_text_are_found_in_its_code() -> None:
    assert removed_names([file_of(USE)], tuple) == ["cub::Max", "thrust::unary_function"]
    assert removed_names([file_of("auto x = thrust::plus<int>();")], tuple) == []


@pytest.mark.parametrize(("version", "names"), [("300100", ["cub::Max"]), ("200802", [])])
def test_a_library_of_an_older_version_has_them_itself(tmp_path: Path, version: str, names: list[str]) -> None:
    (tmp_path / "cub").mkdir()
    (tmp_path / "cub/version.cuh").write_text(f"#define CUB_VERSION {version}  // a number\n")
    assert removed_names([file_of("cub::Max most;")], lambda: [tmp_path]) == names


def test_a_file_may_define_them_itself() -> None:
    assert removed_names([file_of("cub::Max most;"), file_of("struct Max {};")], tuple) == []


def test_only_what_a_file_uses_is_defined() -> None:
    text = old_definitions(["cub::Max"])
    assert "struct Max" in text
    assert "Min" not in text
    assert "thrust" not in text
    assert old_definitions([]) == ""


def test_a_file_for_older_versions_compiles_and_a_note_names_what_it_is_given(read: Read) -> None:
    kernel = "__global__ void k(int *p) { *p = cub::Max()(p[0], p[1]) + Twice::result_type(1); }\n"
    file = read(f"#include <thrust/functional.h>\n{USE}{kernel}")
    assert "names that CUDA 13 removed have their old definitions: `cub::Max` and `thrust::unary_function`" in [
        note.text for note in file.notes
    ]
