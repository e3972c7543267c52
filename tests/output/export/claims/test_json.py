import json
from dataclasses import replace
from math import inf, nan
from typing import Any

from shflbench.analysis.claims.verdict import ClaimVerdict
from shflbench.core.model import Interval
from shflbench.output.export.claims.json_ import render
from tests.output.export.claims.gpu import judged
from tests.output.export.claims.verdicts import CONFIRMED, DEPENDS, FAST, MISSING, UNTESTABLE


def records(*verdicts: ClaimVerdict) -> Any:
    (record,) = json.loads(render([judged(*verdicts)]))
    return record


def test_record_names_the_gpu_its_runs_and_the_counts() -> None:
    record = records(CONFIRMED, DEPENDS, UNTESTABLE)
    assert (record["device"], record["backend"], record["arch"]) == ("NVIDIA H200", "cuda", "sm_90")
    assert record["runs"] == ["results/demo"]
    assert record["counts"] == {"confirmed": 1, "refuted": 0, "depends": 1, "inconclusive": 0, "untestable": 1}
    assert [claim["verdict"] for claim in record["claims"]] == ["confirmed", "depends", "untestable"]


def test_claim_has_its_expression_and_every_setting() -> None:
    (claim,) = records(DEPENDS)["claims"]
    assert (claim["holds"], claim["where"], claim["required"]) == (
        "speedup(shfl, smem) > 1",
        {"pattern": ["reduce"]},
        False,
    )
    assert [setting["outcome"] for setting in claim["settings"]] == ["holds", "fails"]
    assert claim["settings"][0]["measured"] == {"value": 3.0, "low": 2.9, "high": 3.1}
    assert claim["settings"][0]["cases"] == list(FAST.case_ids)


def test_missing_case_has_its_reason() -> None:
    (claim,) = records(replace(DEPENDS, settings=(MISSING,)))["claims"]
    (setting,) = claim["settings"]
    assert (setting["outcome"], setting["reason"], setting["missing"]) == ("undecided", "shfl failed", True)
    assert setting["measured"] is None


def test_numbers_that_json_does_not_have_are_null() -> None:
    settings = (replace(FAST, measured=Interval(nan, -inf, inf)), replace(FAST, measured="exchange"))
    (claim,) = records(replace(CONFIRMED, settings=settings))["claims"]
    assert claim["settings"][0]["measured"] == {"value": None, "low": None, "high": None}
    assert claim["settings"][1]["measured"] == "exchange"
