from shflbench.user_kernels.challenge.excerpt import includes_of, items_of, kernel_excerpt, with_conditions

TEXT = """\
// What the file does.
#include "shflbench.cuh"

constexpr int SIZE = 4;
constexpr int OTHER = 5;

#define TWICE(x) (2 * (x))

// A function.
__device__ int used(int x) {
    return TWICE(x);

}

__device__ int unused(int x) { return x; }

__global__ void first(int* x) { x[0] = unused(1); }

#if WIDE
// The second.
__global__ void second(int* x) {
    x[0] = used(SIZE);
}
#endif
"""


def test_a_kernel_comes_with_what_it_uses_and_nothing_else() -> None:
    items = kernel_excerpt(TEXT, "second")
    assert [item.text.splitlines()[0] for item in items] == [
        "constexpr int SIZE = 4;",
        "#define TWICE(x) (2 * (x))",
        "// A function.",
        "// The second.",
    ]


def test_an_empty_line_within_braces_ends_no_item() -> None:
    (function,) = [item for item in items_of(TEXT) if "A function" in item.text]
    assert function.text.endswith("}")
    assert "" in function.text.splitlines()


def test_an_item_keeps_the_conditions_around_it() -> None:
    *_, last = kernel_excerpt(TEXT, "second")
    assert with_conditions(last, "x") == "#if WIDE\nx\n#endif"


def test_the_branch_behind_else_is_kept_with_both_lines() -> None:
    text = "#if WIDE\nint a;\n#else\n__global__ void f() {}\n#endif\n"
    (item,) = kernel_excerpt(text, "f")
    assert with_conditions(item, item.text) == "#if WIDE\n#else\n__global__ void f() {}\n#endif"


def test_a_kernel_that_there_is_not_has_no_excerpt() -> None:
    assert kernel_excerpt(TEXT, "third") == []


def test_includes_are_found_in_their_order() -> None:
    assert includes_of('int x;\n#include "b.cuh"\n# include <a.h>\n') == ['#include "b.cuh"', "# include <a.h>"]
