"""The claims of the shipped suites: statements of four documents and of code bases, each tested or with a reason."""

import re
from collections import Counter

import pytest

from shflbench.core.claims.claim import Claim
from shflbench.core.claims.expression import Call
from shflbench.core.claims.walk import calls
from shflbench.patterns.discover import builtin, load
from shflbench.suite.shipped_claims import claims_by_pattern, shipped_claims
from tests.unrecorded import UNRECORDED

NUMBER = {"G": 26, "A": 11, "N": 23, "P": 16, "B": 29, "R": 12, "X": 15}
THREAD = r"[\w.-]+/[\w.-]+, (pull request|issue) \d+, 20\d\d"
ADDRESS = r".*, [\w-]+(\.[\w-]+)+/[\w./-]+$"
CODE = f"{THREAD}|{ADDRESS}"
SOURCE = {"G": "GTC 2013", "A": "Acceleware", "N": "NTNU", "P": "NVIDIA, Pro Tip", "B": CODE, "R": CODE, "X": CODE}
# Kepler and Fermi, readability, a question without an answer, rules of the programming model, what is not measured,
# quantities that the source does not state, and repetitions of accesses, of which times say nothing.
UNTESTABLE = {
    *("G25", "A03", "A09", "A11", "N03", "N10", "N11", "N12", "N21", "N23", "P05", "P06"),
    *("B14", "R10", "R12", "X12"),
}
# The slides are about exchanges within a warp. In these, threads of several warps exchange values through shared memory
# in every variant, or a shuffle saves a calculation and no exchange. The claims name `moving-average`, which exchanges
# the same elements as `moving-average-blocked`. No reference run has `scale-max`.
NOT_IN_THE_SLIDES = {
    *("block-reduce", "block-scan", "column-sum", "device-reduce", "moving-average-blocked", "row-norm", "softmax"),
    *("scale-max", "warp-value"),
}


@pytest.fixture(scope="module")
def claims() -> dict[str, Claim]:
    every = [claim for several in shipped_claims().values() for claim in several]
    assert [name for name, number in Counter(claim.id for claim in every).items() if number > 1] == []
    return {claim.id: claim for claim in every}


def test_every_statement_is_a_claim(claims: dict[str, Claim]) -> None:
    assert set(claims) == {f"{letter}{n:02}" for letter, number in NUMBER.items() for n in range(1, number + 1)}


def test_each_claim_names_its_document_or_thread(claims: dict[str, Claim]) -> None:
    assert [one.id for one in claims.values() if not re.match(SOURCE[one.id[0]], one.source)] == []


def test_all_others_are_tested(claims: dict[str, Claim]) -> None:
    assert {one.id for one in claims.values() if one.holds is None} == UNTESTABLE


def test_a_claim_about_all_patterns_names_each_that_has_the_variants(claims: dict[str, Claim]) -> None:
    variants = {name: {one.name for one in load(folder).declaration.variants} for name, folder in builtin().items()}
    for name, needed in (("G22", {"shfl", "smem"}), ("G23", {"shfl", "smem-unsafe"}), ("G24", {"shfl"})):
        having = {one for one, has in variants.items() if needed <= has}
        assert set(claims[name].where["pattern"]) == having - NOT_IN_THE_SLIDES - UNRECORDED, (
            f"claim {name} names each pattern with these variants, and NOT_IN_THE_SLIDES the others"
        )


@pytest.mark.parametrize(
    ("name", "figure"),
    [
        *(("N09", "32"), ("G21", "6"), ("N06", "100"), ("G17", "15")),
        *(("B08", "1.35"), ("B17", "1.25"), ("R07", "20")),
    ],
)
def test_the_figure_of_the_source_is_the_figure_of_the_condition(
    claims: dict[str, Claim], name: str, figure: str
) -> None:
    assert figure in re.findall(r"[\d.]+", claims[name].figure)
    assert figure in re.findall(r"[\d.]+", claims[name].text)


def test_the_arithmetic_of_random_indices_is_that_of_the_reason(claims: dict[str, Claim]) -> None:
    different = 32 * (1 - (31 / 32) ** 32)
    assert f"{different:.1f} different values" in claims["P06"].untestable
    assert f"repeats a load {different - 1:.1f} times" in claims["P06"].untestable


def test_the_barriers_of_the_talk_are_one_per_exchange(claims: dict[str, Claim]) -> None:
    for name in ("G01", "G02", "G12", "G13", "G14"):
        expression = claims[name].holds
        assert expression is not None
        assert set(calls(expression)) == {Call("speedup", ("shfl", "smem-double"))}


def test_safety_is_tested_by_findings_of_check(claims: dict[str, Claim]) -> None:
    expression = claims["G05"].holds
    assert expression is not None
    assert set(calls(expression)) == {Call("hazards", ("smem-unsafe",)), Call("hazards", ("shfl",))}


def test_claims_are_given_by_pattern_in_the_order_of_their_ids() -> None:
    scan = [claim.id for claim in claims_by_pattern()["scan"]]
    assert scan == sorted(scan)
    assert {"G14", "G15", "G16", "G22"} <= set(scan)
    assert "G19" not in scan
