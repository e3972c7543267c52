import pytest

from shflbench.analysis.claims.claim_verdicts import judge_subjects
from shflbench.core.claims.claim import Claim
from tests.analysis.claims.conftest import claim, subject


def reason(tested: Claim, suite: str = "gtc2013") -> str:
    (verdict,) = judge_subjects([tested], [subject(suite)])
    return verdict.settings[0].why


@pytest.mark.archs
def test_counts_and_limits_of_each_variant_are_named() -> None:
    tested = claim("time(shfl) < 99 or time(smem) < 99", pattern="reduce", dtype="f64")
    limits = [subject("gtc2013").source.limits[f"reduce/{name}/f64/26x1024/4096/width=32"] for name in ("shfl", "smem")]
    shfl, smem = (f"{100 * (limit.limit_fraction or 0):.0f}%" for limit in limits)
    assert reason(tested) == (
        f"shfl: 10 SHFL per iteration, {shfl} of its exchange limit; "
        f"smem: 5 STS, 5 LDS, 10 BAR per iteration, {smem} of its barrier limit"
    )


def test_a_pass_over_memory_has_no_counts_per_iteration() -> None:
    tested = claim("time(soa) < 99", pattern="struct-access", words="16", way="load")
    assert reason(tested).startswith("soa: ")
    assert reason(tested).endswith("% of its DRAM limit")


def test_a_case_of_another_setting_is_named_with_what_is_replaced() -> None:
    tested = claim("registers(shfl) == registers(shfl, width=2)", pattern="reduce", dtype="f32", width="32")
    assert reason(tested).endswith("; shfl (width=2): 1 SHFL per iteration")


def test_a_claim_about_code_names_no_limit_of_times() -> None:
    assert reason(claim("registers(shfl) < 99", pattern="reduce", dtype="f64")) == "shfl: 10 SHFL per iteration"


def test_without_code_and_limit_there_is_no_reason() -> None:
    assert reason(claim("device(sms) > 1", pattern="reduce", dtype="f64")) == ""
