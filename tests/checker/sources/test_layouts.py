import pytest

from tests.checker.sources.conftest import Parse


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
    "declaration",
    [
        "struct S { int a : 3; };",
        "struct S { virtual void f(); int a; };",
        "struct alignas(16) S { int a; };",
        "struct S { Unknown a; };",
        "struct S { int a[M]; };",
        "struct P { double d; char c; };\nstruct S : P { char e; };",
        "#ifdef A\nstruct S { int a; };\n#else\nstruct S { int b, c; };\n#endif",
        "template <class T> struct S { T a; };",
        "struct S { S a; };",
    ],
)
def test_an_uncertain_layout_is_unknown(parse: Parse, declaration: str) -> None:
    assert parse(declaration).types.value("S") is None
