"""Results of an H200, recorded by `python -m benchmarks agreement --record`: the emulator gives the same bits."""

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
    TortureKernel,
    numbered,
    pattern_kernels,
    puts,
    subjects,
    torture_kernels,
)
from shflbench.core.model import Kernel
from shflbench.cuda.backends.base import Array
from tests import kernels
from tests.unrecorded import UNRECORDED, is_recorded

FIXTURE = Path(__file__).parents[1] / "data" / "agreement-nvidia-h200.json"
ARCH = "sm_90"
KERNELS = [kernel for kernel in pattern_kernels(ARCH) if is_recorded(kernel.name)]
COMPARED = {kernel.name for kernel in KERNELS}
ONE_DTYPE = [name for name in kernels.with_one_dtype()[::2] if name in COMPARED]  # `make test-archs` compares all
INSTRUCTIONS = torture_kernels()


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(FIXTURE.read_text())
    return loaded


@cache
def instructions() -> dict[str, Kernel]:
    """Return the compiled torture kernels."""
    return agreement.compile_all(INSTRUCTIONS, ARCH)


def differences(recorded: dict[str, Any], subject: Subject, kernel: Kernel) -> dict[str, str]:
    """Return the runs whose bits differ between the emulator and the GPU, or that are undecided."""
    outcomes = [
        agreement.judge(recorded, subject, run, kernel, agreement.emulate((subject, run, kernel)))
        for run in subject.runs
    ]
    return {item.run.name: item.difference or "undecided" for item in outcomes if item.difference or item.undecided}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", ONE_DTYPE)
def test_the_emulator_gives_the_bits_that_the_gpu_gave(name: str, recorded: dict[str, Any]) -> None:
    short = PatternKernel(name, short=True)  # `make test-archs` compares every run
    assert differences(recorded, short, kernels.kernel(name)) == {}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("subject", INSTRUCTIONS, ids=lambda subject: subject.name)
def test_every_instruction_gives_the_bits_that_the_gpu_gave(subject: TortureKernel, recorded: dict[str, Any]) -> None:
    assert differences(recorded, subject, instructions()[subject.name]) == {}


@pytest.mark.one_in(8)
@pytest.mark.archs
@pytest.mark.parametrize("subject", KERNELS, ids=lambda subject: subject.name)
def test_every_dtype_and_run_gives_the_bits_that_the_gpu_gave(subject: PatternKernel, recorded: dict[str, Any]) -> None:
    found = differences(recorded, subject, kernels.compiled(subject.name))
    assert {run: words for run, words in found.items() if words != "undecided"} == {}


@pytest.mark.archs
def test_the_record_is_of_an_h200_and_holds_no_difference(recorded: dict[str, Any]) -> None:
    assert (recorded["device"], recorded["arch"]) == ("NVIDIA H200", ARCH)
    known = {subject.name for subject in subjects(ARCH)}
    assert set(recorded["kernels"]) == set(filter(is_recorded, known))
    runs = [run for kernel in recorded["kernels"].values() for run in kernel["runs"].values()]
    assert [run["difference"] for run in runs if not run["agree"]] == []


def test_the_page_counts_the_kernels_and_runs_of_the_record(recorded: dict[str, Any]) -> None:
    page = (FIXTURE.parents[2] / "docs" / "explanation" / "how-often-check-is-right.md").read_text(encoding="utf-8")
    parts: list[dict[str, int]] = [{}, {}]
    for name, kernel in recorded["kernels"].items():
        parts[name.startswith("torture/")][name] = len(kernel["runs"])
    for part in parts:
        assert f"| {len(part):,} | {sum(part.values()):,} |" in page
    runs = sum(sum(part.values()) for part in parts)
    assert f"all {runs:,} runs of {len(recorded['kernels']):,} kernels gave the same bits" in page
    others = [name for name, kernel in recorded["kernels"].items() if "device" in kernel]
    assert [name.startswith("batched-reduce/cub-batched/") for name in others] == [True] * 2
    assert "those of `batched-reduce/cub-batched`\nran on an H100" in page


@pytest.mark.archs
def test_only_kernels_of_approximate_instructions_are_not_compared() -> None:
    others = {
        name
        for name in kernels.with_every_dtype()
        if not kernels.variant_of(name).unsupported_reason(kernels.tools().target(ARCH))
    }
    assert {name.partition("/")[0] for name in others - COMPARED} == {"max-and-sum", "softmax", *UNRECORDED}
    approximate = [name for name in kernels.in_every_run() if ".approx" in kernels.kernel(name).ptx]
    assert approximate
    assert COMPARED.isdisjoint(approximate)


def test_every_kernel_with_a_loop_runs_for_more_iterations_than_twice_the_unroll_factor() -> None:
    for kernel in KERNELS:
        declared = kernels.subjects()[kernel.name].pattern.declaration
        counts = {run.iterations for run in kernel.runs}
        assert counts == {1} if declared.one_pass else 2 * declared.unroll + 1 in counts
        if kernel.name in ONE_DTYPE and not declared.one_pass:
            assert {1, 7} <= counts


SUBJECT = PatternKernel("neighbor/shfl/i32/mode=idx")
FIRST = SUBJECT.runs[0]


def record(outputs: Array, *, inputs: str = "", ptx: str = "") -> dict[str, Any]:
    """Return a record of the first run of SUBJECT."""
    right = agreement.digest(SUBJECT.inputs(FIRST))
    entry = {"inputs": inputs or right, "outputs": agreement.digest([outputs])}
    return {"device": "H200", "kernels": {SUBJECT.name: {"ptx": ptx, "runs": {FIRST.name: entry}}}}


def first_difference(recorded: dict[str, Any]) -> str:
    kernel = kernels.kernel(SUBJECT.name)
    emulated = agreement.emulate((SUBJECT, FIRST, kernel))
    return agreement.judge(recorded, SUBJECT, FIRST, kernel, emulated).difference


def test_a_check_names_the_reason_of_a_difference() -> None:
    emulated = agreement.emulate((SUBJECT, FIRST, kernels.kernel(SUBJECT.name)))
    assert not isinstance(emulated, str)
    (right,) = emulated
    assert first_difference(record(right)) == ""
    assert first_difference(record(right[::-1])) == "the emulator's bits are not those of the H200"
    assert first_difference(record(right, inputs="others")) == "its inputs are not those that were recorded"
    assert first_difference({"device": "", "kernels": {}}) == "it has not been recorded on a GPU"


def test_another_compiler_leaves_an_inexact_result_undecided() -> None:
    subject = PatternKernel("reduce/shfl/f32/width=32")
    kernel = kernels.kernel(subject.name)
    entry = {run.name: {"outputs": "other", "inputs": agreement.digest(subject.inputs(run))} for run in subject.runs}
    kept = {"device": "a GPU", "kernels": {subject.name: {"ptx": "other", "runs": entry}}}
    verdicts = {
        run.iterations: agreement.judge(kept, subject, run, kernel, agreement.emulate((subject, run, kernel))).undecided
        for run in subject.runs
    }
    assert verdicts[9]
    assert not verdicts[1]  # the sums of few iterations are exact, in any order


def test_a_difference_names_each_expression_with_its_operands() -> None:
    subject = next(kernel for kernel in INSTRUCTIONS if kernel.name == "torture/integers/carries")
    (run,) = subject.runs
    zeros = np.zeros(2 * run.grid * run.block * len(subject.puts), np.uint32)
    other = zeros.copy()
    other[[2, 8, 4096]] = 7
    words = agreement.difference(subject, run, [other], [zeros])
    assert words.startswith("`low` of thread 1 (0x00000001, 0x")
    assert "; `middle` of thread 0 (" in words
    assert words.endswith("; 3 of 65536 differ")
    assert agreement.difference(subject, run, [zeros], [zeros]) == ""


def test_outputs_without_an_order_are_compared_sorted() -> None:
    subject = PatternKernel("reserve/leader-shfl/i32")
    (run,) = subject.runs
    right = subject.workload(run).expected(0, 1)
    assert agreement.difference(subject, run, right, [right[0], right[1][::-1]]) == ""
    words = agreement.difference(subject, run, right, [right[0], right[1] + 1])
    assert words.startswith("in output 2, element 0 of 256 threads is 0x")
    assert words.endswith("256 of 256 differ")


def test_every_put_of_a_kernel_has_its_own_number() -> None:
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
    assert said == "neighbor/shfl/i32/mode=idx 4x128/3: thread 1 is wrong"


def test_line_tables_and_declarations_are_not_part_of_the_digest() -> None:
    code = ".visible .entry one(\n)\n{\n\tadd.s32 %r1, %r2, %r3;\n}\n"
    tables = '\t.loc\t1 10 3\n.file 1 "/somewhere/kernels.cu"\n\t.section\t.debug_str\n\t{\n.b8 1\n\t}\n'
    assert agreement.code_digest(".global .u32 UNROLL;\n" + code + tables) == agreement.code_digest(code)
    assert agreement.code_digest(code.replace("add", "sub")) != agreement.code_digest(code)


def test_torture_kernels_get_every_pair_of_corners() -> None:
    kernel = next(item for item in INSTRUCTIONS if item.puts)
    first, second, _ = (array.tolist() for array in kernel.inputs(kernel.runs[0]))
    assert set(product(CORNERS, repeat=2)) <= set(zip(first, second, strict=True))
