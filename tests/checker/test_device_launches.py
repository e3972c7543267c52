"""Kernels that launch kernels: they are judged without what they launch."""

from pathlib import Path

import pytest

from shflbench.checker import FileOptions, FileReport, KernelVerdict, check_file
from shflbench.cuda_sources.read_options import Compilers
from tests import kernels

CHILD = "__global__ void child(float *p, int n) { p[threadIdx.x] = n; }\n"
PARENT = """__global__ void parent(float *p, int n) {
  p[threadIdx.x] = 1;
  if (threadIdx.x == 0 && n > 0) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    child<<<n, 64, 0, stream>>>(p, n);
    parent<<<1, 64>>>(p, n - 1);
    cudaStreamDestroy(stream);
  }
}
"""
MAIN = "int main() { float *d; cudaMalloc(&d, 256); parent<<<1, 64>>>(d, 2); }\n"


def check(folder: Path, text: str, kernel: str = "parent") -> FileReport:
    path = folder / "kernel.cu"
    path.write_text(text)
    return check_file(path, FileOptions(kernels=(kernel,), compilers=Compilers(kernels.tools())))


@pytest.mark.parametrize(
    ("parent", "verdict"),
    [(PARENT, KernelVerdict.CLEAN), (PARENT.replace("p[threadIdx.x] = 1", "*p = threadIdx.x"), KernelVerdict.BROKEN)],
    ids=["sound", "race"],
)
def test_a_kernel_is_judged_by_what_it_does_beside_its_launches(
    tmp_path: Path, parent: str, verdict: KernelVerdict
) -> None:
    report = check(tmp_path, CHILD + parent + MAIN)
    (kernel,) = report.kernels
    assert kernel.verdict is verdict
    (note,) = (item for item in report.notes if item.kind == "compiler")
    assert note.text == "device code launches a kernel: what `parent` leaves to it is not checked there"
    assert note.line is not None
    assert note.line.line == 1 + PARENT[: PARENT.index("child<<<")].count("\n") + 1


def test_a_launched_kernel_that_the_emulator_cannot_run_does_not_affect_the_launching_one(tmp_path: Path) -> None:
    child = CHILD.replace("{", '{ asm volatile("multimem.red.global.add.u32 [%0], 1;" :: "l"(p));')
    verdicts = {name: check(tmp_path, child + PARENT + MAIN, name).kernels[0].verdict for name in ("parent", "child")}
    assert verdicts == {"parent": KernelVerdict.CLEAN, "child": KernelVerdict.NOT_CHECKED}


def test_the_host_code_still_decides_on_the_launch(tmp_path: Path) -> None:
    (kernel,) = check(tmp_path, CHILD + PARENT + MAIN).kernels
    assert "1x64" in {launch.shape for launch in kernel.launches}
