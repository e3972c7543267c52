"""Keep the input that shows a failure: its arguments, what is expected, and a task that repeats it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

import numpy as np

from shflbench.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.user_kernels.judge.expectation import ExpectedResults
    from shflbench.user_kernels.judge.request import JudgeLaunch, JudgeRequest

SOURCE = "candidate.cu"  # of a candidate that was given as a text
TASK = '''"""The inputs by which `{candidate}` failed: {names}."""

from itertools import cycle
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np

here = Path(__file__).parent
grid, block, shared_bytes, cluster = {grid}, {block}, {shared_bytes}, {cluster}
outputs, any_order, prefilled, workspace = {outputs}, {any_order}, {prefilled}, {workspace}
rtol, vary = {rtol}, False
cases = [
{cases}
]
turns = cycle(cases)


def inputs(random):
    """Return the inputs in turn."""
    return next(turns)


def reference(*arguments):
    """Return what the reference computed for an input."""
    number = next(number for number, case in enumerate(cases) if is_equal(case, arguments))
    return [np.load(here / f"expected-{{number}}-{{place}}.npy") for place in outputs]


def is_equal(case, arguments):
    """Whether arguments are those of a case, but for the results."""
    return all(
        place in outputs or np.asarray(one).tobytes() == np.asarray(other).tobytes()
        for place, (one, other) in enumerate(zip(case, arguments))
    )
'''


@dataclass(frozen=True, slots=True)
class ShownFailure:
    """The inputs that show the failure of a candidate, launched one after the other."""

    candidate: str
    launch: JudgeLaunch
    cases: Sequence[ExpectedResults]


def require_folder(folder: Path) -> None:
    """Make the folder for failures before the work; InputError if it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}", "Give another folder.") from error


def keep_failure(failure: ShownFailure, request: JudgeRequest) -> str:
    """Write the inputs of a failure into a new folder, and return the command that repeats it.

    InputError if the folder cannot be written.
    """
    place = (request.failures or Path()) / failure.candidate
    source = request.kernel(failure.candidate).source
    try:
        place.mkdir(parents=True, exist_ok=True)
        for number, case in enumerate(failure.cases):
            for position, value in enumerate(case.input.arguments):
                if isinstance(value, np.ndarray):
                    np.save(place / f"argument-{number}-{position}.npy", value)
            for position, array in case.results.items():
                np.save(place / f"expected-{number}-{position}.npy", array)
        (place / "task.py").write_text(_task(failure, request), encoding="utf-8")
        if not isinstance(source, Path):
            (place / SOURCE).write_text(source, encoding="utf-8", errors="surrogateescape")
            source = place / SOURCE
    except OSError as error:
        raise InputError(f"{place} cannot be written: {error.strerror}", "Give another folder.") from error
    return shlex.join(
        ["shflbench", "judge", str(source), "--reference", str(place / "task.py"), *_options(failure, request)]
    )


def _options(failure: ShownFailure, request: JudgeRequest) -> Iterator[str]:
    """Yield the options of the command line that the verdict depends on."""
    options = request.compile
    for folder in options.include:
        yield from ("-I", str(folder))
    for macro in (*options.define, *request.kernel(failure.candidate).define):
        yield from ("-D", macro)
    if options.fast_math:
        yield "--use-fast-math"
    if request.timing.arch:
        yield from ("--arch", request.timing.arch)
    if request.timing.l2 == "cold":
        yield from ("--l2", "cold")


def _task(failure: ShownFailure, request: JudgeRequest) -> str:
    launch = failure.launch
    return TASK.format(
        candidate=failure.candidate,
        names="; ".join(case.input.name for case in failure.cases),
        grid=launch.grid,
        block=launch.block,
        shared_bytes=launch.shared_bytes,
        cluster=launch.cluster,
        outputs=tuple(failure.cases[0].results),
        any_order=request.rules.unordered,
        prefilled=request.rules.contents.prefilled,
        workspace=request.rules.contents.workspace,
        rtol=request.rules.tolerance,
        cases="\n".join(f"    ({_arguments(number, case)},)," for number, case in enumerate(failure.cases)),
    )


def _arguments(number: int, case: ExpectedResults) -> str:
    return ", ".join(_argument(number, place, value) for place, value in enumerate(case.input.arguments))


def _argument(number: int, place: int, value: object) -> str:
    """Return an argument as Python text."""
    if isinstance(value, np.ndarray):
        return f'np.load(here / "argument-{number}-{place}.npy")'
    if isinstance(value, np.generic):
        return f"np.{value.dtype.name}({_number(value.item())})"
    return _number(value)


def _number(value: object) -> str:
    is_special = isinstance(value, float) and not np.isfinite(value)
    return f'float("{value}")' if is_special else repr(value)
