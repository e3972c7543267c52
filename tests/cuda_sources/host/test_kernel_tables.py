"""Launches of kernels that lie in tables: arrays, vectors and maps of pointers, structures, and functions."""

import pytest

from tests.cuda_sources.conftest import Parse

FILE = """
#include <array>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>
__global__ void f(const float *x, float *y, int n) {}
__global__ void g(const float *x, float *y, int n) {}
template <int B> __global__ void t(const float *x, float *y, int n) {}
typedef void (*fn)(const float *, float *, int);
using run_t = std::function<void()>;
struct Entry { const char *name; fn kernel; int block; };
struct Named { const char *name; std::function<void(int)> run; };
fn table[] = {f, g};
const Entry entries[] = {{"f", f, 128}, {"g", &g, 256}};
fn pick(int);
int main(int argc, char **argv) {
    float *x, *y; cudaMalloc(&x, 4096 * 4); cudaMalloc(&y, 4096 * 4);
    BODY
}
"""
LAMBDAS = "[&] { f<<<32, 128>>>(x, y, 4096); }, [&] { g<<<16, 256>>>(x, y, 4096); }"
BY_INDEX = "for (int k = 0; k < 2; k++) kernels[k]<<<k ? 16 : 32, k ? 256 : 128>>>(x, y, 4096);"
OF_ENTRIES = "<<<4096 / e.block, e.block>>>(x, y, 4096);"


def launched(parse: Parse, body: str) -> list[tuple[str, int | None, int | None]]:
    launches = parse(FILE.replace("BODY", body)).launches
    shapes = [(site.launch.grid or (None,), site.launch.block or (None,)) for site in launches]
    return [(site.kernel, grid[0], block[0]) for site, (grid, block) in zip(launches, shapes, strict=True)]


@pytest.mark.parametrize(
    "body",
    [
        f"fn kernels[] = {{f, g}}; {BY_INDEX}",
        f"void (*kernels[2])(const float *, float *, int) = {{f, &g}}; {BY_INDEX}",
        f"fn kernels[2]; kernels[0] = f; kernels[1] = g; {BY_INDEX}",
        f"std::vector<fn> kernels = {{f, g}}; {BY_INDEX}",
        f"std::vector<fn> kernels; kernels.push_back(f); kernels.push_back(g); {BY_INDEX}",
        f"std::array<fn, 2> kernels = {{f, g}}; {BY_INDEX}",
        "fn kernels[] = {f, g}; int b = 128; for (auto k : kernels) { (*k)<<<4096 / b, b>>>(x, y, 4096); b *= 2; }",
        "int b = 128; for (int k = 0; k < 2; k++) { table[k]<<<4096 / b, b>>>(x, y, 4096); b *= 2; }",
        "for (int i = 0; i < 2; i++) { auto e = entries[i]; e.kernel" + OF_ENTRIES + " }",
        "for (const auto &e : entries) e.kernel" + OF_ENTRIES,
        "for (auto [name, kernel, block] : entries) kernel<<<4096 / block, block>>>(x, y, 4096);",
        'std::vector<Entry> list = {{"f", f, 128}, {"g", g, 256}}; for (auto &e : list) e.kernel' + OF_ENTRIES,
        'std::vector<Entry> list; list.push_back({"f", f, 128}); list.emplace_back("g", g, 256); '
        "for (auto &e : list) e.kernel" + OF_ENTRIES,
        'std::map<std::string, fn> m = {{"f", f}, {"g", g}}; m["f"]<<<32, 128>>>(x, y, 1); m.at("g")<<<16, 256>>>(x, y, 1);',  # noqa: E501
        (
            'std::map<std::string, fn> m; m["f"] = f; m["g"] = g; int b = 128; '
            "for (auto &[name, kernel] : m) { kernel<<<4096 / b, b>>>(x, y, 4096); b *= 2; }"
        ),
        (
            'std::vector<std::pair<const char *, fn>> list = {{"f", f}, {"g", g}}; int b = 128; '
            "for (auto &p : list) { p.second<<<4096 / b, b>>>(x, y, 4096); b *= 2; }"
        ),
        f"run_t runs[] = {{{LAMBDAS}}}; for (int i = 0; i < 2; i++) runs[i]();",
        f"std::vector<run_t> runs = {{{LAMBDAS}}}; for (auto &run : runs) run();",
        (
            'std::vector<Named> list = {{"f", [&](int b) { f<<<4096 / b, b>>>(x, y, 1); }}, '
            '{"g", [&](int b) { g<<<4096 / b, b>>>(x, y, 1); }}}; for (int i = 0; i < 2; i++) list[i].run(128 << i);'
        ),
        (
            "int n = 4096; const void *kernels[] = {(void *)f, (const void *)g}; void *args[] = {&x, &y, &n}; "
            "for (int k = 0; k < 2; k++) cudaLaunchKernel(kernels[k], k ? 16 : 32, k ? 256 : 128, args, 0, 0);"
        ),
    ],
)
def test_the_kernel_of_a_launch_is_that_of_the_table(parse: Parse, body: str) -> None:
    assert launched(parse, body) == [("f", 32, 128), ("g", 16, 256)]


def test_a_kernel_may_be_an_argument_of_a_function_template(parse: Parse) -> None:
    template = "template <fn K> void run(const float *x, float *y, int b) { K<<<4096 / b, b>>>(x, y, 4096); }\nfn pick"
    source = parse(FILE.replace("fn pick", template).replace("BODY", "run<f>(x, y, 128); run<g>(x, y, 256);"))
    assert [site.kernel for site in source.launches] == ["f", "g"]
    assert not source.obscure_launches


def test_instances_of_templates_may_lie_in_a_table(parse: Parse) -> None:
    source = parse(FILE.replace("BODY", f"fn kernels[] = {{t<128>, t<256>}}; {BY_INDEX}"))
    assert [(site.kernel, site.template_arguments) for site in source.launches] == [("t", ("128",)), ("t", ("256",))]
    assert not source.obscure_launches


@pytest.mark.parametrize(
    ("body", "kernels"),
    [
        ("fn k = pick(0); k<<<1, 32>>>(x, y, 1); fn other = g;", {"g"}),
        ("pick(argc)<<<1, 32>>>(x, y, 1);", set()),
        ("fn all[] = {f, g}; all[pick_index()]<<<1, 32>>>(x, y, 1);", {"f", "g"}),
        ("fn all[] = {f, g}; all[pick_index()]<<<1, 32>>>(x, y, 1); f<<<1, 32>>>(x, y, 1);", {"g"}),
        ("fn k = pick(0); cudaLaunchKernel((void *)k, 1, 32, nullptr, 0, 0); fn other[] = {t<4>};", {"t"}),
    ],
)
def test_the_kernels_of_a_launch_that_is_not_understood_are_those_without_another(
    parse: Parse, body: str, kernels: set[str]
) -> None:
    text = FILE.replace("fn table[] = {f, g};\n", "").replace(
        'const Entry entries[] = {{"f", f, 128}, {"g", &g, 256}};\n', ""
    )
    source = parse(text.replace("BODY", body))
    (line,) = source.obscure_launches
    assert text.splitlines()[line.line - 1].strip() == "BODY"
    assert set(source.obscured) == kernels


@pytest.mark.parametrize(
    "body", ["f<<<1, 32>>>(x, y, 1);", "declared<<<1, 32>>>(x);", "fn k = f; k<<<1, 32>>>(x, y, 1);"]
)
def test_other_launches_are_understood(parse: Parse, body: str) -> None:
    assert not parse("__global__ void declared(float *x);\n" + FILE.replace("BODY", body)).obscure_launches
