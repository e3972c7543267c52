import pytest

from tests.cuda_sources.conftest import Parse


@pytest.mark.parametrize(
    ("declaration", "size", "fields"),
    [
        ("struct S { int n; double x; };", 16, [("n", "i4", 0), ("x", "f8", 8)]),
        ("typedef struct { char c; float *p; } S;", 16, [("c", "i1", 0), ("p", "f4", 8)]),
        ("struct S { char c; float2 v; };", 16, [("c", "i1", 0), ("v.x", "f4", 8), ("v.y", "f4", 12)]),
        ("#define N 2\nstruct S { short a[N], b; };", 6, [("a[0]", "i2", 0), ("a[1]", "i2", 2), ("b", "i2", 4)]),
        ("struct P { int x; };\nstruct S : P { float y; };", 8, [("x", "i4", 0), ("y", "f4", 4)]),
        ("struct S { struct { int *p; } in; };", 8, [("in.p", "i4", 0)]),
        ("union S { int i; double d; };", 8, [("i", "i4", 0), ("d", "f8", 0)]),
        ("struct S { int x; static int y; int f() { return x; } S(int a); };", 4, [("x", "i4", 0)]),
        ("#pragma pack(push, 1)\nstruct S { char c; int n; double x; };\n#pragma pack(pop)", 13,
         [("c", "i1", 0), ("n", "i4", 1), ("x", "f8", 5)]),
        ("#pragma pack(2)\nstruct S { char c; int n; char d; };", 8, [("c", "i1", 0), ("n", "i4", 2), ("d", "i1", 6)]),
        ("#pragma pack(1)\n#pragma pack()\nstruct S { char c; int n; };", 8, [("c", "i1", 0), ("n", "i4", 4)]),
        ("#pragma pack(push, 1)\n#pragma pack(pop)\nstruct S { char c; int n; };", 8, [("c", "i1", 0), ("n", "i4", 4)]),
        ("struct __attribute__((packed)) S { char c; int n; };", 5, [("c", "i1", 0), ("n", "i4", 1)]),
        ("struct S { char c; int n; } __attribute__((packed));", 5, [("c", "i1", 0), ("n", "i4", 1)]),
        ("struct alignas(16) S { float *p; int n; };", 16, [("p", "f4", 0), ("n", "i4", 8)]),
        ("constexpr int N = 8;\nstruct S { char c; alignas(N) int n; char d; };", 16,
         [("c", "i1", 0), ("n", "i4", 8), ("d", "i1", 12)]),
    ],
)  # fmt: skip
def test_members_lie_where_the_abi_puts_them(
    parse: Parse, declaration: str, size: int, fields: list[tuple[str, str, int]]
) -> None:
    value = parse(declaration).types.value("S")
    assert value is not None
    assert value[0] == size
    assert [(field.name, field.element, field.offset) for field in value[2]] == fields


@pytest.mark.parametrize(
    ("name", "size", "fields"),
    [
        ("S<float, 2>", 16, [("p", "f4", 0), ("n[0]", "i4", 8), ("n[1]", "i4", 12)]),
        ("S<P<double>, 1>", 16, [("p", None, 0), ("n[0]", "i4", 8)]),
        ("P<short>", 4, [("a", "i2", 0), ("b", "i2", 2)]),
        ("P<P<char> >", 4, [("a.a", "i1", 0), ("a.b", "i1", 1), ("b.a", "i1", 2), ("b.b", "i1", 3)]),
    ],
)
def test_instances_of_class_templates_are_laid_out(
    parse: Parse, name: str, size: int, fields: list[tuple[str, str | None, int]]
) -> None:
    text = "template <class T> struct P { T a, b; };\ntemplate <typename T, int N = 4> struct S { T *p; int n[N]; };"
    value = parse(text).types.value(name)
    assert value is not None
    assert value[0] == size
    assert [(field.name, field.element, field.offset) for field in value[2]] == fields


@pytest.mark.parametrize(
    "text",
    [
        "template <class T> struct S { T a; };\ntemplate <> struct S<float> { int b, c; };",
        "template <class T> struct S { virtual void f(); T a; };",
        "template <class... T> struct S { int a; };",
        "template <class T, int N> struct S { T a[N]; };",
    ],
)
def test_instances_of_other_templates_have_no_layout(parse: Parse, text: str) -> None:
    assert parse(text).types.value("S<float>") is None


@pytest.mark.parametrize(
    "declaration",
    [
        "struct S { int a : 3; };",
        "struct S { virtual void f(); int a; };",
        "struct alignas(M) S { int a; };",
        "struct alignas(double) S { int a; };",
        "struct S { Unknown a; };",
        "struct S { int a[M]; };",
        "struct P { double d; char c; };\nstruct S : P { char e; };",
        "#if __has_include(<a.h>)\nstruct S { int a; };\n#else\nstruct S { int b, c; };\n#endif",
        "template <class T> struct S { T a; };",
        "struct S { S a; };",
    ],
)
def test_an_uncertain_layout_is_unknown(parse: Parse, declaration: str) -> None:
    assert parse(declaration).types.value("S") is None


ELEMENTS = """
#if defined(HALF)
typedef unsigned short T;
#elif defined(DOUBLE)
typedef double T;
#else
typedef float T;
#endif
typedef struct { T x; } S;
"""


@pytest.mark.parametrize(
    ("before", "define", "size"),
    [("#define HALF", (), 2), ("", ("DOUBLE",), 8), ("", (), 4), ("#define HALF\n#undef HALF", ("DOUBLE=1",), 8)],
)
def test_macros_choose_among_typedefs_of_a_name(parse: Parse, before: str, define: tuple[str, ...], size: int) -> None:
    value = parse(before + ELEMENTS, define=define).types.value("S")
    assert value is not None
    assert value[0] == size


def test_typedefs_that_contradict_each_other_are_unknown(parse: Parse) -> None:
    text = "typedef float T;\ntypedef double T;\ntypedef float T;\nstruct S { T x; };"
    assert parse(text).types.value("S") is None


def test_a_structure_is_the_one_that_is_compiled(parse: Parse) -> None:
    text = "#ifdef A\nstruct S { int a; };\n#else\nstruct S { int b, c; };\n#endif"
    assert [parse(text, define).types.value("S")[0] for define in ((), ("A",))] == [8, 4]  # type: ignore[index]


def test_a_structure_may_be_named_with_its_namespaces_unless_two_differ(parse: Parse) -> None:
    one, other = "namespace a { struct S { float *p; int n; }; }", "namespace b { struct S { char c; }; }"
    value = parse(one).types.value("a::S")
    assert value is not None
    assert [field.name for field in value[2]] == ["p", "n"]
    assert parse(f"{one} {other}").types.value("a::S") is None


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("Ptr<float>", "float *"),
        ("Ptr<a::B<int, 2>>", "a::B<int, 2> *"),
        ("a::Ptr<int>", "int *"),
        ("Pair<char>", "P<char, P<char, char>>"),
        ("Pair<char, int>", "P<char, int>"),
        ("Pair<char, int, int>", None),
        ("Many<int>", None),
        ("Member<int>", None),
        ("Twice<int>", None),
        ("Ptr<float", None),
    ],
)
def test_alias_templates_stand_for_types(parse: Parse, name: str, type_: str | None) -> None:
    text = """
template <class T> using Ptr = T *;
template <class T, class U = P<T, T>> using Pair = P<T, U>;
template <class... T> using Many = P<T...>;
template <class T> struct Outer { template <class U> using Member = U *; };
namespace a { template <class T> using Twice = T *; }
namespace b { template <class T> using Twice = T **; }
"""
    assert parse(text).types.aliases.get(name) == type_


def test_alias_template_that_names_itself_ends(parse: Parse) -> None:
    source = parse("template <class T> using A = A<T *>;\n__global__ void k(A<int> p) {}")
    assert source.types.value("A<int>") is None


def test_aliases_that_double_their_arguments_end(parse: Parse) -> None:
    lines = [f"template <class T> using A{n} = A{n - 1}<P<T, T>>;" for n in range(1, 64)]
    assert parse("template <class T> using A0 = T *;\n" + "\n".join(lines)).types.value("A63<int>") is None
