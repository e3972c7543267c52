import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import shflbench
from shflbench.checker.verdict import KernelVerdict
from shflbench.errors import InputError, UsageError

PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 x, .param .f32 factor, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    ld.param.f32 %f1, [factor];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mad.lo.u32 %r5, %r3, %r4, %r2;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    mul.wide.u32 %rd2, %r5, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.f32 %f2, [%rd3];
    mul.f32 %f3, %f2, %f1;
    st.global.f32 [%rd3], %f3;
DONE:
    ret;
}
"""
CUDA = """\
__global__ void reverse(float *x, int n) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    if (t < n) s[t] = x[t];
    BARRIER
    if (t < n) x[t] = s[n - 1 - t];
}
__global__ void nothing() {}
"""


def test_ptx_is_checked_with_arrays_and_numbers() -> None:
    x = np.arange(100, dtype=np.float32)
    result = shflbench.check(PTX, launch="2x64", args=[x, 2.5, 100])
    assert (result.kernel, result.verdict) == ("scale", "clean")
    np.testing.assert_array_equal(result.outputs[0], x * np.float32(2.5))
    np.testing.assert_array_equal(x, np.arange(100))  # the caller's array stays


def test_arguments_may_be_named_and_missing_ones_are_chosen() -> None:
    result = shflbench.check(PTX, launch=(2, 64), args={"arg1": 2.0})
    assert result.chosen
    assert result.verdict in {"clean", "needs arguments"}


def test_chosen_launches_are_reported() -> None:
    result = shflbench.check(PTX)
    assert len(result.explored) > 1
    assert any(text.startswith("chosen: launch 1x32 with ") for text in result.chosen), result


def test_cuda_source_is_compiled_and_checked(tmp_path: Path) -> None:
    x = np.arange(96, dtype=np.float32)
    path = tmp_path / "reverse.cu"
    path.write_text(CUDA.replace("BARRIER", "__syncthreads();"), encoding="utf-8")
    result = shflbench.check(path, "reverse", (1, 96), {"x": x, "n": 96}, shared_bytes=384)
    assert result.verdict == "clean", result
    np.testing.assert_array_equal(result.outputs["x"], x[::-1])


def test_race_in_a_text_names_line_threads_and_address() -> None:
    x = np.arange(96, dtype=np.float32)
    result = shflbench.check(CUDA.replace("BARRIER", ""), "reverse", (1, 96), [x, 96], shared_bytes=384)
    assert result.verdict is KernelVerdict.BROKEN
    finding = result.findings[0]
    assert (finding.kind, finding.file, finding.line) == ("RAW", Path("kernel.cu"), 6)
    assert len(finding.threads) == 2
    assert finding.address
    assert finding.sentence.partition(": ")[2] in result.text()
    assert "shflbench-" not in result.text()  # the name of a temporary folder


COPY = PTX.replace("scale(.param .u64 x,", "copy(.param .u64 x, .param .u64 y,").replace(
    "    st.global.f32 [%rd3], %f3;",
    "    ld.param.u64 %rd3, [y];\n    add.u64 %rd3, %rd3, %rd2;\n    st.global.f32 [%rd3+4], %f3;",
)


def test_array_that_is_passed_twice_is_one_buffer() -> None:
    x, y = np.ones(100, np.float32), np.ones(100, np.float32)
    apart = shflbench.check(COPY, launch="1x99", args=[x, y, 2.0, 99])
    assert apart.verdict == "clean", apart
    together = shflbench.check(COPY, launch="1x99", args=[x, x, 2.0, 99])  # x[i + 1] = 2 x[i]
    assert together.verdict == "broken"
    assert {finding.kind for finding in together.findings} <= {"RAW", "WAR"}
    assert together.outputs.keys() == {0, 1}


def test_arrays_that_overlap_are_refused() -> None:
    x = np.ones(100, np.float32)
    with pytest.raises(UsageError, match="argument arg1 overlaps another array in memory"):
        shflbench.check(COPY, launch="1x99", args=[x[1:], x[:-1], 2.0, 99])


TEMPLATES = """\
namespace tools {
template <typename T> __global__ void scale(T *x, T factor) { x[threadIdx.x] *= factor; }
}
template __global__ void tools::scale<float>(float *, float);
template __global__ void tools::scale<int>(int *, int);
"""


def test_one_of_several_kernels_is_named_as_the_source_names_it() -> None:
    result = shflbench.check(TEMPLATES, "tools::scale<int>", (1, 32), [np.arange(32, dtype=np.int32), 3])
    assert (result.kernel, result.verdict) == ("tools::scale<int>", "clean")
    np.testing.assert_array_equal(result.outputs[0], 3 * np.arange(32))


def test_code_that_does_not_compile_is_a_verdict() -> None:
    result = shflbench.check("__global__ void f(int *x) { x[0] = y; }\n")
    assert result.verdict == "not compiled"
    assert result.sentence.startswith("kernel.cu")
    assert "shflbench-" not in result.sentence


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (3, "a int is no kernel"),
        (CUDA.replace("BARRIER", ""), "kernel.cu has 2 kernels"),
        (PTX.replace("scale", "other"), "kernel.ptx has no kernel `scale`"),
    ],
)
def test_source_without_the_kernel_is_an_error_in_one_sentence(source: object, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        shflbench.check(source, "scale" if "other" in str(source) else None)
    assert caught.value.message.startswith(message)


def test_ptx_that_cannot_be_read_is_a_verdict() -> None:
    result = shflbench.check(PTX.replace("mov.u32 %r2", "mov.u32 ]%r2"), launch=(1, 32), args=[np.ones(32, np.float32)])
    assert (result.verdict, dict(result.outputs)) == ("not checked", {})
    assert "PTX line 13" in result.sentence


def test_missing_file_is_an_error_in_one_sentence() -> None:
    with pytest.raises(InputError, match=r"no-such\.ptx"):
        shflbench.check("no-such.ptx")


@pytest.mark.parametrize("launch", [(4,), (0, 32), ((1, 1, 1, 1), 32), "4", (1, 2048), (1.5, 32), 7])
def test_impossible_launch_is_an_error_in_one_sentence(launch: object) -> None:
    with pytest.raises(UsageError) as caught:
        shflbench.check(PTX, launch=launch)  # type: ignore[arg-type]
    assert "--launch" not in caught.value.message + caught.value.advice


def test_a_check_of_a_file_imports_no_reader_of_suites() -> None:
    code = (
        "import sys, shflbench.checker.file_check; "
        "print({'pydantic', 'ruamel', 'shflbench.patterns'} & set(sys.modules))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "set()\n"


def test_import_of_shflbench_imports_no_checker() -> None:
    code = "import sys, shflbench; print([name for name in sys.modules if 'numpy' in name or 'checker' in name])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"


CLUSTER = """\
#include <cooperative_groups.h>
__global__ void next_rank(int *out) {
    auto cluster = cooperative_groups::this_cluster();
    out[blockIdx.x] = cluster.num_blocks() * 10 + cluster.block_rank();
}
"""


@pytest.mark.parametrize(("cluster", "numbers"), [(None, [10] * 4), (2, [20, 21] * 2), ((4, 1), [40, 41, 42, 43])])
def test_blocks_run_in_clusters_of_the_given_size(cluster: int | tuple[int, int] | None, numbers: list[int]) -> None:
    result = shflbench.check(CLUSTER, launch=(4, 1), args=[np.zeros(4, np.int32)], cluster=cluster)
    assert result.outputs[0].tolist() == numbers
    assert ("in clusters of" in result.explored[0]) == (cluster is not None)


@pytest.mark.parametrize(
    ("cluster", "message"),
    [(0, "no number of blocks"), (17, "at most 16 blocks"), ((1, 2, 1, 1), "neither a number"), (3, "clusters of 3")],
)
def test_a_size_of_clusters_that_cannot_be_is_refused(cluster: int, message: str) -> None:
    with pytest.raises(UsageError, match=message) as error:
        shflbench.check(CLUSTER, launch=(4, 1), args=[np.zeros(4, np.int32)], cluster=cluster)
    assert cluster == 3 or "--cluster" not in str(error.value)
