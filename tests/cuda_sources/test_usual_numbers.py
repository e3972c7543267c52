"""Numbers that callers usually pass, by the names of parameters."""

import pytest

from shflbench.cuda_sources.usual_numbers import usual_number
from tests.cuda_sources.conftest import Parse


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("kernel_h", 3), ("ksize_w", 3), ("kernel_size", 3), ("kH", 3), ("pad_h", 1), ("padding", 1), ("padW", 1),
        ("stride_w", 1), ("dH", 1), ("dilation_h", 1), ("deformable_group", 1), ("groups", 1), ("radius", 3),
        ("k", None), ("n", None), ("stride", None), ("width", None), ("group_size", None), ("hidden_dim", None),
        ("padded_seq_len", None), ("kernels", None),
    ],
)  # fmt: skip
def test_small_parameters_are_known_by_their_names(name: str, number: int | None) -> None:
    assert usual_number(name) == number


def test_a_convolution_has_a_positive_output(parse: Parse) -> None:
    text = """
__global__ void columns(float *out, int n) { if (blockIdx.x * blockDim.x + threadIdx.x < n) out[threadIdx.x] = n; }
void fill(float *out, int channels, int height, int width, int kernel_h, int kernel_w, int pad, int dilation_h) {
    int rows = height + 2 * pad - (dilation_h * (kernel_h - 1) + 1) + 1;
    int n = channels * rows * (width + 2 * pad - kernel_w + 1);
    columns<<<(n + 255) / 256, 256>>>(out, n);
}
"""
    launches = [item.launch for item in parse(text).launches]
    assert launches
    assert any(dict(launch.assumed)["kernel_h"] == 3 for launch in launches)
    assert all(isinstance(n := launch.arguments[1].value, int) and n > 0 for launch in launches)
