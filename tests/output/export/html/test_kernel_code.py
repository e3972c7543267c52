import pytest

from shflbench.output.export.html.kernel_code import kernel_of_unit
from shflbench.store.kernel_archive import KernelArchive
from tests.output.export.html.pages import content_of, parsed, real, small

UNIT = """\
constexpr int UNROLL = 4;
#line 1 "sums/kernels.cu"
// What all share.
#include "shflbench.cuh"

// Adds.
// In a loop.
template <typename T>
__global__ void sums_smem(const T* values, T* result) {
    if (true) { result[0] = values[0]; }  // a brace }
}

__global__ void sums_smem_double(const float* values) {
}
"""


def test_a_kernel_stands_alone_with_its_comment() -> None:
    assert kernel_of_unit(UNIT, "sums_smem<float>") == "\n".join(UNIT.splitlines()[5:11])


def test_a_name_that_begins_another_is_not_confused_with_it() -> None:
    assert kernel_of_unit(UNIT, "sums_smem_double").startswith("__global__ void sums_smem_double(")


@pytest.mark.parametrize("expression", ["generated<float>", "", "(", "<script>", "::"])
def test_an_unknown_name_shows_the_file_as_its_author_wrote_it(expression: str) -> None:
    assert kernel_of_unit(UNIT, expression) == UNIT.split('"sums/kernels.cu"\n')[1].strip("\n")


@pytest.mark.parametrize("suite", ["gtc2013", "warp-collectives", "dynamic-indexing"])
def test_each_kernel_of_a_real_run_is_cut_out_whole(suite: str) -> None:
    archive = KernelArchive.read(real(suite) / "kernels.zip")
    assert len(archive.index.kernels) > 100
    for kernel in archive.index.kernels:
        code = kernel_of_unit(archive.contents[kernel.source].decode(), kernel.expression)
        assert code.count("__global__") == 1, kernel.name
        assert code.count("{") == code.count("}") > 0, kernel.name
        assert kernel.expression.partition("<")[0] in code
        assert code.startswith(("//", "template", "__global__")), kernel.name
        assert code.endswith("}")


def test_the_pieces_of_a_kernel_are_its_text_and_its_facts_are_those_of_the_run() -> None:
    pattern = next(one for one in small().patterns if one.name == "moving-average")
    kernels = {kernel.variant: kernel for kernel in pattern.kernels}
    assert set(kernels) == {"global", "prefetch", "smem", "shfl"}
    code = "".join(text for _, text in kernels["shfl"].pieces)
    assert code.count("__global__ void LAUNCH_BOUNDS moving_average_shfl") == 1
    assert ("k", "__global__ void ") in kernels["shfl"].pieces
    facts = dict(kernels["shfl"].facts)
    assert "SHFL 6" in facts["SASS of the kernel"]
    assert facts["Limit"].endswith(" µs by block start")
    assert "shflbench.cuh" in [header.name for header in pattern.headers]


@pytest.mark.archs
def test_a_header_of_several_patterns_is_in_the_report_once() -> None:
    report = content_of(real("rows"))
    assert [header.name for header in report.headers] == ["shflbench.cuh", "rows.cuh", "rows_cub.cuh"]
    text = parsed(report).text
    for header in (header for pattern in report.patterns for header in pattern.headers):
        assert text.count("".join(code for _, code in header.pieces)) == 1, header.name
