"""Sizes and contents of inputs."""

from pathlib import Path

import numpy as np
import pytest

from shflbench.user_kernels.judge.contents import CONTENTS, drawn
from shflbench.user_kernels.judge.includes import refused_include
from shflbench.user_kernels.judge.sizes import covered_by_one, edge_sizes, large_sizes

RANDOM = np.random.default_rng(3)


def test_sizes_lie_around_one_a_warp_and_the_blocks() -> None:
    sizes = [item["n"] for item in edge_sizes({"n": (1, 1 << 20)}, [128], {})]
    assert sizes == sorted(sizes)
    assert {1, 2, 31, 32, 33, 127, 128, 129, 259} <= set(sizes)


def test_sizes_lie_around_what_a_block_covers() -> None:
    part = covered_by_one((1, 1 << 20), lambda n: (n + 1023) // 1024)
    assert part == 1024
    sizes = [item["n"] for item in edge_sizes({"n": (1, 1 << 20)}, [256], {"n": part})]
    assert {1023, 1024, 1025, 2051} <= set(sizes)
    assert covered_by_one((1, 1 << 20), lambda _: 264) is None
    assert covered_by_one((5, 5), lambda n: n) is None


@pytest.mark.parametrize("allowed", [(5000, 9000), (0, 3), [64, 128], (7, 7)])
def test_sizes_stay_within_their_range(allowed: tuple[int, int] | list[int]) -> None:
    sizes = [item["n"] for item in edge_sizes({"n": allowed}, [256], {})]
    assert sizes
    assert all(min(allowed) <= size <= max(allowed) for size in sizes)
    assert isinstance(allowed, tuple) or set(sizes) <= set(allowed)


@pytest.mark.parametrize(
    ("ranges", "sizes"),
    [
        ({"n": (1, 10**6)}, {"n": 65537}),
        ({"rows": (1, 1200), "columns": (1, 1200)}, {"rows": 257, "columns": 256}),
        ({"rows": (1, 10**6), "columns": (1, 3)}, {"rows": 21846, "columns": 3}),
        ({"n": (1, 100)}, {"n": 100}),
        ({"n": (10**5, 10**6)}, {"n": 10**5}),
        ({"n": [64, 2**16, 2**17, 2**20]}, {"n": 2**17}),
        ({"n": [64, 128]}, {"n": 128}),
        ({}, {}),
    ],
)
def test_large_sizes_just_exceed_16_bits(ranges: dict[str, tuple[int, int] | list[int]], sizes: dict[str, int]) -> None:
    assert large_sizes(ranges) == sizes


def test_one_dimension_after_another_has_its_edges() -> None:
    every = edge_sizes({"rows": (1, 4096), "n": (1, 4096)}, [256], {})
    assert {"rows": 37, "n": 257} in every
    assert {"rows": 31, "n": 37} in every


@pytest.mark.parametrize("name", CONTENTS)
def test_contents_stay_within_the_range_of_those_given(name: str) -> None:
    for given in (RANDOM.integers(3, 90, 200, np.int32), RANDOM.standard_normal(200, np.float32)):
        contents = drawn(name, given, RANDOM)
        if contents is not None:
            assert contents.dtype == given.dtype
            assert given.min() <= contents.min()
            assert contents.max() <= given.max()


def test_offsets_stay_and_permutations_are_only_permuted() -> None:
    offsets, places = np.cumsum(np.arange(9)), RANDOM.permutation(50)
    assert [drawn(name, offsets, RANDOM) for name in CONTENTS] == [None] * len(CONTENTS)
    (changed,) = filter(lambda array: array is not None, (drawn(name, places, RANDOM) for name in CONTENTS))
    assert changed is not None
    assert sorted(changed) == list(range(50))


INCLUDES = [
    ('#include "/etc/passwd"', "/etc/passwd"),
    ("#include </etc/passwd>", "/etc/passwd"),
    ('#include "../secret.h"', "../secret.h"),
    ('# /* a */ include "/etc/passwd"', "/etc/passwd"),
    ('#inc\\\nlude "/etc/passwd"', "/etc/passwd"),
    ('%:include "/etc/passwd"', "/etc/passwd"),
    ('const char* s = "/*";\n#include "/etc/passwd"\nconst char* t = "*/";', "/etc/passwd"),
    ('#define HEADER "/etc/passwd"\n#include HEADER', "HEADER"),
    ("#embed </etc/passwd>", "/etc/passwd"),
    ('#if __has_include("/etc/passwd")\n#endif', "/etc/passwd"),
    ("#define HAS __has_include\n", ""),
    # A character that looks as if a comment began, after a word and after a number.
    ("#define X don' /* '\n#include </etc/passwd>\n//*/", "/etc/passwd"),
    ("#define X 1e+'0' /* '\n#include </etc/passwd>\n// '*/", "/etc/passwd"),
    ('const char* s = R"(/*)";\n#include "/etc/passwd"\n//*/', "/etc/passwd"),
    ('// x\r#include "/etc/passwd"', "/etc/passwd"),
    ('#/*\n*/include "/etc/passwd"', "/etc/passwd"),
    ("Q($1'a/*')\n#include </etc/passwd>\n//*/", "/etc/passwd"),
    ("Q(1$'a'/*')\n#include </etc/passwd>\n//*/", "/etc/passwd"),
    ("Q(1\u0301'a'/*')\n#include </etc/passwd>\n//*/", "/etc/passwd"),
    ("Q(\U0001f6001'a/*')\n#include </etc/passwd>\n//*/", "/etc/passwd"),
    ("#define X \u00e91'a/*'\n#include </etc/passwd>\n//*/", "/etc/passwd"),
    ("#define X \\u00e91'a/*'\n#include </etc/passwd>\n//*/", "/etc/passwd"),
    ('#inc\\\f\nlude "/etc/passwd"', "/etc/passwd"),
    ('#inc\\\rlude "/etc/passwd"', "/etc/passwd"),
    ("#include <a/*b>\n#include </etc/passwd>\n//*/", "does not name a file"),
    ('#include "link.h"', "link.h"),
    ('#include "own.h"', "../secret.h"),
]


MANY_COMMENTS = ["#" + "/**/" * 50_000 + '"', "#/*" * 100_000 + '"']


@pytest.mark.parametrize("text", MANY_COMMENTS, ids=["complete", "open"])
def test_a_directive_with_many_comments_is_refused(text: str, tmp_path: Path) -> None:
    """In linear time: a search that tries all ways to read the comments does not end."""
    refused = refused_include(text, "a.cu", tmp_path, ())
    assert refused
    assert "does not name a file" in refused.sentence


@pytest.mark.parametrize(("text", "name"), INCLUDES)
def test_a_file_elsewhere_is_refused(text: str, name: str, tmp_path: Path) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    (tmp_path / "secret.h").write_text("int secret;", encoding="utf-8")
    (folder / "link.h").symlink_to(tmp_path / "secret.h")
    (folder / "own.h").write_text('#include "../secret.h"\n', encoding="utf-8")
    refused = refused_include(f"{text}\n", "a.cu", folder, ())
    assert refused
    assert name in refused.sentence


@pytest.mark.parametrize(
    "text",
    [
        "#include <cuda_fp16.h>",
        '#include "own.h"',
        "#include <cub/cub.cuh>",
        "int a;",
        '// was: #include "../old.h"',
        "// Gr\u00f6\u00dfe: #include <../old.h>",
        "/* it's\n#include <../old.h> */ int b = 1'000;",
    ],
)
def test_headers_of_cuda_and_files_beside_are_accepted(text: str, tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("#include <cuda_bf16.h>\n", encoding="utf-8")
    assert refused_include(text, "a.cu", tmp_path, ()) is None
