from dataclasses import replace

from shflbench.analysis import sentences
from shflbench.core.model import Mechanism, Status
from shflbench.store import Row
from tests.fakes.runs import compiled, measured, untimed


def rows(*dtypes: str, pattern: str = "neighbor", **times: float) -> list[Row]:
    """Return measured rows, with the time of some variants (in µs, `_` for `-`) set."""
    given = {name.replace("_", "-"): time for name, time in times.items()}
    return [
        timed(row, given[row.variant]) if row.variant in given else row
        for row in measured(patterns=[pattern], dtypes=dtypes or ["f32"])[0]
    ]


def timed(row: Row, time_us: float) -> Row:
    """Return the row with another time, whose interval is 1% wide."""
    return replace(row, time_us=time_us, time_low_us=0.995 * time_us, time_high_us=1.005 * time_us)


def test_the_fastest_safe_variant_is_compared_with_the_baseline_and_the_next_best() -> None:
    assert sentences(rows()) == ["neighbor, f32: shfl runs at 1.9× the speed of smem-syncwarp, 4.7× that of smem"]


def test_there_is_one_sentence_for_each_pattern_and_dtype_in_file_order() -> None:
    starts = [sentence.split(":")[0] for sentence in sentences(measured()[0])]
    assert starts == [f"{pattern}, {dtype}" for pattern in ("neighbor", "reduce") for dtype in ("f32", "f64", "i32")]


def test_a_collective_instruction_is_compared_with_shuffle() -> None:
    lines = sentences(rows("i32", pattern="reduce"))
    assert lines == ["reduce, i32: redux runs at 2.4× the speed of shfl, 10.7× that of smem"]


def test_a_slower_shuffle_is_said_plainly() -> None:
    lines = sentences(rows(shfl=170.0))
    assert lines == [
        "neighbor, f32: shuffle is slower: smem-syncwarp runs at 1.2× the speed of shfl, 2.4× that of smem"
    ]


def test_a_shuffle_slower_than_several_is_still_named() -> None:
    (lines,) = sentences(rows(shfl=400.0))
    assert lines.endswith("smem-syncwarp runs at 2.9× the speed of shfl, 2.4× that of smem")
    assert "shuffle is slower" in lines


def test_a_baseline_that_wins_is_compared_with_the_next_best() -> None:
    lines = sentences(rows(smem=50.0))
    assert lines == ["neighbor, f32: shuffle is slower: smem runs at 1.4× the speed of shfl"]


def test_a_difference_that_is_not_shown_to_exceed_one_percent_is_a_tie() -> None:
    assert sentences(rows(shfl=70.0, smem_syncwarp=70.9)) == [
        "neighbor, f32: shfl runs at 4.7× the speed of smem, tied with smem-syncwarp"
    ]
    assert sentences(rows(shfl=70.0, smem_syncwarp=71.8)) == [
        "neighbor, f32: shfl runs at 1.03× the speed of smem-syncwarp, 4.7× that of smem"
    ]
    assert sentences(rows(shfl=137.0, smem_syncwarp=136.0)) == [
        "neighbor, f32: smem-syncwarp runs at 2.4× the speed of smem, tied with shfl"
    ]


def test_unsafe_and_library_variants_are_not_named_as_the_fastest() -> None:
    lines = sentences(rows(pattern="reduce", smem_unsafe=10.0, cub=400.0, cg=400.0))
    assert lines == ["reduce, f32: shfl runs at 2.1× the speed of smem-syncwarp, 4.5× that of smem"]


def test_library_calls_that_are_at_least_as_fast_are_added() -> None:
    lines = sentences(rows(pattern="reduce", cub=10.0, shfl=70.0, cg=70.0))
    assert lines[0].endswith("; library calls that are at least as fast: cub, cg")


def test_several_launches_are_summed_up_in_a_range() -> None:
    lines = sentences(measured(patterns=["neighbor"], dtypes=["f32"], launches=["26x1024", "264x1024", "26x256"])[0])
    assert lines == [
        "neighbor, f32, 3 launches: shfl runs at 1.8× to 1.9× the speed of smem-syncwarp, 4.2× to 4.7× that of smem"
    ]


def test_the_best_over_several_launches_may_lose_at_one() -> None:
    many = measured(patterns=["neighbor"], dtypes=["f32"], launches=["26x1024", "1x1024"])[0]
    lost = [timed(row, 170.0) if (row.variant, row.launch) == ("shfl", "1x1024") else row for row in many]
    (lines,) = sentences(lost)
    assert lines.startswith("neighbor, f32, 2 launches: shfl runs at 0.80× to 1.9× the speed of smem-syncwarp (")
    assert lines.endswith(" smem-syncwarp (slower at 1 launch), 1.9× to 4.7× that of smem")


def test_a_shuffle_that_wins_at_one_launch_is_not_called_slower() -> None:
    many = measured(patterns=["neighbor"], dtypes=["f32"], launches=["26x1024", "264x1024", "26x256"])[0]
    slow = [timed(row, 400.0) if row.variant == "shfl" and row.launch != "26x256" else row for row in many]
    (lines,) = sentences(slow)
    assert lines.startswith("neighbor, f32, 3 launches: smem-syncwarp runs at ")
    everywhere = [timed(row, 400.0) if row.variant == "shfl" else row for row in many]
    assert sentences(everywhere)[0].startswith("neighbor, f32, 3 launches: shuffle is slower: smem-syncwarp runs at ")


def test_of_several_launches_those_that_tie_are_counted() -> None:
    many = measured(patterns=["neighbor"], dtypes=["f32"], launches=["26x1024", "1x1024"])[0]
    level = [timed(row, 136.0) if (row.variant, row.launch) == ("shfl", "1x1024") else row for row in many]
    assert " to 1.9× the speed of smem-syncwarp (tied at 1 launch), " in sentences(level)[0]


def test_options_and_iteration_counts_have_sentences_of_their_own() -> None:
    modes = [replace(row, options=(("mode", mode),)) for mode in ("idx", "xor") for row in rows()]
    assert [sentence.split(":")[0] for sentence in sentences(modes)] == [
        "neighbor, f32, mode=idx",
        "neighbor, f32, mode=xor",
    ]
    counts = [*rows(), *measured(patterns=["neighbor"], dtypes=["f32"], iterations=512)[0]]
    assert [sentence.split(":")[0] for sentence in sentences(counts)] == [
        "neighbor, f32, 4096 iterations",
        "neighbor, f32, 512 iterations",
    ]


def test_without_the_baseline_the_others_are_compared() -> None:
    failed = [untimed(row, Status.FAILED, "it crashed") if row.variant == "smem" else row for row in rows()]
    assert sentences(failed) == ["neighbor, f32: shfl runs at 1.9× the speed of smem-syncwarp"]


def test_a_variant_alone_and_a_run_without_times_say_nothing() -> None:
    assert sentences([row for row in rows() if row.variant == "shfl"]) == []
    assert sentences([row for row in rows() if not row.safe or row.mechanism == Mechanism.SHFL]) == []
    assert sentences(compiled(rows())) == []
    assert sentences([]) == []


def test_variants_that_share_no_launch_are_not_compared() -> None:
    here = [row for row in rows() if row.variant in {"smem", "shfl"}]
    elsewhere = measured(patterns=["neighbor"], dtypes=["f32"], launches=["132x256"])[0]
    only = [row for row in elsewhere if row.variant == "smem-double"]
    assert sentences([*here, *only]) == ["neighbor, f32: shfl runs at 4.7× the speed of smem"]


def test_of_passes_over_data_the_highest_bandwidth_at_the_largest_size_is_reported() -> None:
    launches = [f"{blocks}x256" for blocks in (16, 65536, 1024)]
    options = ["words=4;way=load"]
    many, _ = measured(patterns=["struct-access"], dtypes=["f32"], launches=launches, options=options)
    start = "struct-access, f32, words=4, way=load, 65536x256: "
    assert sentences(many) == [
        f"{start}shuffle is slower: soa reaches 3473 GB/s, 1.03× the speed of shfl, 2.1× that of direct"
    ]
    without = [row for row in many if row.variant != "soa"]
    assert sentences(without) == [f"{start}shfl reaches 3369 GB/s, 1.19× the speed of smem, 2.1× that of direct"]


def test_many_settings_are_folded_by_the_fastest_variant_into_ranges() -> None:
    options = [f"mode={mode};width={width}" for mode in ("idx", "xor") for width in (2, 4, 8, 16, 32)]
    every, _ = measured(dtypes=["f32", "i32"], options=options, samples=4, noise=1e-9)
    lost = [
        timed(row, 250.0)
        if (row.pattern, row.variant, ";".join(row.option_texts)) == ("neighbor", "shfl", options[0])
        else row
        for row in every
    ]
    assert sentences(lost) == [
        "neighbor, 18 of 20 settings: shfl runs at 1.9× the speed of smem-syncwarp, 4.7× that of smem",
        (
            "neighbor, 2 of 20 settings (mode=idx, width=2): shuffle is slower: "
            "smem-syncwarp runs at 1.8× the speed of shfl, 2.4× that of smem"
        ),
        (
            "reduce, 10 of 20 settings (f32): shfl runs at 2.1× the speed of smem-syncwarp, 4.5× that of smem; "
            "library calls that are at least as fast: cg at 10 of 10 settings"
        ),
        "reduce, 10 of 20 settings (i32): redux runs at 2.4× the speed of shfl, 10.7× that of smem",
    ]


def test_a_pattern_with_many_winners_has_two_sentences_and_a_clause() -> None:
    options = [f"width={width}" for width in range(24)]
    every = measured(patterns=["neighbor"], dtypes=["f32"], options=options, samples=4)[0]
    winners = {"0": "smem", "1": "smem-double", "2": "smem-double", "3": "smem-syncwarp"}
    lines = sentences(
        [timed(row, 1.0) if winners.get(dict(row.options)["width"]) == row.variant else row for row in every]
    )
    assert len(lines) == 2
    assert lines[0].startswith("neighbor, 20 of 24 settings (f32): shfl runs at ")
    assert lines[1].startswith("neighbor, 2 of 24 settings (f32): shuffle is slower: smem-double runs at ")
    assert lines[1].endswith("; other settings: smem wins 1, smem-syncwarp wins 1")


def test_settings_that_tie_or_have_no_rival_are_no_wins() -> None:
    options = [f"width={width}" for width in range(24)]
    every = measured(patterns=["neighbor"], dtypes=["f32"], options=options, samples=4, noise=1e-9)[0]
    tied = [
        timed(row, 136.1) if row.variant == "shfl" and dict(row.options)["width"] in {"3", "4"} else row
        for row in every
    ]
    alone = [row for row in tied if dict(row.options)["width"] not in {"5", "6", "7"} or row.variant == "smem"]
    (sentence,) = sentences(alone)
    assert sentence.startswith("neighbor, 19 of 21 settings (f32): shfl runs at 1.9× the speed of smem-syncwarp, ")
    assert sentence.endswith("; other settings: 2 are ties (of shfl and smem-syncwarp)")
    level = [timed(row, 136.1) if row.variant == "shfl" else row for row in every]
    assert sentences(level) == [
        "neighbor, f32, 24 settings: smem-syncwarp runs at 2.4× the speed of smem, tied with shfl"
    ]


def test_only_settings_that_a_variant_wins_make_up_its_ratios() -> None:
    """A rival that is there in few settings does not take the place of the winner."""
    options = [f"counters={counters}" for counters in range(24)]
    every = measured(patterns=["reduce"], dtypes=["i32"], options=options, samples=4)[0]
    rare = [row for row in every if row.variant != "shfl" or dict(row.options)["counters"] == "0"]
    fast = [timed(row, 130.0) if row.variant == "shfl" else row for row in rare]
    (sentence,) = sentences(fast)
    assert sentence.startswith("reduce, i32, 24 settings: redux runs at 1.07× the speed of shfl, 10.7× that of smem")


def test_settings_of_several_launches_are_counted_by_launch() -> None:
    options = [f"width={width}" for width in range(21)]
    launches = ["26x1024", "1x1024"]
    every = measured(patterns=["neighbor"], dtypes=["f32"], launches=launches, options=options, samples=4)[0]
    lost = [
        timed(row, 250.0)
        if (row.variant, row.launch) == ("shfl", "1x1024") and dict(row.options)["width"] in {"3", "4"}
        else row
        for row in every
    ]
    (sentence,) = sentences(lost)
    assert sentence.startswith("neighbor, f32, 21 settings, 42 launches: shfl runs at ")
    assert " the speed of smem-syncwarp (slower at 2 launches), " in sentence
