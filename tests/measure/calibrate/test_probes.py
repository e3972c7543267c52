from shflbench.core.arch import load
from shflbench.measure.calibrate.probe import Formula
from shflbench.measure.calibrate.probes import PROBES, select_supported

BY_NAME = {probe.name: probe for probe in PROBES}
# The names by which models look figures up.
NAMES = """
    shuffle shuffle64 lds32 lds64 lds128 sts32 sts64 sts128 vote redux_add redux_min redux_umin redux_xor
    match_1 match_2 match_4 match_8 match_16 match_32
    barrier_1 barrier_2 barrier_4 barrier_8 barrier_16 barrier_32 barrier_2x32 syncwarp
    atomic_shared_same atomic_shared_distinct atomic_global_same atomic_global_distinct
    l1_bytes_per_clock l2_bytes_per_s l2_sm_bytes_per_clock dram_read_bytes_per_s dram_copy_bytes_per_s
    launch_overhead_us shfl_latency lds_latency fp32 fp64 int32_add int32_logic
"""


def test_each_figure_has_a_name_of_its_own_and_all_agreed_names_are_there() -> None:
    assert len(BY_NAME) == len(PROBES)
    assert set(NAMES.split()) <= set(BY_NAME)
    assert len({probe.text for probe in PROBES}) == len(PROBES)


def test_documents_say_how_many_requests_of_each_width_an_h200_serves() -> None:
    table = load("sm_90")
    names = ("shuffle", "shuffle64", "lds32", "lds64", "lds128", "lds32_conflict_8", "redux_min", "fp64")
    values = [BY_NAME[name].documented_value(table) for name in names]
    assert values == [1, 1 / 2, 1, 1 / 2, 1 / 4, 1 / 8, 1 / 2, 2]


def test_measurement_of_shflbench_is_no_document() -> None:
    assert load("sm_90") is not None
    assert BY_NAME["shfl_latency"].documented_value(load("sm_90")) is None


def test_nothing_is_documented_of_an_unknown_architecture() -> None:
    assert {probe.documented_value(None) for probe in PROBES} == {None}


def test_turing_has_no_redux_no_mma_of_16_and_no_clusters() -> None:
    unsupported = set(BY_NAME) - {probe.name for probe in select_supported("sm_75")}
    since_ampere = (
        "redux",
        "mma",
        "mbarrier",
        "cluster",
        "fence_cluster",
        "fence_gpu_release",
        "fence_gpu_acquire",
        "dsmem",
    )
    since_hopper = ("st_async", "red_async", "remote_arrival", "stmatrix")
    assert {name for name in BY_NAME if name.startswith((*since_ampere, *since_hopper))} == unsupported
    assert {"redux_add", "mma", "cluster_barrier_2"} <= unsupported
    assert select_supported("sm_90a") == PROBES


def test_latencies_are_those_of_one_warp() -> None:
    for name in ("shfl_latency", "lds_latency", "loop_pass", "barrier_1"):
        assert (BY_NAME[name].block, BY_NAME[name].formula) == (32, Formula.CLOCKS_PER_WORK)
