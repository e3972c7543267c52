from __future__ import annotations

from dataclasses import replace

from shflbench.cli.tables import proof
from tests.fakes.runs import measured


def test_a_proof_by_another_variant_claims_no_more_than_that() -> None:
    rows = {row.variant: row for row in measured(patterns=["neighbor"], dtypes=["f32"])[0]}
    assert proof(rows["shfl"]) == "verified"
    assert proof(replace(rows["shfl"], reference="smem")) == "same as smem"
    assert proof(replace(rows["smem"], reference="smem")) == "the reference"
    assert proof(replace(rows["smem-unsafe"], reference="smem")) == "UNSAFE, 8 of 8 inputs matched"
