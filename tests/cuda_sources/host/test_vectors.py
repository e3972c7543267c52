"""The sizes of vectors that host code passes to kernels."""

import pytest

from tests.cuda_sources.conftest import Parse

KERNEL = "struct P { double x; int i; };\n__global__ void kernel(float *p) { p[0] = 1; }\n"


def size(parse: Parse, body: str) -> int | None:
    (site,) = parse(f"{KERNEL}int main(int argc, char **argv) {{\nconst int n = 100;\n{body}\n}}\n").launches
    buffer = site.launch.arguments[0].buffer
    return buffer.size if buffer is not None else None


@pytest.mark.parametrize(
    ("body", "bytes_"),
    [
        ("thrust::device_vector<float> d(n); kernel<<<1, 32>>>(thrust::raw_pointer_cast(d.data()));", 400),
        ("device_vector<P> d(n + 1, P()); kernel<<<1, 32>>>(raw_pointer_cast(&d[0]));", 1616),
        ("thrust::host_vector<int> h(7); thrust::device_vector<int> d = h; kernel<<<1, 32>>>(d.data().get());", 28),
        ("thrust::device_vector<char> d(n); char *p = thrust::raw_pointer_cast(d.data()); kernel<<<1, 32>>>(p);", 100),
        ("thrust::device_vector<float> d{1, 2}; kernel<<<1, 32>>>(thrust::raw_pointer_cast(d.data()));", 8),
        ("device_vector<float> d(n), e(9); float *p = d.data().get(); p = e.data().get(); kernel<<<1, 32>>>(p);", 36),
        ("std::vector<int> h; for (int i = 0; i < 6; i++) h.push_back(i); kernel<<<1, 32>>>(h.data());", 24),
        ("std::vector<int> h(5); while (other()) h[2] = 1; kernel<<<1, 32>>>(h.data());", 20),
    ],
)
def test_constant_sizes_of_vectors_count(parse: Parse, body: str, bytes_: int) -> None:
    assert size(parse, body) == bytes_


@pytest.mark.parametrize(
    "body",
    [
        "thrust::device_vector<float> d(other()); kernel<<<1, 32>>>(thrust::raw_pointer_cast(d.data()));",
        "thrust::device_vector<float> d(n); d.resize(other()); kernel<<<1, 32>>>(thrust::raw_pointer_cast(d.data()));",
        "thrust::device_vector<float> d(h.begin(), h.end()); kernel<<<1, 32>>>(d.data().get());",
        "thrust::device_vector<float> d(n); d = other(); kernel<<<1, 32>>>(d.data().get());",
        "std::vector<int> h; while (other()) h.push_back(1); kernel<<<1, 32>>>(h.data());",
        "std::vector<int> h; if (other()) h.resize(9); kernel<<<1, 32>>>(h.data());",
    ],
)
def test_sizes_that_are_not_certain_are_unknown(parse: Parse, body: str) -> None:
    assert size(parse, body) is None
