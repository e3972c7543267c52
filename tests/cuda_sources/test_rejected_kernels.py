"""Kernels that the compiler rejects in files whose other kernels it accepts."""

from pathlib import Path

import pytest

from shflbench.checker import FileOptions, FileReport, KernelVerdict, check_file
from shflbench.cuda_sources.read_options import Compilers
from shflbench.errors import CompileError, UsageError
from tests import kernels
from tests.cuda_sources.conftest import Read

BARRIER = "  __syncthreads();\n"
KERNELS = f"""__global__ void child(float *out) {{
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
{BARRIER}  out[threadIdx.x] = s[63 - threadIdx.x];
}}
template <typename T>
__global__ void parent(T *out) {{
  child<<<1, 64>>>(out);
  cudaDeviceSynchronize();
}}
__global__ void again(float *out) {{
  if (threadIdx.x == 0) parent<<<1, 1>>>(out);
}}
"""
MAIN = "int main() { float *d; cudaMalloc(&d, 256); child<<<1, 64>>>(d); parent<<<1, 1>>>(d); again<<<1, 1>>>(d); }\n"
PARENT = "device code launches a kernel: what `parent` leaves to it is neither checked nor timed"


def check(folder: Path, text: str, *names: str) -> FileReport:
    path = folder / "kernel.cu"
    path.write_text(text)
    return check_file(path, FileOptions(kernels=names, compilers=Compilers(kernels.tools())))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [(KERNELS, KernelVerdict.CLEAN), (KERNELS.replace(BARRIER, ""), KernelVerdict.BROKEN)],
    ids=["sound", "race"],
)
def test_kernels_beside_those_that_launch_kernels_are_judged(tmp_path: Path, text: str, verdict: KernelVerdict) -> None:
    report = check(tmp_path, text + MAIN)
    refused = KernelVerdict.NOT_COMPILED
    assert {item.name: item.verdict for item in report.kernels} == {
        "child": verdict,
        "parent": refused,
        "again": refused,
    }
    line = text[: text.index("child<<<")].count("\n") + 1
    (parent,) = (item for item in report.kernels if item.name == "parent")
    assert parent.sentence.endswith(f"kernel.cu:{line}: {PARENT}")


def test_a_rejected_kernel_is_chosen_by_its_name(tmp_path: Path, read: Read) -> None:
    for name in ("parent", "parent<float>"):
        (entry,) = check(tmp_path, KERNELS + MAIN, name).kernels
        assert entry.verdict is KernelVerdict.NOT_COMPILED
        with pytest.raises(CompileError, match="what `parent` leaves to it"):
            read(KERNELS + MAIN, name)
    assert [item.name for item in check(tmp_path, KERNELS + MAIN, "child").kernels] == ["child"]
    with pytest.raises(UsageError, match="has no kernel `other`"):
        check(tmp_path, KERNELS + MAIN, "other")


def test_a_kernel_that_may_need_a_missing_header_does_not_affect_the_others(tmp_path: Path) -> None:
    text = f'#include "plan.h"\n{KERNELS.partition("template")[0]}__global__ void planned(Plan *p) {{ p->n = 1; }}\n'
    report = check(tmp_path, text)
    assert [(item.name, item.verdict) for item in report.kernels] == [
        ("child", KernelVerdict.CLEAN),
        ("planned", KernelVerdict.NOT_COMPILED),
    ]
    assert "there is no header plan.h" in report.kernels[1].sentence


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void other(int *p) { *p = UNKNOWN; }\n",
        "__device__ void step(float *p) { child<<<1, 64>>>(p); }\n__global__ void other(float *p) { step(p); }\n",
        "__global__ void other(float *p) { child<<<1, 64>>>(p); }\n__global__ void other(int *p) { *p = 1; }\n",
    ],
    ids=["error", "device function", "overload"],
)
def test_any_other_error_rejects_the_file(read: Read, text: str) -> None:
    with pytest.raises(CompileError):
        read(KERNELS.partition("template")[0] + text)
