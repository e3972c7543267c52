from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shflbench.compile.source import translation_unit
from shflbench.errors import PatternError
from shflbench.model import DTYPES
from shflbench.patterns.discover import builtin, load
from tests.compile.planted import planted

if TYPE_CHECKING:
    from pathlib import Path

    from tests.compile.conftest import Build


@pytest.mark.parametrize("name", builtin())
def test_translation_units_name_no_folder_of_this_machine(name: str) -> None:
    pattern = load(builtin()[name])
    for variant in pattern.declaration.variants:
        source = translation_unit(pattern, variant, DTYPES["f32"])
        everything = "\n".join((source.name, source.text, source.expression, *source.headers, *source.headers.values()))
        assert not any(str(folder) in everything for folder in list(pattern.folder.parents)[:-1])


def test_equal_files_in_different_folders_compile_to_equal_kernels(build: Build, tmp_path: Path) -> None:
    one, two = (build(planted(tmp_path / folder)) for folder in ("one", "two"))
    assert one == two
    assert str(tmp_path) not in one.ptx
    assert str(tmp_path).encode() not in one.cubin


def test_unit_defines_the_unroll_factor_and_the_options_before_the_first_line(tmp_path: Path) -> None:
    pattern = planted(tmp_path, unroll=4)
    source = translation_unit(pattern, pattern.declaration.baseline, DTYPES["i64"], (("how-far", "9"),))
    first, *_ = (tmp_path / "kernels.cu").read_text(encoding="utf-8").splitlines()
    assert source.text.splitlines()[:4] == [
        "constexpr int UNROLL = 4;",
        "#define OPTION_HOW_FAR 9",
        '#line 1 "planted/kernels.cu"',
        first,
    ]
    assert source.expression == "planted_kernel<long long>"


def test_headers_are_found_below_the_folder_and_named_as_they_are_included(tmp_path: Path) -> None:
    pattern = planted(tmp_path)
    (tmp_path / "parts").mkdir()
    for name in ("own.cuh", "parts/deep.h", "notes.txt"):
        (tmp_path / name).write_text(f"// {name}\n", encoding="utf-8")
    headers = translation_unit(pattern, pattern.declaration.baseline, DTYPES["f32"]).headers
    assert list(headers) == ["shflbench.cuh", "own.cuh", "parts/deep.h"]
    assert headers["parts/deep.h"] == "// parts/deep.h\n"


def test_source_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    pattern = planted(tmp_path)
    (tmp_path / "kernels.cu").write_bytes(b"\xff\xfe")
    with pytest.raises(PatternError, match=f"^{tmp_path}/kernels.cu cannot be read: "):
        translation_unit(pattern, pattern.declaration.baseline, DTYPES["f32"])
