"""The files that are parsed for a name: all that define it, and few others."""

from pathlib import Path

import pytest

from shflbench.cuda_sources import name_places
from shflbench.cuda_sources.host_code import UserFile


def file_of(text: str) -> UserFile:
    return UserFile.of(Path("a.cuh"), "a.cuh", text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "struct Box { int x; };",
        "template <class T, class U> struct alignas(16) Box : Base<T> {};",
        "template <>\nclass Box<int, sizeof(int)> final { };",
        "struct Box // of {x}; really\n{ };",
        "union Box\n{ };",
        "enum class Box : int { A };",
        "using Box = int;",
        "typedef unsigned int Box;",
        "typedef struct { int a; } Box;",
        "typedef struct Other *Pointer, Box;",
    ],
)
def test_a_definition_of_a_type_is_seen(text: str) -> None:
    assert name_places.may_define_type(file_of(text), "Box")


@pytest.mark.parametrize("text", ["template <class Box, class U> struct V : Box { };", "Box make(Box b) { return b; }"])
def test_the_use_of_a_type_is_no_definition(text: str) -> None:
    assert not name_places.may_define_type(file_of(text), "Box")


@pytest.mark.parametrize(
    "text",
    [
        "int size(int n) { return n; }",
        "template <class T> int size<T>(T n)\n  noexcept {}",
        "Box::size(int n) : n(n) {}",
        "auto size(int (*f)(int), int n) -> int { return n; }",
        "int size() // {\n{ return 1; }",
    ],
)
def test_a_function_with_a_body_is_seen(text: str) -> None:
    assert name_places.may_define_function(file_of(text), "size")


@pytest.mark.parametrize("text", ["int n = size(3);", "if (size(x)) { }", "int size(int n);", "int resize(int n) { }"])
def test_a_call_or_a_declaration_is_no_function_with_a_body(text: str) -> None:
    assert not name_places.may_define_function(file_of(text), "size")


@pytest.mark.parametrize(
    "text",
    [
        "int n = 3;",
        "namespace a { extern int m, n; }",
        'extern "C" {\nconst int n[] = {1};\n}',
        "int f() { }\nint n(3);",
        "constexpr int m = 1 << 20, n = 256;",
        "constexpr int m = A < B ? A : B, n = 256;",
    ],
)
def test_a_global_variable_is_seen(text: str) -> None:
    assert name_places.may_declare_global(file_of(text), "n")


@pytest.mark.parametrize(
    "text",
    [
        "void f() { int n = 3; }",
        "void f(int n, int m);",
        "template <int n = 3> struct A;",
        "template <int m = 3, int n = 4> void f();",
        "struct A { int n = 3; };",
    ],
)
def test_a_local_variable_a_parameter_and_a_member_are_no_global_variables(text: str) -> None:
    assert not name_places.may_declare_global(file_of(text), "n")


def test_calls_are_seen_with_template_arguments_and_scopes() -> None:
    assert name_places.may_call(file_of("a::run<int>(3);"), "a::run")
    assert not name_places.may_call(file_of("rerun(3); run = 4;"), "run")
