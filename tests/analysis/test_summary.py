from dataclasses import replace

from shflbench.analysis import sentences
from shflbench.model import Mechanism, Status
from shflbench.store import Row
from tests.fakes.runs import compiled, measured, untimed


def rows(*dtypes: str, pattern: str = "neighbor", **times: float) -> list[Row]:
    """Return measured rows, with the time of some variants (in µs, `_` for `-`) set."""
    given = {name.replace("_", "-"): time for name, time in times.items()}
    return [
        replace(row, time_us=given.get(row.variant, row.time_us))
        for row in measured(patterns=[pattern], dtypes=dtypes or ["f32"])[0]
    ]


def test_the_fastest_safe_variant_is_compared_with_the_baseline_and_the_next_best() -> None:
    assert sentences(rows()) == ["neighbor, f32: shfl is 4.7 times as fast as smem, 1.9 times as smem-syncwarp"]


def test_there_is_one_sentence_for_each_pattern_and_dtype_in_file_order() -> None:
    starts = [sentence.split(":")[0] for sentence in sentences(measured()[0])]
    assert starts == [f"{pattern}, {dtype}" for pattern in ("neighbor", "reduce") for dtype in ("f32", "f64", "i32")]


def test_a_collective_instruction_is_compared_with_shuffle() -> None:
    found = sentences(rows("i32", pattern="reduce"))
    assert found == ["reduce, i32: redux is 10.7 times as fast as smem, 2.4 times as shfl"]


def test_a_slower_shuffle_is_said_plainly() -> None:
    found = sentences(rows(shfl=170.0))
    assert found == ["neighbor, f32: shuffle is slower: smem-syncwarp is 2.4 times as fast as smem, 1.2 times as shfl"]


def test_a_shuffle_slower_than_several_is_still_named() -> None:
    (found,) = sentences(rows(shfl=400.0))
    assert found.endswith("smem-syncwarp is 2.4 times as fast as smem, 1.6 times as smem-double, 2.9 times as shfl")
    assert "shuffle is slower" in found


def test_a_baseline_that_wins_is_compared_with_the_next_best() -> None:
    found = sentences(rows(smem=50.0))
    assert found == ["neighbor, f32: shuffle is slower: smem is 1.4 times as fast as shfl"]


def test_a_tie_is_called_a_tie() -> None:
    assert sentences(rows(smem_syncwarp=70.6)) == [
        "neighbor, f32: shfl is 4.7 times as fast as smem, about as fast as smem-syncwarp"
    ]
    (found,) = sentences(rows(shfl=138.0))
    assert found == "neighbor, f32: smem-syncwarp is 2.4 times as fast as smem, about as fast as shfl"


def test_unsafe_and_library_variants_do_not_compete() -> None:
    found = sentences(rows(pattern="reduce", smem_unsafe=10.0, cub=10.0, cg=10.0))
    assert found == ["reduce, f32: shfl is 4.5 times as fast as smem, 2.1 times as smem-syncwarp"]


def test_several_launches_are_summed_up_in_a_range() -> None:
    found = sentences(measured(patterns=["neighbor"], dtypes=["f32"], launches=["26x1024", "264x1024", "26x256"])[0])
    assert found == [
        "neighbor, f32, 3 launches: shfl is 4.2 to 4.7 times as fast as smem, 1.8 to 1.9 times as smem-syncwarp"
    ]


def test_the_best_over_several_launches_may_lose_at_one() -> None:
    many = measured(patterns=["neighbor"], dtypes=["f32"], launches=["26x1024", "1x1024"])[0]
    lost = [replace(row, time_us=170.0) if (row.variant, row.launch) == ("shfl", "1x1024") else row for row in many]
    (found,) = sentences(lost)
    assert found.startswith("neighbor, f32, 2 launches: shfl is 1.9 to 4.7 times as fast as smem, ")
    assert found.endswith(" smem, 0.8 to 1.9 times as smem-syncwarp (slower at 1 launch)")


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
    assert sentences(failed) == ["neighbor, f32: shfl is 1.9 times as fast as smem-syncwarp"]


def test_a_variant_alone_and_a_run_without_times_say_nothing() -> None:
    assert sentences([row for row in rows() if row.variant == "shfl"]) == []
    assert sentences([row for row in rows() if not row.safe or row.mechanism == Mechanism.SHFL]) == []
    assert sentences(compiled(rows())) == []
    assert sentences([]) == []


def test_variants_that_share_no_launch_are_not_compared() -> None:
    here = [row for row in rows() if row.variant in {"smem", "shfl"}]
    elsewhere = measured(patterns=["neighbor"], dtypes=["f32"], launches=["132x256"])[0]
    only = [row for row in elsewhere if row.variant == "smem-double"]
    assert sentences([*here, *only]) == ["neighbor, f32: shfl is 4.7 times as fast as smem"]


def test_of_passes_over_data_shuffles_bandwidth_at_the_largest_size_is_told() -> None:
    launches = [f"{blocks}x256" for blocks in (16, 65536, 1024)]
    options = ["words=4;way=load"]
    many, _ = measured(patterns=["struct-access"], dtypes=["f32"], launches=launches, options=options)
    assert sentences(many) == [
        (
            "struct-access, f32, words=4, way=load, 65536x256: "
            "shfl reaches 3369 GB/s, 97 % of soa, 2.1 times as fast as direct"
        )
    ]
    without = [row for row in many if row.variant != "soa"]
    assert sentences(without)[0].endswith(": shfl reaches 3369 GB/s, 2.1 times as fast as direct, 1.2 times as smem")
    memory = [row for row in many if row.variant in {"direct", "smem"}]
    assert sentences(memory)[0].endswith(": smem reaches 2842 GB/s, 1.7 times as fast as direct")


def test_many_settings_are_folded_by_the_fastest_variant_into_ranges() -> None:
    options = [f"mode={mode};width={width}" for mode in ("idx", "xor") for width in (2, 4, 8, 16, 32)]
    every, _ = measured(dtypes=["f32", "i32"], options=options, samples=4, noise=1e-9)
    lost = [
        replace(row, time_us=250.0)
        if (row.pattern, row.variant, ";".join(row.option_texts)) == ("neighbor", "shfl", options[0])
        else row
        for row in every
    ]
    assert sentences(lost) == [
        "neighbor, 18 of 20 settings: shfl is 4.7 times as fast as smem, 1.9 times as smem-syncwarp",
        (
            "neighbor, mode=idx, width=2, 2 of 20 settings: shuffle is slower: "
            "smem-syncwarp is 2.4 times as fast as smem, 1.6 times as smem-double, 1.8 times as shfl"
        ),
        "reduce, f32, 10 of 20 settings: shfl is 4.5 times as fast as smem, 2.1 times as smem-syncwarp",
        "reduce, i32, 10 of 20 settings: redux is 10.7 times as fast as smem, 2.4 times as shfl",
    ]


def test_a_pattern_with_many_winners_has_two_sentences_and_a_clause() -> None:
    options = [f"width={width}" for width in range(24)]
    every = measured(patterns=["neighbor"], dtypes=["f32"], options=options, samples=4)[0]
    winners = {"0": "smem", "1": "smem-double", "2": "smem-double", "3": "smem-syncwarp"}
    found = sentences(
        [replace(row, time_us=1.0) if winners.get(dict(row.options)["width"]) == row.variant else row for row in every]
    )
    assert len(found) == 2
    assert found[0].startswith("neighbor, f32, 20 of 24 settings: shfl is ")
    assert found[1].startswith("neighbor, f32, 2 of 24 settings: shuffle is slower: smem-double is ")
    assert found[1].endswith("; at other settings the fastest is smem at 1, smem-syncwarp at 1")
