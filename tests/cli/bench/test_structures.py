"""`shflbench bench` on kernels that take structures by value, which the host code fills."""

from pathlib import Path

import pytest

from shflbench.store.read import read_run
from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_bench import rows
from tests.conftest import Command

PRODUCT = Path(__file__).with_name("structures.cu").read_text(encoding="utf-8")
RANGE = """
struct Range { int first, last; float factor; };
__global__ void each(const float *in, float *out, Range r) {
    int i = r.first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < r.last) out[i] = r.factor * in[i];
}
OTHER
int main() {
    float *in, *out;
    cudaMalloc(&in, 300 * sizeof(float));
    cudaMalloc(&out, 300 * sizeof(float));
    Range r{10, 280, 0.5f};
    each<<<2, 256>>>(in, out, r);
    OTHER_LAUNCH;
}
"""
LOOP = "for (int i = first + threadIdx.x; i < last; i += blockDim.x) out[i] = factor * in[i]; }"
FIELDS = LOOP.replace("first +", "s.first +").replace("factor", "s.factor").replace("< last", "< s.last")
PLAIN = f"__global__ void loop(int last, int first, float *out, float factor, const float *in) {{ {LOOP}"
OTHER_ORDER = f"""
struct Span {{ float factor; const float *in; int last; float *out; int first; }};
__global__ void loop(const __grid_constant__ Span s) {{ {FIELDS.replace("in[", "s.in[").replace("out[", "s.out[")}
"""


def two(other: str, launch: str) -> str:
    """Return the program with a second kernel and its launch."""
    return RANGE.replace("OTHER_LAUNCH", launch).replace("OTHER", other)


@pytest.mark.archs
def test_structures_run_with_what_the_host_code_fills_in(process: Command) -> None:
    Path("product.cu").write_text(PRODUCT, encoding="utf-8")
    outcome = process("bench", "product.cu", "--output", "run")
    assert outcome.code == 0, outcome.err
    assert "p.rows.first = 1, p.rows.last = 21, p.operands[0] = f32[1176], p.operands[1] = f32[50]" in outcome.err
    assert "p.steps[0] = 56, p.steps[1] = 1, p.steps[2] = 50 (from the host code)" in outcome.err
    assert {row.variant: row.status.value for row in read_run(Path("run")).rows} == {
        "by_thread": "verified",
        "by_warp": "verified",
    }


@pytest.mark.archs
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("p.y[row] = ALPHA * sum", "p.y[row] = 1.01 * ALPHA * sum"),
        ("row >= p.rows.last) return;\n    const", "row >= p.rows.last - 1) return;\n    const"),
        ("ALPHA p.alpha", "ALPHA 1"),  # which is 1
        ("column < p.steps[2]; column += 32", "column < 48; column += 32"),
        ("*x = p.operands[1]", "*x = p.operands[0]"),
    ],
    ids=["factor", "last", "hidden-number", "odd", "other-pointer"],
)
def test_difference_between_structures_is_found(bench: BenchCommand, right: str, wrong: str) -> None:
    assert PRODUCT.count(right) == 1
    outcome = bench(PRODUCT.replace(right, wrong), "--no-check")
    assert outcome.code == (1 if "does not write" in outcome.err else 5), outcome.err
    assert rows()["by_warp"].status.value == "incorrect"


@pytest.mark.archs
def test_numbers_that_decide_on_addresses_stay_as_the_host_code_has_them(bench: BenchCommand) -> None:
    outcome = bench(PRODUCT, "--no-check")
    (line,) = (line for line in outcome.err.splitlines() if "results with other values of" in line)
    assert all(f"`{text}" in line for text in ("p.rows.first` than 1", "p.rows.last` than 21", "p.steps[1]` than 1"))


@pytest.mark.archs
@pytest.mark.parametrize(
    ("other", "launch"),
    [
        (PLAIN, "loop<<<1, 128>>>(280, 10, out, 0.5f, in)"),
        (
            OTHER_ORDER,
            "Span s; s.factor = 0.5f; s.in = in; s.last = 280; s.out = out; s.first = 10; loop<<<1, 128>>>(s)",
        ),
    ],
    ids=["parameters", "order"],
)
def test_kernels_are_paired_by_the_names_of_fields(bench: BenchCommand, other: str, launch: str) -> None:
    outcome = bench(two(other, launch), "--no-check")
    assert outcome.code == 0, outcome.err
    assert {name: row.status.value for name, row in rows().items()} == {"each": "verified", "loop": "verified"}
    assert bench(two(other.replace("] = ", "] = 2 * "), launch), "--no-check", "--output", "second").code == 5


def test_field_can_be_given(bench: BenchCommand) -> None:
    outcome = bench(two("", ""), "--no-check", "--arg", "r.last=200")
    assert outcome.code == 0, outcome.err
    assert "r.last = 200 (given)" in outcome.err


def test_structure_cannot_be_given_as_a_number(bench: BenchCommand) -> None:
    outcome = bench(
        two("", "").replace(" float factor;", "").replace(", 0.5f}", "}").replace("r.factor *", ""), *("--arg", "r=3")
    )
    assert outcome.code == 2
    assert "parameter `r` is a structure, whose fields must be given: --arg r.first=NUMBER" in outcome.err


def test_aligned_structure_that_begins_with_zeros_is_known(bench: BenchCommand) -> None:
    text = two("", "").replace("struct Range", "struct __align__(16) Range")
    outcome = bench(text.replace("Range r{10, 280, 0.5f};", "Range r{}; r.last = 280; r.factor = 0.5f;"), "--no-check")
    assert outcome.code == 0, outcome.err
    assert "r.first = 0, r.last = 280, r.factor = 0.5 (from the host code)" in outcome.err


def test_field_that_nobody_states_is_named(bench: BenchCommand) -> None:
    outcome = bench(two("", "").replace("Range r{10, 280, 0.5f};", "Range r; r.factor = 2;"), "--no-check")
    assert outcome.code == 2
    assert "each is not timed: give --arg r.first=NUMBER --arg r.last=NUMBER\n" in outcome.err


def test_structure_of_unknown_layout_is_named(bench: BenchCommand) -> None:
    text = two("", "").replace("struct Range { int first, last;", "struct Range { int first : 16, last : 16;")
    outcome = bench(text, "--no-check")
    assert outcome.code == 2
    assert "each is not timed: parameter `r` is a structure by value whose layout is not known" in outcome.err


FUNCTION_OBJECTS = """
struct Twice { __device__ float operator()(float x) const { return 2 * x; } };
struct Sum { __device__ float operator()(float x) const { return x + x; } };
template <class Function> __global__ void apply(Function function, const float *in, float *out) {
    out[threadIdx.x] = function(in[threadIdx.x]);
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 128);
    cudaMalloc(&out, 128);
    apply<<<1, 32>>>(Twice(), in, out);
    apply<<<1, 32>>>(Sum{}, in, out);
}
"""


@pytest.mark.archs
def test_function_objects_without_members_are_passed(bench: BenchCommand) -> None:
    outcome = bench(FUNCTION_OBJECTS, "--no-check")
    assert outcome.code == 0, outcome.err
    assert [row.status.value for row in rows().values()] == ["verified", "verified"]
    assert bench(FUNCTION_OBJECTS.replace("x + x", "x + 1"), "--no-check", "--output", "second").code == 5


def test_pattern_written_from_a_file_has_the_structure(bench: BenchCommand, shflbench: Command) -> None:
    bench(two("", ""), "--no-check")
    outcome = shflbench("new", "--from", "sums.cu", "each")
    assert outcome.code == 0, outcome.err
    (text,) = (path.read_text(encoding="utf-8") for path in Path().glob("sums*/pattern.py"))
    structure = "ByValue('r', 12, ((0, 'r.first'), (4, 'r.last'), (8, 'r.factor'),))"
    assert f"arguments=('in', 'out', {structure},)" in text


IN_TWO_STEPS = """
struct Part { const float *in; float *sums; int n; };
struct Final { const float *sums; float *out; int blocks; };
__global__ void partial(Part p) {
    float sum = 0;
    for (int i = threadIdx.x + 32 * blockIdx.x; i < p.n; i += 32 * gridDim.x) sum += p.in[i];
    for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x == 0) p.sums[blockIdx.x] = sum;
}
__global__ void final(Final f) {
    float sum = 0;
    for (int i = 0; i < f.blocks; i++) sum += f.sums[i];
    f.out[0] = sum;
}
int main() {
    float *in, *sums, *out, *other;
    cudaMalloc(&in, 4000);
    cudaMalloc(&sums, 16);
    cudaMalloc(&out, 4);
    cudaMalloc(&other, 4);
    partial<<<4, 32>>>(Part{in, sums, 1000});
    final<<<1, 1>>>(Final{sums, out, 4});
    partial<<<1, 32>>>(Part{in, other, 1000});
}
"""


@pytest.mark.archs
@pytest.mark.parametrize(("blocks", "code"), [("f.blocks", 0), ("f.blocks - 1", 5)])
def test_kernels_of_a_sequence_share_buffers_in_structures(bench: BenchCommand, blocks: str, code: int) -> None:
    text = IN_TWO_STEPS.replace("i < f.blocks", f"i < {blocks}")
    single = text.replace("int main", f"{text[text.index('__global__') : text.index('__global__ void final')]}int main")
    single = single.replace("void partial", "void single", 2).replace("void single", "void partial", 1)
    outcome = bench(
        single.replace("partial<<<1,", "single<<<1,"),
        *("--kernel", "single", "--kernel", "partial+final", "--no-check"),
    )
    assert outcome.code == code, outcome.err
    assert rows()["partial-final"].status.value == ("incorrect" if code else "verified")


@pytest.mark.archs
@pytest.mark.parametrize(("factor", "code"), [("r.factor", 0), ("0.25f", 5)])
def test_versions_with_fields_in_another_order_are_compared(
    bench: BenchCommand, shflbench: Command, factor: str, code: int
) -> None:
    bench(two("", ""), "--no-check")
    text = two("", "").replace("int first, last; float factor;", "float factor; int last, first;")
    text = text.replace("r{10, 280, 0.5f}", "r{0.5f, 280, 10}").replace("r.factor *", f"{factor} *")
    Path("new.cu").write_text(text, encoding="utf-8")
    outcome = shflbench("bench", "sums.cu", "new.cu", "--no-check", "--output", "versions")
    assert outcome.code == code, outcome.err


@pytest.mark.archs
@pytest.mark.parametrize("packed", ["struct __attribute__((packed)) Range", "#pragma pack(2)\nstruct Range"])
def test_packed_structures_run_with_what_the_host_code_fills_in(bench: BenchCommand, packed: str) -> None:
    text = two("", "").replace("struct Range { int first, last;", f"{packed} {{ char tag; int first, last;")
    outcome = bench(text.replace("Range r{10,", "Range r{'r', 10,"), "--no-check")
    assert outcome.code == 0, outcome.err
    assert "r.first = 10, r.last = 280, r.factor = 0.5 (from the host code)" in outcome.err


POINTS = """
struct Point { float x, y, z; };
struct Points { const Point *in; Point *out; };
__global__ void first(@ALL) { Point p = @IN[threadIdx.x]; @OUT[threadIdx.x] = {p.x * p.y + p.z * p.x, p.y, p.z}; }
__global__ void second(@ALL) { Point p = @IN[threadIdx.x]; @OUT[threadIdx.x] = {OTHER, p.y, p.z}; }
int main() {
    Point *in, *out, *other;
    cudaMalloc(&in, 64 * sizeof(Point));
    cudaMalloc(&out, 64 * sizeof(Point));
    cudaMalloc(&other, 64 * sizeof(Point));
    first<<<1, 64>>>(@BEGIN in, out @END);
    second<<<1, 64>>>(@BEGIN in, other @END);
}
"""


@pytest.mark.archs
@pytest.mark.parametrize(
    "words",
    [("const Point *in, Point *out", "in", "out", "", ""), ("Points q", "q.in", "q.out", "Points{", "}")],
    ids=["pointers", "structure-with-pointers"],
)
def test_structures_behind_pointers_are_compared_by_their_fields(bench: BenchCommand, words: tuple[str, ...]) -> None:
    """Their bytes differ where an addition is fused, or in another order."""
    text = POINTS
    for place, word in zip(("@ALL", "@IN", "@OUT", "@BEGIN", "@END"), words, strict=True):
        text = text.replace(place, word)
    outcome = bench(text.replace("OTHER", "p.x * (p.y + p.z)"), "--no-check")
    assert outcome.code == 0, outcome.err
    assert {row.dtype for row in rows().values()} == {"f32"}
    assert bench(text.replace("OTHER", "p.x * (p.y - p.z)"), "--no-check", "--output", "wrong").code == 5
