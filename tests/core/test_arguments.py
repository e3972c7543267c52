"""Every argument of a public function that it cannot take is a UsageError with the name of the argument."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import shflbench
from shflbench.errors import UsageError
from tests.checker.in_process import start_no_processes
from tests.checker.schedules import few_schedules

__all__ = ["few_schedules"]

TEXT = "__global__ void scale(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2.f; }"
X = np.ones(256, np.float32)
NAN = float("nan")
KERNELS = {"a": TEXT, "b": TEXT}
LAUNCH: dict[str, Any] = {"grid": 1, "block": 256}


@pytest.fixture(autouse=True)
def _small(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    start_no_processes(monkeypatch)


def bench(**given: object) -> object:
    kernels: Any = given.pop("kernels", KERNELS)
    arguments: Any = given.pop("arguments", (X, 256))
    keywords: dict[str, Any] = LAUNCH | {"device": "emulator"} | given
    return shflbench.bench(kernels, *arguments, **keywords)


def check(**given: object) -> object:
    keywords: dict[str, Any] = {"launch": (1, 256), "args": [X, 256]} | given
    return shflbench.check(keywords.pop("source", TEXT), **keywords)


def show(**given: object) -> object:
    keywords: dict[str, Any] = dict(given)
    return shflbench.inspect(keywords.pop("targets", "reduce"), **keywords)


def advise(**given: object) -> object:
    keywords: dict[str, Any] = dict(given)
    results = (keywords.pop("results"),) if "results" in keywords else ()
    return shflbench.advise(keywords.pop("pattern", "reduce"), *results, **keywords)


def judge(**given: object) -> object:
    keywords: dict[str, Any] = {"reference": TEXT, "inputs": (X, 256), "grid": 1, "block": 256} | dict(given)
    return shflbench.judge(keywords.pop("candidates", TEXT), **keywords)


def load(results: Any) -> object:
    return shflbench.load(results)


def load_samples(**given: object) -> object:
    keywords: dict[str, Any] = dict(given)
    return shflbench.load_samples(keywords.pop("results", "here"), **keywords)


def split_options(cases: Any) -> object:
    return shflbench.split_options(cases)


ARCHS = (90, "", "sm90", ["sm_90"])
TEXTS = ("src", 5, [5])
FLAGS = ("no", 1, None)
WRONG: list[tuple[Callable[..., object], str, tuple[object, ...]]] = [
    (bench, "rtol", ("0.1", NAN, -1, 2.0, True)),
    (bench, "seed", (-1, "a", 1.5, None, 10**40, True)),
    (bench, "arch", ARCHS),
    (bench, "include", (*TEXTS, [""], ["a\0b"])),
    (bench, "define", TEXTS),
    (bench, "any_order", ("out", [""], [-1], [1.5])),
    (bench, "processes", ("2", 1.5, 0, 10**9)),
    (bench, "precision", ("1%", 5, 0, NAN)),
    (bench, "max_seconds", ("1", NAN, 0, 10**9)),
    (bench, "gpu", ("0", -1, 1.5)),
    (bench, "device", (None, 0, "gpu", [])),
    (bench, "l2", (None, 1, "hot", [])),
    (bench, "check", FLAGS),
    (bench, "output", (5, "", "a\0b")),
    (bench, "shared_bytes", (-1, "1", 1.5, {"a": -1}, 2**40)),
    (bench, "budget", ("4", -1, NAN, None, float("inf"), True)),
    (bench, "time_limit", ("9", -1, NAN, None)),
    (bench, "grid", ("1", -1, 1.5, {"a": "1"})),
    (bench, "block", ("1", -1, 1.5)),
    (bench, "cluster", ("2", 0, 1.5)),
    (check, "kernel", (5, "")),
    (check, "args", (5, "xn")),
    (check, "shared_bytes", (-5, "a", 2**40)),
    (check, "arch", ARCHS),
    (check, "include", TEXTS),
    (check, "define", TEXTS),
    (check, "options", (5, [1], {5: 5})),
    (check, "seed", (-1, "a")),
    (check, "budget", ("4", -1, NAN, None, float("inf"), True)),
    (check, "time_limit", ("9", -1, NAN, None)),
    (check, "launch", (5, "x", (1,))),
    (check, "cluster", ("a",)),
    (show, "targets", (5, "", None)),
    (show, "patterns", TEXTS),
    (show, "variants", TEXTS),
    (show, "dtypes", TEXTS),
    (show, "arch", (90, "", "sm90", [90])),
    (show, "resident", (5, (1,), ("a", "b"), (-1, 5), (1, 10**9))),
    (show, "accesses", FLAGS),
    (show, "predict", FLAGS),
    (show, "code", FLAGS),
    (show, "calibration", (5, "")),
    (advise, "pattern", (5, "")),
    (advise, "results", (5, "", None)),
    (advise, "dtype", (5, "")),
    (advise, "block", ("a", -1, 1.5)),
    (advise, "launch", (5, "")),
    (advise, "options", (5, {5: 5})),
    (advise, "gpu", (5, "")),
    (advise, "arch", ARCHS),
    *((judge, name, ("1", 1, [-1], [1.5], ["1"])) for name in ("outputs", "any_order", "prefilled", "workspace")),
    *((judge, name, FLAGS) for name in ("vary", "special", "stop_early", "use_fast_math")),
    (judge, "rtol", ("0.1", NAN, -1, 2.0, True)),
    (judge, "l2", (None, 1, "hot", [])),
    (judge, "device", (None, 0, "gpu", [])),
    (judge, "gpu", ("0", -1, 1.5)),
    (judge, "arch", ARCHS),
    (judge, "precision", ("1%", 5, 0, NAN)),
    (judge, "max_seconds", ("1", NAN, 0, 10**9)),
    (judge, "processes", ("2", 1.5, 0, 10**9)),
    (judge, "include", TEXTS),
    (judge, "define", TEXTS),
    (judge, "seed", (-1, "a", 1.5, None)),
    (judge, "budget", ("4", -1, NAN, None)),
    (judge, "time_limit", ("9", -1, NAN, None)),
    (judge, "failures", (5, "", "a\0b")),
    (load, "results", (5, None, ["a"], "", "a\0b")),
    (load_samples, "results", (5, None)),
    (load_samples, "sentinels", FLAGS),
    (split_options, "cases", (5, None, pd.DataFrame())),
]
CALLS = [(function, name, value) for function, name, values in WRONG for value in values]


@pytest.mark.parametrize(
    ("function", "name", "value"), CALLS, ids=[f"{function.__name__} {name}" for function, name, _ in CALLS]
)
def test_a_value_that_an_argument_cannot_have_is_named(
    function: Callable[..., object], name: str, value: object
) -> None:
    with pytest.raises(UsageError, match=rf"^{name} ") as caught:
        function(**{name: value})
    assert caught.value.advice


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kernels": TEXT}, "bench needs kernels by name"),
        ({"kernels": {}}, "bench needs kernels by name"),
        ({"kernels": {5: TEXT}}, "5 cannot be the name of a kernel"),
        ({"kernels": {"a" * 20_000: TEXT}}, "'aaaaaaaaaaaa...aaaaaaaaaaaaa' cannot be the name of a kernel"),
        ({"kernels": {"a": 5}}, "kernel `a` is a int"),
        ({"arguments": ("x", 256)}, "argument 0 is of type str"),
        ({"arguments": (X.astype(np.int32), 256)}, "argument x is an array of int32, and the kernel takes f32"),
    ],
)
def test_kernels_and_their_arguments_are_named(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        bench(**wrong)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("type_", "dtype", "fits"),
    [
        ("float", np.float32, True),
        ("float", np.int32, False),
        ("float", np.uint32, False),
        ("int", np.float32, False),
        ("int", np.uint32, True),
        ("unsigned", np.int32, True),
        ("double", np.int64, False),
        ("long long", np.float64, False),
        ("unsigned char", np.int8, True),
        ("float4", np.float32, True),
    ],
)
def test_arrays_are_of_the_kind_of_numbers_that_the_kernel_takes(type_: str, dtype: type, *, fits: bool) -> None:
    source = f"__global__ void clear({type_}* x) {{ x[threadIdx.x] = {{}}; }}"
    array: np.ndarray[Any, Any] = np.zeros(256, dtype)
    if fits:
        assert shflbench.check(source, launch=(1, 32), args=[array]).clean
        return
    with pytest.raises(UsageError, match=f"argument x is an array of {array.dtype.name}, and the kernel takes"):
        shflbench.check(source, launch=(1, 32), args=[array])


def test_numbers_of_numpy_and_generators_are_taken() -> None:
    found = bench(rtol=np.float32(0.125), seed=np.int64(3), define=iter(["A=1"]), check=np.bool_(True), include=())  # noqa: FBT003
    assert str(found).startswith("a: verified")


def test_every_argument_is_checked() -> None:
    """By its declaration, or where a kernel is read that decides on it."""
    names: dict[str, Callable[..., object]] = {
        "bench": bench,
        "check": check,
        "inspect": show,
        "advise": advise,
        "judge": judge,
    }
    names |= {"load": load, "load_samples": load_samples, "split_options": split_options}
    assert {*names} == {name for name in shflbench.__all__ if name != "__version__"}
    # Tested by their messages; those of `judge` in tests/user_kernels/judge.
    by_kernels = {"kernels", "arguments", "source"}
    of_task = {"candidates", "reference", "inputs", "sizes", "grid", "block", "shared_bytes", "cluster"}
    only_triton = {("check", "grid")}
    for name, function in names.items():
        tested = {argument for tried, argument, _ in WRONG if tried is function}
        parameters = inspect.signature(getattr(shflbench, name)).parameters
        missing = {argument for argument in parameters if argument not in tested | by_kernels}
        missing -= of_task if name == "judge" else set()
        assert {(name, argument) for argument in missing} <= only_triton


def test_a_wrong_argument_ends_a_program_at_the_call() -> None:
    program = "import shflbench; shflbench.bench({'a': ''}, processes=10**9)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 1
    assert done.stderr.endswith("shflbench.errors.UsageError: processes is 1000000000\n")


@pytest.mark.archs
def test_results_compare() -> None:
    assert check() == check()
    assert check() != check(args=[X, 128])
    assert check() != check(args=[X * np.float32(NAN), 256])
    assert check(args=[X * np.float32(NAN), 256]) == check(args=[X * np.float32(NAN), 256])
    assert check() != "clean"
    assert bench() == bench()
    one = {"variants": ["shfl"], "dtypes": ["f32"]}
    assert show(**one) == show(**one)
    assert show(**one) != show(**one, arch="sm_80")
