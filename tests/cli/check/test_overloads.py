"""The function, or the class, that the host code names: by scope, template arguments, and types of arguments."""

from pathlib import Path

import pytest

from tests.cli.gate.runs import process
from tests.conftest import Command

KERNEL = "__global__ void f(int* o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = n; }\n"
MAIN = "int main() {{ int* o; cudaMalloc(&o, 400); {} f<<<4, 256>>>(o, n); }}\n"
# The right one gives 1000, which is out of bounds; the others give 5.
MEANT = {
    "specialization": (
        "template <class T> int size() SMALL template <> int size<int>() LARGE",
        "int n = size<int>();",
    ),
    "primary template": (
        "template <class T> int size() LARGE template <> int size<int>() SMALL",
        "int n = size<float>();",
    ),
    "deduced specialization": (
        "template <class T> int size(T x) SMALL template <> int size(float x) LARGE",
        "float y = 1; int n = size(y);",
    ),
    "number of arguments": ("int size(int a) SMALL int size(int a, int b) LARGE", "int n = size(1, 2);"),
    "literal": ("int size(int a) SMALL int size(double a) LARGE", "int n = size(2.0);"),
    "reference": ("int size(int a) SMALL int size(const double& a) LARGE", "double x = 3; int n = size(x);"),
    "pointer": ("int size(float* a) SMALL int size(int* a) LARGE", "int n = size(o);"),
    "arithmetic": ("int size(int a) SMALL int size(unsigned a) LARGE", "unsigned k = 3; int n = size(k * 2);"),
    "namespace": ("namespace a { int size() SMALL } namespace b { int size() LARGE }", "int n = b::size();"),
    "outer scope": ("namespace a { int size() SMALL } int size() LARGE", "int n = size();"),
    "template for pointers": (
        "template <class T> int size(T a) SMALL template <class T> int size(T* a) LARGE",
        "int n = size(o);",
    ),
    "function before template": (
        "template <class T> int size(T a) SMALL int size(int a) LARGE",
        "int n = size(1);",
    ),
    "member": ("struct A { int size(int a) SMALL int size(float a) LARGE };", "A a; int n = a.size(1.5f);"),
    "constructor": ("struct A { int n; A(int a) { n = 5; } A(float b) { n = 1000; } };", "A a(1.5f); int n = a.n;"),
    "class template": (
        "template <class T> struct A { int n = 5; }; template <> struct A<float> { int n = 1000; };",
        "A<float> a; int n = a.n;",
    ),
    "trait": (
        "template <class T> struct A { enum { n = 5 }; }; template <> struct A<float> { const static int n = 1000; };",
        "int n = A<float>::n;",
    ),
    "member of a specialization": (
        "template <class T> struct A { int n() SMALL }; template <> struct A<float> { int n() LARGE };",
        "A<float> a; int n = a.n();",
    ),
}


def program(definitions: str, statement: str) -> str:
    bodies = definitions.replace("SMALL", "{ return 5; }").replace("LARGE", "{ return 1000; }")
    return KERNEL + bodies + "\n" + MAIN.format(statement)


def check(shflbench: Command, definitions: str, statement: str) -> tuple[int, str]:
    Path("k.cu").write_text(program(definitions, statement))
    outcome = shflbench("check", "k.cu", "--compiler", "nvrtc", "-v")
    return outcome.code, outcome.out


@pytest.mark.parametrize("case", MEANT)
def test_a_call_means_the_function_that_the_compiler_takes(case: str, shflbench: Command) -> None:
    code, out = check(shflbench, *MEANT[case])
    assert (code, "arguments from the host code: o = i32[100], n = 1000" in out) == (1, True)


@pytest.mark.parametrize(
    ("definitions", "statement", "name"),
    [
        (
            "template <class T, is_f<T>* = 0> int size() SMALL template <class T, not_f<T>* = 0> int size() LARGE",
            "int n = size<int>();",
            "size<int>",
        ),
        (
            "int size(short a) SMALL int size(long a) LARGE",
            "auto k = sizeof(int) == 4 ? (short)1 : (short)2; int n = size(k);",
            "size",
        ),
    ],
)
def test_a_call_that_is_not_decided_has_no_result_and_a_note(
    definitions: str, statement: str, name: str, shflbench: Command
) -> None:
    _, out = check(shflbench, definitions, statement)
    assert "arguments from the host code: o = i32[100]\n" in out
    assert f"the files do not say which of several functions `{name}` is: its result is taken as unknown" in out


@pytest.mark.archs
def test_the_command_runs_as_a_process(tmp_path: Path) -> None:
    definitions, statement = MEANT["specialization"]
    (tmp_path / "k.cu").write_text(program(definitions, statement))
    assert process("check", "k.cu", "--compiler", "nvrtc", cwd=tmp_path).code == 1
