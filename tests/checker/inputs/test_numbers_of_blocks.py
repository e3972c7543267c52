"""Numbers of which each block has its part: a few per block show what more would."""

from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.options import FileOptions
from shflbench.cuda_sources.read_options import Compilers
from tests import kernels

FILL = """__global__ void fill(float *out, int rows, int columns) {
    for (int row = blockIdx.x; row < rows; row += gridDim.x)
        for (int c = threadIdx.x; c < LIMIT; c += blockDim.x) out[row * columns + c] = row;
}"""


@pytest.mark.parametrize(("limit", "rows"), [("columns", "rows = 3"), ("rows", "rows = 32")])
def test_rows_of_blocks_are_few_unless_threads_count_them_too(
    limit: str, rows: str, tmp_path: Path, kernel_cache: Path
) -> None:
    file = tmp_path / "k.cu"
    file.write_text(FILL.replace("LIMIT", limit), encoding="utf-8")
    (report,) = check_file(
        file, FileOptions(compilers=Compilers(kernels.tools(), cache=kernel_cache), outputs=False)
    ).kernels
    (launch,) = [item for item in report.launches if item.shape == "1x32"]
    assert rows in map(str, launch.arguments)
    assert report.verdict == "clean"
