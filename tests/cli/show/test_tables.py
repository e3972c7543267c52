from dataclasses import replace

from shflbench.analysis.settings import by_group
from shflbench.analysis.verification import verification
from shflbench.cli.show.tables import group_table
from shflbench.core.model import Disturbance, Status
from shflbench.store import Row
from tests.fakes.runs import compiled, measured, untimed


def rows(*variants: str) -> list[Row]:
    every = {row.variant: row for row in measured(patterns=["neighbor"], dtypes=["f32"])[0]}
    return [every[variant] for variant in variants]


def exactly(row: Row, time_us: float, half_us: float, ns: float, half_ns: float) -> Row:
    return replace(
        row,
        time_us=time_us,
        time_low_us=time_us - half_us,
        time_high_us=time_us + half_us,
        ns_per_iteration=ns,
        ns_per_iteration_low=ns - half_ns,
        ns_per_iteration_high=ns + half_ns,
        speedup=328 / time_us,
    )


def test_timed_group_is_sorted_by_time_and_says_how_each_was_proved() -> None:
    smem, unsafe, shfl = rows("smem", "smem-unsafe", "shfl")
    group = [
        exactly(smem, 328, 0.2, 79.2, 0.05),
        exactly(unsafe, 136.9, 0.1, 32.5, 0.03),
        exactly(shfl, 70, 0.1, 16.17, 0.02),
    ]
    assert (
        group_table(group).text()
        == """\
neighbor  f32  26x1024  4096 iterations
  variant      time µs      ns/iteration  vs smem   verification
  shfl          70.0 ± 0.1  16.17 ± 0.02  4.69×     verified
  smem-unsafe  136.9 ± 0.1  32.50 ± 0.03  2.40×     UNSAFE, 8 of 8 inputs matched
  smem         328.0 ± 0.2  79.20 ± 0.05  baseline  verified
  verified with up to 37 iterations instead of 4096"""
    )


def test_cases_without_a_time_come_last_with_their_reason() -> None:
    smem, double, shfl = rows("smem", "smem-double", "shfl")
    group = [
        untimed(double, Status.FAILED, "it did not end within 10 s"),
        replace(untimed(shfl, Status.INCORRECT, "lane 3 of warp 2 is 1, not 2"), matched=3, inputs=8),
        exactly(smem, 328, 0.2, 79.2, 0.05),
    ]
    assert (
        group_table(group).text()
        == """\
neighbor  f32  26x1024  4096 iterations
  variant      time µs      ns/iteration  vs smem   verification
  smem         328.0 ± 0.2  79.20 ± 0.05  baseline  verified
  smem-double                                       failed: it did not end within 10 s
  shfl                                              INCORRECT, 3 of 8 inputs matched: lane 3 of warp 2 is 1, not 2
  verified with up to 37 iterations instead of 4096"""
    )


def test_group_that_was_only_compiled_shows_what_the_compiler_found() -> None:
    smem, unsafe = (
        replace(row, registers=registers, sass_per_iteration=sass)
        for row, registers, sass in zip(
            compiled(rows("smem", "smem-unsafe")),
            (16, 9),
            ({"BAR": 2.0, "LDS": 1.0, "STS": 1.0}, {"LDS": 1.0, "STS": 1.0}),
            strict=True,
        )
    )
    assert (
        group_table([smem, unsafe]).text()
        == """\
neighbor  f32  26x1024  4096 iterations  (not timed)
  variant      registers  SASS per iteration  verification
  smem         16         BAR=2 LDS=1 STS=1   compiled
  smem-unsafe   9         LDS=1 STS=1         UNSAFE, compiled"""
    )


def test_a_pass_over_data_shows_its_bandwidth_and_no_iterations() -> None:
    every, _ = measured(patterns=["struct-access"], dtypes=["f32"], options=["words=4;way=load"])
    group = [
        replace(row, time_us=time, time_low_us=time - 0.5, time_high_us=time + 0.5, gb_per_s=gb, speedup=400 / time)
        for row, time, gb in zip(every, (400.0, 200.0, 160.0, 150.0), (1300.0, 2600.0, 3250.0, 3467.0), strict=True)
    ]
    assert (
        group_table(group).text()
        == """\
struct-access  f32  26x1024  one pass  words=4  way=load
  variant  time µs      GB/s       vs direct  verification
  soa      150.0 ± 0.5  3467 ± 12  2.67×      verified
  shfl     160.0 ± 0.5  3250 ± 11  2.50×      verified
  smem     200.0 ± 0.5   2600 ± 7  2.00×      verified
  direct   400.0 ± 0.5   1300 ± 2  baseline   verified"""
    )


def test_what_is_wrong_with_the_samples_is_named_in_a_word_each() -> None:
    smem, unsafe, shfl = rows("smem", "smem-unsafe", "shfl")
    reason = "its time rose by 1.2 % over 1.0 s; 3 of 30 rounds were 0.31 % slower than the others"
    noise = {Disturbance.DRIFT: 0.012, Disturbance.SLOW_EPISODES: 0.006, Disturbance.TWO_LEVELS: 0.003}
    table = group_table([smem, *(replace(row, noise=noise, reason=reason) for row in (unsafe, shfl))])
    assert {line.cells[0]: (line.cells[-1], line.style) for line in table.body} == {
        "smem": ("verified", ""),
        "smem-unsafe": ("UNSAFE, 8 of 8 inputs matched; noise: drift, slow episodes", "doubt"),
        "shfl": ("verified; noise: drift, slow episodes", "doubt"),
    }


def test_throttled_samples_of_an_older_run_are_reported() -> None:
    (row,) = rows("shfl")
    table = group_table([replace(row, dropped=5, noise=None)])
    assert table.body[0].cells[-1] == "verified; 5 throttled samples dropped"


def test_columns_that_nobody_fills_are_left_out() -> None:
    (row,) = rows("shfl")
    once = replace(row, ns_per_iteration=None, baseline=None)
    assert group_table([once]).columns == ("variant", "time µs", "verification")


def test_narrow_intervals_get_the_decimals_that_they_need() -> None:
    (row,) = rows("shfl")
    assert group_table([exactly(row, 70, 0.02, 16.17, 0.001)]).body[0].cells[1:3] == ("70.00 ± 0.02", "16.170 ± 0.001")


def test_half_widths_are_rounded_up_and_never_shown_as_zero() -> None:
    smem, shfl = rows("smem", "shfl")
    table = group_table([exactly(shfl, 70, 0.1, 16, 0.1), exactly(smem, 328, 0.21, 79, 0.0)])
    assert [line.cells[1:3] for line in table.body] == [(" 70.0 ± 0.1", "16.0 ± 0.1"), ("328.0 ± 0.3", "79.0 ± 0.1")]


def test_what_needs_attention_is_marked() -> None:
    smem, unsafe, shfl = rows("smem", "smem-unsafe", "shfl")
    table = group_table([smem, unsafe, untimed(shfl, Status.INCORRECT, "wrong")])
    assert {line.cells[0]: line.style for line in table.body} == {"smem": "", "smem-unsafe": "doubt", "shfl": "bad"}


def test_rows_of_a_group_that_lie_apart_come_together() -> None:
    every, _ = measured(patterns=["neighbor"], dtypes=["f32", "f64"])
    mixed = sorted(every, key=lambda row: row.variant)
    assert [{row.dtype for row in group} for group in by_group(mixed)] == [{"f32"}, {"f64"}]


def test_a_proof_by_another_variant_claims_no_more_than_that() -> None:
    rows = {row.variant: row for row in measured(patterns=["neighbor"], dtypes=["f32"])[0]}
    assert verification(rows["shfl"]) == "verified"
    assert verification(replace(rows["shfl"], reference="smem")) == "same as smem"
    assert verification(replace(rows["smem"], reference="smem")) == "the reference"
    assert verification(replace(rows["smem-unsafe"], reference="smem")) == "UNSAFE, 8 of 8 inputs matched"


def test_cases_verified_elsewhere_say_at_which_iterations_and_launch() -> None:
    smem, shfl = rows("smem", "shfl")
    elsewhere = replace(shfl, verified_launch="13x1024", verified_iterations=(1, 51))
    assert group_table([smem, elsewhere]).notes == (
        "shfl: verified with up to 51 iterations and launch 13x1024 instead of 4096 and 26x1024",
        "smem: verified with up to 37 iterations instead of 4096",
    )
    at_its_own = replace(shfl, verified_iterations=(1, 4096))
    assert group_table([at_its_own]).notes == ()
    assert group_table([replace(elsewhere, status=Status.VERIFIED, time_us=None)]).notes != ()
    assert group_table(compiled([shfl])).notes == ()
