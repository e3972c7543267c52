import shutil
from pathlib import Path

import numpy as np
import pytest

from shflbench.checker import FileOptions, check_file, parse_chain, parse_same, parse_shape
from shflbench.checker.options import LaunchOptions
from shflbench.core.files import SHARED_HEADERS
from shflbench.core.model import DTYPES
from shflbench.cuda.compile.build import Builder
from shflbench.cuda_sources.kernel_file import CompileOptions
from shflbench.cuda_sources.read_options import Compilers
from shflbench.measure.workload import Workload
from shflbench.patterns.copies import FILE, timed_copy
from shflbench.patterns.dependent_launch.pattern import FACTOR, after_steps
from shflbench.patterns.discover import builtin, load
from tests import cases, kernels

FOLDER = builtin()["dependent-launch"]
DEPENDENT = load(FOLDER)
PROGRAMMATIC = ("no-signal", "late-signal", "early-signal")


def workload(work: str, prologue: str) -> Workload:
    return cases.workload(DEPENDENT, "i32", options={"work": work, "prologue": prologue}, launch="2x128")


def test_steps_are_those_of_the_kernel() -> None:
    (values, _) = workload("64", "0").inputs(0)
    x = [int(value) for value in values.view("u4").reshape(-1)[:8]]
    for _ in range(64):
        x = [(value * FACTOR + 1) % 2**32 for value in x]
    assert after_steps(values.view(np.int32), 64).reshape(-1)[:8].tolist() == x


def test_each_thread_uses_the_result_of_the_thread_at_the_other_end() -> None:
    data = workload("64", "0")
    values, weights = (array.view("u4").reshape(2, 128) for array in data.inputs(0))
    expected = data.expected(0, 1)[0].view("u4").reshape(2, 128)
    between = int(after_steps(data.inputs(0)[0].view(np.int32), 64).reshape(2, 128)[1, 127 - 5])
    assert int(expected[1, 5]) == (int(weights[1, 5]) + 2 * between) % 2**32
    assert values.shape == expected.shape


@pytest.mark.parametrize("variant", PROGRAMMATIC)
def test_the_second_kernel_waits_and_the_first_one_signals(variant: str) -> None:
    options = {"work": "64", "prologue": "64"}
    case = cases.case("dependent-launch", variant, "i32", options=options, launch="2x128")
    kernel = Builder(kernels.tools(), "sm_90", kernels.CACHE).build(DEPENDENT, case)
    (later,) = kernel.later
    assert kernel.sass is not None
    assert later.sass is not None
    assert any(item.base == "ACQBULK" for item in later.sass)
    assert any(item.base == "PREEXIT" for item in kernel.sass) == (variant != "no-signal")


@pytest.mark.parametrize("first", PROGRAMMATIC)
def test_launches_that_overlap_are_clean(first: str, kernel_cache: Path, copied: Path) -> None:
    assert verdict_of(copied, first, kernel_cache) == "clean"


def test_a_second_kernel_that_does_not_wait_is_found(kernel_cache: Path, copied: Path) -> None:
    text = (copied / FILE).read_text(encoding="utf-8")
    (wait,) = (line for line in text.splitlines(keepends=True) if "griddepcontrol.wait" in line)
    (copied / FILE).write_text(text.replace(wait, ""), encoding="utf-8")
    assert verdict_of(copied, "early-signal", kernel_cache) == "broken"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / FOLDER.name))


def verdict_of(folder: Path, variant: str, cache: Path) -> str:
    """Return what `check` says of the second of two kernels whose launches overlap."""
    (folder / "copied").mkdir()
    for name in PROGRAMMATIC:
        text = timed_copy(folder, name, DTYPES["i32"], {"work": "64", "prologue": "64"})
        (folder / "copied" / f"{name}.cuh").write_text(text, encoding="utf-8")
    first, second = f"dependent_launch_{variant.replace('-', '_')}", "dependent_launch_consume_after_wait"
    options = FileOptions(
        kernels=(second,),
        compile=CompileOptions(include=(SHARED_HEADERS,), define=("BLOCK=128", "OPTION_WORK=64", "OPTION_PROLOGUE=64")),
        compilers=Compilers(kernels.tools(), cache=cache),
        given=LaunchOptions(
            launches=(parse_shape("2x128"),),
            pdl=(parse_chain(f"{first},{second}"),),
            same=(parse_same(f"{first}.between={second}.between"),),
        ),
    )
    (report,) = check_file(folder / "programmatic.cu", options).kernels
    return str(report.verdict)
