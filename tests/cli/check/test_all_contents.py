"""Faults and races that the code makes possible or certain whatever a chosen buffer contains."""

import pytest

from tests.cli.check.conftest import CheckText

LINEAR = "blockIdx.x * blockDim.x + threadIdx.x"


def kernel(type_: str, statement: str) -> str:
    """Return a kernel of which `data` and `n` are chosen."""
    return f"""\
__global__ void histogram(const {type_} *data, int *bins, int n) {{
    int i = {LINEAR};
    {statement}
}}
"""


@pytest.mark.parametrize(
    ("type_", "statement"),
    [
        ("unsigned char", "if (i < n) atomicAdd(&bins[data[i]], 1);"),
        ("unsigned", "if (i < n) atomicAdd(&bins[data[i] & 255], 1);"),
        ("unsigned", "for (; i < n; i += blockDim.x * gridDim.x) atomicAdd(&bins[data[i] % 256], 1);"),
        ("unsigned", "atomicAdd(&bins[data[i] % 1000 + 5], 1);"),
    ],
)
def test_an_index_that_the_code_limits_beyond_a_given_buffer_is_broken(
    check_text: CheckText, type_: str, statement: str
) -> None:
    report = check_text(kernel(type_, statement), "--arg", "bins=i32[200]")
    assert (report.code, report.verdict, report.kinds) == (1, "broken", ["out of bounds"])
    assert "of the 800 bytes of `bins`" in report.kernel["findings"][0]["detail"]


@pytest.mark.parametrize(
    ("type_", "statement"),
    [
        ("unsigned", "if (i < n) atomicAdd(&bins[data[i] + 150], 1);"),
        ("unsigned", "if (n == 100) atomicAdd(&bins[data[i] & 255], 1);"),
        ("unsigned", "if (data[i + n]) atomicAdd(&bins[data[i] & 255], 1);"),
        ("unsigned", "if (i < n) atomicAdd(&bins[(data[i] & 255) + n], 1);"),
    ],
)
def test_an_index_that_values_from_outside_decide_on_needs_arguments(
    check_text: CheckText, type_: str, statement: str
) -> None:
    report = check_text(kernel(type_, statement), "--arg", "bins=i32[200]")
    assert report.verdict in {"needs arguments", "clean"}, report.sentence
    assert report.code == 0


@pytest.mark.parametrize(
    ("type_", "index", "verdict"),
    [
        ("unsigned", "data[i] & 255", "broken"),
        ("unsigned", "data[i]", "clean"),
        ("signed char", "data[i] + 64", "needs arguments"),
    ],
)
def test_the_type_alone_does_not_decide_on_a_buffer_of_the_host_code(
    check_text: CheckText, type_: str, index: str, verdict: str
) -> None:
    calls = "init(&d); cudaMalloc(&bins, 192); histogram<<<1, 64>>>(d, bins, 64);"
    host = f"int main() {{ TYPE *d; int *bins; {calls} }}"
    text = (
        kernel(type_, f"if (i < n) atomicAdd(&bins[{index}], 1);")
        + "void init(void *p);\n"
        + host.replace("TYPE", type_)
    )
    assert check_text(text).verdict == verdict


@pytest.mark.parametrize(
    ("type_", "statement"),
    [
        ("unsigned", "bins[data[threadIdx.x] % 8]++;"),
        ("int", "bins[data[threadIdx.x] % 8 + 8]++;"),
        ("unsigned", "bins[data[threadIdx.x] & 7]++;"),
        ("int", "bins[(data[threadIdx.x] & 0x70) >> 4]++;"),
        ("unsigned", "bins[data[threadIdx.x] % 10] = threadIdx.x;"),
        ("int", "if (threadIdx.x < n) bins[data[threadIdx.x] % 10 + 10] = threadIdx.x;"),
        ("int", "__shared__ int s[8]; s[data[threadIdx.x] & 7] = i; __syncthreads(); bins[i] = s[i & 7];"),
    ],
)
def test_more_threads_than_bins_race_whatever_the_contents(check_text: CheckText, type_: str, statement: str) -> None:
    report = check_text(kernel(type_, statement), "--launch", "1x64")
    assert (report.code, report.verdict) == (1, "broken"), report.sentence
    assert "WAW" in report.kinds


@pytest.mark.parametrize(
    ("type_", "statement"),
    [
        ("unsigned", "bins[data[threadIdx.x] % 80]++;"),
        ("unsigned", "bins[data[threadIdx.x] & 63]++;"),
        ("unsigned", "if (threadIdx.x < 8) bins[data[threadIdx.x] & 7]++;"),
        ("unsigned", "if (data[threadIdx.x] & 32) bins[data[threadIdx.x] & 7]++;"),
        ("unsigned", "bins[(data[threadIdx.x] & 7) + 8 * threadIdx.x / 2]++;"),
        ("int", "bins[data[threadIdx.x] % 40 + 40] = threadIdx.x;"),
    ],
)
def test_a_race_that_other_contents_exclude_needs_arguments(check_text: CheckText, type_: str, statement: str) -> None:
    report = check_text(kernel(type_, statement), "--launch", "1x64")
    assert (report.code, report.verdict) == (0, "needs arguments"), report.sentence
