"""Smart pointers, alias templates and classes that own memory, as host code passes them to kernels."""

import pytest

from tests.cuda_sources.conftest import Parse

BYTES = 400
OTHER = 36
HEAD = """
__global__ void kernel(float *p) { p[0] = 1; }
struct Free { template <class T> void operator()(T *p) const { cudaFree(p); } };
template <class T, class D = Free> using dev_ptr = std::unique_ptr<T, D>;
template <class T> using dev_array = dev_ptr<T[]>;
float *alloc(int n) { float *p; cudaMalloc(&p, n * sizeof(float)); return p; }
template <class T> dev_ptr<T> dev_alloc(size_t n) { T *p; cudaMalloc(&p, n * sizeof(T)); return dev_ptr<T>(p); }
template <class T> auto shared(size_t n) -> std::shared_ptr<T> {
  T *p; cudaMalloc(&p, n * sizeof(T)); return {p, [](T *q) { cudaFree(q); }};
}
template <class T> struct Buffer {
  T *p; size_t n;
  explicit Buffer(size_t n) : n(n) { cudaMalloc(&p, bytes()); }
  explicit Buffer(const std::vector<T> &v) : Buffer(v.size()) { upload(v); }
  void upload(const std::vector<T> &v) { cudaMemcpy(p, v.data(), bytes(), cudaMemcpyHostToDevice); }
  Buffer(Buffer &&o) : p(std::exchange(o.p, nullptr)), n(o.n) {}
  T *get() { return p; }
  size_t bytes() const { return n * sizeof(T); }
  operator T *() { return p; }
  operator const T *() const { return p; }
  T &operator[](size_t i) { return p[i]; }
};
template <class T> class Out {
  T *p_ = nullptr; size_t n_ = 0;
 public:
  explicit Out(size_t n);
  T *data() const;
  size_t size() const { return n_; }
  static Out of(size_t n) { return Out(n); }
};
template <class T> Out<T>::Out(size_t n) : n_(n) { cudaMalloc((void **)&p_, n * sizeof(T)); }
template <class T> T *Out<T>::data() const { return p_; }
struct Other { static float *of(int n) { return alloc(9); } };
using Floats = Out<float>;
void use(const dev_ptr<float> &x) { kernel<<<1, 32>>>(x.get()); }
void take(dev_ptr<float> x) { kernel<<<1, 32>>>(x.get()); }
void raw(float *x) { kernel<<<1, 32>>>(x); }
struct Job {
  std::vector<dev_array<float>> all;
  Job(int n) { for (int i = 0; i < 3; i++) all.push_back(dev_array<float>{alloc(n)}); }
  void run() { kernel<<<1, 32>>>(all.back().get()); }
};
"""


def sizes(parse: Parse, body: str) -> list[object]:
    """Return the bytes of what the launches that the program performs get, or their number."""
    text = f"{HEAD}int main(int argc, char **argv) {{\nconst int n = 100;\n{body}\n}}\n"
    performed = [
        site.launch for site in parse(text).launches if site.launch.grid is not None and not site.launch.assumed
    ]
    given = [launch.arguments[0] for launch in performed if launch.arguments]
    known = [item.buffer.size if item.buffer is not None else item.value for item in given]
    return [item for item in known if item is not None]


@pytest.mark.parametrize(
    "body",
    [
        "auto p = dev_alloc<float>(n); kernel<<<1, 32>>>(p.get());",
        "auto p = dev_alloc<float>(n); use(p);",
        "auto p = dev_alloc<float>(n); take(std::move(p));",
        "auto p = dev_alloc<float>(n); const auto &r = p; kernel<<<1, 32>>>(r.get());",
        "auto p = dev_alloc<float>(n); float *q = p.release(); kernel<<<1, 32>>>(q);",
        "kernel<<<1, 32>>>(dev_alloc<float>(n).get());",
        "dev_ptr<float> p; p = dev_alloc<float>(n); kernel<<<1, 32>>>(p.get());",
        "dev_ptr<float> p{nullptr}; if (!p) p.reset(alloc(n)); kernel<<<1, 32>>>(p.get());",
        "dev_ptr<float> p; if (p == nullptr) p.reset(alloc(n)); kernel<<<1, 32>>>(p.get());",
        "dev_ptr<float> p; cudaMalloc(std::out_ptr(p), n * 4); kernel<<<1, 32>>>(p.get());",
        "dev_array<float> p(alloc(n)); kernel<<<1, 32>>>(&p[0]);",
        "auto p = shared<float>(n); kernel<<<1, 32>>>(p.get());",
        "auto p = std::shared_ptr<float>(alloc(n), [](float *q) { cudaFree(q); }); kernel<<<1, 32>>>(p.get());",
        "const std::unique_ptr<float, decltype(&cudaFree)> p{alloc(n), cudaFree}; kernel<<<1, 32>>>(p.get());",
        "std::unique_ptr<float, void (*)(void *)> p(alloc(n), &free_it); kernel<<<1, 32>>>(p.get());",
        "std::unique_ptr<void, Free> p(alloc(n)); kernel<<<1, 32>>>(static_cast<float *>(p.get()));",
        "using P = std::unique_ptr<float, Free>; P p = P(alloc(n)); kernel<<<1, 32>>>(p.get());",
        "std::array<dev_ptr<float>, 2> a{dev_alloc<float>(n), dev_alloc<float>(n)}; kernel<<<1, 32>>>(a[0].get());",
        "std::vector<dev_ptr<float>> v(3); for (auto &x : v) x.reset(alloc(n)); kernel<<<1, 32>>>(v[1].get());",
        "auto [a, b] = std::make_pair(dev_alloc<float>(n), dev_alloc<float>(9)); kernel<<<1, 32>>>(a.get());",
        "struct Both { dev_ptr<float> a, b; } s{dev_alloc<float>(n), nullptr}; kernel<<<1, 32>>>(s.a.get());",
        "auto job = std::make_unique<Job>(n); job->run();",
    ],
)  # fmt: skip
def test_memory_of_smart_pointers_is_followed(parse: Parse, body: str) -> None:
    assert sizes(parse, body) == [BYTES]


@pytest.mark.parametrize(
    "body",
    [
        "Buffer<float> b(n); kernel<<<1, 32>>>(b);",
        "Buffer<float> b = Buffer<float>(n); kernel<<<1, 32>>>(b + 4);",
        "Buffer<float> b{n}; kernel<<<1, 32>>>((float *)b);",
        "Buffer<float> b(n); cudaMemset(b, 0, b.bytes()); raw(b);",
        "Buffer<float> b(n); float *p = b; kernel<<<1, 32>>>(p);",
        "std::vector<float> h(n); Buffer<float> b(h); kernel<<<1, 32>>>(&b[0]);",
        "Buffer<float> b(n), c(std::move(b)); kernel<<<1, 32>>>(c.get());",
        "std::unique_ptr<Buffer<float>> b(new Buffer<float>(n)); kernel<<<1, 32>>>(b->get());",
        "auto b = std::make_shared<Buffer<float>>(n); kernel<<<1, 32>>>(*b);",
        "Floats o(n); kernel<<<1, 32>>>(o.data());",
        "auto o = Floats::of(n); kernel<<<1, 32>>>(o.data());",
        "auto o = Out<float>::of(n); kernel<<<1, 32>>>(o.data());",
    ],
)
def test_memory_of_classes_that_own_it_is_followed(parse: Parse, body: str) -> None:
    assert sizes(parse, body) == [BYTES]


@pytest.mark.parametrize(
    "body",
    [
        "thrust::device_ptr<float> d = thrust::device_malloc<float>(n); kernel<<<1, 32>>>(d.get());",
        "thrust::device_vector<float> v(n), w(9); v.swap(w); kernel<<<1, 32>>>(thrust::raw_pointer_cast(w.data()));",
        "std::vector<float> h(n); thrust::device_vector<float> v = h; kernel<<<1, 32>>>(v.data().get());",
    ],
)
def test_memory_of_thrust_is_followed(parse: Parse, body: str) -> None:
    assert sizes(parse, body) == [BYTES]


EXCHANGES = ("std::swap(p, q);", "std::exchange(q, std::move(p));", "q = std::move(p);", "auto r = p; q = r;")


@pytest.mark.parametrize(
    ("make", "exchange", "get"),
    [
        *(("dev_alloc<float>", text, "q.get()") for text in (*EXCHANGES, "p.swap(q);")),
        *(("std::make_unique<Floats>", text, "q->data()") for text in (*EXCHANGES, "p.swap(q);")),
        *(("alloc", text, "q") for text in EXCHANGES),
    ],
)
def test_exchanged_pointers_point_to_the_other_memory(parse: Parse, make: str, exchange: str, get: str) -> None:
    assert sizes(parse, f"auto p = {make}(n), q = {make}(9); {exchange} kernel<<<1, 32>>>({get});") == [BYTES]


def test_swapped_buffers_of_a_loop_are_other_launches(parse: Parse) -> None:
    loop = "for (int i = 0; i < 4; i++) { kernel<<<1, 32>>>(a); std::swap(a, b); }"
    assert sizes(parse, f"float *a = alloc(n), *b = alloc(9); {loop}") == [BYTES, OTHER]


def test_constructor_that_is_not_certain_leaves_fields_unknown(parse: Parse) -> None:
    text = "struct A { int n = 7; A(int) {} A(float) {} }; A a(unknown_thing()); kernel<<<1, 32>>>(alloc(a.n));"
    assert sizes(parse, text) == []


def test_result_of_a_function_has_its_type(parse: Parse) -> None:
    text = (
        "int half(int n) { return n / 2.0; }\n__global__ void k(float x) {}\nint main() { k<<<1, 1>>>(half(5) / 2); }"
    )
    (site,) = parse(text).launches
    assert site.launch.arguments[0].value == 1
