import pytest

from shflbench.cuda_sources.host_code import (
    blank,
    enclosing_host_body,
    enclosing_host_item,
    host_bodies,
    host_spans,
    host_types,
)
from tests.cuda_sources.conftest import Parse

KERNEL = "__global__ void kernel(int *p) { *p = 1; }\n"


def device_code(parse: Parse, text: str) -> str:
    """Return a text as NVRTC is given it."""
    source = parse(text)
    file = source.unit.main
    result = blank(file.text, host_spans(file, source.macros), file.lexed.directives).decode()
    assert [len(line) for line in result.split("\n")] == [len(line) for line in text.split("\n")]
    return result


@pytest.mark.parametrize(
    "host",
    [
        "int main() { return 0; }",
        "static inline float helper(std::vector<float> &v) { return v[0]; }",
        "void launch(int *p);",
        'extern "C" void launch(int *p);',
        'extern "C" int add(int a) { return a; }',
        "template <typename T> void run(T *p) { kernel<<<1, 2>>>(p); }",
        "int counter = 3;",
        "std::vector<int> values(3);",
        "float table[4] = {1, 2, 3, 4};",
        "const std::string name = std::string();",
        "namespace a { int f() { return 1; } }",
        'void f() { puts("}"); }',
        'const char *f() { return R"(}")"; }',
        "#ifdef A\nvoid f() { }\n#else\nvoid f() { return; }\n#endif",
        "template void run<float>(float *);",
        "Solver::Solver(int n) : size(n) { }",
        "main() { }",
    ],
)
def test_host_code_is_replaced_by_spaces(parse: Parse, host: str) -> None:
    result = device_code(parse, f"{host}\n{KERNEL}")
    assert result.endswith(KERNEL)
    kept = [line for line in result.removesuffix(KERNEL).splitlines() if line.strip() and not line.startswith("#")]
    assert "".join(kept).replace("namespace a {", "").replace("}", "").strip() == ""


@pytest.mark.parametrize(
    "device",
    [
        "__device__ int f() { return 1; }",
        "__host__ __device__ int f() { return 1; }",
        "inline __device__ int f();",
        "constexpr int f(int a) { return a; }",
        "template <typename T> __device__ T f(T a) { return a; }",
        "__device__ int counter;",
        "__constant__ float table[4] = {1, 2, 3, 4};",
        "const int N = 4;",
        "static const int N = 4, M = N * 2;",
        "constexpr double PI = 3.14;",
        "enum Mode { A, B };",
        "typedef unsigned int uint;",
        "using real = float;",
        "struct Point { float x, y; };",
        "#define DEVICE __device__\nDEVICE int f() { return 1; }",
        "#define KERNEL(name) __global__ void name\nKERNEL(f)(int *p) { *p = 1; }",
        "template __global__ void g<float>(float *);",
        "UNKNOWN_MACRO(f);",
        "UNKNOWN_MACRO(f) { *p = 1; }",
        "namespace a { __device__ int f() { return 1; } }",
    ],
)
def test_device_code_types_and_constants_stay(parse: Parse, device: str) -> None:
    text = f"{device}\n{KERNEL}"
    assert device_code(parse, text) == text


def test_directives_in_host_functions_stay(parse: Parse) -> None:
    result = device_code(parse, "void f() {\n#define N 4\n  int a;\n}\n" + KERNEL)
    assert result.splitlines()[1] == "#define N 4"
    assert not result.splitlines()[2].strip()


def test_a_function_whose_braces_do_not_agree_with_the_grammar_stays(parse: Parse) -> None:
    text = "#define END }\nvoid f() { END\n" + KERNEL + "void g() { }\n"
    assert "__global__ void kernel(int *p) { *p = 1; }" in device_code(parse, text)


def test_text_in_another_encoding_keeps_its_bytes(parse: Parse) -> None:
    text = b"// caf\xe9\nint main() { return 0; }\n" + KERNEL.encode()
    source = parse(text)
    file = source.unit.main
    result = blank(file.text, host_spans(file, source.macros), file.lexed.directives)
    assert len(result) == len(text)
    assert result.startswith(b"// caf\xe9\n    ")


@pytest.mark.parametrize(
    ("text", "removed"),
    [
        ("namespace a { struct Log { std::vector<int> v; }; }", True),
        ("namespace a { template <class T> using Ptr = std::unique_ptr<T>; }", True),
        ("namespace a { struct Log; struct Log { std::vector<int> v; }; }", True),
        ("struct Log {}; namespace a { struct Log { std::vector<int> v; }; }", False),
        ("using Log = int; namespace a { struct Log { std::vector<int> v; }; }", False),
        ("namespace a { struct Log { std::vector<int> v; __device__ int f() { return 1; } }; }", False),
    ],
)
def test_types_of_the_host_in_a_namespace_are_removed_if_no_other_has_the_name(
    parse: Parse, text: str, *, removed: bool
) -> None:
    source = parse(KERNEL + text)
    file = source.unit.main
    assert bool(host_types(file, source.macros, source.unit.files)) == removed


@pytest.mark.parametrize("macro", ["", "ATTRIBUTE(NOINLINE)\n"])
def test_a_function_whose_template_parameters_stand_before_a_condition_stays(parse: Parse, macro: str) -> None:
    condition = "#ifdef A\nvoid f(T) { }\n#else\nvoid f(T) { return; }\n#endif\n"
    text = f"template <class T>\n{macro}{condition}int g() {{ return 1; }}\n"
    result = device_code(parse, text)
    assert "void f(T) { return; }" in result
    assert "int g()" not in result


def test_a_host_function_without_its_body_is_declared_as_before(parse: Parse) -> None:
    text = (
        "struct A { A(); int n; };\nA::A() : n(1) { }\nint f(int a) { return a; }\nauto g() { return 2; }\nint h();\n"
    )
    source = parse(text)
    file = source.unit.main
    spans, bodies = host_bodies(file, source.macros)
    result = blank(file.text, spans, file.lexed.directives, bodies).decode()
    assert " ".join(result.split()) == "struct A { A(); int n; }; int f(int a) ;"
    within = enclosing_host_body(file, 3, source.macros)
    assert within is not None
    assert file.text[within.start : within.end] == b"{ return a; }"
    assert enclosing_host_body(file, 4, source.macros) is None


def test_a_specialization_is_removed_only_if_the_compiler_knows_no_template_of_its_name(parse: Parse) -> None:
    source = parse("namespace a {\ntemplate <> struct Handler<int> { };\n}\n")
    file, files = source.unit.main, source.unit.files
    assert enclosing_host_item(file, 2, source.macros, files) is None
    span = enclosing_host_item(file, 2, source.macros, files, specializes_nothing=True)
    assert span is not None
    assert file.text[span.start : span.end] == b"template <> struct Handler<int> { };"


def test_a_rejected_member_is_removed_with_its_template(parse: Parse) -> None:
    member = "template <typename T>\n    __host__ View<T> cast() const;"
    source = parse(f"template <typename U> class View {{\n    {member}\n    __device__ U get() const;\n}};\n{KERNEL}")
    file = source.unit.main
    span = enclosing_host_item(file, 3, source.macros, source.unit.files)
    assert span is not None
    assert file.text[span.start : span.end].decode() == member
