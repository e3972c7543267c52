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
