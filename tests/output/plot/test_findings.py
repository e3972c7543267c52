from dataclasses import replace

import pytest

from shflbench.analysis.ranking import ranking_of, times
from shflbench.core.model import Status
from shflbench.output.plot.answers import answer
from shflbench.output.plot.findings import best_variants, next_mechanism, note_uncounted
from shflbench.store import Row
from tests.fakes.runs import untimed
from tests.output.plot.subjects import rows, subject


def timed(row: Row, time_us: float, baseline_us: float = 300.0) -> Row:
    """Return the row with another time, whose interval is 1% wide."""
    low, high = time_us * 0.995, time_us * 1.005
    return replace(row, time_us=time_us, time_low_us=low, time_high_us=high, speedup=baseline_us / time_us)


def with_times(cases: list[Row], **times_us: float) -> list[Row]:
    """Return the rows with the times given, in µs (`_` for `-`), and 300 µs for all other variants."""
    return [timed(row, times_us.get(row.variant.replace("-", "_"), 300.0)) for row in cases]


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(271.2, "271×"), (4.69, "4.7×"), (1.96, "2.0×"), (1.04, "1.04×"), (1.004, "1.004×"), (0.87, "0.87×")],
)
def test_a_ratio_has_the_digits_that_show_the_difference(ratio: float, text: str) -> None:
    assert times(ratio) == text


def test_unsafe_variants_and_library_calls_do_not_compete() -> None:
    ranking = ranking_of(with_times(rows(pattern="reduce"), smem_unsafe=10, cub=20, cg=20, shfl=50))
    assert ranking is not None
    assert ranking.variants == ("shfl",)


def test_variants_tie_unless_one_is_shown_to_be_slower_by_more_than_one_percent() -> None:
    tie = ranking_of(with_times(rows(), smem=100, shfl=99.5))
    assert tie is not None
    assert tie.is_tie
    assert tie.variants == ("shfl", "smem")
    win = ranking_of(with_times(rows(), smem=100, shfl=97.5))
    assert win is not None
    assert win.variants == ("shfl",)


def test_a_variant_without_a_rival_wins_nothing() -> None:
    assert ranking_of([row for row in rows() if row.variant in {"shfl", "smem-unsafe"}]) is None


def test_the_title_gives_the_speed_of_the_fastest_variant() -> None:
    assert best_variants(subject(rows())) == "neighbor: shfl runs at 4.7× the speed of smem"


def test_a_title_on_kernels_of_a_file_gives_the_interval_that_decides_and_calls_nothing_a_tie() -> None:
    kernels = replace(subject(with_times(rows(), smem=100, shfl=50)), is_of_kernels=True)
    assert best_variants(kernels).startswith("neighbor: shfl runs at 2.00× (1.98× to 2.02×) the speed of smem, ")
    wide = replace(kernels, rows=tuple(with_times(rows(), smem=100, shfl=99)))
    assert best_variants(wide).endswith(
        "; shfl is not shown to be faster than smem, 1.010× (1.000× to 1.020×), by more than 1%"
    )
    assert answer(wide) == best_variants(wide)


def test_a_title_on_kernels_counts_the_settings_where_it_is_not_shown_which_one_is_the_fastest() -> None:
    cases = [*with_times(rows("f32", "i32"), smem=100, shfl=50), *with_times(rows("f64"), smem=100, shfl=99)]
    kernels = replace(subject(cases), is_of_kernels=True)
    title = "neighbor: of 3 settings, shfl is the fastest at 2 and which is the fastest is not shown at 1"
    assert best_variants(kernels) == answer(kernels) == title


def test_settings_of_the_same_outcome_are_named_together() -> None:
    assert best_variants(subject(rows("f32", "f64", "i32"))) == (
        "neighbor: shfl runs at 4.7× (f32, i32) and 2.6× (f64) the speed of smem"
    )


def test_different_winners_are_each_named() -> None:
    assert best_variants(subject(rows("f32", "i32", pattern="reduce"))) == (
        "reduce: shfl runs at 4.5× (f32) the speed of smem; redux runs at 10.7× (i32) the speed of smem"
        "; library call cg ties at 1 of them"
    )


def test_a_baseline_that_wins_or_ties_is_named() -> None:
    wins = with_times(rows(), smem=100)
    assert best_variants(subject(wins)) == "neighbor: smem is the fastest safe variant"
    ties = with_times(rows("f64"), smem=100, shfl=99.8)
    assert best_variants(subject(ties)) == "neighbor: shfl and smem tie"
    both = subject([*ties, *with_times(rows("f32"), shfl=100)])
    assert best_variants(both) == "neighbor: shfl and smem tie (f64); shfl runs at 3.0× (f32) the speed of smem"


def test_variants_that_tie_share_the_ratio() -> None:
    tied = with_times(rows(), shfl=100, smem_syncwarp=100.2)
    assert best_variants(subject(tied)) == "neighbor: shfl and smem-syncwarp tie at 3.0× the speed of smem"


def test_without_a_time_of_the_baseline_no_ratio_is_claimed() -> None:
    smem, *others = rows()
    failed = [untimed(smem, Status.FAILED, "crashed"), *(replace(row, speedup=None) for row in others)]
    assert best_variants(subject(failed)) == "neighbor: shfl is the fastest safe variant"


def test_without_rivals_nothing_is_compared() -> None:
    alone = subject(row for row in rows() if row.variant in {"shfl", "smem-unsafe"})
    assert best_variants(alone) == answer(alone) == "neighbor: shfl, without a safe variant to compare with"
    unsafe = subject(row for row in rows() if not row.safe)
    assert answer(unsafe) == "neighbor: no safe variant has a time"


def test_the_lead_over_the_next_mechanism_is_the_fair_comparison() -> None:
    assert next_mechanism(subject(rows("f32", "i32"))) == (
        "The fastest runs at 1.9× the speed of the next safe mechanism (smem-syncwarp)."
    )
    assert next_mechanism(subject(rows("f32", "i32", pattern="reduce"))) == (
        "The fastest runs at 2.1× to 2.4× the speed of the next safe mechanism (smem-syncwarp and shfl)."
    )


def test_no_lead_is_claimed_over_a_mechanism_that_ties() -> None:
    assert next_mechanism(subject(with_times(rows(), shfl=100, smem_syncwarp=100.2))) == ""


def test_no_lead_is_claimed_where_the_baseline_is_the_only_other_mechanism() -> None:
    assert next_mechanism(subject(row for row in rows() if row.variant in {"smem", "shfl", "smem-unsafe"})) == ""


def test_the_lead_says_where_it_holds_if_elsewhere_the_baseline_is_next() -> None:
    next_is_baseline = [row for row in rows("f64") if row.variant in {"smem", "shfl"}]
    assert next_mechanism(subject([*rows("f32"), *next_is_baseline])) == (
        "Where the next safe mechanism is not smem, the fastest runs at 1.9× its speed (smem-syncwarp)."
    )


MODES = [f"mode={mode}" for mode in ("idx", "up", "down", "xor")]


def test_of_more_settings_than_can_be_named_the_title_answers_for_all() -> None:
    many = subject(rows(options=MODES))
    assert best_variants(many) == (
        "neighbor: shfl is the fastest safe variant at all 4 settings, at 4.7× the speed of smem"
    )
    assert next_mechanism(many) == "The fastest runs at 1.9× the speed of the next safe mechanism (smem-syncwarp)."


def test_settings_without_a_rival_are_not_counted_and_a_note_says_so() -> None:
    many = rows(options=MODES)
    alone = [row for row in many if row.option_texts == ("mode=idx",) or row.variant in {"shfl", "smem-unsafe"}]
    assert answer(subject(alone)).startswith(
        "neighbor: shfl is the fastest safe variant at the only setting with two safe variants, at "
    )
    assert note_uncounted(subject(alone)) == ["3 settings have only one safe variant each and are not counted."]
    assert note_uncounted(subject(many)) == []
