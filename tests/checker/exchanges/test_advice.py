"""Kernels whose exchanges and barriers are known by reading: what the launches show, and what is suggested."""

from pathlib import Path

import pytest

from shflbench.errors import TimeLimitError
from tests.checker.exchanges.conftest import BARRIER, BUFFERS, ROWS, Advise

# What a thread reads after a barrier behind `s[t] = in[t]`, the relation that most executions have, and the shuffle.
READS = [
    ("s[t ^ 5]", "xor", "__shfl_xor_sync(mask, value, 5)"),
    ("s[t / 32 * 32 + 31 - lane]", "xor", "__shfl_xor_sync(mask, value, 31)"),
    ("lane < 31 ? s[t + 1] : 0", "shift", "__shfl_down_sync(mask, value, 1)"),
    ("lane > 3 ? s[t - 4] : 0", "shift", "__shfl_up_sync(mask, value, 4)"),
    ("lane < 31 ? s[t + 1] : s[t]", "shift", "__shfl_down_sync(mask, value, 1)"),
    ("s[max(t - 2, t / 32 * 32)]", "permutation", "__shfl_sync(mask, value, lane)"),
    ("s[t > lane + t / 32 * 31 - 2 && lane > 2 ? t - 3 : t]", "shift", "__shfl_up_sync(mask, value, 3)"),
    ("s[t / 32 * 32 + 7]", "broadcast", "__shfl_sync(mask, value, 7)"),
    ("s[t / 32 * 32 + lane * 5 % 32]", "permutation", "__shfl_sync(mask, value, lane)"),
    ("s[t / 32 * 32 + in[t] % 32u]", "permutation", "__shfl_sync(mask, value, lane)"),
    ("s[(t + 1) % 256]", "across", ""),
    ("s[255 - t]", "across", ""),
    ("s[0]", "across", ""),
    ("s[t]", "thread", ""),
]


@pytest.mark.parametrize(("read", "relation", "instead"), READS)
def test_a_read_behind_a_barrier_has_the_relation_of_its_index(
    advise: Advise, read: str, relation: str, instead: str
) -> None:
    advice = advise(f"{ROWS}\n{BARRIER}\nout[t] = {read};", "1x256")
    assert advice.report.verdict == "clean", advice.report.sentence
    (exchange,) = advice.exchanges
    assert (exchange.store.line, exchange.load.line) == (2, 4)
    assert relation in {item.name.lower() for item, _ in exchange.relations}
    assert exchange.instead == instead


def test_several_values_of_a_lane_are_several_shuffles(advise: Advise) -> None:
    tile = "int t = threadIdx.x, w = t / 32, lane = t % 32; __shared__ int s[8][128];"
    store = "for (int k = 0; k < 4; ++k) s[w][4 * lane + k] = in[4 * t + k];"
    load = "for (int k = 0; k < 4; ++k) out[128 * w + 32 * k + lane] = s[w][32 * k + lane];"
    (exchange,) = advise(f"{tile}\n{store}\n__syncthreads();\n{load}", "1x256").exchanges
    assert exchange.instead == "4 shuffles, or a transposition by shuffles"


@pytest.mark.parametrize(
    ("index", "instead"),
    [("t / 32 * 8 + t % 8", "4 shuffles, one for each part of a value"), ("(t + 32) % 256 / 4", "")],
)
def test_a_value_that_several_lanes_wrote_is_a_shuffle_per_part(advise: Advise, index: str, instead: str) -> None:
    store = "int t = threadIdx.x; __shared__ alignas(4) char s[256]; s[t] = in[t];"
    (exchange,) = advise(f"{store}\n{BARRIER}\nout[t] = reinterpret_cast<int*>(s)[{index}];", "1x256").exchanges
    assert exchange.instead == instead


def test_a_broadcast_from_lanes_of_many_numbers_names_none(advise: Advise) -> None:
    loop = "#pragma unroll\nfor (int k = 0; k < 32; ++k) sum = 3 * sum + s[t / 32 * 32 + k];"
    (exchange,) = advise(f"{ROWS}\n{BARRIER}\nint sum = 0;\n{loop}\nout[t] = sum;", "1x256").exchanges
    assert exchange.instead == "__shfl_sync(mask, value, lane)"


def test_a_tree_over_a_block_is_a_shuffle_in_the_steps_that_stay_in_a_warp(advise: Advise) -> None:
    loop = "for (int d = 128; d; d /= 2) {\nif (t < d) s[t] += s[t + d];\n__syncthreads();\n}"
    advice = advise(f"{ROWS}\n__syncthreads();\n{loop}\nif (t == 0) *out = s[0];", "1x256")
    flow = next(item for item in advice.exchanges if item.store.line == item.load.line == 5)
    assert flow.instead == "__shfl_down_sync(mask, value, {16, 8, 4, 2, 1}) where it stays in a warp"
    assert [(barrier.line.line, barrier.need) for barrier in advice.barriers] == [(3, "needed"), (6, "needed")]


BUTTERFLY = (
    "for (int d = 16; d; d /= 2) {\ns[t] = sum;\n__syncwarp();\nsum = COMBINED;\n__syncwarp();\n}\nout[t] = sum;"
)
TREE = "for (int d = 16; d; d /= 2) {\nif (lane < d) s[t] += s[t + d];\n__syncwarp();\n}\nout[t] = s[t];"
SCAN = BUTTERFLY.replace("int d = 16; d; d /= 2", "int d = 1; d < 32; d *= 2").replace("sum =", "if (lane >= d) sum =")
SCAN = SCAN.replace("{\nif (lane >= d) sum", "{\nsum")
SIZE = 'asm("max.xorsign.abs.f32 %0, %1, %2;" : "=f"(sum) : "f"(sum), "f"(s[t ^ d]));'
KEPT_SUMS = "__shared__ int q[5][256]; int k = 0;\ns[t] = sum;\n__syncwarp();\nfor (int d = 16; d; d /= 2) STEP\nOUT"
KEPT_SUMS = KEPT_SUMS.replace("STEP", "q[k++][t] = sum + s[t ^ d];").replace("OUT", "while (k--) out[t] += q[k][t];")


@pytest.mark.parametrize(
    ("body", "type_", "collectives"),
    [
        (
            BUTTERFLY.replace("COMBINED", "sum + s[t ^ d]"),
            "int",
            ("__reduce_add_sync(mask, value) from sm_80 on", "cg::reduce(tile, value, cg::plus<int>())"),
        ),
        (
            BUTTERFLY.replace("COMBINED", "max(sum, s[t ^ d])"),
            "int",
            ("__reduce_max_sync(mask, value) from sm_80 on", "cg::reduce(tile, value, cg::greater<int>())"),
        ),
        (BUTTERFLY.replace("COMBINED", "sum + s[t ^ d]"), "float", ("cg::reduce(tile, value, cg::plus<float>())",)),
        (TREE, "float", ("cg::reduce(tile, value, cg::plus<float>())",)),
        (SCAN.replace("COMBINED", "sum + s[t - d]"), "float", ("cg::inclusive_scan(tile, value, cg::plus<float>())",)),
        (BUTTERFLY.replace("COMBINED", "sum + s[t ^ d]").replace("d = 16", "d = 8"), "int", ()),  # not the whole warp
        (BUTTERFLY.replace("COMBINED", "sum * s[t ^ d]"), "int", ()),
        (BUTTERFLY.replace("COMBINED", "s[t ^ d] + (t & d ? -sum : sum)"), "int", ()),  # a Walsh-Hadamard transform
        (BUTTERFLY.replace("sum = COMBINED;", SIZE), "float", ()),  # no maximum of the values
        ("for (int d = 16; d; d /= 2) out[t] = sum += s[t ^ d];", "int", ()),  # of values that stay as they are
        (BUTTERFLY.replace("COMBINED", "sum + s[t ^ d] * (s[t ^ d] - 1)"), "int", ()),
        (SCAN.replace("COMBINED", "fmaxf(sum, s[t - d] - 0.5f * d)"), "float", ()),  # two operations
        (SCAN.replace("COMBINED", "s[t - d] + in[t + d]"), "float", ()),  # with another value than the own one
        (KEPT_SUMS, "int", ()),
    ],
)
def test_all_steps_of_a_sum_are_one_function(
    advise: Advise, body: str, type_: str, collectives: tuple[str, ...]
) -> None:
    array = ROWS.replace("__shared__ int", f"__shared__ {type_}")
    advice = advise(f"{array}\n{type_} sum = in[t];\n__syncwarp();\n{body}", "1x256")
    assert advice.report.verdict == "clean", advice.report.sentence
    assert [item.instead for item in advice.collectives] == ([collectives] if collectives else [])


COUNTED = "if (t == 0) next = 0;\n__syncthreads();\natomicAdd(&next, 1);\n__syncthreads();\nout[t] = s[t ^ 5] + next;"
COUNTER = f"__shared__ int next;\n{ROWS}\n{COUNTED}"
LOOP = "for (int k = 0; k < 4; ++k) {\n__syncthreads();\nsum += s[t ^ DISTANCE];\n__syncthreads();\ns[t] = sum;\n}"
OVERWRITING = f"{ROWS}\nint sum = 0;\n{LOOP}\nout[t] = sum;"


def test_few_values_from_the_own_warp_are_no_reason_for_a_shuffle(advise: Advise) -> None:
    near = "for (int k = 1; k < 4; ++k) sum += s[min(t + k, 255)];"
    (exchange,) = advise(f"{ROWS}\nint sum = 0;\n{BARRIER}\nif (lane < 31)\n{near}\nout[t] = sum;", "1x256").exchanges
    assert {item.name for item, _ in exchange.relations} >= {"SHIFT", "ACROSS"}
    assert exchange.instead == ""


# Of the barriers in a body, by their lines: what each is needed for.
BODIES = {
    "orders nothing": (f"{ROWS}\n{BARRIER}\nout[t] = s[t];", {3: "not needed"}),
    "is the last thing": (f"{ROWS}\n__syncwarp();\nout[t] = s[t ^ 1];\n{BARRIER}", {5: "not needed"}),
    "orders lanes": (f"{ROWS}\n{BARRIER}\nout[t] = s[t ^ 5];", {3: "__syncwarp() is enough"}),
    "orders warps": (f"{ROWS}\n{BARRIER}\nout[t] = s[255 - t];", {3: "needed"}),
    "orders global memory": (
        "if (threadIdx.x == 0) *out = in[0];\n__syncthreads();\nout[1 + threadIdx.x] = *out;",
        {3: "needed"},
    ),
    "one of two": (f"{ROWS}\n{BARRIER}\n{BARRIER}\nout[t] = s[255 - t];", {3: "not needed", 4: "needed"}),
    "orders the overwriting": (
        OVERWRITING.replace("DISTANCE", "33"),
        {5: "needed", 7: "needed"},
    ),
    "orders the overwriting in a warp": (
        OVERWRITING.replace("DISTANCE", "3"),
        {5: "__syncwarp() is enough", 7: "__syncwarp() is enough"},
    ),
}


@pytest.mark.parametrize(("body", "needs"), BODIES.values(), ids=BODIES)
def test_a_barrier_is_needed_for_what_it_alone_orders(advise: Advise, body: str, needs: dict[int, str]) -> None:
    advice = advise(body, "1x256")
    assert advice.report.verdict == "clean", advice.report.sentence
    assert {barrier.line.line: str(barrier.need) for barrier in advice.barriers} == needs


def test_blocks_of_one_warp_need_no_barrier_of_the_block(advise: Advise) -> None:
    (barrier,) = advise(f"{ROWS}\n{BARRIER}\nout[t] = s[31 - t];", "1x32").barriers
    assert (barrier.need, barrier.reason) == ("__syncwarp() is enough", "the blocks have a single warp")


def test_one_of_several_barriers_of_an_operation_is_no_barrier_of_its_line(advise: Advise) -> None:
    head = "#include <cooperative_groups.h>\n"
    body = f"{ROWS}\ncooperative_groups::this_grid().sync();\nout[blockIdx.x * 256 + t] = s[t];"
    (barrier,) = advise(body, "2x256", head=head).barriers
    assert (barrier.need, "several barriers" in barrier.reason) == ("not enough evidence", True)


def test_data_that_decide_which_threads_store_leave_exchanges_open(advise: Advise) -> None:
    reads = "int mine = s[t ^ 1];", "out[t] = s[t ^ 2] + mine;"
    body = f"{ROWS}\n{BARRIER}\n{reads[0]}\n{BARRIER}\nif (CONDITION)\ns[t] = n;\n{BARRIER}\n{reads[1]}"
    known = {one.instead for one in advise(body.replace("CONDITION", "t % 2"), "1x256").exchanges}
    assert known == {"__shfl_xor_sync(mask, value, 1)", "__shfl_xor_sync(mask, value, 2)"}
    unknown = advise(body.replace("CONDITION", "mine > 3"), "1x256", arguments=["n=3"]).exchanges
    assert {(one.instead, one.reason) for one in unknown} == {("", "unknown: the data decide which threads store")}


def test_data_that_decide_which_lane_stores_leave_its_broadcast(advise: Advise) -> None:
    rows = f"{ROWS}\n{BARRIER}\n"
    body = f"{rows}if (CONDITION)\ns[t / 32] = n;\n{BARRIER}\nout[t] = s[t / 32];"
    chosen = advise(body.replace("CONDITION", "lane == in[t / 32] % 32u"), "1x256", arguments=["n=3"]).exchanges
    assert {one.instead for one in chosen} == {"__shfl_sync(mask, value, lane)"}
    one = advise(body.replace("CONDITION", "lane == in[0] % 32u"), "1x256", arguments=["n=3", "in=i32[256]:7"])
    assert {item.instead for item in one.exchanges} == {"__shfl_sync(mask, value, lane)"}  # whatever it is in this run
    others = f"{rows}if (lane != in[0] % 32u)\ns[t] = n;\n{BARRIER}\nout[t] = s[t / 32 * 32 + 7];"
    unequal = advise(others, "1x256", arguments=["n=3", "in=i32[256]:4"]).exchanges
    assert {item.reason for item in unequal} == {"unknown: the data decide which threads store"}
    own = f"{rows}if (CONDITION)\ns[t] = n;\n{BARRIER}\nout[t] = s[t ^ 1];"
    swapped = advise(own.replace("CONDITION", "lane == in[t / 32] % 32u"), "1x256", arguments=["n=3"]).exchanges
    assert {one.reason for one in swapped} == {"unknown: the data decide which threads store"}


@pytest.mark.parametrize(("read", "need"), [("in[t ^ 1]", "not needed"), ("out[t ^ 1]", "__syncwarp() is enough")])
def test_barriers_in_a_loop_that_ran_once_are_judged_by_what_threads_exchange(
    advise: Advise, read: str, need: str
) -> None:
    steps = f"{BARRIER}\nint x = {read};\n{BARRIER}\nout[t] = x + i;"
    body = f"int t = threadIdx.x;\nfor (int i = 0; i < n; ++i) {{\n{steps}\n}}"
    arguments = ["n=1", "in=i32[256]", "out=i32[256]"]
    assert {item.need for item in advise(body, "1x256", arguments=arguments).barriers} == {need}


def test_a_clock_that_is_read_leaves_barriers_open(advise: Advise) -> None:
    body = f"{ROWS}\n{BARRIER}\nout[t] = s[t];\nout[256 + t] = TIME;"
    assert [item.need for item in advise(body.replace("TIME", "t"), "1x256").barriers] == ["not needed"]
    (barrier,) = advise(body.replace("TIME", "clock64()"), "1x256").barriers
    assert (barrier.need, "reads a clock" in barrier.reason) == ("not enough evidence", True)


def test_an_access_that_no_launch_reached_leaves_barriers_open(advise: Advise) -> None:
    body = f"{ROWS}\n{BARRIER}\nout[t] = s[t];\nif (in[t] == 12345)\ns[255 - t] = n;"
    assert [item.need for item in advise(body.partition("if")[0], "1x256").barriers] == ["not needed"]
    (barrier,) = advise(body, "1x256", arguments=["in=i32[256]:0"]).barriers
    assert (barrier.need, barrier.reason) == (
        "not enough evidence",
        "open: no launch needs it, but for other values the accesses in line 2 and line 6 may be to the same memory",
    )


def test_an_access_of_another_file_that_no_launch_reached_is_named_with_it(advise: Advise, tmp_path: Path) -> None:
    header = "__device__ void put(int* s, int n) {\n    if (n > 3) s[255 - threadIdx.x] = n;\n}\n"
    (tmp_path / "put.cuh").write_text(header, encoding="utf-8")
    body = f"{ROWS}\n{BARRIER}\nout[t] = s[t];\nput(s, n);"
    body = body.replace("__global__", "").replace("put(s, n);", "if (in[t] == 12345) put(s, 4);")
    (barrier,) = advise(body, "1x256", arguments=["n=3", "in=i32[256]:0"], head='#include "put.cuh"\n').barriers
    assert "line 2 of put.cuh" in barrier.reason


def test_a_launch_that_nobody_states_is_no_evidence(advise: Advise) -> None:
    advice = advise(f"{ROWS}\n{BARRIER}\nout[t] = s[t ^ 5];")
    assert (advice.exchanges, advice.barriers) == ((), ())
    assert advice.missing == "no launch is specified: give --launch GRIDxBLOCK"


@pytest.mark.parametrize(
    ("body", "argument"),
    [
        (f"{ROWS}\n{BARRIER}\nout[t] = s[(t + n) % 256];", "n=1"),  # an index
        (f"{ROWS}\n{BARRIER}\nif (t < n) out[t] = s[t ^ 5];", "n=200"),  # a condition
        ("int t = threadIdx.x;\nout[t] = in[t];\n__syncthreads();\nout[256 + t] = out[(t + n) % 256];", "n=1"),
    ],
)
def test_a_chosen_number_that_decides_on_exchanges_is_no_evidence(advise: Advise, body: str, argument: str) -> None:
    advice = advise(body, "1x256", arguments=BUFFERS)
    assert (advice.exchanges, advice.barriers) == ((), ())
    expected = "which threads exchange values depends on n, which is chosen: give --arg n=…"
    assert advice.missing == expected
    given = advise(body, "1x256", arguments=[*BUFFERS, argument])
    assert given.missing == ""
    assert given.barriers


def test_a_chosen_number_that_does_not_decide_on_exchanges_does_not_matter(advise: Advise) -> None:
    advice = advise(f"{ROWS}\n{BARRIER}\nout[t + (n > 9)] = s[t ^ 5] + n;", "1x256", arguments=BUFFERS)
    assert (advice.missing, [barrier.need for barrier in advice.barriers]) == ("", ["__syncwarp() is enough"])


def test_a_kernel_without_shared_memory_is_not_run_again(advise: Advise, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "out[threadIdx.x] = BODY;"
    run: list[str] = []
    monkeypatch.setattr("shflbench.checker.exchanges.study.emulated_launch", lambda *_: run.append("again"))
    monkeypatch.setattr("shflbench.checker.exchanges.study.deciding", lambda _: run.append("analyzed"))
    advice = advise(body.replace("BODY", "__shfl_xor_sync(~0u, in[threadIdx.x], 1)"), "1x256")
    assert (advice.report.verdict, advice.missing, run) == ("clean", "", [])


def test_a_broken_kernel_gets_its_findings_instead_of_advice(advise: Advise) -> None:
    advice = advise(f"{ROWS}\nout[t] = s[255 - t];", "1x256")
    assert advice.missing.startswith("broken: ")
    assert advice.barriers == ()


@pytest.mark.parametrize(
    ("body", "is_fixed"),
    [
        (f"{ROWS}\n{BARRIER}\nout[t] = s[t ^ 5];", True),
        (f"{ROWS}\n{BARRIER}\nif (t < n) out[t] = s[0];", False),  # who reads depends on a number
        (f"{ROWS}\n{BARRIER}\nout[t] = s[(t + n) % 256];", False),
        (f"{ROWS}\n{BARRIER}\nout[t] = s[in[t] & 31];", False),
        (f"{ROWS}\n{BARRIER}\nout[t] = s[(t + blockIdx.x) % 256];", False),
        (f"if (in[0] > 1000000) return;\n{ROWS}\n{BARRIER}\nout[t] = s[t ^ 5];", True),  # all threads, or none
        (f"if (in[threadIdx.x] > 1000000) return;\n{ROWS}\n{BARRIER}\nout[t] = s[t ^ 5];", False),
        (f"{ROWS}\n{BARRIER}\nif (t < n) out[t] = s[t ^ 5];", True),  # who reads does not decide on the lanes
        (f"{ROWS}\n{BARRIER}\nint next = s[t] & 7;\n{BARRIER}\ns[t] = t;\n{BARRIER}\nout[t] = s[next];", False),
        (f"{ROWS}\n{BARRIER}\nfor (int i = 0; i < n; ++i) out[i * 256 + t] = s[t ^ 5];", True),
        (f"{ROWS}\n{BARRIER}\nint sum = 0;\nfor (int i = 0; i < n; ++i) sum += in[i];\nout[t] = sum + s[t ^ 5];", True),
        (
            COUNTER,
            False,
        ),
    ],
)
def test_what_no_argument_decides_holds_in_all_launches(advise: Advise, body: str, *, is_fixed: bool) -> None:
    advice = advise(body, "1x256", arguments=["n=4"])
    assert advice.report.verdict == "clean", advice.report.sentence
    assert advice.is_fixed is is_fixed


def test_launches_that_do_not_end_in_time_are_no_evidence(advise: Advise, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise TimeLimitError("the time limit was reached", "--time-limit")

    monkeypatch.setattr("shflbench.checker.exchanges.study.execute", stop)
    advice = advise(f"{ROWS}\n{BARRIER}\nout[t] = s[t ^ 5];", "1x256")
    assert advice.missing.startswith("no launch ended: the time limit was reached; give more with --time-limit, ")
    assert (advice.exchanges, advice.barriers) == ((), ())


# Each thread takes a value of the next block of the cluster, which its neighbor in the warp then reads.
OF_THE_NEXT_BLOCK = """auto cluster = cooperative_groups::this_cluster(); __shared__ int s[64]; __shared__ int u[64];
    int t = threadIdx.x, rank = (cluster.block_rank() + 1) % cluster.num_blocks();
    s[t] = in[t];
    cluster.sync();
    u[t] = cluster.map_shared_rank(s, rank)[t];
    __syncthreads();
    out[blockIdx.x * 64 + t] = u[t ^ 1];
    cluster.sync();"""
GROUPS = "#include <cooperative_groups.h>\n"


def test_values_of_another_block_of_the_cluster_have_no_shuffle(advise: Advise) -> None:
    advice = advise(OF_THE_NEXT_BLOCK, "8x64", head=GROUPS, cluster=2)
    across, within = advice.exchanges
    assert advice.launch_texts == ("8x64 in clusters of 2",)
    assert ([item.name for item, _ in across.relations], across.instead) == (["BLOCKS"], "")
    assert within.instead == "__shfl_xor_sync(mask, value, 1)"
    assert [barrier.need for barrier in advice.barriers] == ["not enough evidence"]  # other blocks read, too


def test_without_clusters_each_block_reads_its_own_memory(advise: Advise) -> None:
    own, _ = advise(OF_THE_NEXT_BLOCK, "8x64", head=GROUPS).exchanges
    assert [item.name for item, _ in own.relations] == ["THREAD"]


LAUNCH = """
int main() {
    int *in, *out;
    cudaMalloc(&in, 256);
    cudaMalloc(&out, 2048);
    cudaMemset(in, 0, 256);
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = 64;
    cudaLaunchAttribute attributes[1];
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = best_size(8);
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    config.attrs = attributes;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, (const int *)in, out, 64);
}
"""


def test_a_size_of_clusters_that_nothing_states_is_asked_for(advise: Advise) -> None:
    assert "give --cluster N" in advise(OF_THE_NEXT_BLOCK, head=GROUPS, host=LAUNCH).missing
    assert advise(OF_THE_NEXT_BLOCK, head=GROUPS, host=LAUNCH, cluster=4).launch_texts == ("8x64 in clusters of 4",)
