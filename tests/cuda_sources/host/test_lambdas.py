"""Copies that lambda expressions of host code keep of what they capture by value, as it was where they stand."""

import pytest

from tests.cuda_sources.conftest import Parse

HEAD = """
struct Params { int n; int more[2]; };
__global__ void kernel(int n) {}
"""


def passed(parse: Parse, body: str) -> list[object]:
    """Return the numbers that the launches get."""
    text = f"{HEAD}int main() {{\nint n = 3;\nParams p;\np.n = 3, p.more[1] = 5;\n{body}\n}}\n"
    return [site.launch.arguments[0].value for site in parse(text).launches]


@pytest.mark.parametrize(
    ("body", "number"),
    [
        ("auto f = [=] { kernel<<<1, 32>>>(n); }; n = 7; f();", 3),
        ("auto f = [n] { kernel<<<1, 32>>>(n); }; n = 7; f();", 3),
        ("auto f = [&] { kernel<<<1, 32>>>(n); }; n = 7; f();", 7),
        ("auto f = [=, &n] { kernel<<<1, 32>>>(n); }; n = 7; f();", 7),
        ("auto f = [&, n] { kernel<<<1, 32>>>(n); }; n = 7; f();", 3),
        ("auto f = [m = n + 1] { kernel<<<1, 32>>>(m); }; n = 7; f();", 4),
        ("auto f = [&m = n] { kernel<<<1, 32>>>(m); }; n = 7; f();", 7),
        ("auto f = [=] { kernel<<<1, 32>>>(p.n); }; p.n = 7; f();", 3),
        ("auto f = [p] { kernel<<<1, 32>>>(p.more[1]); }; p.more[1] = 7; f();", 5),
        ("auto f = [=]() mutable { return n += 2; }; f(); kernel<<<1, 32>>>(f());", 7),
        ("auto f = [=]() mutable { return n += 2; }; f(); kernel<<<1, 32>>>(n);", 3),
        ("auto f = [](int &m) { m = 9; }; f(n); kernel<<<1, 32>>>(n);", 9),
        ("auto f = [](int m) { m = 9; }; f(n); kernel<<<1, 32>>>(n);", 3),
        ("auto f = [](Params q) { q.n = 9; }; f(p); kernel<<<1, 32>>>(p.n);", 3),
        ("auto f = [](Params &q) { q.n = 9; }; f(p); kernel<<<1, 32>>>(p.n);", 9),
        ("auto f = [](int a, int b = 6) { kernel<<<1, 32>>>(b); }; f(1);", 6),
        ("auto f = [&]<int N, bool B>() { kernel<<<1, 32>>>(B ? N : n); }; f.operator()<8, true>();", 8),
        ("auto f = [&]<int N, bool B>() { kernel<<<1, 32>>>(B ? N : n); }; f.template operator()<8, false>();", 3),
        ("auto f = [&]<int N = 4>(int m) { kernel<<<1, 32>>>(m * N); }; f(n);", 12),
    ],
)
def test_lambda_expression_has_what_it_captured(parse: Parse, body: str, number: int) -> None:
    assert passed(parse, body) == [number]


LOOP = """std::vector<std::function<void()>> all;
for (int i = 0; i < 2; i++)
    all.push_back([=] {
        if (i)
            kernel<<<1, 32>>>(i);
        else
            kernel<<<1, 64>>>(i);
    });
for (auto &f : all) f();
"""


def test_functions_of_a_loop_keep_their_numbers(parse: Parse) -> None:
    assert sorted(map(str, passed(parse, LOOP))) == ["0", "1"]


DISPATCH = """
template <int N> struct Traits { static constexpr int size = N; };
template <class T> __global__ void of(int n) {}
void launch(int n, bool wide) {
    auto dispatch = [&]<int N>() {
        using Kind = Traits<N>;
        of<Kind><<<n, 32>>>(N);
    };
    if (wide) dispatch.operator()<2>();
    if (!wide) dispatch.operator()<1>();
}
int main() { launch(6, true); launch(5, false); }
"""


def test_a_template_of_a_lambda_expression_launches_an_instance_for_each_call(parse: Parse) -> None:
    launches = [site.launch for site in parse(DISPATCH).launches]
    assert sorted((str(item.grid), item.arguments[0].value) for item in launches) == [
        ("(5, 1, 1)", 1),
        ("(6, 1, 1)", 2),
    ]
