"""Values that no launch can have end with a sentence, in `bench` and in `check`."""

from pathlib import Path

import pytest

from tests.cli.gate.runs import process
from tests.conftest import Outcome

TEXT = """
extern __shared__ float staged[];
__global__ void KERNEL(const float* in, float* out) {
  staged[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = staged[threadIdx.x];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 1024); cudaMalloc(&out, 1024);
  KERNEL<<<1, 256, SHARED>>>(in, out);
}
"""
EMULATED = ("--device", "emulator", "--output", "run")
FAULT = "thread 4 of block 0 writes out of bounds: byte 16 of the 16 bytes of `out`"


def call(folder: Path, cache: Path, *words: str, shared: str = "1024", kernel: str = "copy") -> Outcome:
    text = TEXT.replace("KERNEL", kernel).replace("SHARED", shared)
    (folder / "copy.cu").write_text(text, encoding="utf-8")
    return process(*words, cwd=folder, SHFLBENCH_CACHE=str(cache))


@pytest.mark.archs
def test_a_launch_with_negative_shared_memory_is_invalid(tmp_path: Path, kernel_cache: Path) -> None:
    outcome = call(tmp_path, kernel_cache, "check", "copy.cu", shared="-5")
    assert outcome.code == 1
    assert "the launch at copy.cu:10 is invalid (a block cannot have -5 bytes of shared memory;" in outcome.out
    assert call(tmp_path, kernel_cache, "check", "copy.cu").code == 0


@pytest.mark.archs
def test_a_buffer_that_is_too_small_is_a_fault_of_the_launch(tmp_path: Path, kernel_cache: Path) -> None:
    words = ("bench", "copy.cu", "--no-check", "--arg", "out=f32[4]", *EMULATED)
    outcome = call(tmp_path, kernel_cache, *words)
    assert (outcome.code, FAULT in outcome.err) == (5, True)


@pytest.mark.archs
def test_a_name_that_no_file_can_have_is_shortened(tmp_path: Path, kernel_cache: Path) -> None:
    outcome = call(tmp_path, kernel_cache, "bench", "copy.cu", *EMULATED, kernel="k" + "a" * 20_000)
    assert outcome.code == 0
    assert max(map(len, outcome.err.splitlines()[-4:])) < 400
