from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.nvbench import timer as nvbench_agreement_timer
from benchmarks.nvbench.table import suite_text
from benchmarks.nvbench.timer import benchmark, launcher, prepared
from shflbench.core.model import Case
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.toolchain import find
from shflbench.patterns.discover import LoadedPattern
from shflbench.patterns.discover import load as load_pattern
from shflbench.suite import load

UNASKED = 48 * 1024  # bytes of shared memory that a block gets without a function attribute


class Cupy:
    """What the timer uses of cupy, and the launches that it queued."""

    def __init__(self) -> None:
        self.launches: list[tuple[Any, ...]] = []
        self.synchronized = 0
        self.cuda = SimpleNamespace(
            function=SimpleNamespace(Module=self._module),
            Stream=SimpleNamespace(from_external=lambda stream: ("cupy's", stream)),
            runtime=SimpleNamespace(deviceSynchronize=self._synchronize),
        )

    def _synchronize(self) -> None:
        self.synchronized += 1

    def _module(self) -> SimpleNamespace:
        return SimpleNamespace(load=self._load, get_function=self._function)

    def _load(self, cubin: bytes) -> None:
        assert cubin.startswith(b"\x7fELF")

    def _function(self, symbol: str) -> Any:
        def launch(grid: Any, block: Any, arguments: Any, *, shared_mem: int, stream: Any) -> None:
            self.launches.append((symbol, grid, block, arguments, shared_mem, stream))

        return launch

    def zeros(self, size: int, dtype: type) -> Array:
        return Array(np.zeros(size, dtype))


class Array:
    """Device memory, on the host."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.values = values

    def set(self, values: np.ndarray[Any, Any]) -> None:
        assert values.dtype == self.values.dtype
        self.values[:] = values


@pytest.fixture(scope="module")
def builder() -> Builder:
    return Builder(find(), "sm_90", None)


@pytest.fixture
def first(tmp_path: Path) -> tuple[LoadedPattern, Case]:
    path = tmp_path / "suite.yaml"
    path.write_text(suite_text(), encoding="utf-8")
    suite = load(path)
    return load_pattern(suite.pattern_folders[suite.cases[0].pattern]), suite.cases[0]


def test_kernel_is_launched_as_the_suite_says_on_the_stream_that_nvbench_times(
    builder: Builder, first: tuple[LoadedPattern, Case]
) -> None:
    cupy, case = Cupy(), first[1]
    call, inputs = prepared(builder, *first)
    options = {}

    def execute(launch: Any, *, batched: bool) -> None:
        options["batched"] = batched
        launch("of this sample")

    benchmark(cupy, call, inputs, case.iterations)(SimpleNamespace(get_stream=lambda: "NVBench's", exec=execute))  # type: ignore[arg-type]
    [(symbol, grid, block, arguments, shared, stream)] = cupy.launches
    assert (symbol, grid, block, shared) == (call.kernel.symbol, (26,), (1024,), call.shared_bytes)
    assert stream == ("cupy's", "NVBench's")
    assert (options["batched"], cupy.synchronized) == (False, 1)
    assert arguments[call.arguments.index("iterations")] == np.int32(4096)


def test_buffers_hold_what_shflbench_verifies_with(builder: Builder, first: tuple[LoadedPattern, Case]) -> None:
    cupy = Cupy()
    call, inputs = prepared(builder, *first)
    launcher(cupy, call, inputs, 1)("stream")  # type: ignore[arg-type]
    given = dict(zip(call.arguments, cupy.launches[0][3], strict=True))
    [source], [target] = call.inputs, call.outputs
    assert np.array_equal(given[source.name].values.view(source.dtype), inputs[0].reshape(-1))
    assert np.array_equal(given[target.name].values, target.before().view(np.uint8))


def test_every_case_of_the_suite_is_launched_without_asking_for_more_shared_memory(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(suite_text(), encoding="utf-8")
    suite = load(path)
    uncompiled: Any = SimpleNamespace(build=lambda *_: SimpleNamespace(later=()))
    patterns = {name: load_pattern(folder) for name, folder in suite.pattern_folders.items()}
    calls = [prepared(uncompiled, patterns[case.pattern], case)[0] for case in suite.cases]
    assert {(call.carveout, call.shared_bytes <= UNASKED) for call in calls} == {(None, True)}


def test_every_case_is_registered_by_its_name_and_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    uncompiled = SimpleNamespace(build=lambda *_: SimpleNamespace(later=()))
    path = tmp_path / "suite.yaml"
    path.write_text(suite_text(), encoding="utf-8")
    cupy, names, words = Cupy(), list[str](), list[str]()
    cupy.cuda.Device = lambda gpu: SimpleNamespace(compute_capability=f"9{gpu}")
    nvbench = SimpleNamespace(
        register=lambda timed: SimpleNamespace(set_name=names.append) if callable(timed) else None,
        run_all_benchmarks=words.extend,
    )
    monkeypatch.setattr(nvbench_agreement_timer, "import_module", {"cuda.bench": nvbench, "cupy": cupy}.get)
    monkeypatch.setattr(nvbench_agreement_timer, "Builder", lambda _, arch, __: uncompiled if arch == "sm_90" else None)
    monkeypatch.setattr(sys, "argv", ["timer", str(path), "out.json"])
    nvbench_agreement_timer.main()
    assert names == [case.id for case in load(path).cases]
    assert words == ["nvbench", "--devices", "0", "--json", "out.json"]
