from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.core.model import DTYPES, Case, Launch, Mechanism
from shflbench.cuda.compile.source import Source, expression, translation_unit
from shflbench.errors import PatternError
from shflbench.patterns.declare import Variant
from shflbench.patterns.discover import LoadedPattern, builtin, load
from tests.cuda.compile.conftest import Build
from tests.cuda.compile.planted import planted


def unit(
    pattern: LoadedPattern,
    variant: Variant,
    dtype: str = "f32",
    options: tuple[tuple[str, str], ...] = (),
    block: int = 64,
) -> Source:
    """Return the translation unit of one case."""
    return translation_unit(pattern, Case(pattern.name, variant.name, dtype, Launch("", block, 1), 1, options))


@pytest.mark.parametrize("name", builtin())
def test_translation_units_contain_no_path_of_this_machine(name: str) -> None:
    pattern = load(builtin()[name])
    for variant in pattern.declaration.variants:
        source = unit(pattern, variant)
        everything = "\n".join((source.name, source.text, source.expression, *source.headers, *source.headers.values()))
        assert not any(str(folder) in everything for folder in list(pattern.folder.parents)[:-1])


def test_equal_files_in_different_folders_compile_to_equal_kernels(build: Build, tmp_path: Path) -> None:
    one, two = (build(planted(tmp_path / folder)) for folder in ("one", "two"))
    assert one == two
    assert str(tmp_path) not in one.ptx
    assert str(tmp_path).encode() not in one.cubin


def test_unit_defines_the_unroll_factor_and_the_options_before_the_first_line(tmp_path: Path) -> None:
    pattern = planted(tmp_path, unroll=4, options={"how-far": ("1", "9"), "way": ("x+y",)})
    source = unit(pattern, pattern.declaration.baseline, "i64", (("how-far", "9"), ("way", "x+y")))
    first, *_ = (tmp_path / "kernels.cu").read_text(encoding="utf-8").splitlines()
    assert source.text.splitlines()[:7] == [
        "constexpr int UNROLL = 4;",
        "#define OPTION_HOW_FAR 9",
        "#define OPTION_HOW_FAR_9 1",
        "#define OPTION_WAY x+y",
        "#define OPTION_WAY_X_Y 1",
        '#line 1 "planted/kernels.cu"',
        first,
    ]
    assert source.expression == "planted_kernel<long long>"


def test_options_of_the_launch_do_not_change_the_kernel(tmp_path: Path) -> None:
    pattern = planted(tmp_path, options={"how-far": ("1", "9")})
    own = (("how-far", "9"),)
    plain, changed = (
        unit(pattern, pattern.declaration.baseline, "f32", options)
        for options in (own, (*own, ("extra_shared", "1024"), ("carveout", "50")))
    )
    assert plain == changed


def test_unit_of_one_pass_defines_no_unroll_factor(tmp_path: Path) -> None:
    pattern = planted(tmp_path, one_pass=True)
    assert "UNROLL" not in unit(pattern, pattern.declaration.baseline).text.split("#line")[0]


def test_unit_with_a_static_block_defines_its_number_of_threads(tmp_path: Path) -> None:
    pattern = planted(tmp_path)
    static = replace(pattern, declaration=replace(pattern.declaration, static_block=True))
    small, large = (unit(static, static.declaration.baseline, block=block).text for block in (64, 1024))
    assert "constexpr int BLOCK = 64;" in small.splitlines()
    assert "constexpr int BLOCK = 1024;" in large.splitlines()
    assert "BLOCK" not in unit(pattern, pattern.declaration.baseline).text.split("#line")[0]


@pytest.mark.parametrize(("dtype", "header"), [("f16", "cuda_fp16.h"), ("bf16", "cuda_bf16.h")])
def test_unit_of_halves_includes_their_header_and_says_so(tmp_path: Path, dtype: str, header: str) -> None:
    pattern = planted(tmp_path)
    source = unit(pattern, pattern.declaration.baseline, dtype)
    assert source.text.splitlines()[:2] == [f"#include <{header}>", f"#define DTYPE_{dtype.upper()} 1"]


@pytest.mark.parametrize(
    ("kernel", "dtype", "expected"),
    [
        ("", "f32", "my_pattern_two_words<float>"),
        ("reduce5<{T}, 256>", "i64", "reduce5<long long, 256>"),
        ("transposeNaive", "f32", "transposeNaive"),
        ("{T}_sum<{T}>", "f32x4", "float4_sum<float4>"),
    ],
)
def test_kernel_has_the_name_that_its_variant_gives_it(kernel: str, dtype: str, expected: str) -> None:
    variant = Variant(name="two-words", mechanism=Mechanism.SHFL, summary="a test", kernel=kernel)
    assert expression("my-pattern", variant, DTYPES[dtype]) == expected


def test_headers_are_all_that_the_source_includes_by_their_names_there(tmp_path: Path) -> None:
    pattern = planted(tmp_path / "pattern")
    files = {
        "src/mine.cu": '#include "shflbench.cuh"\n#include <parts/deep.h>\n # include "own.cuh"\n#include <cub.cuh>\n',
        "src/parts/deep.h": '#include "deeper.h"\n',
        "src/parts/deeper.h": "// deeper\n",
        "src/unused.h": "// nobody includes it\n",
        "pattern/own.cuh": '#include "own.cuh"\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    mine = replace(pattern.declaration.baseline, source="../src/mine.cu")
    source = unit(replace(pattern, declaration=replace(pattern.declaration, variants=(mine,))), mine)
    assert source.name == "planted/mine.cu"
    assert list(source.headers) == ["shflbench.cuh", "parts/deep.h", "own.cuh", "deeper.h"]
    assert source.headers["deeper.h"] == "// deeper\n"


def test_source_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    pattern = planted(tmp_path)
    (tmp_path / "kernels.cu").write_bytes(b"\xff\xfe")
    with pytest.raises(PatternError, match=f"^{tmp_path}/kernels.cu cannot be read: "):
        unit(pattern, pattern.declaration.baseline)
