"""Barriers that a proof over all sizes, grids and contents decides, and those that it leaves open."""

import pytest

from tests.checker.exchanges.conftest import BARRIER, BUFFERS, ROWS, Advise


def test_what_holds_for_one_number_alone_is_not_proved(advise: Advise, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.checker.exchanges.counterexamples.MOST_RUNS", 0)
    body = f"{ROWS}\n{BARRIER}\nout[t] = s[t];\nif (n > 3) s[255 - t] = n;"
    advice = advise(body, "1x256", arguments=["n=3"])
    assert advice.only == ("n = 3",)
    assert [(barrier.need, barrier.is_proved) for barrier in advice.barriers] == [("not needed", False)]


@pytest.mark.archs
def test_a_barrier_in_a_loop_is_judged_for_any_number_of_iterations(advise: Advise) -> None:
    loop = f"{ROWS}\nfor (int k = 0; k < n; ++k) {{\n__syncthreads();\nout[256 * k + t] = s[t ^ 1];\n}}"
    for n in (1, 2):
        (barrier,) = advise(loop, "1x256", arguments=[f"n={n}"]).barriers
        assert (barrier.need, barrier.is_proved) == ("__syncwarp() is enough", True)
    (barrier,) = advise(loop.replace("t ^ 1", "k > 0 ? t ^ 32 : t"), "1x256", arguments=["n=1"]).barriers
    assert not barrier.could_be_weaker


# What crosses the barrier for other values than those of the launch, and what these are.
OPEN = {
    "a pointer from memory": (
        "const int* from = n > 1000 ? other : in;\nout[t] = t;\n__syncthreads();\nout[256 + t] = from[t ^ 64];",
        ["n=3"],
    ),
    "a fence that publishes": (
        "out[t] = in[t];\n__threadfence();\n__syncthreads();\nif (t == 0) __stcg(out + 300, 1);",
        [],
    ),
    "a number that wraps around": (
        (
            "unsigned a = in[t] * 96u + t, b = in[t ^ 1] * 96u + t;\nif (t < 96) s[a] = t;\n__syncthreads();\n"
            "if (t < 96) out[t] = s[b];"
        ),
        ["in=i32[256]:0"],
    ),
    "a flag that the loop sets": (
        (
            "bool first = true;\nint sum = t, from = in[t] & 255;\nfor (;;) {\n"
            "sum += __shfl_xor_sync(0xffffffff, sum, 1);\nif (!first) { out[t] = sum; break; }\n"
            "s[t] = sum;\n__syncthreads();\nsum += s[from];\nfirst = false;\n}"
        ),
        ["in=i32[256]:index"],
    ),
    "a value of a register that another instruction writes": (
        (
            "__shared__ int more[2048];\nint r;\n"
            'if (in[0]) asm volatile("xor.b32 %0, %1, 64;" : "=r"(r) : "r"(t));\n'
            'else asm volatile("mov.u32 %0, %1;" : "=r"(r) : "r"(t));\n'
            'if (!in[2]) {\nasm volatile("add.s32 %0, %0, 1024;" : "+r"(r));\n'
            'if (in[1]) asm volatile("mov.u32 %0, %1;" : "+r"(r) : "r"(t));\n'
            "more[r] = t;\n__syncthreads();\nout[256 + t] = more[t + 1024];\n}\nout[t] = r;"
        ),
        ["in=i32[256]:0"],
    ),
}


@pytest.mark.parametrize(("body", "arguments"), OPEN.values(), ids=OPEN)
def test_what_other_values_may_carry_across_leaves_a_barrier_open(
    advise: Advise, body: str, arguments: list[str]
) -> None:
    head = "__device__ int* other;\n"
    body = f"__shared__ int s[256];\nint t = threadIdx.x;\n{body}"
    given = [*arguments, *(buffer for buffer in BUFFERS if not any(item[:3] == buffer[:3] for item in arguments))]
    advice = advise(body, "1x256", arguments=given, head=head)
    (barrier,) = advice.barriers
    assert not barrier.could_be_weaker, advice.missing


def test_lanes_get_rows_of_a_matrix_at_the_addresses_of_others(advise: Advise) -> None:
    body = (
        "__shared__ __align__(16) int s[1024];\nint t = threadIdx.x, r;\n"
        "*(int4 *)(s + 4 * t) = make_int4(t, t, t, t);\n"
        "__syncthreads();\nunsigned a = __cvta_generic_to_shared(s + 4 * t);\n"
        'asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(a) : "memory");'
        "\nout[t] = r;"
    )
    (barrier,) = advise(body, "1x256", arguments=BUFFERS).barriers
    assert (barrier.need, barrier.is_proved) == ("__syncwarp() is enough", True)


def test_one_pair_of_warps_behind_many_of_lanes_counts(advise: Advise) -> None:
    stores, loads = "s[t] = {0};\n", "sum += s[t ^ 1];\n"
    many = "".join(map(stores.format, range(15))), loads * 15
    body = (
        f"__shared__ volatile int s[256], w[256];\nint t = threadIdx.x, sum = 0;\n{many[0]}w[t] = t;\n{BARRIER}\n"
        f"{many[1]}if (n > 1000) sum += w[t ^ 64];\nout[t] = sum;"
    )
    (barrier,) = advise(body, "1x256", arguments=["n=3"]).barriers
    assert not barrier.could_be_weaker


COUNTED = (
    "__shared__ int more[4096];\nint t = threadIdx.x;\nmore[t + 512] = t;\nint b = t ^ 64;\n#pragma unroll 1\n"
    "for (int k = 0; k < n; ++k) {\nRESET\n#pragma unroll 1\nfor (int j = 0; j < 2; ++j) {\nmore[b] = in[k];\n"
    "b += 256;\n}\n}\n__syncthreads();\nout[t] = more[t + 512];"
)


@pytest.mark.parametrize(("reset", "is_proved"), [("b = t ^ 64;", True), ("", False)])
def test_a_loop_bounds_what_it_counts_from_its_own_beginning(
    advise: Advise, monkeypatch: pytest.MonkeyPatch, reset: str, *, is_proved: bool
) -> None:
    monkeypatch.setattr("shflbench.checker.exchanges.counterexamples.MOST_RUNS", 0)
    (barrier,) = advise(COUNTED.replace("RESET", reset), "1x256", arguments=["n=1"]).barriers
    assert (barrier.need, barrier.is_proved) == ("not needed", is_proved)


BINS = (
    "__shared__ unsigned bins[8][33];\nint t = threadIdx.x, lane = t % 32, warp = t / 32;\n"
    "for (int b = lane; b < 33; b += 32) bins[warp][b] = 0;\n__syncthreads();\n"
    "for (int k = 0; k < n; ++k) atomicAdd(&bins[warp][BIN], 1);\n__syncthreads();\nout[t] = bins[7 - warp][lane];"
)


@pytest.mark.parametrize(
    ("bin_", "need"),
    [
        ("__popc(in[t + k])", "__syncwarp() is enough"),
        ("((unsigned char*)in)[t + k] >> 3", "__syncwarp() is enough"),
        ("in[t + k] & 31", "__syncwarp() is enough"),
        ("(unsigned)in[t + k] % 34", "needed"),
        ("((unsigned char*)in)[t + k] >> 2", "not enough evidence"),
    ],
)
def test_values_of_a_range_stay_in_the_row_of_a_warp(advise: Advise, bin_: str, need: str) -> None:
    first, second = advise(BINS.replace("BIN", bin_), "1x256", arguments=["n=1", "in=i32[256]:1"]).barriers
    assert (first.need, second.need) == (need, "needed")


def test_of_two_barriers_that_do_the_same_one_is_needed_and_says_instead_of_which(advise: Advise) -> None:
    body = """
__shared__ int s[256];
int t = threadIdx.x;
s[t] = in[t];
__syncthreads();
int mine = s[t];
__syncthreads();
out[t] = mine + s[255 - t];
"""
    first, second = advise(body, "1x256").barriers
    assert (first.need, first.is_proved, first.alternative) == ("not needed", True, None)
    assert second.need == "needed"
    assert second.alternative is not None
    assert (second.alternative.need, second.alternative.stay) == ("not needed", (first.line,))
    assert second.reason == f"as line {first.line.line} becomes weaker; without that change, not needed"


def test_a_barrier_that_is_needed_with_all_others_has_no_alternative(advise: Advise) -> None:
    body = """
__shared__ int s[256];
int t = threadIdx.x;
s[t] = in[t];
__syncthreads();
s[t] += 1;
__syncthreads();
out[t] = s[255 - t];
__syncthreads();
"""
    first, second, third = advise(body, "1x256").barriers
    assert (first.need, second.need, third.need) == ("not needed", "needed", "not needed")
    assert second.alternative is None


def test_all_reasons_for_which_a_barrier_is_needed_are_named(advise: Advise) -> None:
    body = """
__shared__ int a[256], b[256];
int t = threadIdx.x;
a[t] = in[t];
__syncthreads();
__syncthreads();
b[t] = in[t] * 3;
__syncthreads();
int v = a[255 - t];
__syncthreads();
out[t] = v + b[255 - t];
"""
    *first, needed, last = advise(body, "1x256").barriers
    assert [item.need for item in (*first, last)] == ["not needed"] * 3
    assert needed.alternative is not None
    assert needed.alternative.stay == (*(item.line for item in first), last.line)
