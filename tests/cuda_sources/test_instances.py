"""Instances of templates: named by the user, launched by host code, or chosen."""

from pathlib import Path

import pytest

from shflbench.cuda_sources.instances import choose_instances
from shflbench.cuda_sources.kernel_file import CompileOptions
from shflbench.cuda_sources.read import read_cuda
from shflbench.cuda_sources.read_options import Compilers, KernelNames
from shflbench.errors import CompileError, KernelError
from tests import kernels
from tests.cuda_sources.conftest import Parse, Read

SCALE = "template <class T> __global__ void f(T *p) { }"
TWO = f"namespace a {{ {SCALE} }}\nnamespace b {{ {SCALE} }}\n"


def test_several_instances_are_compiled_at_once_and_need_no_namespace(tmp_path: Path) -> None:
    path = tmp_path / "kernel.cu"
    path.write_text(
        "template <class T> __global__ void a(T *p) { *p = 1; }\n"
        "namespace tools { template <class T, int N> __global__ void b(T *p) { *p = N; } }\n"
    )
    result = read_cuda(
        path, Compilers(kernels.tools()), CompileOptions(), names=KernelNames(instances=("a<int>", "b<float,4>"))
    )
    assert [(item.name, item.chosen) for item in result.kernels] == [("a<int>", ()), ("tools::b<float, 4>", ())]
    assert [item.parameters[0].type for item in result.kernels] == ["int *", "float *"]
    assert not result.notes


def test_a_name_in_several_namespaces_is_refused_with_all_of_them(parse: Parse) -> None:
    with pytest.raises(KernelError, match="several kernel templates `f`: `a::f`, `b::f`"):
        choose_instances(parse(TWO), ["f<int>"])
    assert choose_instances(parse(TWO), ["b::f<int>"]) == ["b::f<int>"]


def test_a_name_that_occurs_nowhere_is_refused_with_the_names_that_exist(parse: Parse) -> None:
    with pytest.raises(KernelError, match="has no kernel `g<int>`") as error:
        choose_instances(parse(TWO), ["g<int>"])
    assert error.value.advice == "It has `a::f`, `b::f`."


def test_an_instance_that_does_not_compile_is_named(read: Read) -> None:
    with pytest.raises(CompileError, match=r'kernel\.cu does not compile: `scale<Foo>`: identifier "Foo" is undefined'):
        read("template <class T> __global__ void scale(T *p) { *p = 1; }\n", kernel="scale<Foo>")


def test_a_template_of_types_is_compiled_for_float_and_says_so(read: Read) -> None:
    result = read("template <class T, class S = T> __global__ void scale(T *p, S s) { *p = s; }\n")
    assert [(item.name, item.chosen) for item in result.kernels] == [("scale<float, float>", ("T = float",))]
    assert [item.name for item in result.kernels[0].parameters] == ["p", "s"]
    (note,) = result.notes
    assert (note.kind, note.line and note.line.line) == ("chosen-instance", 1)
    assert note.text.startswith("chosen: T = float for the kernel template `scale<T, S>`")
    assert note.text.endswith("--kernel 'scale<int>'")


LAUNCHERS = """template <class T, int W> __global__ void scale(T *p) { p[threadIdx.x] *= W; }
template <class T> void run(T *p) { const int W = 48; scale<T, W><<<2, W>>>(p); scale<T, 64><<<1, 64>>>(p); }
"""


def test_a_template_has_the_instances_of_a_function_template_that_nothing_calls(read: Read) -> None:
    result = read(LAUNCHERS)
    launches = [(item.name, item.chosen, [one.block for one in item.host_launches]) for item in result.kernels]
    values = ("T = float",)
    assert launches == [("scale<float, 48>", values, [(48, 1, 1)]), ("scale<float, 64>", values, [(64, 1, 1)])]
    (note,) = result.notes
    assert note.text.startswith("chosen: T = float for the kernel template `scale<T, W>`")
    assert note.text.endswith("--kernel 'scale<int, 48>'")
    called = read(f"{LAUNCHERS}void f(int *p) {{ run(p); }}\n")
    assert [(item.name, item.chosen) for item in called.kernels] == [("scale<int, 48>", ()), ("scale<int, 64>", ())]


def test_an_instance_that_no_type_of_its_launcher_decides_is_not_chosen(read: Read) -> None:
    result = read("""template <int W> __global__ void fill(float *p) { p[threadIdx.x] = W; }
template <class T> struct Mode { };
template <class T> struct Filler { void run(float *p); };
template <class T> void Filler<Mode<T>>::run(float *p) { const int W = 48; fill<W><<<1, W>>>(p); }
""")
    assert [(item.name, item.chosen) for item in result.kernels] == [("fill<48>", ())]
    assert [one.block for one in result.kernels[0].host_launches] == [(48, 1, 1)]
    assert not result.notes


def test_no_instance_is_chosen_with_a_member_of_the_type_of_its_launcher(read: Read) -> None:
    text = """template <class T> __global__ void fill(T *p) { p[threadIdx.x] = 1; }
template <class C> void run(C c) { using T = typename C::Value; fill<T><<<1, 32>>>(c.data()); }
"""
    assert [(item.name, item.chosen) for item in read(text).kernels] == [("fill<float>", ("T = float",))]


def test_a_template_that_rejects_float_is_compiled_for_int_and_others_stay(read: Read) -> None:
    result = read(
        "template <class T> __global__ void shift(T *p) {\n  *p = *p << 1;\n}\n"
        "template <class T> __global__ void scale(T *p) {\n  *p = 1;\n}\n"
    )
    assert [item.name for item in result.kernels] == ["shift<int>", "scale<float>"]


def test_templates_that_reject_both_types_are_left_out_with_a_note(read: Read) -> None:
    result = read(
        "template <class T> __global__ void members(T *p) {\n  p->x = 1;\n}\n__global__ void k(int *p) { *p = 1; }\n"
    )
    assert [item.name for item in result.kernels] == ["k"]
    (note,) = result.notes
    assert note.kind == "template"
    assert note.text.endswith("--kernel 'members<float>'")


@pytest.mark.parametrize(
    "text",
    [
        "template <class T> __global__ void t(T *p) { *p = 1; }\ntemplate __global__ void t<double>(double *);\n",
        "template <class T> __global__ void t(T *p) { *p = 1; }\nvoid f() { double *d; t<<<1, 1>>>(d); }\n",
    ],
    ids=["explicit", "launched"],
)
def test_an_instance_of_the_file_takes_the_place_of_a_chosen_one(read: Read, text: str) -> None:
    result = read(text)
    assert [(item.name, item.chosen) for item in result.kernels] == [("t<double>", ())]
    assert not result.notes


TEMPLATE = "template <class T> __global__ void t(T *p) { *p = 1; }\n"
DEFAULTS = "template <class T = float, class S = T> __global__ void t(T *p, S s) { *p = s; }\n"


@pytest.mark.parametrize(
    "text",
    [
        TEMPLATE + "template __global__ void t<double>(double *);\ntemplate __global__ void t<float>(float *);\n",
        TEMPLATE + "template __global__ void t(double *);\ntemplate __global__ void t(float *);\n",
        TEMPLATE + "#define OF(T) template __global__ void t<T>(T *);\nOF(double)\nOF(float)\n",
        "namespace a {\n" + TEMPLATE + "template __global__ void t<double>(double *);\n}\n"
        "template __global__ void a::t<float>(float *);\n",
        DEFAULTS
        + "template __global__ void t<>(float *, float);\ntemplate __global__ void t<double>(double *, double);\n",
        TEMPLATE + "struct R { template <class T> void run(T *p) { t<T><<<1, 1>>>(p); } };\n"
        "template void R::run<double>(double *);\ntemplate void R::run<float>(float *);\n",
    ],
    ids=["explicit", "deduced", "macro", "namespace", "defaults", "member"],
)
def test_an_instance_of_the_file_for_the_type_that_would_be_chosen_is_listed_as_any_other(
    read: Read, text: str
) -> None:
    result = read(text)
    assert sorted(item.parameters[0].type for item in result.kernels) == ["double *", "float *"]
    assert not any(item.chosen for item in result.kernels)
    assert not result.notes


def test_the_only_instance_of_the_file_is_not_called_chosen(read: Read) -> None:
    result = read(TEMPLATE + "template __global__ void t<float>(float *);\n")
    assert [(item.name, item.chosen) for item in result.kernels] == [("t<float>", ())]
    assert not result.notes


@pytest.mark.parametrize("parameters", ["int N", "class T, int N", "class... T", "template <class> class C"])
def test_no_value_is_chosen_for_parameters_that_are_no_types(read: Read, parameters: str) -> None:
    with pytest.raises(KernelError, match=r"has only kernel templates, and no instance of .* --kernel 't<"):
        read(f"template <{parameters}> __global__ void t(int *p) {{ *p = 1; }}\n")


def test_templates_of_a_header_are_compiled_where_the_file_has_no_kernel(tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    (tmp_path / "user").mkdir()
    (tmp_path / "user/scale.cuh").write_text("template <class T> __global__ void scale(T *p) { *p = 1; }\n")
    (tmp_path / "library/other.cuh").write_text("template <class T> __global__ void other(T *p) { *p = 1; }\n")
    path = tmp_path / "user/main.cu"
    text = '#include "scale.cuh"\n#include "other.cuh"\nvoid f() {}\n'

    def names() -> list[str]:
        options = CompileOptions(include=(tmp_path / "library",))
        return [item.name for item in read_cuda(path, Compilers(kernels.tools()), options).kernels]

    path.write_text(text)
    assert names() == ["scale<float>"]
    path.write_text(f"{text}__global__ void own(int *p) {{ *p = 1; }}\n")
    assert names() == ["own"]


def test_the_kernels_of_a_table_are_compiled_once_each(read: Read) -> None:
    result = read(
        "template <int N> __global__ void k(int *p) { *p = N; }\ntypedef void (*Kernel)(int *);\n"
        "static const Kernel table[] = {k<1>, k<2>};\nvoid f(int i) { auto other = k<4>; table[i]<<<1, 2>>>(0); }\n"
    )
    assert sorted(kernel.name for kernel in result.kernels) == ["k<1>", "k<2>", "k<4>"]


def test_an_instance_of_a_generic_lambda_is_named_in_a_note(read: Read) -> None:
    text = (
        "template <class T> __global__ void k(T *p) { *p = 1; }\n"
        "void f(int *p) {\n  k<int><<<1, 2>>>(p);\n  run([&](auto v) { k<decltype(v)><<<1, 2>>>(&v); });\n}\n"
    )
    (note,) = read(text).notes
    assert note.line is not None
    assert note.line.line == 4
    assert note.text == (
        "the instance of the kernel template `k<T>` here depends on host code that NVRTC does not compile, and may be "
        "missing; name it, for example --kernel 'k<float>'"
    )
    assert not read(text, kernel="k<float>").notes


def test_an_instance_that_nvrtc_rejects_is_known_beside_the_others_of_its_template(read: Read) -> None:
    result = read(
        "template <class T> __global__ void k(T *p) { *p = 1; }\n"
        "void f(int *p) {\n  struct Local { int a; };\n  k<int><<<1, 2>>>(p);\n  k<Local><<<1, 2>>>(0);\n}\n"
    )
    assert [kernel.name for kernel in result.kernels] == ["k<int>"]
    assert not result.notes
    (rejected,) = result.rejected_instances
    assert rejected.name == "k<Local>"
    assert rejected.place.line == 1
    assert rejected.sentence.startswith("NVRTC rejects this instance, which the host code names: `k<Local>`: ")


def test_an_instance_that_is_launched_in_a_way_not_understood_has_a_launch_of_which_nothing_is_known(
    read: Read,
) -> None:
    file = read("""
template <int N> __global__ void k(float *out) { out[threadIdx.x % N] = N; }
template __global__ void k<16>(float *);
int main(int argc, char **argv) { float *out; cudaMalloc(&out, 128); if (atoi(argv[1]) > 3) k<32><<<1, 32>>>(out); }
""")
    launches = {kernel.name: [launch.block for launch in kernel.host_launches] for kernel in file.kernels}
    assert launches["k<16>"] == [None]
    assert set(launches["k<32>"]) == {(32, 1, 1)}


@pytest.mark.parametrize("instance", ["f<N::M::b, Real>", "f<M::b, Real>", "N::f<M(1), double>", "f<(N::M)1, Real>"])
def test_an_instance_may_be_named_by_enumerators_and_aliases(read: Read, instance: str) -> None:
    text = "enum class M { a, b }; using Real = double; template <M m, class T> __global__ void f(T *p) { *p = T(m); }"
    result = read(f"namespace N {{ {text} }} using namespace N;\n", kernel=instance)
    assert [item.name for item in result.kernels] == ["N::f<(N::M)1, double>"]
