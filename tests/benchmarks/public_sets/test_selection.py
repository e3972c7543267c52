"""The files that count, and the reasons why others do not."""

import pytest

from benchmarks.public_sets.selection import Exclusion, compiled_text, exclusion_of, read_exclusions
from benchmarks.public_sets.sets import SETS

KERNEL = "__global__ void k(int* p) { p[threadIdx.x] = 1; }\n"


def rule_of(text: str) -> str:
    exclusion = exclusion_of("a.cu", text, {})
    return exclusion.rule if exclusion else "counts"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("int f() { return 1; }", "no kernel"),
        ("// __global__ void k()\nint f();", "no kernel"),
        (KERNEL + "__device__ void g(int n) { __requires(n > 0); }", "a prover's dialect"),
        (KERNEL + "__device__ void g(int n) { __assume(n > 0); }", "a prover's dialect"),
        ("texture<float, 1> t;\n" + KERNEL, "textures or surfaces"),
        (KERNEL + "void f(cudaSurfaceObject_t s) {}", "textures or surfaces"),
        ("#include <mma.h>\n" + KERNEL, "WMMA"),
        (KERNEL + "void f() { cudaGraphicsMapResources(1, 0, 0); }", "graphics"),
        (KERNEL + "__global__ void parent(int* p) { k<<<1, 1>>>(p); }", "dynamic parallelism"),
        ("using namespace cooperative_groups;\n" + KERNEL, "not CUDA C++"),
        ("__device__ int f(int);\n__global__ void k(int* p) { *p = f(1); }", "no legal launch"),
        ("//pass\n//--blockDim=2048 --gridDim=64\n" + KERNEL, "no legal launch"),
        ("//pass\n//--blockDim=[64,32] --gridDim=1\n" + KERNEL, "no legal launch"),
    ],
)
def test_a_file_is_excluded_by_what_its_text_uses(text: str, rule: str) -> None:
    assert rule_of(text) == rule


@pytest.mark.parametrize(
    "text",
    [
        KERNEL,
        KERNEL + "int main() { k<<<1, 32>>>(0); }",  # a launch on the host
        "//pass\n//--blockDim=1024 --gridDim=64\n" + KERNEL,
        "#include <cooperative_groups.h>\nusing namespace cooperative_groups;\n" + KERNEL,
        "__device__ int f(int);\n" + KERNEL,  # declared and never called
        "__device__ int f(int);\n__device__ int f(int x) { return x; }\n__global__ void k(int* p) { *p = f(1); }",
        KERNEL + "#ifdef FORCE_FAIL\n__assert(false);\n#endif\n",  # not compiled
        "// textures: texture<float> t;\n" + KERNEL,
    ],
)
def test_a_file_counts_where_the_feature_is_not_used(text: str) -> None:
    assert rule_of(text) == "counts"


def test_a_listed_file_is_excluded_for_the_listed_reason() -> None:
    listed = {"a.cu": Exclusion("not CUDA C++", "an int* where an unsigned int* is needed")}
    assert exclusion_of("a.cu", KERNEL, listed) == listed["a.cu"]
    assert exclusion_of("b.cu", KERNEL, listed) is None


def test_the_list_of_exclusions_has_a_reason_for_each_file() -> None:
    rows = [row for name in SETS for row in read_exclusions(name).values()]
    assert len(rows) >= 7
    assert all(row.rule and row.detail for row in rows)


def test_comments_are_no_code() -> None:
    assert compiled_text("a /* b */ c // d\ne").split() == ["a", "c", "e"]
