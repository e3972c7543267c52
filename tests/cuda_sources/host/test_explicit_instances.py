"""Launches in templates of functions, classes and members that only explicit instantiations name."""

import pytest

from tests.cuda_sources.conftest import Parse

KERNEL = """
template <typename T, int B> __global__ void shift(const T *in, T *out, int n) { out[threadIdx.x % B] = in[n]; }
"""
MEMBER = """
struct Op { template <typename T> void run(const T *in, T *out, int n, int block = 64) const; };
template <typename T> void Op::run(const T *in, T *out, int n, int block) const {
  shift<T, 64><<<(n + 63) / 64, block>>>(in, out, n);
}
#define DECLARE_IMPL(T) template void Op::run<T>(const T *, T *, int, int) const;
"""
CLASS = """
template <typename T> struct Op {
  using value = T;
  static constexpr int warps = 2, block = warps * 32;
  MEMBER
};
template struct Op<float>;
template struct Op<double>;
"""
BASE = """
struct Shape { static constexpr int block = 64; };
template <typename T> struct Op : Shape {
  void operator()(const T *in, T *out, int n) { shift<T, block><<<(n + 63) / block, block>>>(in, out, n); }
};
template struct Op<float>;
template struct Op<double>;
"""
FUNCTION = """
template <typename T> void run(const T *in, T *out, int n) { shift<T, 64><<<(n + 63) / 64, 64>>>(in, out, n); }
"""
BOTH = [("float", "64"), ("double", "64")]


def _launched(parse: Parse, text: str) -> list[tuple[tuple[str, ...] | None, object]]:
    """Return the instances that are launched with the number 1024, and their blocks."""
    known = [item for item in parse(text).launches if dict(item.launch.assumed).get("n") == 1024]
    assert all(item.launch.grid == (16, 1, 1) for item in known)
    return [(item.template_arguments, item.launch.block) for item in known]


@pytest.mark.parametrize(
    "text",
    [
        MEMBER + "DECLARE_IMPL(float)\nDECLARE_IMPL(double)\n",
        MEMBER + "#define FOR_ALL(M) M(float) M(double)\nFOR_ALL(DECLARE_IMPL)\n",
        CLASS.replace(
            "MEMBER",
            "void run(const T *in, T *out, int n) { shift<T, block><<<(n + 63) / block, block>>>(in, out, n); }",
        ),
        CLASS.replace("MEMBER", "static void run(const value *in, value *out, int n);")
        + "template <typename U> void Op<U>::run(const value *in, value *out, int n) {\n"
        + "  shift<value, warps * 32><<<(n + 63) / block, block>>>(in, out, n); }",
        BASE,
        FUNCTION
        + "void a(const float *in, float *out, int n) { run(in, out, n); }\n"
        + "void b(const double *in, double *out, int n) { run(in, out, n); }",
    ],
)
def test_each_instance_is_launched_with_its_block(parse: Parse, text: str) -> None:
    assert _launched(parse, KERNEL + text) == [(instance, (64, 1, 1)) for instance in BOTH]


@pytest.mark.parametrize("word", ["__restrict__", "__restrict"])
def test_restricted_pointers_are_those_of_the_instance(parse: Parse, word: str) -> None:
    text = f"""
template <typename T> void run(const T *{word} in, T *{word} out, int n) {{
  shift<T, 64><<<(n + 63) / 64, 64>>>(in, out, n);
}}
template void run(const float *{word}, float *{word}, int);
"""
    assert _launched(parse, KERNEL.replace("*in", f"*{word} in") + text) == [(("float", "64"), (64, 1, 1))]


def test_an_instance_takes_its_branch_of_if_constexpr(parse: Parse) -> None:
    source = parse(
        KERNEL
        + "template <typename T> void run(const T *in, T *out, int n) {\n"
        + "  if constexpr (sizeof(T) == 8) shift<T, 32><<<1, 32>>>(in, out, n);\n"
        + "  else shift<T, 64><<<1, 64>>>(in, out, n);\n}\n"
        + "template void run<float>(const float *, float *, int);\n"
        + "template void run<double>(const double *, double *, int);"
    )
    blocks = {(item.template_arguments, item.launch.block) for item in source.launches}
    assert blocks == {(("double", "32"), (32, 1, 1)), (("float", "64"), (64, 1, 1))}
    assert sorted(source.expressions()) == ["shift<double, 32>", "shift<float, 64>"]


def test_a_base_class_has_the_constants_of_its_argument(parse: Parse) -> None:
    text = """
template <typename D> struct Base {
  template <typename T> void launch(const T *in, T *out, int n) {
    shift<T, D::block><<<n / D::block, D::block>>>(in, out, n);
  }
};
struct Small : Base<Small> { static constexpr int block = 32; };
int main() { float *p; cudaMalloc(&p, 4096); Small s; s.launch(p, p, 1024); }
"""
    (site,) = parse(KERNEL + text).launches
    assert (site.template_arguments, site.launch.grid, site.launch.block) == (("float", "32"), (32, 1, 1), (32, 1, 1))


def test_the_only_constructor_makes_the_object_of_a_member_that_nothing_calls(parse: Parse) -> None:
    text = """
class Smoother {
 public:
  explicit Smoother(int n) : n_(n), blocks_((n + 63) / 64) { cudaMalloc(&in_, n * 4); cudaMalloc(&out_, n * 4); }
  void step() { shift<float, 64><<<blocks_, 64>>>(in_, out_, n_); }
 private:
  int n_, blocks_;
  float *in_ = nullptr, *out_ = nullptr;
};
"""
    site = parse(KERNEL + text).launches[0]
    assert (site.launch.grid, site.launch.block) == ((16, 1, 1), (64, 1, 1))
    assert [item.buffer.size for item in site.launch.arguments if item.buffer is not None] == [4096, 4096]


@pytest.mark.parametrize("size", ["Size<64>", "std::integral_constant<int, 64>"])
def test_a_lambda_takes_a_size_from_the_type_of_its_parameter(parse: Parse, size: str) -> None:
    text = f"""
template <int N> struct Size {{ static constexpr int value = N; }};
struct Op {{
  template <typename T> void run(const T *in, T *out, int n) {{
    auto launch = [&](auto block) {{
      constexpr int B = decltype(block)::value;
      shift<T, B><<<(n + B - 1) / B, B>>>(in, out, n);
    }};
    launch({size}{{}});
  }}
}};
template void Op::run<float>(const float *, float *, int);
"""
    assert _launched(parse, KERNEL + text) == [(("float", "64"), (64, 1, 1))]
