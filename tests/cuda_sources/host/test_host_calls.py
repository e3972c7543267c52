"""The launches of each function of the host code, in the order in which its first call performs them."""

import pytest

from tests.cuda_sources.conftest import Parse

FILE = """
__global__ void first(float *to, const float *from, int n) { to[threadIdx.x] = from[n]; }
__global__ void second(float *to, const float *from, int n) { to[threadIdx.x] = from[n]; }
struct Sum {
  float *scratch;
  void run(float *out, const float *in, int n) {
    first<<<8, 64>>>(scratch, in, n);
    second<<<1, 64>>>(out, scratch, 8);
  }
};
BEFORE
int main(int argc, char **argv) {
  float *in, *out, *other; Sum sum;
  cudaMalloc(&in, 4096); cudaMalloc(&out, 4096); cudaMalloc(&other, 4096); cudaMalloc(&sum.scratch, 4096);
  BODY
}
"""


def launches(parse: Parse, function: str, body: str, before: str = "") -> list[tuple[str, tuple[int | None, ...]]]:
    """Return the kernels with the numbers of the allocations that they get, from 0 on."""
    (call,) = (item for item in parse(FILE.replace("BODY", body).replace("BEFORE", before)).host_calls
               if item.function == function)  # fmt: skip
    numbers: dict[int | None, int] = {}
    return [
        (
            item.kernel,
            tuple(
                numbers.setdefault(argument.buffer.allocation, len(numbers))
                for argument in item.launch.arguments
                if argument.buffer is not None
            ),
        )
        for item in call.launches
    ]


def is_whole(parse: Parse, function: str, body: str, before: str = "") -> bool:
    calls = parse(FILE.replace("BODY", body).replace("BEFORE", before)).host_calls
    return next(call.is_whole for call in calls if call.function == function)


def test_a_member_function_has_its_launches_and_the_buffers_that_they_share(parse: Parse) -> None:
    body = "for (int i = 0; i < 20; ++i) sum.run(out, in, 100);"
    assert launches(parse, "Sum::run", body) == [("first", (0, 1)), ("second", (2, 0))]
    assert is_whole(parse, "Sum::run", body)


def test_a_launch_with_buffers_in_turn_is_recorded_each_time(parse: Parse) -> None:
    before = "void twice(float *a, float *b) { for (int i = 0; i < 2; ++i) { first<<<1, 64>>>(a, b, 1); swap(a, b); } }"
    assert launches(
        parse, "twice", "twice(out, other);", before.replace("swap(a, b)", "float *t = a; a = b; b = t")
    ) == [
        ("first", (0, 1)),
        ("first", (1, 0)),
    ]


def test_an_outer_function_has_the_launches_of_those_that_it_calls(parse: Parse) -> None:
    body = "sum.run(out, in, 100); first<<<2, 64>>>(other, in, 7);"
    assert [kernel for kernel, _ in launches(parse, "main", body)] == ["first", "second", "first"]


@pytest.mark.parametrize(
    "body",
    [
        "if (read_it()) first<<<1, 64>>>(a, b, 1);",
        "while (read_it()) first<<<1, 64>>>(a, b, 1);",
        "for (int i = 0; i < 1000; ++i) first<<<1, 64>>>(a, b, i);",
        "for (int i = 0; i < n; ++i) first<<<1, 64>>>(a, b, i); exit(0);",
    ],
    ids=["condition", "loop", "many", "exit"],
)
def test_a_call_is_not_whole_where_only_a_run_knows_its_launches(parse: Parse, body: str) -> None:
    before = f"void part(float *a, float *b, int n) {{ {body} }}"
    assert not is_whole(parse, "part", "part(out, in, 3);", before)


def test_a_function_that_launches_nothing_is_left_out(parse: Parse) -> None:
    before = 'void none(int n) { printf("%d", n); }'
    source = parse(FILE.replace("BODY", "none(1); sum.run(out, in, 100);").replace("BEFORE", before))
    assert [call.function for call in source.host_calls] == ["main", "Sum::run"]


@pytest.mark.parametrize(
    ("before", "body", "number"),
    [
        ("", "Box a{3}, b{7}; a.swap(b); kernel<<<1, 32>>>(a.n);", 7),
        ("int max(int a, int b) { return 5; }", "kernel<<<1, 32>>>(std::max(3, 4));", 4),
        ("int max(int a, int b) { return 5; }", "kernel<<<1, 32>>>(max(3, 4));", 5),
        ("", "auto min = [](int a, int b) { return 5; }; kernel<<<1, 32>>>(std::min(3, 4));", 3),
    ],
)
def test_function_of_the_library_is_none_of_the_file(parse: Parse, before: str, body: str, number: int) -> None:
    text = "struct Box { int n; void swap(Box &o) { std::swap(n, o.n); } };\n__global__ void kernel(int n) {}\n"
    (site,) = parse(f"{text}{before}\nint main() {{ {body} }}\n").launches
    assert site.launch.arguments[0].value == number


def test_call_that_launches_nothing_is_not_the_first_one(parse: Parse) -> None:
    before = "void both(Sum &sum, float *out, float *in, int n) { if (n) sum.run(out, in, n); }"
    body = "both(sum, out, in, 0); both(sum, out, in, 8);"
    assert [kernel for kernel, _ in launches(parse, "both", body, before)] == ["first", "second"]
