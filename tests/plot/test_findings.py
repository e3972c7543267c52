from dataclasses import replace

from shflbench.model import Status
from shflbench.plot.findings import (
    best_variants,
    fastest_safe,
    highest_bandwidth,
    next_mechanism,
    speedup_range,
    times,
    winners,
)
from shflbench.store import Row
from tests.fakes.runs import untimed
from tests.plot.subjects import SWEEP, rows, subject


def timed(row: Row, time_us: float, baseline_us: float = 300.0) -> Row:
    """Return the row with another time, 1 % wide."""
    low, high = time_us * 0.995, time_us * 1.005
    return replace(row, time_us=time_us, time_low_us=low, time_high_us=high, speedup=baseline_us / time_us)


def with_times(found: list[Row], **times_us: float) -> list[Row]:
    return [timed(row, times_us.get(row.variant.replace("-", "_"), 300.0)) for row in found]


def test_a_small_lead_shows_its_second_decimal() -> None:
    assert [times(ratio) for ratio in (4.69, 1.96, 1.04, 0.87)] == ["4.7×", "2.0×", "1.04×", "0.87×"]


def test_unsafe_variants_and_library_calls_do_not_compete() -> None:
    best = fastest_safe(with_times(rows(pattern="reduce"), smem_unsafe=10, cub=20, cg=20, shfl=50))
    assert best is not None
    assert best.variant == "shfl"


def test_the_baseline_keeps_its_place_while_intervals_overlap() -> None:
    best = fastest_safe(with_times(rows(), smem=300, shfl=299))
    assert best is not None
    assert best.variant == "smem"


def test_the_title_says_which_variant_is_how_much_faster() -> None:
    assert best_variants(subject(rows())) == "neighbor: shfl is 4.7× as fast as smem (f32)"


def test_groups_of_the_same_gain_are_named_together() -> None:
    found = best_variants(subject(rows("f32", "f64", "i32")))
    assert found == "neighbor: shfl is 4.7× (f32, i32) and 2.6× (f64) as fast as smem"


def test_different_winners_are_each_named() -> None:
    found = best_variants(subject(rows("f32", "i32", pattern="reduce")))
    assert found == "reduce: shfl is 4.5× (f32), redux 10.7× (i32) as fast as smem"


def test_a_baseline_that_nothing_beats_is_said_so() -> None:
    everywhere = with_times(rows(), smem=100)
    assert best_variants(subject(everywhere)) == "neighbor: no safe variant is faster than smem (f32)"
    somewhere = [*with_times(rows("f64"), smem=100), *with_times(rows("f32"), shfl=100)]
    assert best_variants(subject(somewhere)) == (
        "neighbor: shfl is 3.0× as fast as smem (f32), nothing is faster than smem (f64)"
    )


def test_without_a_time_of_the_baseline_no_ratio_is_claimed() -> None:
    smem, *others = rows()
    found = [untimed(smem, Status.FAILED, "crashed"), *(replace(row, speedup=None) for row in others)]
    assert best_variants(subject(found)) == "neighbor: the fastest safe variant is shfl (f32); smem has no time"


def test_the_lead_over_the_next_mechanism_is_the_fair_comparison() -> None:
    assert next_mechanism(subject(rows("f32", "i32"))) == (
        "Against smem-syncwarp, the best safe variant of another mechanism: 1.9× (f32, i32)."
    )
    assert next_mechanism(subject(rows("f32", "i32", pattern="reduce"))) == (
        "Against the best safe variant of another mechanism: smem-syncwarp 2.1× (f32); shfl 2.4× (i32)."
    )


def test_no_lead_is_claimed_where_the_baseline_is_the_only_other_mechanism() -> None:
    assert next_mechanism(subject(row for row in rows() if row.variant in {"smem", "shfl", "smem-unsafe"})) == ""


def test_winners_are_counted_over_launches() -> None:
    found = [
        timed(row, 10) if row.block == 32 and row.variant == "smem-syncwarp" else row for row in rows(launches=SWEEP)
    ]
    assert winners(subject(found)) == (
        "neighbor: shfl is the fastest safe variant at 6 of 9 launch shapes, smem-syncwarp at 3; "
        "shfl is 3.6× to 4.7× as fast as smem"
    )


def test_more_groups_than_can_be_named_are_counted() -> None:
    many = subject(rows(options=[f"mode={mode}" for mode in ("idx", "up", "down", "xor")]))
    assert best_variants(many) == (
        "neighbor: shfl is the fastest safe variant at 4 of 4 settings; shfl is 4.7× as fast as smem"
    )
    assert next_mechanism(many) == "The fastest is 1.9× as fast as the best safe variant of another mechanism."


def test_of_passes_over_data_the_highest_bandwidth_is_told_and_how_near_shuffle_comes() -> None:
    found = rows(pattern="struct-access", launches=("65536x256",))
    assert highest_bandwidth(subject(found)) == ("struct-access: soa reaches 3234 GB/s, shfl 3144 GB/s, 97 % of it")
    without = [row for row in found if row.variant != "soa"]
    assert highest_bandwidth(subject(without)) == (
        "struct-access: shfl reaches 3144 GB/s, direct 1574 GB/s, 50 % of it"
    )


def test_the_range_of_speed_ups_names_its_ends() -> None:
    ends = {"1 x 32": 1.5, "2*sms x 1024": 4.8}
    found = [
        replace(row, speedup=ends.get(row.launch, 3.0) if row.variant == "shfl" else 1.1)
        for row in rows(launches=SWEEP)
    ]
    assert speedup_range(subject(found)) == (
        "neighbor: shfl is 1.5× (at 1x32) to 4.8× (at 2*sms x 1024) as fast as smem"
    )
