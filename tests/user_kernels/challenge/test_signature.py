from pathlib import Path

import pytest

from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.cuda_sources import Definition, kernels_in
from shflbench.user_kernels.challenge.challenged import challenged_pattern
from shflbench.user_kernels.challenge.signature import matching, parameters_of, signatures


def kernel(parameters: str, template: str = "") -> Definition:
    (definition,) = kernels_in(Path("a.cu"), f"{template}\n__global__ void f({parameters}) {{}}\n")
    return definition


@pytest.mark.parametrize(
    ("parameters", "template"),
    [
        ("const T* values, T* result, int iterations", "template <typename T>"),
        ("const Real* __restrict__ in, Real *out, const int n", "template <class Real>"),
        ("const float* values, float* result, int iterations", ""),
        ("float* values, float* result, int", ""),
        ("const float4* values, float2* result, int iterations", ""),
        ("const unsigned char* values, float* result, unsigned iterations", ""),
        ("const Element* values, Element* result, int iterations", ""),
    ],
)
def test_parameters_that_the_pattern_can_pass_match(parameters: str, template: str) -> None:
    challenged = challenged_pattern("reduce", "f32", {}, DEFAULT_ARCH)
    found = matching(challenged, kernel(parameters, template))
    assert found
    assert found.arguments == ("values", "result", "iterations")


@pytest.mark.parametrize(
    "parameters",
    [
        "const float* values, float* result",
        "const float* values, float* result, int iterations, int n",
        "const double* values, float* result, int iterations",
        "const int* values, float* result, int iterations",
        "const float* values, float* result, long long iterations",
        "const float* values, float* result, int2 iterations",
        "float values, float* result, int iterations",
        "const float** values, float* result, int iterations",
    ],
)
def test_other_parameters_do_not_match(parameters: str) -> None:
    assert matching(challenged_pattern("reduce", "f32", {}, DEFAULT_ARCH), kernel(parameters)) is None


def test_a_pattern_whose_variants_differ_takes_each_of_their_signatures() -> None:
    challenged = challenged_pattern("reserve", None, {}, DEFAULT_ARCH)
    assert [item.arguments for item in signatures(challenged)] == [("next", "slots", "stride"), ("next", "slots")]
    found = matching(challenged, kernel("int* next, int* slots"))
    assert found
    assert found.parameters == "T* next, T* slots"


def test_buffers_of_another_type_keep_it() -> None:
    (usual, *_) = signatures(challenged_pattern("lane-array", "f32", {}, DEFAULT_ARCH))
    assert usual.parameters == "const T* arrays, const int* start, T* result, int iterations"


def test_the_parameters_of_a_kernel_are_shown_as_it_has_them() -> None:
    assert (
        parameters_of(kernel("const float *__restrict__ a, float* b,int n"))
        == "const float* __restrict__ a, float* b, int n"
    )
