"""Input that keeps `shflbench run` from running or from finishing, its messages, and the rows that it keeps."""

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from shflbench.core.model import Status
from shflbench.cuda.backends.base import POISON, Array, Burst, KernelCall, OpenKernel
from shflbench.errors import DeviceError
from shflbench.store import read_run
from tests.cli.demo import SCRIPTS, Plug, copy_neighbor
from tests.conftest import Command
from tests.fakes.backend import H200, FakeBackend, FakePatternKernel, plug_in

SUITE = """\
schema: 1
name: own
measure: {min_seconds: 0.001}
experiments:
  - {pattern: ./swap, variants: [smem, shfl], dtypes: f32, launch: 2x64, iterations: 64}
"""
TWO_CASES = ("--pattern", "neighbor", "--pattern", "reduce", "--variant", "shfl")  # of the suite `quick`


@pytest.fixture
def run(run: Command) -> Command:
    """Call `shflbench run` in a folder with a suite, own.yaml, of an own pattern, ./swap."""
    Path("own.yaml").write_text(SUITE, encoding="utf-8")
    copy_neighbor("swap")
    return run


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--precision", "0%"), "`0%` is out of range; allowed: above 0% and at most 10%"),
        (("--precision", "11%"), "`11%` is out of range; allowed: above 0% and at most 10%"),
        (("--max-seconds", "nan"), "`nan` is not a number of seconds"),
        (("--max-seconds", "inf"), "inf is not in the range 0.01<=x<=86400"),
        (("--output", "a", "--results", "b"), "--output and --results both name a place for the run"),
        (("--device", "none", "--gpu", "1"), "--gpu asks for a GPU, and --device none for none"),
        (("--device", "emulator", "--gpu", "0"), "--gpu asks for a GPU, and --device emulator for none"),
    ],
)
def test_senseless_options_are_refused(run: Command, flags: Sequence[str], sentence: str) -> None:
    outcome = run("quick", *flags)
    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err
    assert not Path("results").exists()


def test_dry_run_rounds_up_and_its_range_is_ordered(run: Command) -> None:
    for most, seconds in (("0.2", "1"), ("1.1", "1 to 3")):
        outcome = run("quick", *TWO_CASES, "--max-seconds", most, "--dry-run")
        assert outcome.err.startswith(f"2 cases; sampling takes about {seconds} s, ")


def refuse(*_: object) -> NoReturn:
    raise DeviceError("no NVIDIA driver is loaded", "install one")


@pytest.mark.parametrize(
    "flags", [("--device", "cuda"), ("--gpu", "0"), ("--gpu", "99"), ("--gpu", "0,1")], ids=" ".join
)
def test_run_that_asks_for_a_gpu_names_a_missing_driver_before_a_missing_cupy(
    run: Command, monkeypatch: pytest.MonkeyPatch, flags: Sequence[str]
) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.setattr("shflbench.cuda.backends.gpus.find", refuse)
    outcome = run("quick", *flags)
    assert (outcome.code, outcome.err) == (4, "error: no NVIDIA driver is loaded\nInstall one\n")


class RightKernel(FakePatternKernel):
    """Rotates without asking the pattern, so that only the pattern can be wrong."""

    def run(self, inputs: Sequence[Array], iterations: int, fill: int = POISON) -> list[Array]:  # noqa: ARG002  (it reads no output)
        return [np.roll(inputs[0], -iterations, axis=1).reshape(-1)]


class RightBackend(FakeBackend):
    def open(self, call: KernelCall, place: int = 0) -> OpenKernel:
        opened = super().open(call, place)
        opened.__class__ = RightKernel
        return opened


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def reference(values, iterations, mode): raise KeyError('x')", "`reference` fails: line 1: KeyError: 'x'"),
        ("def reference(values, iterations, mode): raise SystemExit", "`reference` fails: line 1: SystemExit"),
        ("def reference(values, iterations, mode): return None", "`reference` returns NoneType, not a NumPy array"),
        (
            "def reference(values, iterations, mode): return values, values",
            "`reference` returns 2 arrays for 1 buffers",
        ),
        (
            "def reference(values, iterations, mode): return values[1:]",
            "`reference` returns 96 elements of float32 for `result`, not 128 of float32",
        ),
        (
            "def reference(values, iterations, mode): return values.astype('f8')",
            "`reference` returns 128 elements of float64 for `result`, not 128 of float32",
        ),
        (
            "def reference(values, iterations, mode):\n    values += 1\n    return values",
            "`reference` fails: line 2: ValueError: output array is read-only",
        ),
        ("def inputs(rng, at): raise OSError('no data')", "`inputs` fails: line 1: OSError: no data"),
        (
            "def inputs(rng, at): return np.zeros(3, at.dtype.numpy)",
            "`inputs` returns 3 elements of float32 for `values`, not 128 of float32",
        ),
        ("def tolerance(at, iterations): return -1", "`tolerance` returns -1.0, not a finite number from 0 on"),
    ],
)
def test_function_of_a_pattern_that_fails_costs_its_cases_and_says_which_line(
    run: Command, monkeypatch: pytest.MonkeyPatch, code: str, reason: str
) -> None:
    file = Path("swap/pattern.py")
    declared = file.read_text(encoding="utf-8")
    file.write_text(f"{declared}\n\n{code}\n", encoding="utf-8")
    first = declared.count("\n") + 3  # the code's own first line
    plug_in(monkeypatch, RightBackend(folders=[Path("swap").resolve()]))
    outcome = run("own.yaml", "--max-seconds", "0.01")
    assert outcome.code == 5
    for number in (1, 2):
        reason = reason.replace(f"line {number}:", f"line {first + number - 1}:")
    rows = read_run(Path(outcome.out.strip())).rows
    assert [(row.status, row.reason) for row in rows] == [(Status.FAILED, f"{file.resolve()}: {reason}")] * 2


def test_buffers_that_exceed_the_device_are_skipped_with_the_reason(
    run: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    plug_in(monkeypatch, FakeBackend(device=dataclasses.replace(H200, memory_bytes=2**30)))
    outcome = run("quick", "--launch", "1000000x1024", "--pattern", "neighbor", "--variant", "shfl")
    (row,) = read_run(Path(outcome.out.strip())).rows
    assert (outcome.code, row.status) == (0, Status.SKIPPED)
    assert row.reason == "its buffers take 8 GiB, and the GPU has 1 GiB"


def out_of_memory(*_: object) -> NoReturn:
    raise MemoryError


def test_host_without_enough_memory_fails_the_case(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in(monkeypatch, FakeBackend())
    monkeypatch.setattr("shflbench.measure.workload.distinct", out_of_memory)
    outcome = run("quick", "--pattern", "neighbor", "--variant", "shfl")
    (row,) = read_run(Path(outcome.out.strip())).rows
    assert (outcome.code, row.status) == (5, Status.FAILED)
    assert row.reason == "the host does not have enough memory to verify it"


def interrupted(*_: object) -> Burst:
    raise KeyboardInterrupt


def test_stopped_run_of_an_own_suite_says_that_it_needs_the_file(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        plug_in(patch, FakeBackend(folders=[Path("swap").resolve()]))
        patch.setattr(FakePatternKernel, "burst", interrupted)
        outcome = run("own.yaml", "--output", "my run")
    assert outcome.code == 130
    assert outcome.err.endswith("\nResume it with: shflbench run own.yaml --resume 'my run'\n")
    outcome = run("--resume", "my run")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        "error: my run holds a run of your own suite own.yaml, and --resume needs that file again\n"
        "Name the file: shflbench run own.yaml --resume 'my run'\n"
    )


@pytest.mark.archs
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"precision": "abc", "max_seconds": 1, "seed": 0, "sms": None, "overrides": {"iterations": []}},
        {"precision": 0.01, "max_seconds": 1, "seed": 0, "sms": None, "overrides": {"iterations": ["a"]}},
    ],
)
def test_settings_that_were_edited_stop_a_resume(run: Command, settings: dict[str, object]) -> None:
    run("quick", "--device", "none", "--variant", "shfl", "--output", "stopped")
    file = Path("stopped/run.json")
    record = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**record, "finished": None, "settings": settings}), encoding="utf-8")
    outcome = run("--resume", "stopped")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("error: stopped/run.json: `settings.")


@pytest.mark.archs
@pytest.mark.parametrize(
    ("redirection", "code"),
    [
        (">/dev/full", 3),
        ("2>/dev/full >&-", 3),
        *(pytest.param(redirection, 0, marks=pytest.mark.archs) for redirection in ("2>&-", "2>/dev/full")),
    ],
)
def test_closed_or_full_stream_costs_no_row(run: Command, redirection: str, code: int) -> None:
    del run  # only for the folder that it works in
    words = f"-m shflbench run quick --device none {' '.join(TWO_CASES)} --output kept {redirection}"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    if redirection == "2>/dev/full":
        environment["SHFLBENCH_CACHE"] = "empty"  # so that processes start while text is waiting to be written
    done = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' {words}"], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert [row.status for row in read_run(Path("kept")).rows] == [Status.COMPILED] * 2


@pytest.fixture
def own_cupy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Give this machine, and the worker processes on it, a cupy that is imported by this code."""

    def install(code: str) -> None:
        folder = tmp_path / "packages" / "cupy"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(code, encoding="utf-8")
        monkeypatch.syspath_prepend(folder.parent)

    return install


def test_asking_for_a_gpu_where_cupy_is_missing_exits_4_with_the_remedy(
    run: Command, own_cupy: Callable[[str], None]
) -> None:
    own_cupy("raise ModuleNotFoundError('No module named cupy', name='cupy')")
    outcome = run("demo.yaml", "--device", "cuda")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err == (
        "error: cupy is not installed, so no GPU can be used\n"
        "Install the extra `cuda13` (driver 580 or newer) or `cuda12` from your checkout or wheel\n"
    )


def test_broken_cupy_has_another_message_than_a_missing_one(run: Command, own_cupy: Callable[[str], None]) -> None:
    own_cupy("raise ImportError('libcudart.so.12: cannot open shared object file')")
    outcome = run("demo.yaml", "--device", "cuda")
    assert outcome.code == 4
    assert outcome.err.startswith(
        "error: cupy is installed but broken: libcudart.so.12: cannot open shared object file\n"
    )


def test_unwritable_results_are_refused_before_anything_is_measured(run: Command, plug: Plug) -> None:
    device = plug(FakeBackend(SCRIPTS))
    Path("taken").touch()
    outcome = run("demo.yaml", "--results", "taken/results")
    assert (outcome.code, outcome.out) == (3, "")
    assert "taken/results" in outcome.err
    assert device.launched == []


def test_cache_that_cannot_be_written_is_a_warning(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("taken").touch()
    monkeypatch.setenv("SHFLBENCH_CACHE", "taken/kernels")
    outcome = run("demo.yaml", "--variant", "shfl", "--pattern", "neighbor")
    assert outcome.code == 0
    note = "compiled kernels cannot be cached in taken/kernels: Not a directory"
    assert f"warning: {note}\n" in outcome.err
    assert read_run(Path(outcome.out.strip())).info.notes == (note,)


def test_missing_suite_names_the_command_that_lists_suites(run: Command) -> None:
    outcome = run()
    assert outcome.code == 2
    assert outcome.err == "error: no suite given\n`shflbench list suites` lists those that come with shflbench\n"


def test_missing_compiler_exits_4_with_the_remedy(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    outcome = run("demo.yaml")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err.startswith("error: the CUDA compiler is not installed (")
    assert "Run `shflbench doctor`: it lists what to install" in outcome.err
