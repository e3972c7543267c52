"""Allocations of sizes that no machine has: those of negative numbers, which C++ takes as huge ones."""

import pytest

from tests.cuda_sources.conftest import Parse

KERNEL = "__global__ void f(float *data, int rows, int columns) {}\n"
WORDS = """
int main(int argc, char **argv) {
    int rows = atoi(argv[1]), columns = atoi(argv[2]), size = rows * columns;
    float *data; cudaMalloc(&data, sizeof(float) * (size - columns));
    f<<<1, 128>>>(data, rows, columns);
}
"""


@pytest.mark.parametrize("size", ["-5", "n * sizeof(float)", "1ull << 60", "-1.0"])
@pytest.mark.parametrize(
    "allocation",
    [
        "cudaMalloc(&data, SIZE);",
        "data = (float *)malloc(SIZE);",
        "data = new float[int(SIZE)];",
        "std::vector<float> v; v.resize(SIZE); data = v.data();",
        "posix_memalign((void **)&data, 64, SIZE);",
    ],
)
def test_memory_of_such_a_size_has_no_known_size(parse: Parse, allocation: str, size: str) -> None:
    body = allocation.replace("SIZE", size)
    text = f"{KERNEL}int main() {{ int n = -7; float *data; {body} f<<<1, 32>>>(data, n, n); }}"
    (site,) = parse(text).launches
    buffer = site.launch.arguments[0].buffer
    assert buffer is None or buffer.size is None or buffer.size >= 0


def test_a_program_sees_that_the_allocation_failed(parse: Parse) -> None:
    text = "int main() { float *data; if (cudaMalloc(&data, -5) != cudaSuccess) return 1; f<<<1, 32>>>(data, 1, 1); }"
    assert not parse(KERNEL + text).launches[0].performed


def test_chosen_numbers_with_which_an_allocation_fails_are_not_used(parse: Parse) -> None:
    launches = [site.launch for site in parse(KERNEL + WORDS).launches]
    assert launches
    assert all(item.arguments[0].buffer and item.arguments[0].buffer.size for item in launches)
