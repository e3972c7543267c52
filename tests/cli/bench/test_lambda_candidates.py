"""Launches of a lambda expression or a function object that compute a result together are compared as one candidate."""

from pathlib import Path

import pytest

from tests.cli.bench.conftest import BenchCommand
from tests.conftest import Command

KERNELS = """\
__device__ float all(float s) {
    for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);
    return s;
}
template <int N> __global__ void sum_partial(const float *in, float *part, int n) {
    float s = 0;
    for (int i = blockIdx.x * N + threadIdx.x; i < n; i += gridDim.x * N) s += in[i];
    s = all(s);
    if (threadIdx.x == 0) part[blockIdx.x] = s;
}
__global__ void sum_final(const float *part, float *out, int n) {
    float s = all(threadIdx.x < n ? part[threadIdx.x] : 0);
    if (threadIdx.x == 0) *out = s;
}
__global__ void sum_one(const float *in, float *out, int n) {
    float s = 0;
    for (int i = threadIdx.x; i < n; i += 32) s += in[i];
    s = all(s);
    if (threadIdx.x == 0) *out = s;
}
struct Timer {
    template <class F> float operator()(F &&f, int count) {
        for (int i = 0; i < count; ++i) f();
        return 0;
    }
};
"""
TWO = "sum_partial<32><<<4, 32>>>(in, part, n); sum_final<<<1, 32>>>(part, a, 4);"
FUNCTOR = f"""\
struct Two {{
    const float *in; float *part, *a; int n;
    void operator()() const {{ {TWO} }}
}};
"""
MAIN = """\
int main() {{
    float *in, *part, *a, *b;
    cudaMalloc(&in, 4096);
    cudaMalloc(&part, 16);
    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    int n = 1024;
    Timer timer;
    {two}
    timer([&] {{ sum_one<<<1, 32>>>(in, b, n); }}, 3);
}}
"""
LAMBDA = f"auto two = [&] {{ {TWO} }}; timer(two, 3);"


@pytest.mark.archs
def test_a_lambda_expression_with_two_launches_is_one_candidate(process: Command) -> None:
    Path("sums.cu").write_text(KERNELS + MAIN.format(two=LAMBDA), encoding="utf-8")
    outcome = process("bench", "sums.cu", "--output", "run")
    assert outcome.code == 0, outcome.err
    assert "two      12         same as sum_one" in outcome.err
    assert "not timed:" not in outcome.err


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("before", "two", "name"),
    [
        ("", f"timer([&] {{ {TWO} }}, 3);", "lambda_35"),
        (FUNCTOR, "timer(Two{in, part, a, n}, 3);", "Two"),
        ("", TWO, "sum_partial-32-sum_final"),  # in no function but `main`
    ],
)
def test_other_launches_of_two_kernels_are_one_candidate(bench: BenchCommand, before: str, two: str, name: str) -> None:
    outcome = bench(KERNELS + before + MAIN.format(two=two))
    assert outcome.code == 0, outcome.err
    assert f"{name} " in outcome.err
    assert "same as sum_one" in outcome.err


def test_a_wrong_second_launch_differs(bench: BenchCommand) -> None:
    assert bench(KERNELS + MAIN.format(two=LAMBDA.replace("a, 4)", "a, 3)"))).code == 5


STRUCTURE = """\
struct Work { double partial[4], two, one; };
__global__ void dot_partial(const float *a, Work *w, int n) { w->partial[threadIdx.x] = a[threadIdx.x]; }
__global__ void dot_final(Work *w) { w->two = w->partial[0] + w->partial[1] + w->partial[2] + w->partial[3]; }
__global__ void dot_one(const float *a, Work *w, int n) { w->one = 0. + a[0] + a[1] + a[2] + a[3]; }
void dot_two_launch(const float *a, Work *w) {
    dot_partial<<<1, 4>>>(a, w, 4);
    dot_final<<<1, 1>>>(w);
}
int main() {
    float *a;
    Work *w;
    cudaMalloc(&a, 16);
    cudaMalloc(&w, sizeof(Work));
    dot_two_launch(a, w);
    dot_one<<<1, 1>>>(a, w, 4);
}
"""


def test_partial_results_in_a_structure_are_not_compared_with_a_final_one(bench: BenchCommand) -> None:
    outcome = bench(STRUCTURE)
    assert outcome.code == 0, outcome.err
    assert "dot_two_launch() is not timed: `dot_one` writes `w`, too, and which parts are results" in outcome.err


PIPELINE = """\
__global__ void twice_plain(const float *in, float *out, int n) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
__global__ void twice_sum(const float *in, float *out, int n) { out[threadIdx.x] = in[threadIdx.x] + in[threadIdx.x]; }
__global__ void finish(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x] + 1; }
void run(const float *in, float *out, float *last) {
    twice_plain<<<1, 32>>>(in, out, 32);
    finish<<<1, 32>>>(out, last);
}
int main() {
    float *in, *out, *other, *last;
    cudaMalloc(&in, 128);
    cudaMalloc(&out, 128);
    cudaMalloc(&other, 128);
    cudaMalloc(&last, 128);
    run(in, out, last);
    twice_sum<<<1, 32>>>(in, other, 32);
}
"""


def test_kernels_with_results_of_one_size_are_compared_although_a_third_one_follows_one(bench: BenchCommand) -> None:
    outcome = bench(PIPELINE)
    assert outcome.code == 0, outcome.err
    assert "same as twice_plain" in outcome.err
