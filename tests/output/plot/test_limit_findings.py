from dataclasses import replace

import pytest

from shflbench.output.plot.limit_findings import limited_variants, share_words
from shflbench.store import Row
from shflbench.store.limits_file import CaseLimit
from tests.output.plot.limited import limited, limits_for
from tests.output.plot.subjects import rows

PATTERNS = ("neighbor", "reduce", "struct-access")


def fastest_limited(by: tuple[str, ...], shares: tuple[float, ...]) -> str:
    """Return the title where the fastest safe variants of three patterns have these limiters and shares."""
    cases: list[Row] = []
    known: dict[str, CaseLimit] = {}
    for pattern, limiter, share in zip(PATTERNS, by, shares, strict=True):
        of_pattern = rows(pattern=pattern, launches=["65536x256"])
        cases += of_pattern
        facts = limits_for(of_pattern, ["barrier"])
        winner = {"neighbor": "shfl", "reduce": "shfl", "struct-access": "soa"}[pattern]
        case = next(row.case_id for row in of_pattern if row.variant == winner)
        facts[case] = replace(facts[case], limit_by=limiter, limit_fraction=share)
        known |= facts
    return limited_variants(limited(cases, known))


def test_the_title_counts_what_limits_the_fastest_safe_variants() -> None:
    assert fastest_limited(("exchange", "dram", "exchange"), (0.9, 0.5, 0.8)) == (
        "quick: exchange limits the fastest safe variant of 2 of 3 patterns, DRAM of 1; median 80% of the limit"
    )


def test_one_pattern_names_its_fastest_variant() -> None:
    cases = rows()
    known = limits_for(cases)
    assert limited_variants(limited(cases, known)) == "quick: fp64 limits shfl, which reaches 86% of the limit"


@pytest.mark.parametrize(
    ("share", "basis", "title"),
    [
        (0.29, "8 of 64 blocks", "quick: soa reaches no throughput limit (the closest takes ≈29% of its time, for L2)"),
        (0.29, "all 8 blocks", "quick: soa reaches no throughput limit (the closest takes 29% of its time, for L2)"),
        (0.51, "all 8 blocks", "quick: L2 limits soa, which reaches 51% of the limit"),
    ],
)
def test_a_kernel_of_a_file_that_is_far_from_its_limit_reaches_none(share: float, basis: str, title: str) -> None:
    cases = rows(pattern="struct-access", launches=["65536x256"])
    far = {
        case: replace(one, limit_by="l2", limit_fraction=share, limit_basis=basis)
        for case, one in limits_for(cases).items()
    }
    assert limited_variants(replace(limited(cases, far), is_of_kernels=True)) == title


def test_unsafe_variants_never_count_however_fast() -> None:
    cases = [replace(row, time_us=1.0) if not row.safe else row for row in rows()]
    assert " limits shfl, " in limited_variants(limited(cases))


def test_patterns_whose_fastest_variant_has_no_limit_are_counted() -> None:
    cases = [*rows(), *rows(pattern="reduce")]
    known = limits_for(cases)
    shfl = next(row.case_id for row in cases if row.variant == "shfl")
    known[shfl] = replace(known[shfl], limit_fraction=None, limit_by=None)
    assert "of 1 of 2 patterns, no limit for 1; median " in limited_variants(limited(cases, known))
    assert limited_variants(limited(cases, {})) == "quick: no limit is known for the fastest safe variants"


@pytest.mark.parametrize(
    ("share", "words"), [(0.874, "87%"), (0.999, "100%"), (0.01, "1%"), (0.009, "<1%"), (0.0, "0%")]
)
def test_a_share_has_no_decimals(share: float, words: str) -> None:
    assert share_words(share) == words
