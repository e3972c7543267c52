"""`shflbench check` on files with a race, an undecided kernel, a clean one, and one that the compiler rejects."""

from pathlib import Path

import pytest

from tests.conftest import Command, Outcome

RACY = """\
__global__ void shift(const int *in, int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[(threadIdx.x + 1) % 64];
}
__global__ void count(const int *to, int *out) { out[to[threadIdx.x]] += threadIdx.x; }
__global__ void sound(int *out) { out[threadIdx.x] = 1; }
"""
REJECTED = "__global__ void f(int *a) {\n    a[0] = missing;\n}\n"


@pytest.fixture
def check(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run `check` in a folder with the files, at one launch."""
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    Path("kernels").mkdir()
    Path("kernels/racy.cu").write_text(RACY, encoding="utf-8")
    Path("kernels/rejected.cu").write_text(REJECTED, encoding="utf-8")

    def call(*words: str | Path) -> Outcome:
        return shflbench("check", *words, "--compiler", "nvrtc", "--launch", "1x64")

    return call
