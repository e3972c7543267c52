"""What an H200 computed, recorded by `benchmarks/agreement.py --record`: the emulator gives the same bits."""

from __future__ import annotations

import json
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import agreement
from benchmarks.agreement_subjects import (
    CORNERS,
    PatternKernel,
    Run,
    Subject,
    numbered,
    pattern_kernels,
    puts,
    subjects,
    torture_kernels,
    torture_sources,
)
from shflbench.compile.nvrtc import compile_kernel
from tests.backends.emulator import compiled, live

FIXTURE = Path(__file__).parents[2] / "data" / "agreement-nvidia-h200.json"
ARCH = "sm_90"


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(FIXTURE.read_text())
    return loaded


@cache
def torture_ptx(name: str) -> str:
    (source,) = (source for source in torture_sources() if source.name == name)
    return compile_kernel(source, ARCH, live.tools()).ptx


def ptx_of(subject: Subject) -> str:
    """Return the PTX: that of patterns is committed, because CUB takes seconds to compile."""
    if isinstance(subject, PatternKernel):
        return compiled.ptx(f"{ARCH}/{subject.name.replace('/', '-')}")
    return torture_ptx(subject.source.name)


@pytest.mark.parametrize("subject", subjects(ARCH), ids=lambda subject: subject.name)
def test_the_emulator_gives_the_bits_that_the_gpu_gave(subject: Subject, recorded: dict[str, Any]) -> None:
    outcomes = list(agreement.check(recorded, [subject], ptx_of))
    assert [(item.run.name, item.difference) for item in outcomes if item.difference] == []
    assert not any(item.undecided for item in outcomes)


def test_the_record_is_of_an_h200_and_holds_no_difference(recorded: dict[str, Any]) -> None:
    assert (recorded["device"], recorded["arch"]) == ("NVIDIA H200", ARCH)
    assert set(recorded["kernels"]) == {subject.name for subject in subjects(ARCH)}
    runs = [run for kernel in recorded["kernels"].values() for run in kernel["runs"].values()]
    assert [run["difference"] for run in runs if not run["agree"]] == []


def test_every_kernel_runs_with_trips_beyond_twice_the_unroll_factor() -> None:
    for kernel in pattern_kernels(ARCH):
        trips = [run.iterations for run in kernel.runs]
        assert {1, 3, 7, 33} <= set(trips)
        assert 2 * kernel.pattern.declaration.unroll + 1 in trips


SUBJECT = next(kernel for kernel in pattern_kernels(ARCH) if kernel.name == "neighbor/shfl/i32")


def record(outputs: bytes, *, inputs: str = "", ptx: str = "") -> dict[str, Any]:
    """Return a record of one run of SUBJECT."""
    run = SUBJECT.runs[0]
    right = agreement.digest(*(array.tobytes() for array in SUBJECT.data(run).inputs))
    entry = {"inputs": inputs or right, "outputs": agreement.digest(outputs)}
    return {"device": "H200", "kernels": {SUBJECT.name: {"ptx": ptx, "runs": {run.name: entry}}}}


def first_words(recorded: dict[str, Any]) -> str:
    return next(agreement.check(recorded, [SUBJECT], ptx_of)).difference


def test_what_a_check_says() -> None:
    right = agreement.emulate(SUBJECT, SUBJECT.runs[0], ptx_of(SUBJECT)).tobytes()
    assert first_words(record(right)) == ""
    assert first_words(record(right[::-1])) == "the emulator's bits are not those of the H200"
    assert first_words(record(right, inputs="others")) == "its inputs are not those that were recorded"
    assert first_words({"device": "", "kernels": {}}) == "it has not been recorded on a GPU"


def test_another_compiler_leaves_an_inexact_result_undecided() -> None:
    subject = next(kernel for kernel in pattern_kernels(ARCH) if kernel.name == "reduce/shfl/f32")
    entry = {run.name: {"outputs": "other", "inputs": ""} for run in subject.runs}
    for run in subject.runs:
        entry[run.name]["inputs"] = agreement.digest(*(array.tobytes() for array in subject.data(run).inputs))
    kept = {"device": "a GPU", "kernels": {subject.name: {"ptx": "other", "runs": entry}}}
    verdicts = {item.run.iterations: item.undecided for item in agreement.check(kept, [subject], ptx_of)}
    assert verdicts[33]
    assert not verdicts[1]  # the sums of few trips are exact, whatever the order


def test_a_difference_names_each_expression_with_its_operands() -> None:
    subject = next(kernel for kernel in torture_kernels() if kernel.name == "torture/integers/carries")
    (run,) = subject.runs
    zeros = np.zeros(subject.data(run).output[0], np.uint32)
    other = zeros.copy()
    other[[2, 8, 4096]] = 7
    words = agreement.difference(subject, run, other, zeros)
    assert words.startswith("`low` of thread 1 (0x00000001, 0x")
    assert "; `middle` of thread 0 (" in words
    assert words.endswith("; 3 of 65536 differ")
    assert agreement.difference(subject, run, zeros, zeros) == ""


def test_every_put_of_a_kernel_has_a_number_of_its_own() -> None:
    text = numbered("KERNEL(one) {\n    PUT(f(a, (b))); PUT(c);\n}\nKERNEL(two) {\n    PUT(d);\n}\n")
    assert "put(results, 0, f(a, (b))); put(results, 1, c);" in text
    assert "put(results, 0, d);" in text
    assert list(puts(text)) == ["f(a, (b))", "c", "d"]


def test_the_table_counts_and_names_the_differences() -> None:
    run = Run(4, 128, 1)
    outcomes = [
        agreement.Outcome(SUBJECT, run, ""),
        agreement.Outcome(SUBJECT, Run(4, 128, 3), "thread 1 is wrong"),
        agreement.Outcome(SUBJECT, Run(4, 128, 7), "", undecided=True),
    ]
    head, line, said = agreement.table(outcomes).splitlines()
    assert head.split() == ["kernels", "runs", "agree", "differ", "undecided"]
    assert line.split() == ["neighbor/kernels", "1", "3", "1", "1", "1"]
    assert said == "neighbor/shfl/i32 4x128/3: thread 1 is wrong"


def test_line_tables_are_no_part_of_the_code() -> None:
    code = "\tadd.s32 %r1, %r2, %r3;\n"
    tables = '\t.loc\t1 10 3\n.file 1 "/somewhere/kernels.cu"\n\t.section\t.debug_str\n\t{\n.b8 1\n\t}\n'
    assert agreement.code_digest(tables + code) == agreement.code_digest(code)
    assert agreement.code_digest(tables) != agreement.code_digest(code)


def test_torture_kernels_meet_every_pair_of_corners() -> None:
    kernel = next(item for item in torture_kernels() if item.puts)
    first, second, _ = (array.tolist() for array in kernel.data(kernel.runs[0]).inputs)
    assert set(product(CORNERS, repeat=2)) <= set(zip(first, second, strict=True))
