"""The budget of the host code: what it does after that is not known, which a note says."""

from pathlib import Path

import pytest

from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources.host.machine import HostBudget, HostStop
from shflbench.cuda_sources.kernel_file import CompileOptions, KernelFile
from shflbench.cuda_sources.read import read_cuda
from shflbench.cuda_sources.read_options import Compilers
from shflbench.emulator.file_budget import FileBudget
from shflbench.errors import TimeLimitError

PROGRAM = """
#include <cmath>
static void reference(double* s, int n) {
    for (int i = 0; i < n; i++) s[i] = std::exp(-(s[i] + 40) / 6.8) + std::exp(-(s[i] + 41) / 7.8) * std::exp(s[i]);
}
__global__ void step(double* s) { s[threadIdx.x] += 1; }
int main() {
    double h[64], *s;
    for (int i = 0; i < 64; i++) h[i] = i;
    for (int k = 0; k < 40; k++) reference(h, 64);
    cudaMalloc(&s, sizeof(h));
    step<<<1, 64>>>(s);
}
"""


def read(folder: Path, budget: FileBudget) -> KernelFile:
    path = folder / "k.cu"
    path.write_text(PROGRAM, encoding="utf-8")
    return read_cuda(path, Compilers(find()), CompileOptions(budget=budget))


def test_a_note_says_that_the_host_code_was_not_followed_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not read(tmp_path, FileBudget()).notes
    monkeypatch.setattr("shflbench.cuda_sources.host.machine.MOST_WORK", 10_000)
    (note,) = read(tmp_path, FileBudget()).notes
    text = "the host code was followed for 0.01 million instructions: what it does after that is unknown"
    assert (note.kind, note.text) == ("budget", f"{text}; give --budget above 0.04")
    assert not read(tmp_path, FileBudget.of(4_000_000)).notes


def test_the_time_limit_ends_the_host_code(tmp_path: Path) -> None:
    looks = iter(range(10**6))
    with pytest.raises(TimeLimitError, match="the time limit of 1000 s was reached"):
        read(tmp_path, FileBudget.of(limit_s=1000, clock=lambda: float(next(looks))))


ENDLESS = {
    "a loop without end": "for (;;) {}",
    "a long loop": "long a = 0; for (long i = 0; i < (1l << 28); i++) a += i;",
    "loops in loops": "long a = 0; for (int i = 0; i < 4000; i++) for (int j = 0; j < 4000; j++) a += i * j;",
    "much memory": "float* v[4000]; for (int i = 0; i < 4000; i++) { v[i] = new float[1 << 18]; v[i][0] = i; }",
    "a deep recursion": "long a = deep(1000000);",
}


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS.keys())
def test_launches_behind_code_that_takes_very_long_are_found(tmp_path: Path, code: str) -> None:
    path = tmp_path / "k.cu"
    before = f"static long deep(long n) {{ return n ? deep(n - 1) + 1 : 0; }}\nint main() {{ {code}"
    path.write_text(PROGRAM.replace("int main() {", before), encoding="utf-8")
    (kernel,) = read_cuda(path, Compilers(find()), CompileOptions()).kernels
    assert {launch.block for launch in kernel.host_launches} == {(64, 1, 1)}


def test_code_counts_by_its_size() -> None:
    budget = HostBudget()
    budget.spend(1_000_000)
    assert not budget.is_spent
    with pytest.raises(HostStop):
        budget.spend(100_000_000)
    assert budget.is_spent
