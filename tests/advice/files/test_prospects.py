"""The gain that shuffles are predicted to bring to a kernel of a file, from its limits on an H200."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.advice.files.predicted_gpu import gpu_of
from shflbench.advice.files.prospects import ExchangePlace, Prospect, prospect_of
from shflbench.checker import (
    FileOptions,
    LaunchOptions,
    advise_file,
    parse_argument_sets,
    parse_arguments,
    parse_shape,
    read_candidates,
)
from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources.read_options import Compilers
from shflbench.store import read_info

pytestmark = pytest.mark.expensive

Predict = Callable[..., Prospect]
H200 = read_info(Path(__file__).parents[3] / "results" / "gtc2013" / "nvidia-h200").device
ARRAY = "__shared__ float s[1024];\nint t = threadIdx.x, i = blockIdx.x * blockDim.x + t;"
EXCHANGE = "s[t] = x;\n__syncthreads();\nx += s[t ^ 1];\n__syncthreads();"


@pytest.fixture
def predict(tmp_path: Path, kernel_cache: Path) -> Predict:
    """Return the prospect of the only kernel of a body, at a launch, on an H200."""

    def call(
        body: str, launch: str = "264x1024", *, n: int = 32, elements: int = 264 * 1024, gpu: bool = True
    ) -> Prospect:
        file = tmp_path / "kernel.cu"
        file.write_text(
            f"__global__ void kernel(const float* in, float* out, int n) {{\n{body}\n}}\n", encoding="utf-8"
        )
        arguments = [f"n={n}", f"in=f32[{elements}]", f"out=f32[{elements}]"]
        options = FileOptions(kernels=("kernel",), compilers=Compilers(find(), cache=kernel_cache), outputs=False)
        small = replace(
            options, given=LaunchOptions(launches=(parse_shape("2x1024"),), arguments=parse_arguments(arguments))
        )
        (advice,) = advise_file(file, small, lambda _: None)
        assert advice.missing == ""
        timed = replace(options, given=LaunchOptions(launches=(parse_shape(launch, most_threads=1 << 30),)))
        known = gpu_of(H200) if gpu and H200 else None
        candidates = read_candidates(file, timed, None, parse_argument_sets(arguments))
        return prospect_of(advice, ExchangePlace(find(), "sm_90", known, candidates))

    return call


LOOP = f"{ARRAY}\nfloat x = in[i];\nfor (int k = 0; k < n; ++k) {{\n{EXCHANGE}\n}}\nout[i] = x;"
ROOTS = LOOP.replace("s[t] = x;", "#pragma unroll\nfor (int m = 0; m < 50; ++m) x = __cosf(x);\ns[t] = x;")
SUM = "#pragma unroll\nfor (int k = 0; k < 16; ++k) x += in[i + k * gridDim.x * blockDim.x];"
STREAM = f"{ARRAY}\nfloat x = 0;\n{SUM}\n{EXCHANGE}\nout[i] = x;"


@pytest.mark.archs
def test_barriers_that_limit_a_kernel_are_a_predicted_gain(predict: Predict) -> None:
    prospect = predict(LOOP)
    assert prospect.limits is not None
    assert prospect.limits.by == "barrier"
    assert prospect.together.value is not None
    assert 1.3 < prospect.together.value < 6
    assert prospect.reason == ""


@pytest.mark.archs
@pytest.mark.parametrize(
    ("body", "elements", "unit"),
    [(ROOTS, 264 * 1024, "special"), pytest.param(STREAM, 16 * 264 * 1024, "l2", marks=pytest.mark.archs)],
)
def test_a_kernel_that_something_else_limits_gains_nothing(
    predict: Predict, body: str, elements: int, unit: str
) -> None:
    prospect = predict(body, elements=elements)
    assert prospect.limits is not None
    assert (prospect.limits.by, prospect.together.value) == (unit, 1.0)


COLUMNS = (
    "__shared__ float s[1024]; __shared__ float4 q[2048]; int t = threadIdx.x, lane = t % 32, column = t / 32;\n"
    "float x = in[blockIdx.x * 1024 + t];\nq[2 * t] = make_float4(x, x, x, x);\nfor (int k = 0; k < n; ++k) {\n"
    "s[32 * lane + column] = x;\n__syncwarp();\nx += s[32 * (lane ^ 1) + column];\nfloat4 v = q[2 * t];\n"
    "x += v.x + v.y + v.z + v.w;\n__syncwarp();\n}\nout[blockIdx.x * 1024 + t] = x;"
)


@pytest.mark.archs
def test_what_shuffles_save_is_what_the_limit_counts_beside_vector_accesses(predict: Predict) -> None:
    prospect = predict(COLUMNS)
    assert (prospect.together.by, prospect.together.later_by) == ("exchange", "exchange")
    assert prospect.together.value is not None
    assert 3 < prospect.together.value < 7  # 32 + 32 / 2 + 8 passes instead of 1 + 8


@pytest.mark.archs
def test_few_warps_are_no_reason_for_a_prediction(predict: Predict) -> None:
    prospect = predict(LOOP, "1x256")
    assert prospect.limits is not None
    assert prospect.limits.warps == 8
    assert prospect.together.value is None
    assert "latency decides; at most " in prospect.together.reason


@pytest.mark.archs
def test_without_a_gpu_the_gain_is_unknown_and_memory_is_not(predict: Predict) -> None:
    prospect = predict(LOOP, gpu=False)
    assert prospect.limits is None
    assert "no figures of a GPU" in prospect.reason
    assert prospect.saved_bytes == 4096


@pytest.mark.archs
def test_shared_memory_that_limits_occupancy_is_saved(predict: Predict) -> None:
    prospect = predict(LOOP.replace("s[1024]", "s[12 * 1024]"), "264x256")
    assert prospect.occupancy is not None
    assert prospect.later_occupancy is not None
    assert prospect.saved_bytes == 48 * 1024
    assert (prospect.occupancy.warps, prospect.later_occupancy.warps) == (32, 64)


@pytest.mark.archs
def test_memory_that_another_exchange_needs_is_not_saved(predict: Predict) -> None:
    prospect = predict(LOOP.replace("out[i] = x;", "s[t] = x;\n__syncthreads();\nout[i] = s[1023 - t];"))
    assert prospect.saved_bytes == 0
    assert prospect.occupancy == prospect.later_occupancy


def test_barriers_that_are_needed_stay_in_the_prediction(predict: Predict) -> None:
    across = LOOP.replace("x += s[t ^ 1];", "x += s[t ^ 1] + s[t ^ 32];")
    prospect = predict(across, n=64)
    assert (prospect.together.by, prospect.together.value) == ("barrier", 1.0)
