"""`shflbench advise FILE --format sarif`: notes at the lines of exchanges and barriers."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command

SUM = """
__global__ void sums(const int* in, int* out) {
    __shared__ int s[64];
    int t = threadIdx.x, lane = t % 32;
    s[t] = in[t];
    __syncthreads();
    for (int d = 16; d > 0; d /= 2) {
        if (lane < d) s[t] += s[t + d];
        __syncwarp();
    }
    if (lane == 0) out[t / 32] = s[t];
    __syncthreads();
}
__global__ void reversed(const int* in, int* out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}
"""


@pytest.fixture
def file(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch, shflbench: Command) -> str:
    del shflbench  # for its folder
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    Path("sums.cu").write_text(SUM, encoding="utf-8")
    return "sums.cu"


def line_of(place: dict[str, Any]) -> int:
    location = place["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "sums.cu"
    number = location["region"]["startLine"]
    assert isinstance(number, int)
    return number


def test_each_suggestion_is_a_note_at_its_line(file: str, shflbench: Command) -> None:
    outcome = shflbench("advise", file, "--launch", "1x64", "--format", "sarif")
    assert outcome.code == 0, outcome.err
    log = json.loads(outcome.out)
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert {item["level"] for item in run["results"]} == {"note"}
    notes = {(item["ruleId"], line_of(item["locations"][0])) for item in run["results"]}
    assert notes == {("exchange", 8), ("weaker-barrier", 6), ("unneeded-barrier", 12)}  # none of `reversed`
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[item["ruleIndex"]] == item["ruleId"] for item in run["results"])


def test_a_note_on_an_exchange_names_the_store_and_what_does_all_steps(file: str, shflbench: Command) -> None:
    (run,) = json.loads(shflbench("advise", file, "--launch", "1x64", "--format", "sarif").out)["runs"]
    first = next(item for item in run["results"] if item["ruleId"] == "exchange")
    assert line_of(first["relatedLocations"][0]) == 5
    text = first["message"]["text"]
    assert text.startswith("sums: in all launches with blocks of 64 threads, values that sums.cu:5 stores come from ")
    assert "could be __shfl_down_sync(mask, value, 16); all steps could be __reduce_add_sync(mask, value)" in text


def test_text_and_json_have_what_does_all_steps(file: str, shflbench: Command) -> None:
    text = shflbench("advise", file, "--launch", "1x64").out
    assert "  all steps of line 8 could be __reduce_add_sync(mask, value) from sm_80 on or cg::reduce(tile" in text
    sums, _ = json.loads(shflbench("advise", file, "--launch", "1x64", "--format", "json").out)["kernels"]
    ((load, instead),) = [(item["load"], item["instead"]) for item in sums["collectives"]]
    assert (load, len(instead)) == ("sums.cu:8", 2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sums.cu", "--format", "code"), "--format code applies to patterns"),
        (("reduce", "--format", "sarif"), "--format sarif applies to files"),
        (("sums.cu", "--format", "sarif", "--measure"), "--format sarif has no times, which --measure takes"),
    ],
)
def test_a_form_that_does_not_fit_is_refused(
    file: str, shflbench: Command, words: tuple[str, ...], message: str
) -> None:
    del file
    outcome = shflbench("advise", *words)
    assert outcome.code == 2
    assert message in outcome.err
