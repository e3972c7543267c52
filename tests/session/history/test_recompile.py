"""Old sources are compiled with NVRTC itself."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from shflbench.cuda.compile import toolchain as toolchains
from shflbench.cuda.compile.cubin import kernel_code
from shflbench.cuda.compile.nvrtc import OPTIONS, compile_kernel
from shflbench.cuda.compile.source import Source
from shflbench.errors import CompilerError
from shflbench.session.history.condense import code_of, compiler_of
from shflbench.session.history.recompile import recompile
from shflbench.store.history import run_file
from shflbench.store.history.folder import add_sources
from shflbench.store.history.record import HistoryCase, HistoryKernel, HistoryRun
from shflbench.store.history.source_file import HistorySource, digest
from tests.fakes.histories import history_run, machine

TOOLCHAIN = toolchains.find()
ADD_ONE = '#include "step.cuh"\ntemplate <class T> __global__ void k(T* x) { x[threadIdx.x] += STEP; }\n'
SAME_CODE = f"// another comment\n{ADD_ONE}"
WRONG = "template <class T> __global__ void k(T* x) { x[threadIdx.x] += ; }\n"
NOW = machine(
    compiler=compiler_of(TOOLCHAIN.version, TOOLCHAIN.build),
    options=" ".join(OPTIONS),
    cccl=TOOLCHAIN.cccl_version or "",
)
BEFORE = replace(NOW, compiler="12.0")


def unit(text: str, step: int = 1) -> HistorySource:
    return HistorySource(
        unit="demo/kernels.cu",
        text=text,
        headers={"step.cuh": "#define STEP (1 * FACTOR)\n"},
        options=(f"-DFACTOR={step}",),
    )


def code(source: HistorySource) -> str:
    """Return the hash of the machine code that this compiler makes of a unit."""
    made = compile_kernel(
        Source(source.unit, source.text, source.headers, "k<int>", options=source.options), "sm_90", TOOLCHAIN
    )
    return code_of((sha256(kernel_code(made.cubin)[made.symbol]).hexdigest(),))


def run_of(source: HistorySource, machine_code: str, around: object = NOW, day: int = 1) -> HistoryRun:
    """Return a run with one case."""
    name = digest(source.encode())
    kernel = HistoryKernel(code=machine_code, source=f"{name} k", unit=name, expressions=("k<int>",))
    case = HistoryCase(case="demo/k", status="timed", time_us=10.0, error=0.001, processes=1, kernel=kernel)
    return replace(history_run(day, {}), machine=around, cases=(case,))  # type: ignore[arg-type]


def recompiled(folder: Path, before: HistoryRun, now: HistoryRun, old: HistorySource, new: HistorySource) -> str:
    """Return what is recorded in the run, with the old source in the history."""
    add_sources(folder, {f"{digest(old.encode())}.json.gz": run_file.pack(old.encode())})
    (case,) = recompile(now, before, folder, {digest(new.encode()): new}).cases
    assert replace(case, kernel=replace(case.kernel, recompiled="", recompiled_of="")) == now.cases[0]
    assert case.kernel.recompiled_of == (before.cases[0].kernel.source if case.kernel.recompiled else "")
    return case.kernel.recompiled


def test_where_the_compiler_changed_the_code_the_old_source_gives_the_new_code(tmp_path: Path) -> None:
    old, new = unit(SAME_CODE), unit(ADD_ONE)
    before, now = run_of(old, "of another compiler", BEFORE), run_of(new, code(new))
    assert recompiled(tmp_path, before, now, old, new) == code(new)


def test_where_the_source_changed_the_code_the_old_source_gives_the_old_code(tmp_path: Path) -> None:
    old, new = unit(ADD_ONE), unit(ADD_ONE, step=2)
    assert code(old) != code(new)
    assert recompiled(tmp_path, run_of(old, code(old), BEFORE), run_of(new, code(new)), old, new) == code(old)


def test_nothing_is_recorded_where_the_new_code_is_not_reproduced(tmp_path: Path) -> None:
    old, new = unit(SAME_CODE), unit(ADD_ONE)
    before, now = run_of(old, "of another compiler", BEFORE), run_of(new, "with unknown options")
    assert recompiled(tmp_path, before, now, old, new) == ""


def test_nothing_is_recorded_where_the_old_source_does_not_compile(tmp_path: Path) -> None:
    old, new = unit(WRONG), unit(ADD_ONE)
    before, now = run_of(old, "of another compiler", BEFORE), run_of(new, code(new))
    assert recompiled(tmp_path, before, now, old, new) == ""


def test_nothing_is_recorded_where_the_old_source_is_missing(tmp_path: Path) -> None:
    old, new = unit(SAME_CODE), unit(ADD_ONE)
    now = run_of(new, code(new))
    assert recompile(now, run_of(old, "of another compiler", BEFORE), tmp_path, {digest(new.encode()): new}) == now


@pytest.mark.parametrize(
    "around", [replace(NOW, compiler="99.0"), replace(NOW, cccl="99.0"), replace(NOW, options="-G")]
)
def test_nothing_is_recorded_where_the_compiler_is_not_installed(around: object, tmp_path: Path) -> None:
    old, new = unit(SAME_CODE), unit(ADD_ONE)
    before, now = run_of(old, "of another compiler", BEFORE), run_of(new, code(new), around)
    assert recompiled(tmp_path, before, now, old, new) == ""


def test_nothing_is_recorded_where_there_is_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise CompilerError("the CUDA compiler is not installed", "")

    old, new = unit(SAME_CODE), unit(ADD_ONE)
    now = run_of(new, code(new))
    monkeypatch.setattr(toolchains, "find", none)
    assert recompiled(tmp_path, run_of(old, "of another compiler", BEFORE), now, old, new) == ""


@pytest.mark.parametrize("same", ["code", "source", "compiler"])
def test_nothing_is_compiled_unless_source_compiler_and_code_changed(
    same: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolchains, "find", lambda: pytest.fail("asked for the compiler"))
    new = unit(ADD_ONE)
    old = new if same == "source" else unit(SAME_CODE)
    before = run_of(old, "new" if same == "code" else "old", NOW if same == "compiler" else BEFORE)
    assert recompiled(tmp_path, before, run_of(new, "new"), old, new) == ""
