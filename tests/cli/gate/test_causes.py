"""A kernel is changed between the baseline and the run: the gate names what changed in its machine code."""

from itertools import takewhile
from pathlib import Path

import pytest

from tests.cli.demo import SCRIPTS, Plug, copy_neighbor
from tests.conftest import Command
from tests.fakes.backend import FakeBackend, Script

PAGE = Path(__file__).parents[3] / "docs/how-to/performance-gate-in-ci.md"
SUITE = """\
schema: 1
name: demo
title: An own kernel
measure: {min_seconds: 0.001}
defaults: {launch: 2x64, iterations: 4096, dtypes: f32}
experiments:
  - pattern: ./swap
    variants: [smem, shfl]
"""
SHFL = "swap/shfl/f32/2x64/4096/mode=idx"
SLOWER = {**SCRIPTS, "swap/shfl": Script(ns_per_iteration=17.0)}


def edit(path: str, old: str, new: str) -> None:
    text = Path(path).read_text(encoding="utf-8")
    assert old in text
    Path(path).write_text(text.replace(old, new), encoding="utf-8")


def below(report: str, case: str) -> list[str]:
    """Return the lines below that of a case."""
    lines = iter(report.splitlines())
    next(line for line in lines if line.startswith("slower") and case in line)
    return list(takewhile(lambda line: line.startswith("    "), lines))


@pytest.fixture
def own(gate: Command, run: Command, plug: Plug) -> Command:
    """Measure the kernels of `swap` as the base; return what gates them after a change, when `shfl` is slower."""
    copy_neighbor("swap")
    Path("demo.yaml").write_text(SUITE, encoding="utf-8")
    plug(FakeBackend(SCRIPTS, folders=[Path("swap").resolve()]))
    assert run("demo.yaml", "--processes", "3", "--output", "base").code == 0
    plug(FakeBackend(SLOWER, folders=[Path("swap").resolve()]))
    return lambda *words: gate("demo.yaml", "--against", "base", "--output", "mine", *words)


def test_instruction_that_somebody_added_is_named(own: Command) -> None:
    edit("swap/kernels.cu", "shflbench::shfl::from_neighbor(x)", "(__syncwarp(), shflbench::shfl::from_neighbor(x))")
    outcome = own()
    assert outcome.code == 1
    cause = below(outcome.err, SHFL)[-1]
    assert cause.startswith("    likely cause: 2.19 instead of 1.19 instructions per iteration (+1 NOP); ")
    assert cause.endswith("; its source changed: swap/kernels.cu")
    assert f"\n{cause}\n" in PAGE.read_text(encoding="utf-8")


@pytest.mark.archs
def test_instruction_in_copied_code_is_named_with_the_file_of_that_code(own: Command) -> None:
    edit("swap/copy.cu", "//! shfl\n", "// This comment moves the lines of the other variants.\n//! shfl\n")
    edit("swap/copy.cu", "    x{.} = __shfl_sync(", "    __syncwarp();\n    x{.} = __shfl_sync(")
    outcome = own()
    assert outcome.code == 1
    cause = below(outcome.err, SHFL)[-1]
    assert cause.startswith("    likely cause: 2.19 instead of 1.19 instructions per iteration (+1 NOP); ")
    assert cause.endswith("; its source changed: swap/copy.cu")


def test_kernel_with_the_same_machine_code_is_not_named_as_the_cause(own: Command) -> None:
    edit("swap/kernels.cu", "REPEAT(iterations) {", "REPEAT(iterations) { // once per shuffle")
    outcome = own("--format", "github")
    assert outcome.code == 1
    (error,) = (line for line in outcome.err.splitlines() if line.startswith("::error"))
    assert error.endswith(
        "; the machine code is the same: check the clock and other programs, and measure in more processes if the "
        "kernel waits for memory"
    )
