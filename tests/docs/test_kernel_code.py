from __future__ import annotations

import re

import pytest

from docs.kernel_code import helpers, kernels, parts
from shflbench.patterns.discover import builtin, load


@pytest.mark.parametrize("name", builtin())
def test_each_variant_has_its_kernel_and_no_line_of_code_is_lost(name: str) -> None:
    pattern = load(builtin()[name])
    found = kernels(pattern)
    assert list(found) == [variant.name for variant in pattern.declaration.variants]
    shown = "\n".join((*found.values(), *helpers(pattern).values()))
    for source in {variant.source for variant in pattern.declaration.variants}:
        for line in (pattern.folder / source).read_text("utf-8").splitlines():
            assert line.strip() in shown or line.startswith(("//", "#include")), line


def test_a_kernel_comes_with_the_comment_above_it_and_nothing_else() -> None:
    text = kernels(load(builtin()["neighbor"]))["smem"]
    assert text.startswith("// Two barriers: the first between a slot's write and its read")
    assert len(re.findall("__global__", text)) == 1
    assert text.endswith("}")


def test_blank_lines_within_braces_and_conditions_do_not_divide() -> None:
    assert parts("// a\nvoid a() {\n\n}\n\n#if B\nvoid b() {}\n\nvoid c() {}\n#endif\n") == [
        "// a\nvoid a() {\n\n}",
        "#if B\nvoid b() {}\n\nvoid c() {}\n#endif",
    ]


def test_headers_of_the_pattern_are_helpers_and_the_common_one_is_not() -> None:
    found = helpers(load(builtin()["reduce"]))
    assert "recurrence.cuh" in found
    assert "shflbench.cuh" not in found
