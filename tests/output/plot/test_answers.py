from dataclasses import replace

import pytest

from shflbench.core.model import Mechanism
from shflbench.output.plot.answers import answer
from shflbench.store import Row
from tests.output.plot.subjects import SWEEP, rows, subject
from tests.output.plot.test_findings import timed, with_times

WIDTHS = (2, 4, 8, 16)


def swept(**times_us: tuple[float, ...]) -> list[Row]:
    """Return neighbor at four widths, with the times of the variants that are named and no other variants."""
    cases = [row for row in rows(options=[f"width={width}" for width in WIDTHS]) if row.variant in names(times_us)]
    every = names(times_us)
    return [timed(row, every[row.variant][WIDTHS.index(int(dict(row.options)["width"]))]) for row in cases]


def names(times_us: dict[str, tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
    return {name.replace("_", "-"): times for name, times in times_us.items()}


@pytest.mark.parametrize(
    ("times_us", "claim"),
    [
        (
            {"smem": (300, 300, 300, 300), "shfl": (100, 100, 100, 75)},
            "shfl is the fastest safe variant at all 4 settings, at 3.0× to 4.0× the speed of smem",
        ),
        (
            {"smem": (300, 300, 300, 300), "shfl": (100, 100, 100, 300)},
            (
                "shfl is the fastest safe variant at 3 of 4 settings and ties at the other, "
                "at 1.000× to 3.0× the speed of smem"
            ),
        ),
        (
            {"smem": (300,) * 4, "shfl": (100,) * 4, "smem_double": (100.1,) * 4},
            "shfl and smem-double tie at all 4 settings, at 3.0× the speed of smem",
        ),
        (
            {"smem": (300, 300, 150, 100), "shfl": (200, 200, 200, 200)},
            "the fastest safe variant is shfl at width=2 to 4, smem at width=8 to 16",
        ),
        (
            {"smem": (300, 100, 300, 300), "shfl": (200, 200, 200, 200), "smem_double": (400, 400, 400, 400)},
            "the fastest safe variant is shfl at width=2 and 8 to 16, smem at width=4",
        ),
        (
            {"smem": (300, 600, 300, 306), "shfl": (303, 309, 303, 300), "smem_double": (306, 300, 306, 306)},
            (
                "smem takes up to 2.0× the time of the fastest (width=4); "
                "smem-double is within 2% of the fastest at all 4 settings"
            ),
        ),
        (
            {"smem": (300, 309, 300, 300), "shfl": (309, 300, 304, 309)},
            "shfl and smem differ by at most 3% at all 4 settings",
        ),
    ],
)
def test_the_answer_is_the_first_form_that_is_true(times_us: dict[str, tuple[float, ...]], claim: str) -> None:
    assert answer(subject(swept(**times_us))) == f"neighbor: {claim}"


def test_one_exception_is_named() -> None:
    cases = [
        timed(row, 100.0 if row.variant == "shfl" else 300.0)
        for row in rows("f32", "i32", options=["mode=up", "mode=xor"])
    ]
    other = [
        timed(row, 50.0) if (row.variant, row.dtype, row.option_texts) == ("smem-double", "i32", ("mode=xor",)) else row
        for row in cases
    ]
    assert answer(subject(other)) == (
        "neighbor: shfl is the fastest safe variant at 3 of 4 settings, smem-double at i32, mode=xor"
    )


def test_where_variants_of_one_mechanism_win_in_turn_the_mechanism_is_the_answer() -> None:
    winners = ("smem-syncwarp", "smem-double", "smem-deck")
    cases = [replace(row, safe=True, mechanism=row.mechanism) for row in rows(launches=SWEEP)]
    safe = [replace(row, mechanism=Mechanism.SMEM) if row.variant == "smem-deck" else row for row in cases]
    launches = list(dict.fromkeys(row.launch for row in safe))
    order = [0, 1, 2, 1, 2, 0, 2, 0, 1]
    times = {(launches[place], winners[turn]): 100.0 for place, turn in enumerate(order)}
    timed_rows = [timed(row, times.get((row.launch, row.variant), 300.0)) for row in safe]
    assert answer(subject(row for row in timed_rows if row.variant in {*winners, "smem", "shfl"})).startswith(
        "neighbor: the fastest safe mechanism is shared memory at all 9 launch shapes ("
    )


def test_bandwidths_are_given_where_a_variant_falls_behind_and_blocks_that_follow_are_not_named() -> None:
    options, launches = [f"words={words}" for words in (2, 4, 8)], ("4096x256", "2048x256", "1024x256")
    cases = [
        row
        for option, launch in zip(options, launches, strict=True)
        for row in rows(pattern="struct-access", launches=(launch,), options=[option])
        if row.variant in {"direct", "shfl", "smem"}
    ]
    gains = {"direct": (100, 100, 400), "shfl": (100, 101, 100), "smem": (101, 100, 101)}
    changed = [timed(row, gains[row.variant][options.index(row.option_texts[0])]) for row in cases]
    bytes_per_us = [replace(row, gb_per_s=100_000 / (row.time_us or 1)) for row in changed]
    assert answer(subject(bytes_per_us), "words", {"words", "grid"}) == (
        "struct-access: direct reaches only 250 GB/s where the fastest reaches 1000 (words=8); "
        "shfl is within 1% of the fastest at all 3 settings"
    )


def test_library_calls_that_are_faster_are_named_and_never_win() -> None:
    cases = with_times(rows("f32", "i32", pattern="reduce"), cub=50, cg=100, shfl=100, redux=100)
    f32 = subject(row for row in cases if row.dtype == "f32")
    assert answer(f32).endswith(", at 3.0× the speed of smem; library call cub runs at 2.0× that speed")
    both = [timed(row, 100) if (row.variant, row.dtype) == ("cub", "i32") else row for row in cases]
    assert answer(subject(both)).endswith("; library call cub is faster at 1 of them")
    ties = with_times(rows("f32", "i32", pattern="reduce"), cub=100, cg=100, shfl=100, redux=100)
    mixed = [timed(row, 200) if (row.variant, row.dtype) == ("cub", "i32") else row for row in ties]
    assert answer(subject(mixed)).endswith("; library call cg or cub ties at both settings")
    slow = with_times(rows(pattern="reduce"), cub=200, cg=100, shfl=100)
    assert answer(subject(slow)).endswith("; library call cg ties with it")
    slower = with_times(rows(pattern="reduce"), cub=200, cg=200, shfl=100)
    assert "library" not in answer(subject(slower))


def test_ratios_and_places_do_not_depend_on_the_order_of_the_rows() -> None:
    cases = swept(smem=(300, 300, 150, 100), shfl=(200, 200, 200, 200))
    assert answer(subject(cases)) == answer(subject(reversed(cases)))


def test_on_an_axis_of_sizes_the_same_blocks_may_have_several_sizes() -> None:
    launches = ("64x256", "1024x256", "16384x256")
    cases = [
        row
        for row in rows("f32", "f64", pattern="struct-access", launches=launches, options=["words=4"])
        if row.variant in {"direct", "smem"}
    ]
    sized = [
        replace(timed(row, 100.0 if (row.variant == "smem") is (row.grid == 64) else 200.0), gb_per_s=0.0)
        for row in cases
    ]
    of_type = {"f32": 1, "f64": 2}
    moved = [replace(row, gb_per_s=of_type[row.dtype] * (row.grid or 0) * 10 / (row.time_us or 1)) for row in sized]
    assert answer(subject(moved), "grid", {"grid"}) == (
        "struct-access: the fastest safe variant is smem at 625 KiB to 1.22 MiB, direct at 9.77 MiB to 312 MiB"
    )
