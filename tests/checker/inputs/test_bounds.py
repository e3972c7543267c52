"""Guards of the usual kind: sound, missing, and off by one, without `--arg` and with a size only."""

from pathlib import Path

import pytest

from shflbench.checker.file_check import check_file
from shflbench.checker.inputs.grammar import parse_arguments
from shflbench.checker.options import FileOptions, LaunchOptions
from shflbench.checker.report import KernelReport
from shflbench.cuda_sources.read_options import Compilers
from tests import kernels

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
PLANE = f"{INDEX} int j = blockIdx.y * blockDim.y + threadIdx.y;"


def _saxpy(name: str, guard: str) -> str:
    return f"__global__ void {name}(int n, float a, float *x, float *y) {{ {INDEX} {guard} y[i] = a * x[i] + y[i]; }}"


def _transpose(name: str, guard: str) -> str:
    return f"""__global__ void {name}(const float *in, float *out, int width, int height) {{
        {PLANE} if ({guard}) out[i * height + j] = in[j * width + i]; }}"""


def _stride(name: str, guard: str) -> str:
    return f"""__global__ void {name}(const int *in, int *out, size_t n) {{
        size_t i = blockIdx.x * blockDim.x + threadIdx.x;
        for (; {guard}; i += gridDim.x * blockDim.x) out[i] = in[i]; }}"""


def _tile(name: str, guard: str) -> str:
    return f"""__global__ void {name}(const float *in, float *out, int n) {{
        __shared__ float s[128]; {INDEX} int t = threadIdx.x; s[t] = i < n ? in[i] : 0; __syncthreads();
        float v = s[(t + 1) % blockDim.x]; {guard} out[i] = v; }}"""


CUDA = "\n".join(
    (
        *(
            _saxpy(f"saxpy{end}", guard)
            for end, guard in (("", "if (i < n)"), ("_le", "if (i <= n)"), ("_without", ""))
        ),
        *(_saxpy(f"host{end}", guard) for end, guard in (("", "if (i < n)"), ("_le", "if (i <= n)"), ("_without", ""))),
        _transpose("transpose", "i < width && j < height"),
        _transpose("transpose_le", "i < width && j <= height"),
        _stride("stride", "i < n"),
        _stride("stride_le", "i <= n"),
        _tile("tile", "if (i < n)"),
        _tile("tile_without", ""),
        # Each thread has a result, although the loop begins with `t < n`.
        f"""__global__ void partial(const float *in, float *sums, int n) {{ {INDEX} float v = 0;
        for (int k = i; k < n; k += gridDim.x * blockDim.x) v += in[k];
        sums[i] = v; }}""",
        # The columns of `b` have as many elements as its rows, and only the latter are limited by a guard.
        f"""__global__ void product(const float *a, const float *b, float *c, int m, int n, int k) {{ {PLANE}
        if (j < m && i < n) {{ float v = 0; for (int l = 0; l < k; l++) v += a[j * k + l] * b[l * n + i];
        c[j * n + i] = v; }} }}""",
        """int main() { float *x, *y; const int n = 50000;
        cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&y, n * sizeof(float));
        host<<<(n + 127) / 128, 128>>>(n, 2, x, y); host_le<<<(n + 127) / 128, 128>>>(n, 2, x, y);
        host_without<<<(n + 127) / 128, 128>>>(n, 2, x, y); }""",
    )
)
SOUND = {"saxpy", "host", "transpose", "stride", "tile", "partial", "product"}
UNTESTED = {"saxpy_without": ("x", "y"), "partial": ("sums",), "product": ("b",)}


def _reports(folder: Path, cache: Path, names: tuple[str, ...] = (), *args: str) -> dict[str, KernelReport]:
    file = folder / "guards.cu"
    file.write_text(CUDA, encoding="utf-8")
    given = parse_arguments(args)
    options = FileOptions(
        kernels=names,
        compilers=Compilers(kernels.tools(), cache=cache),
        given=LaunchOptions(arguments=given),
        outputs=False,
    )
    return {report.name: report for report in check_file(file, options).kernels}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory, kernel_cache: Path) -> dict[str, KernelReport]:
    return _reports(tmp_path_factory.mktemp("guards"), kernel_cache)


@pytest.mark.archs
def test_a_wrong_guard_is_broken_at_sizes_of_the_host_code_and_needs_arguments_without(
    reports: dict[str, KernelReport],
) -> None:
    clean = {name for name, report in reports.items() if report.verdict == "clean"}
    assert clean == SOUND | {"saxpy_without"}  # which says that its bounds were not tested, see below
    for name in reports.keys() - clean:
        assert reports[name].verdict == ("broken" if name.startswith("host") else "needs arguments"), name
        assert {finding.kind for finding in reports[name].findings} == {"out of bounds"}, name


def test_buffers_whose_size_nothing_says_are_named(reports: dict[str, KernelReport]) -> None:
    assert {name: report.untested for name, report in reports.items() if report.untested} == UNTESTED
    assert reports["saxpy_without"].sentence.endswith("; bounds of `x`, `y` not tested, and the kernel never reads `n`")
    assert reports["partial"].sentence.endswith("; bounds of `sums` not tested")


def test_a_given_size_is_that_of_the_buffers_and_a_launch_has_threads_beyond_it(
    tmp_path: Path, kernel_cache: Path
) -> None:
    names = ("saxpy", "saxpy_le", "saxpy_without")
    given = _reports(tmp_path, kernel_cache, names, "n=512")
    assert [given[name].verdict for name in names] == ["clean", "needs arguments", "clean"]
    assert [given[name].launches[-1].shape for name in names] == ["5x128", "5x128", "4x128"]
    assert given["saxpy_without"].untested == ()
    assert _reports(tmp_path, kernel_cache, names[2:], "n=500")["saxpy_without"].causes[0] in {"x", "y"}
