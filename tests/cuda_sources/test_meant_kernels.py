"""The launches of kernels that share a name: overloads, and specializations of templates."""

import pytest

from shflbench.cuda_sources.meant_kernels import with_types, without_types
from tests.cuda_sources.conftest import Parse, Read

DECLARED = "template <typename T> __global__ void scale(T *out, const T *in, int n);\n"
FLOAT = "template <> __global__ void scale<float>(float *out, const float *in, int n) { out[0] = in[n]; }\n"
DOUBLE = "template <> __global__ void scale<double>(double *out, const double *in, int n) { out[n] = in[0]; }\n"
SHORTER = "template <typename T> __global__ void scale(T *out, int n) { out[n] = 1; }\n"
SUMS = "__global__ void sums(float *out, int n) { out[n] = 1; }\n__global__ void sums(double *out, int n) { }\n"
HOST = "void run(float *f, const float *g, double *d, const double *e, void *any) { "


@pytest.mark.parametrize(
    "text",
    [
        f"{DECLARED}{FLOAT}{DOUBLE}{HOST}scale<<<1, 32>>>(f, g, 1); scale<<<2, 64>>>(d, e, 2); }}",
        f"{DECLARED}{FLOAT}{DOUBLE}{HOST}scale<float><<<1, 32>>>(f, g, 1); scale<double><<<2, 64>>>(d, e, 2); }}",
        (
            f"{DECLARED}{FLOAT}{DOUBLE}template <class T> void launch(T *out, const T *in, int n);\n"
            "template <> void launch<float>(float *out, const float *in, int n) { scale<<<1, 32>>>(out, in, n); }\n"
            "template <> void launch<double>(double *out, const double *in, int n) { scale<<<2, 64>>>(out, in, n); }"
        ),
        (
            f"{DECLARED.replace(';', '{ }')}{FLOAT.replace('<float>', '')}{DOUBLE.replace('<double>', '')}"
            f"{HOST}scale<<<1, 32>>>(f, g, 1); scale<<<2, 64>>>(d, e, 2); }}"
        ),
        (
            f"namespace a {{\n{DECLARED}{FLOAT}{DOUBLE}{SHORTER}"
            f"{HOST}scale<<<1, 32>>>(f, g, 1); scale<<<2, 64>>>(d, e, 2); scale<<<9, 96>>>(f, 3); }}\n}}"
        ),
    ],
    ids=["deduced", "written", "specialized launcher", "without arguments", "overload"],
)
def test_a_launch_is_one_of_the_specialization_of_its_types(read: Read, text: str) -> None:
    kernels = {item.parameters[0].element: item for item in read(text).kernels if len(item.parameters) == 3}
    blocks = {element: {launch.block for launch in item.host_launches} for element, item in kernels.items()}
    assert blocks == {"f4": {(32, 1, 1)}, "f8": {(64, 1, 1)}}
    assert [item.name for item in kernels["f4"].parameters] == ["out", "in", "n"]


def test_a_specialization_that_nothing_launches_has_no_launch(read: Read) -> None:
    launched = {
        item.name: len(item.host_launches)
        for item in read(f"{DECLARED}{FLOAT}{DOUBLE}{HOST}scale<<<1, 32>>>(f, g, 1); }}").kernels
    }
    assert launched == {"scale<float>": 1, "scale<double>": 0}


def test_types_of_pointers_settle_which_overload_a_launch_means(read: Read) -> None:
    text = f"{SUMS}{HOST}sums<<<1, 32>>>(f, 1); sums<<<1, 64>>>(d, 2); sums<<<1, 96>>>(any, 3); }}"
    kernels = {item.parameters[0].element: item for item in read(text).kernels}
    blocks = {element: {launch.block for launch in item.host_launches} for element, item in kernels.items()}
    assert blocks == {"f4": {(32, 1, 1)}, "f8": {(64, 1, 1)}}


def test_an_argument_of_unknown_type_settles_nothing(read: Read) -> None:
    kernels = read(f"{SUMS}{HOST}sums<<<1, 32>>>(chosen(), 1); }}").kernels
    assert [item.host_launches for item in kernels] == [(), ()]


def test_instances_of_overloaded_templates_are_named_with_the_types_of_their_parameters(parse: Parse) -> None:
    source = parse(
        "namespace a { enum Mode { up, down };\n"
        "template <class T> __global__ void k(T *p, Mode m) { }\ntemplate <class T> __global__ void k(T *p) { }\n"
        "void run(float *f, double *d) { k<<<1, 2>>>(f, up); k<<<1, 2>>>(d); } }\n"
    )
    assert source.expressions() == ["(void (*)(float *, a::Mode))a::k<float>", "(void (*)(double *))a::k<double>"]


def test_the_types_of_an_instance_are_no_part_of_its_name() -> None:
    assert without_types(with_types("k<(Mode)1>", ["float *", "int"])) == "k<(Mode)1>"
    assert with_types("k<int>", ["void (*)(int)"]) == "k<int>"
