"""Code that a user copies compiles alone, and is what was measured: it has the declared instructions and no hazard."""

import json
from pathlib import Path

import pytest

from shflbench.core.model import Kernel, Mechanism
from shflbench.cuda.compile.build import Builder
from shflbench.errors import KernelError
from shflbench.kernel_facts.pattern_checks.kernels import compile_all
from shflbench.kernel_facts.pattern_checks.targets import find
from shflbench.patterns.discover import builtin
from tests import kernels
from tests.checker import schedules
from tests.checker.in_process import start_no_processes
from tests.conftest import Command
from tests.patterns.copies.compiled import messages, unit
from tests.patterns.copies.folders import Copies, checked_copies_of, copies_of, first_copies, thorough_dtype
from tests.thorough import all_or_a_sample, chosen


def texts(arch: str, *, of_libraries: bool) -> list[str]:
    """Return all code for an architecture, each text once, with or without that which calls libraries."""
    chosen: dict[str, None] = {}
    for pattern in builtin():
        variants = {variant.name: variant for variant in kernels.patterns()[pattern].declaration.variants}
        for copies in copies_of(pattern):
            for name, text in copies.texts.items():
                is_library = variants[name].mechanism is Mechanism.LIBRARY
                if is_library == of_libraries and not variants[name].unsupported_reason(kernels.tools().target(arch)):
                    chosen[text] = None
    return list(chosen)


def verdicts(check: Command, *copies: Copies) -> dict[str, str]:
    """Return what `shflbench check` finds, by kernel."""
    folders = [copied.write(Path("copies") / copied.pattern) for copied in copies]
    outcome = check("check", *folders, "--format", "json")
    reports = json.loads(outcome.out)["kernels"]
    assert len(reports) == sum(len(copied.texts) for copied in copies)
    return {
        "/".join((item["pattern"], item["variant"], item["dtype"], *item["options"].values())): item["verdict"]
        for item in reports
    }


@pytest.fixture
def check(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    return shflbench


@pytest.mark.archs
def test_all_code_compiles_without_our_headers_and_without_warnings() -> None:
    assert messages(unit(texts("sm_90", of_libraries=False)), "sm_90") == ""


@pytest.mark.archs
@pytest.mark.parametrize("of_libraries", [False, True])
@pytest.mark.parametrize("arch", kernels.ARCHS)
def test_all_code_compiles_without_our_headers_and_without_warnings_for_each_architecture(
    arch: str,
    *,
    of_libraries: bool,
) -> None:
    assert messages(unit(texts(arch, of_libraries=of_libraries)), arch) == ""


@pytest.mark.archs
def test_copied_code_has_the_declared_instructions_and_no_hazard(
    check: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_no_processes(monkeypatch)
    result = verdicts(
        check,
        first_copies("reduce", "f32").only("shfl"),
        first_copies("neighbor", "f16").only("smem-double"),
        first_copies("neighbor", "f32x2").only("shfl"),
        first_copies("transpose", "f32").only("shfl"),
        first_copies("moving-average", "f32").only("shfl"),
    )
    assert set(result.values()) == {"clean"}


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("variant", "right", "wrong", "verdict"),
    [
        ("reduce/smem-syncwarp/f32", "__syncwarp();  // all lanes have read", "// all lanes have read", "broken"),
        ("reduce/shfl/f32", "sum +=", "sum =", "broken"),
        ("staging/bulk/i32", "wait_for_copy(&copied[number % STAGES], number / STAGES % 2);", "", "broken"),
        pytest.param(
            *("staging/bulk/i32", "__syncthreads();  // no thread still reads", "// no thread still reads", "broken"),
            marks=pytest.mark.archs,
        ),
        pytest.param(
            "staging/bulk/i32",
            "        fence_before_copies();\n        __syncthreads();",
            "        __syncthreads();",
            "doubtful",
            marks=pytest.mark.archs,
        ),
        ("reduce/shfl/bf16x2", "sum = __hadd2(sum, ", "sum = __hadd2(x, ", "broken"),
        ("convert-layout/shfl-bits/i8", "0x3514", "0x3154", "broken"),
        ("transpose8/movmatrix/i8", "0x6240", "0x2640", "broken"),
        ("transpose8/shfl-prmt/i8", "column + 4 * !odd", "column + 4 * odd", "broken"),
        ("transpose8/stmatrix/i8", "__syncwarp();  // all lanes have written", "", "broken"),
    ],
)
def test_a_mistake_in_copied_code_is_found(
    check: Command, monkeypatch: pytest.MonkeyPatch, variant: str, right: str, wrong: str, verdict: str
) -> None:
    start_no_processes(monkeypatch)
    schedules.run_fewer(monkeypatch, schedules.FIVE)
    pattern, name, dtype = variant.split("/")
    copies = first_copies(pattern, dtype).only(name).edited(right, wrong)
    assert set(verdicts(check, copies).values()) == {verdict}


@pytest.mark.one_in(6)
@pytest.mark.archs
@pytest.mark.parametrize("pattern", builtin())
@all_or_a_sample
def test_code_of_each_variant_and_dtype_has_the_declared_instructions_and_no_hazard(
    check: Command, monkeypatch: pytest.MonkeyPatch, pattern: str, *, every: bool
) -> None:
    start_no_processes(monkeypatch)
    first, *others = sorted(checked_copies_of(pattern), key=lambda copies: copies.dtype != thorough_dtype(pattern))
    # The kernels that they are copies of are run under all.
    schedules.run_fewer(monkeypatch, schedules.FIVE)
    result = verdicts(check, first)
    schedules.run_fewer(monkeypatch, schedules.THREE)
    if others:
        result |= verdicts(check, *chosen(others, every=every, one_in=3))
    assert {kernel: verdict for kernel, verdict in result.items() if verdict != "clean"} == {}


@pytest.mark.one_in(5)
@pytest.mark.archs
@pytest.mark.parametrize(
    "pattern", [name for name, item in kernels.patterns().items() if not item.declaration.one_pass]
)
@all_or_a_sample
def test_copied_code_takes_about_as_many_instructions_as_the_measured_kernels(
    tmp_path: Path, pattern: str, *, every: bool
) -> None:
    copies_of_pattern = chosen(list(checked_copies_of(pattern)), every=every, one_in=3)
    builder = Builder(kernels.tools(), "sm_90", kernels.CACHE)
    counts = [
        {subject.name: instructions(kernel) for subject, kernel in compile_all(find(targets), builder)}
        for targets in (
            [str(builtin()[pattern])],
            [str(copies.without_asserts().write(tmp_path)) for copies in copies_of_pattern],
        )
    ]
    measured, copied = counts
    assert copied
    # At most a barrier more, which the contract of a library asks for, or a comparison per step for equal sort keys.
    more = {name: (count, measured[name]) for name, count in copied.items() if count > 1.2 * measured[name] + 1}
    assert more == {}


def instructions(kernel: Kernel | KernelError) -> float:
    """Return the instructions per iteration of the timed loop."""
    assert isinstance(kernel, Kernel)
    assert kernel.loop is not None
    return sum(kernel.loop.counts.values()) / kernel.loop.unroll
