"""Warp shuffle or shared memory? Benchmark both on your GPU, for your communication pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core import arguments as kinds
from shflbench.core.arguments import check_arguments
from shflbench.core.bounds import BUDGET, SHORT_BUDGET, TIME_LIMIT_S
from shflbench.version import __version__

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    import pandas as pd

    from shflbench.advice.api import AdviceResult
    from shflbench.checker.python.named_launch import Extent, LaunchLike
    from shflbench.checker.python.prepared import Arguments
    from shflbench.checker.python.results import CheckResult
    from shflbench.checker.python.triton_kernels import Grid
    from shflbench.kernel_facts.inspection import InspectResult
    from shflbench.user_kernels.bench.request import PerKernel
    from shflbench.user_kernels.bench.result import BenchResult
    from shflbench.user_kernels.judge.request import MakeInputs, PerCandidate
    from shflbench.user_kernels.judge.result import JudgeResult
    from shflbench.user_kernels.judge.sizes import SizeRange

__all__ = ["__version__", "advise", "bench", "check", "inspect", "judge", "load", "load_samples", "split_options"]


@check_arguments(
    pattern=kinds.TEXT,
    results=kinds.PATH,
    dtype=kinds.TEXT,
    block=kinds.THREADS,
    launch=kinds.TEXT,
    options=kinds.OPTIONS,
    gpu=kinds.TEXT,
    arch=kinds.ARCH,
)
def advise(  # noqa: PLR0913  (a keyword per fact about the kernel and the GPU)
    pattern: str,
    *results: str | os.PathLike[str],
    dtype: str | None = None,
    block: int | None = None,
    launch: str | None = None,
    options: Mapping[str, object] | None = None,
    gpu: str | None = None,
    arch: str | None = None,
) -> AdviceResult:
    """Say which variant to use for a pattern, by what factor, and when another wins.

    `pattern` is the name of a pattern, `results` are run folders, or folders that hold runs, by default ./results.
    `dtype`, `block` (threads), `launch` (such as "264x256") and `options` of the pattern describe your kernel: the
    measured setting that is nearest to it is used. `gpu` chooses runs on GPUs whose name contains this text, `arch`
    those on an architecture such as "sm_90". Without results for `arch`, variants are ranked by their limits or
    predicted times, which needs a compiler and no GPU.

    The result has `variants`, `measured`, `predicted`, `records`, `notes` and `text()`. Raise
    shflbench.errors.UsageError for a pattern, a setting or an architecture that is not known,
    shflbench.errors.ResultsError for results without two variants of the pattern, and shflbench.errors.CompilerError
    where a prediction needs a compiler and there is none.
    """
    from dataclasses import replace  # noqa: PLC0415  (`import shflbench` imports nothing else)
    from pathlib import Path  # noqa: PLC0415

    from shflbench.advice import advice_request, api  # noqa: PLC0415
    from shflbench.core.reporter import QuietReporter  # noqa: PLC0415

    reporter = QuietReporter()
    chosen = {name: str(value) for name, value in (options or {}).items()}
    request = advice_request.make_request(pattern, dtype, block, launch, chosen)
    result = api.advise(request, tuple(map(Path, results)), gpu, arch, reporter)
    return replace(result, notes=tuple(reporter.warnings))


@check_arguments(
    shared_bytes=kinds.per_kernel(kinds.SHARED_BYTES),
    check=kinds.FLAG,
    rtol=kinds.TOLERANCE,
    any_order=kinds.NAMES_OR_POSITIONS,
    l2=kinds.one_of("warm", "cold"),
    device=kinds.one_of("auto", "cuda", "emulator"),
    gpu=kinds.DEVICE_INDEX,
    arch=kinds.ARCH,
    precision=kinds.PRECISION,
    max_seconds=kinds.SECONDS,
    processes=kinds.PROCESSES,
    include=kinds.PATHS,
    define=kinds.TEXTS,
    output=kinds.PATH,
    seed=kinds.SEED,
    budget=kinds.NUMBER,
    time_limit=kinds.NUMBER,
)
def bench(  # noqa: PLR0913  (a keyword per fact about the launches and the measurement)
    kernels: Mapping[str, object],
    *arguments: object,
    grid: PerKernel[Extent] = None,
    block: PerKernel[Extent] = None,
    shared_bytes: PerKernel[int] = None,
    cluster: PerKernel[Extent] = None,
    check: bool = True,
    rtol: float | None = None,
    any_order: Iterable[str | int] = (),
    l2: str = "warm",
    device: str = "auto",
    gpu: int = 0,
    arch: str | None = None,
    precision: float | None = None,
    max_seconds: float | None = None,
    processes: int | None = None,
    include: Iterable[str | os.PathLike[str]] = (),
    define: Iterable[str] = (),
    output: str | os.PathLike[str] | None = None,
    seed: int = 0,
    budget: float = SHORT_BUDGET,
    time_limit: float = TIME_LIMIT_S,
) -> BenchResult:
    """Check kernels for races, compare what they compute, time them in turn, and return a table.

    `kernels` are CUDA C++ as text, the paths of .cu files, pairs of either and the name of a kernel, or RawKernels of
    CuPy, by name; the first one is the baseline, and its results are the reference. `arguments` are those of each
    launch: arrays (NumPy, PyTorch, CuPy, Numba, or of the DLPack protocol), which are copied and stay as they are,
    numbers and None. `grid`, `block`, `shared_bytes` (dynamic, per block) and `cluster` (its blocks) are the same for
    all kernels, or a mapping by name. Without arguments, grid, block and cluster, they are those of the host code in
    the source. `check=False` skips the check, which ends after `budget` million instructions per kernel in the emulator
    or after `time_limit` seconds. `rtol` is the allowed error of floating-point results as a share of their magnitude.
    `any_order` has names or positions of outputs whose elements may have any order. `l2` is "warm" or "cold". `device`
    is "cuda", "emulator" or "auto": a GPU (index `gpu`) if there is one, else the emulator, which times nothing; `arch`
    emulates that architecture. `precision` is the width of the interval of each median as a share of it at which timing
    ends, `max_seconds` the longest time per kernel. `include` and `define` are those of the compiler. `output` keeps
    the run in a folder, which `shflbench show`, `limits` and `compare` read.

    The result has `table` (pandas, times in µs), `rows`, `left_out`, `is_timed`, `agree`, `sentences`, `folder` and
    `text()`. docs/how-to/bench-from-python.md shows examples. Raise shflbench.errors.UsageError where arguments do not
    fit a kernel, shflbench.errors.CompileError where a source does not compile, and shflbench.errors.DeviceError where
    a GPU is asked for and there is none.
    """
    from pathlib import Path  # noqa: PLC0415  (`import shflbench` imports nothing else)

    from shflbench.cuda_sources import CompileOptions  # noqa: PLC0415
    from shflbench.user_kernels.bench import api, request  # noqa: PLC0415

    rules = request.MeasureRules().changed(precision, max_seconds, processes)
    return api.bench(
        request.BenchRequest(
            kernels=kernels,
            arguments=arguments,
            launch=request.LaunchArguments(grid=grid, block=block, shared_bytes=shared_bytes, cluster=cluster),
            check=request.CheckArguments(check=check, budget=budget, time_limit=time_limit),
            settings=request.BenchSettings(rules, request.Equality(tolerance=rtol, unordered=tuple(any_order)), l2=l2),
            device=request.DeviceArguments(device=device, gpu=gpu, arch=arch),
            compile=CompileOptions(include=tuple(map(Path, include)), define=tuple(define)),
            output=None if output is None else Path(output),
            seed=seed,
        )
    )


@check_arguments(
    kernel=kinds.TEXT,
    args=kinds.ARGUMENTS,
    shared_bytes=kinds.SHARED_BYTES,
    arch=kinds.ARCH,
    include=kinds.PATHS,
    define=kinds.TEXTS,
    options=kinds.OPTIONS,
    seed=kinds.SEED,
    budget=kinds.NUMBER,
    time_limit=kinds.NUMBER,
)
def check(  # noqa: PLR0913  (a keyword per fact about a launch)
    source: object,
    kernel: str | None = None,
    launch: LaunchLike | None = None,
    args: Arguments = None,
    *,
    grid: Grid | None = None,
    cluster: Extent | None = None,
    shared_bytes: int | None = None,
    arch: str | None = None,
    include: Iterable[str | os.PathLike[str]] = (),
    define: Iterable[str] = (),
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    budget: float = BUDGET,
    time_limit: float = TIME_LIMIT_S,
) -> CheckResult:
    """Check a kernel for races, misused barriers and memory faults, without a GPU, and return what was found.

    `source` is PTX or CUDA C++ as text, the path of a .ptx or .cu file, a CompiledKernel or `@triton.jit` function of
    Triton, or a `@cuda.jit` function of Numba. `kernel` names one of several kernels. `launch` is (grid, block), each a
    number or up to three, or a text such as "4x256" or "8x8:16x16"; a kernel of Triton has `grid` instead. `cluster`
    are the blocks of a cluster, such as 2 or (2, 2). `args` is a list of arrays (NumPy, PyTorch, CuPy, Numba), numbers
    and None, or a mapping by name. What is not given is chosen, where the signature of the kernel allows it.
    `shared_bytes` is the dynamic shared memory per block. `arch`, `include` and `define` are those of the compiler,
    `options` those of Triton, such as {"num_warps": 8}. `seed` decides chosen contents and random schedules.
    The check ends after `budget` million instructions of the emulator, in the same place on every machine, or after
    `time_limit` seconds with compiling.

    The result has `verdict`, `sentence`, `findings`, `outputs` (the arrays after the launch, by the positions or names
    in `args`), `chosen`, `explored`, `notes` and `text()`. What cannot be decided is a verdict, such as "not checked".
    docs/how-to/check-a-kernel-from-python.md shows examples. Raise shflbench.errors.UsageError where arguments do not
    fit the kernel, shflbench.errors.InputError where a file cannot be read, and shflbench.errors.CompilerError where
    there is no compiler.
    """
    from pathlib import Path  # noqa: PLC0415  (`import shflbench` imports nothing else)

    from shflbench.checker.python import api  # noqa: PLC0415
    from shflbench.cuda_sources import CompileOptions  # noqa: PLC0415

    request = api.CheckRequest(
        kernel,
        launch,
        args,
        grid,
        arch,
        shared_bytes,
        CompileOptions(include=tuple(map(Path, include)), define=tuple(define)),
        options or {},
        seed,
        cluster,
        budget,
        time_limit,
    )
    return api.check(source, request)


@check_arguments(
    targets=kinds.PATH,
    patterns=kinds.TEXTS,
    variants=kinds.TEXTS,
    dtypes=kinds.TEXTS,
    arch=kinds.ARCHS,
    resident=kinds.RESIDENT,
    accesses=kinds.FLAG,
    predict=kinds.FLAG,
    calibration=kinds.PATH,
    code=kinds.FLAG,
)
def inspect(  # noqa: PLR0913  (a keyword per option of the command)
    *targets: str | os.PathLike[str],
    patterns: Iterable[str] = (),
    variants: Iterable[str] = (),
    dtypes: Iterable[str] = (),
    arch: str | Iterable[str] | None = None,
    resident: tuple[int, int] = (1, 1024),
    accesses: bool = False,
    predict: bool = False,
    calibration: str | os.PathLike[str] | None = None,
    code: bool = False,
) -> InspectResult:
    """Return what the loop of each kernel executes, and the least time that the hardware allows. Needs no GPU.

    `targets` are names of suites and patterns, suite files and folders of patterns, or the folder of one run.
    `patterns`, `variants` and `dtypes` choose kernels. `arch` is one architecture or several, by default "sm_90".
    `resident` are the blocks that each SM executes at a time, and the threads per block. `accesses` runs each kernel in
    the emulator, to find bank conflicts and uncoalesced accesses. `predict` predicts the cycles as well, for sm_90
    only. `calibration` is a file of `shflbench calibrate`, for a ceiling beside the limit. `code` keeps the machine
    code, and `records` then have the instructions of the timed loops.

    The result has `kernels`, `records`, `table` (pandas) and `notes`. Raise shflbench.errors.PatternError for an
    unknown target, shflbench.errors.UsageError where arguments do not fit the targets, and
    shflbench.errors.CompilerError where there is no compiler.
    """
    from dataclasses import replace  # noqa: PLC0415  (`import shflbench` imports nothing else)
    from pathlib import Path  # noqa: PLC0415

    from shflbench.core.default_arch import DEFAULT_ARCH  # noqa: PLC0415
    from shflbench.core.reporter import QuietReporter  # noqa: PLC0415
    from shflbench.kernel_facts.inspection import Inspection, InspectRequest  # noqa: PLC0415
    from shflbench.kernel_facts.residency import ResidentBlocks  # noqa: PLC0415
    from shflbench.store import calibration_file  # noqa: PLC0415

    request = InspectRequest(
        targets=tuple(map(str, targets)),
        archs=(arch,) if isinstance(arch, str) else tuple(arch or (DEFAULT_ARCH,)),
        resident=ResidentBlocks(*resident),
        is_arch_given=arch is not None,
        patterns=tuple(patterns),
        variants=tuple(variants),
        dtypes=tuple(dtypes),
        accesses=accesses,
        predict=predict,
        calibration=calibration_file.read(Path(calibration)) if calibration else None,
        with_code=code,
    )
    reporter = QuietReporter()
    return replace(Inspection(request, reporter).result(), notes=tuple(reporter.warnings))


@check_arguments(
    rtol=kinds.TOLERANCE,
    outputs=kinds.POSITIONS,
    any_order=kinds.POSITIONS,
    prefilled=kinds.POSITIONS,
    workspace=kinds.POSITIONS,
    vary=kinds.FLAG,
    special=kinds.FLAG,
    stop_early=kinds.FLAG,
    l2=kinds.one_of("warm", "cold"),
    device=kinds.one_of("auto", "cuda", "emulator"),
    gpu=kinds.DEVICE_INDEX,
    arch=kinds.ARCH,
    precision=kinds.PRECISION,
    max_seconds=kinds.SECONDS,
    processes=kinds.PROCESSES,
    include=kinds.PATHS,
    define=kinds.TEXTS,
    use_fast_math=kinds.FLAG,
    seed=kinds.SEED,
    budget=kinds.NUMBER,
    time_limit=kinds.NUMBER,
    failures=kinds.PATH,
)
def judge(  # noqa: PLR0913  (a keyword per fact about the launches and the measurement)
    candidates: object,
    reference: object,
    inputs: Sequence[object] | MakeInputs,
    *,
    sizes: Mapping[str, SizeRange] | None = None,
    outputs: Iterable[int] = (),
    grid: PerCandidate[Extent] = None,
    block: PerCandidate[Extent] = None,
    shared_bytes: PerCandidate[int] = None,
    cluster: PerCandidate[Extent] = None,
    rtol: float | None = None,
    any_order: Iterable[int] = (),
    prefilled: Iterable[int] = (),
    workspace: Iterable[int] = (),
    vary: bool = True,
    special: bool = False,
    stop_early: bool = False,
    l2: str = "warm",
    device: str = "auto",
    gpu: int = 0,
    arch: str | None = None,
    precision: float | None = None,
    max_seconds: float | None = None,
    processes: int | None = None,
    include: Iterable[str | os.PathLike[str]] = (),
    define: Iterable[str] = (),
    use_fast_math: bool = False,
    seed: int = 0,
    budget: float = BUDGET,
    time_limit: float = TIME_LIMIT_S,
    failures: str | os.PathLike[str] | None = None,
) -> JudgeResult:
    """Return one verdict per candidate: whether it compiles, is safe, right, honest, and faster than the reference.

    `candidates` is a kernel, or several by name, each as `bench` takes it. `reference` is a kernel as well, or a
    function of the arguments that returns the results or changes them in place, of NumPy or PyTorch, run in a process
    of its own. `inputs` are the arguments of a launch, or a function of a NumPy generator and of the sizes by name that
    returns them. `sizes` gives the least and the greatest of each size as a tuple, or all as a list: results are
    compared at sizes around one, a warp and the blocks, and at the last of these for equal, ordered and extreme
    contents within the range of the given ones unless `vary=False`, with `special` also for infinities and NaN. The
    greatest are timed.
    `grid`, `block`, `shared_bytes` and `cluster` are values or functions of the sizes, the same for all kernels or by
    name, that of the reference being "reference". `outputs` are the positions of the results, by default the arguments
    that the reference changes, or the last ones if it returns them; `any_order` those whose elements may have any
    order, `prefilled` those that are as `inputs` gives them before each launch, such as counters, while others hold
    anything, and `workspace` those whose contents do not matter after it either. `rtol` is the allowed error of
    floating-point results as a share of their magnitude, by default 1e-4 for f32, 1e-10 for f64 and 0.02 for f16.
    `stop_early` ends each candidate at the first reason against it. `budget` (million instructions of the emulator) and
    `time_limit` (seconds) are those of each candidate. `failures` is a folder that keeps, for each candidate, the input
    that shows its failure, and a task that repeats it. `use_fast_math` compiles all kernels with approximate functions.
    The others are as for `bench`.

    The result has `verdicts` (with `decision`, `reasons`, `seconds`, `time_us` and `speedup`), `decision`, `inputs`,
    `notes` and `text()`. Without a GPU nothing is timed. docs/how-to/judge-kernels.md shows examples. Raise
    shflbench.errors.UsageError where the reference does not run or arguments do not fit it, and
    shflbench.errors.DeviceError where a GPU is asked for and there is none.
    """
    from pathlib import Path  # noqa: PLC0415  (`import shflbench` imports nothing else)

    from shflbench.core.model import MeasureRules  # noqa: PLC0415
    from shflbench.cuda_sources import CompileOptions  # noqa: PLC0415
    from shflbench.user_kernels.judge import api, expectation, request  # noqa: PLC0415

    return api.judge(
        request.JudgeRequest(
            candidates=request.named_candidates(candidates),
            reference=reference,
            inputs=inputs,
            sizes=sizes or {},
            outputs=tuple(outputs),
            launches=request.JudgeLaunches(grid=grid, block=block, shared_bytes=shared_bytes, cluster=cluster),
            rules=request.JudgeRules(
                tolerance=rtol,
                unordered=tuple(any_order),
                contents=expectation.StartContents(prefilled=tuple(prefilled), workspace=tuple(workspace)),
                vary=vary,
                special=special,
                stop_early=stop_early,
                budget=budget,
                time_limit=time_limit,
                seed=seed,
            ),
            timing=request.JudgeTiming(
                device=device,
                gpu=gpu,
                arch=arch,
                l2=l2,
                rules=MeasureRules().changed(precision, max_seconds, processes),
            ),
            compile=CompileOptions(include=tuple(map(Path, include)), define=tuple(define), fast_math=use_fast_math),
            failures=None if failures is None else Path(failures),
        )
    )


@check_arguments(results=kinds.PATH)
def load(*results: str | os.PathLike[str]) -> pd.DataFrame:
    """Return the cases of runs as a pandas table, one row per case.

    `results` are run folders, or folders that hold several. The columns are `run` (the folder), `suite`, `device`,
    those of results.csv, and those of limits.csv where a run has it; docs/reference/columns.md explains each. Units are
    in the names. An unknown value is missing (NaN, NA or None), never 0. `sass_per_iteration` and `noise` hold
    dictionaries, `processes`, `throttle` and `verified_iterations` tuples. `reason` says why a case was not timed,
    `limit_reason` why it has no limit. Raise shflbench.errors.ResultsError where a folder holds no run or a file is
    damaged.
    """
    from pathlib import Path  # noqa: PLC0415  (`import shflbench` imports nothing else)

    from shflbench.store.frame import frame  # noqa: PLC0415

    return frame(map(Path, results))


@check_arguments(results=kinds.PATH, sentinels=kinds.FLAG)
def load_samples(*results: str | os.PathLike[str], sentinels: bool = False) -> pd.DataFrame:
    """Return the samples of runs as a pandas table, one row per sample.

    `results` are those of `shflbench.load`, with which the table shares `run`, `suite`, `device`, `case_id`, `pattern`,
    `variant`, `dtype`, `launch` and `options`; the other columns are those of samples.csv.gz, which
    docs/reference/columns.md explains. `time_us` is the time of one launch, and `iterations` those of the sample:
    cases with a timed loop are also sampled at smaller numbers. Samples that were `dropped` are included. Those of
    `sentinels` are included only if asked for; they have no pattern, variant, dtype, launch and options. Raise
    shflbench.errors.ResultsError where a folder holds no run or a file is missing or damaged.
    """
    from pathlib import Path  # noqa: PLC0415  (`import shflbench` imports nothing else)

    from shflbench.store.frame import sample_frame  # noqa: PLC0415

    return sample_frame(map(Path, results), sentinels=sentinels)


@check_arguments(cases=kinds.CASES)
def split_options(cases: pd.DataFrame) -> pd.DataFrame:
    """Return a table of `load` or `load_samples` with a column for each option, named `option_` and the option's name.

    `cases` may be a part of such a table: there are columns for the options of its rows only, in the order in which
    they first appear. A column is `Int64` if all of its values are integers, `Float64` if all are numbers, and text
    else. It is missing in the rows of patterns that have no such option. `options` stays, and `cases` is not changed.
    """
    from shflbench.store.frame import split  # noqa: PLC0415  (`import shflbench` imports nothing else)

    return split(cases)
