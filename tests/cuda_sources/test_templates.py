import pytest

from tests.cuda_sources.conftest import Parse

REDUCE = "template <typename T, int B> __global__ void reduce(const T *in, T *out, int n) { out[0] = in[B]; }\n"
SCALE = "template <class T> __global__ void scale(T *p, T a) { p[0] = a; }\n"

PACK = (
    "namespace tools { template <int N> struct Add { __device__ void operator()() const; }; }\n"
    "template <class F, class... Args> __global__ void pack(F f, Args... args) { f(args...); }\n"
)
ADD = "pack<tools::Add<3>, "


@pytest.mark.parametrize(
    ("text", "instances"),
    [
        (REDUCE + "void f() { reduce<float, 256><<<1, 256>>>(a, b, 3); }", ["reduce<float, 256>"]),
        (REDUCE + "#define B 64\nvoid f() { reduce<int, 2 * B><<<1, B>>>(a, b, 3); }", ["reduce<int, 128>"]),
        (REDUCE + "void f() { using T = double; reduce<T, 8><<<1, 8>>>(a, b, 3); }", ["reduce<double, 8>"]),
        (
            REDUCE + "template <typename T> void run(T *p) { reduce<T, 32><<<1, 32>>>(p, p, 3); }\n"
            "void f() { float *x; int *y; run<double>(0); run(x); run(y); }",
            ["reduce<double, 32>", "reduce<float, 32>", "reduce<int, 32>"],
        ),
        (
            REDUCE + "template <int B> void run() { reduce<int, B><<<1, B>>>(a, b, 3); }\n"
            "void f(int n) { switch (n) { case 1: run<64>(); case 2: run<128>(); } }",
            ["reduce<int, 128>", "reduce<int, 64>"],
        ),
        (SCALE + "void f() { float *p; scale<<<1, 2>>>(p, 1.0f); }", ["scale<float>"]),
        (SCALE + "void f() { scale<<<1, 2>>>(make(), 1.0f); }", ["scale<float>"]),
        (SCALE + "void f() { scale<<<1, 2>>>(make(), one()); }", []),
        (
            PACK + "void f(const int *p) { pack<<<1, 2>>>(Add<3>(), p, 2.0f, -1l); }",
            [f"{ADD}const int *, float, long>"],
        ),
        (PACK + "void f() { pack<Add<3>, int, char><<<1, 2>>>(a, b, c); }", [f"{ADD}int, char>"]),
        (PACK + "void f() { pack<Add<3>, int, char>; }", [f"{ADD}int, char>"]),
        (PACK + "void f() { pack<<<1, 2>>>(Add<3>{}, make()); pack<Add<3>>; }", []),
        (
            (
                "template <int... N> struct S { };\ntemplate <class T, int... N> __global__ void k(T *p, S<N...>) { }\n"
                "void f(float *p) { k<<<1, 2>>>(p, S<1, 2>{}); k<double, 3><<<1, 2>>>(0, S<3>{}); }"
            ),
            ["k<double, 3>"],
        ),
        (PACK + "void f() { pack<<<1, 2>>>(Add<3>{}); }", ["pack<tools::Add<3>>"]),
        (
            PACK + "template <int N, class... A> void run(A &&...a) {\n"
            "  pack<Add<N>, A...><<<1, N>>>({}, forward<A>(a)...);\n}\n"
            "void f(double x) { run<2>(x, true); run<4>('c'); }",
            ["pack<tools::Add<2>, double, bool>", "pack<tools::Add<4>, char>"],
        ),
        (
            SCALE + "template <class T> void Runner<T>::operator()() { scale<T><<<1, 2>>>(p, 1); }\n"
            "template class Runner<float>;\ntemplate class tools::Runner<double>;\nvoid f() { }",
            ["scale<float>", "scale<double>"],
        ),
        (
            SCALE
            + "template <class T> void Runner<T*>::run() { scale<T><<<1, 2>>>(p, 1); }\ntemplate class Runner<int*>;",
            [],
        ),
        (
            SCALE + "typedef void (*K)(int *, int);\nconst K table[] = {scale<int>, &scale<long>};",
            ["scale<int>", "scale<long>"],
        ),
        (SCALE + "void f() { auto k = scale<float>; k<<<1, 2>>>(p, 1); }", ["scale<float>"]),
        (SCALE + "void f() { run([](auto v) { scale<decltype(v)><<<1, 2>>>(p, v); }); }", []),
        (SCALE + "template <class T> struct R { void run(T *p) { scale<T><<<1, 2>>>(p, 1); } };", []),
        (SCALE + "__device__ void f() { auto k = scale<float>; }", []),
        (
            SCALE + "struct R { template <class T> void run(T *p) { scale<T><<<1, 2>>>(p, 1); } };\n"
            "template void R::run<float>(float *);\ntemplate void R::run<int>(int *);",
            ["scale<float>", "scale<int>"],
        ),
        (
            SCALE + "namespace a { template <class T> void run(T *p) { scale<T><<<1, 2>>>(p, 1); } }\n"
            "template void a::run<float>(float *);\ntemplate void b::run<int>(int *);",
            ["scale<float>"],
        ),
        (
            SCALE + "template <class T> struct R { void run(T *p) { scale<T><<<1, 2>>>(p, 1); } };\n"
            "template struct R<float>;\ntemplate class R<int>;",
            ["scale<float>", "scale<int>"],
        ),
        (
            REDUCE
            + "template <int B> struct R { template <class T> void run(T *p) { reduce<T, B><<<1, B>>>(p, p, 3); } };\n"
            "template struct R<64>;\ntemplate void R<64>::run<float>(float *);",
            ["reduce<float, 64>"],
        ),
        ("namespace a {" + SCALE + "}\nvoid f() { a::scale<int><<<1, 2>>>(p, 1); }", ["a::scale<int>"]),
    ],
)
def test_instances_are_those_that_the_host_launches(parse: Parse, text: str, instances: list[str]) -> None:
    assert parse(text).expressions() == instances


def test_static_kernels_are_named_for_the_compiler(parse: Parse) -> None:
    text = "static __global__ void a(int *p) { }\nnamespace { __global__ void b(int *p) { } }\n__global__ void c() { }"
    assert parse(text).expressions() == ["a", "b"]


def test_places_whose_instance_depends_on_more_host_code_are_known(parse: Parse) -> None:
    source = parse(
        SCALE + "void f() {\n  scale<int><<<1, 2>>>(p, 1);\n"
        "  run([](auto v) { scale<decltype(v)><<<1, 2>>>(p, v); });\n"
        "  scale<<<1, 2>>>(make(), one());\n  auto k = scale<decltype(p)>;\n}"
    )
    assert [(definition.name, line.line) for definition, line in source.unresolved] == [
        ("scale", 4),
        ("scale", 6),
        ("scale", 5),
    ]


@pytest.mark.parametrize(
    "definition",
    [
        "template <typename T> struct Runner { void run(T *p) const { fill<T><<<1, 64>>>(p); } };",
        (
            "template <typename T> struct Runner { void run(T *p) const; };\n"
            "template <typename T> void Runner<T>::run(T *p) const { fill<T><<<1, 64>>>(p); }"
        ),
    ],
)
def test_an_explicit_instance_of_a_member_launches_with_its_arguments(parse: Parse, definition: str) -> None:
    kernel = "template <typename T> __global__ void fill(T *p) { p[threadIdx.x] = 1; }\n"
    source = parse(f"{kernel}{definition}\ntemplate void Runner<double>::run(double *) const;\n")
    assert source.expressions() == ["fill<double>"]
