"""Mangled names of kernels, compared with what c++filt prints for them."""

import pytest

from shflbench.cuda_sources.demangle import demangle


@pytest.mark.parametrize(
    ("symbol", "name", "parameters"),
    [
        ("_Z6kernelPfiPKd", "kernel", ("float *", "int", "const double *")),
        ("_Z3redIfLi64EEvPKT_PS0_", "red<float, 64>", ("const float *", "float *")),
        ("_ZN5tools4copyIfEEvPKT_PS1_m", "tools::copy<float>", ("const float *", "float *", "unsigned long")),
        ("_Z4testPVijPFvPiE", "test", ("volatile int *", "unsigned int", "void (*)(int *)")),
        ("_Z1gI6__halfLb1ELj4EEvPT_S1_", "g<__half, true, 4u>", ("__half *", "__half")),
        ("_Z2kkN3fooI3BarIiLi3EEEES2_", "kk", ("foo<Bar<int, 3>>", "foo<Bar<int, 3>>")),
        ("_Z1fILln5EEvv", "f<-5l>", ()),
        ("_Z1gIXadL_Z5twiceiEEEvPi", "g<&twice>", ("int *",)),
        ("_Z1tI3BoxfEvT_IT0_EPS2_", "t<Box, float>", ("Box<float>", "float *")),
        (
            "_Z4arr2IiLi3EEv3ArrIT_XT0_EEPS2_S0_IdXT0_EES4_S1_",
            "arr2<int, 3>",
            ("Arr<int, 3>", "Arr<int, 3> *", "Arr<double, 3>", "Arr<double, 3>", "int"),
        ),
        (
            "_Z4permIfJLi1ELi2EEEvPT_3SeqIJXT0_EEE3ArrIS0_Li2EES0_",
            "perm<float, 1, 2>",
            ("float *", "Seq<1, 2>", "Arr<float, 2>", "float"),
        ),
        ("_Z1aIJifdEEvDpT_", "a<int, float, double>", ("int", "float", "double")),
        (
            "_ZN12_GLOBAL__N_14kernE6float4PK5PointS1_",
            "(anonymous namespace)::kern",
            ("float4", "const Point *", "Point"),
        ),
        ("_Z1kPDhPDF16b", "k", ("__half *", "__nv_bfloat16 *")),
        ("_Z1kIiiiiiiiiiiifEvT10_T_", f"k<{'int, ' * 11}float>", ("float", "int")),
    ],
)
def test_name_and_parameters_are_as_c_plus_plus_writes_them(
    symbol: str, name: str, parameters: tuple[str, ...]
) -> None:
    known = demangle(symbol)
    assert known is not None
    assert known.full_name == name
    assert known.parameters == parameters


@pytest.mark.parametrize(
    "symbol",
    [
        "add_kernel",
        "_Z",
        "_Z99k",
        "_ZN",
        "_Z1kT_",
        "_Z1kS9_",
        "_Z1kI",
        "_Z1k" + "P" * 9000,
        "_Z1kILi3EEv1AIXplT_Li1EEE",
    ],
)
def test_other_symbols_are_not_demangled(symbol: str) -> None:
    assert demangle(symbol) is None


def test_name_whose_text_doubles_with_each_part_is_not_demangled() -> None:
    numbers = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    parts = "".join(f"S_IS{numbers[item]}_S{numbers[item]}_E" for item in range(30))
    assert demangle(f"_Z1k1AIiiE{parts}") is None
    few = "".join(f"S_IS{numbers[item]}_S{numbers[item]}_E" for item in range(3))
    assert demangle(f"_Z1k1AIiiE{few}") is not None
