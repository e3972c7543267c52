"""Launches, sizes and contents that nobody gave: they are values that a correct kernel supports."""

from pathlib import Path

from shflbench.checker.files import FileOptions, check_file
from tests import kernels

BATCHED = """__global__ void scale(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, batch = blockIdx.z;
    if (i < n) out[batch * n + i] = 2 * in[batch * n + i] + batch;
}"""


def verdicts(text: str, folder: Path, cache: Path) -> dict[str, str]:
    """Return the verdicts on the kernels of a file, by name."""
    file = folder / "k.cu"
    file.write_text(text, encoding="utf-8")
    report = check_file(file, FileOptions(toolchain=kernels.tools(), cache=cache, outputs=False))
    return {kernel.name: str(kernel.verdict) for kernel in report.kernels}


def test_a_batch_per_block_along_z_is_clean_with_blocks_of_one_dimension(tmp_path: Path, kernel_cache: Path) -> None:
    assert verdicts(BATCHED, tmp_path, kernel_cache) == {"scale": "clean"}
