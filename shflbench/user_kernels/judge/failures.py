"""Keep the input that shows a failure: its arguments, what is expected, and a task that repeats it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import numpy as np

from shflbench.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from shflbench.user_kernels.judge.expectation import ExpectedResults
    from shflbench.user_kernels.judge.request import JudgeLaunch

TASK = '''"""One input for which `{candidate}` failed: {name}."""

from pathlib import Path

import numpy as np

here = Path(__file__).parent
grid, block, shared_bytes, cluster = {grid}, {block}, {shared_bytes}, {cluster}
outputs, vary = {outputs}, False
inputs = ({arguments},)


def reference(*_):
    """Return what the reference computed for this input."""
    return [np.load(here / f"expected-{{place}}.npy") for place in outputs]
'''


def keep_failure(
    folder: Path, candidate: str, path: Path | None, expected: ExpectedResults, launch: JudgeLaunch
) -> str:
    """Write the input of a failure into a new folder below, and return the command that repeats it.

    InputError if the folder cannot be written.
    """
    place = folder / candidate
    try:
        place.mkdir(parents=True, exist_ok=True)
        for number, value in enumerate(expected.input.arguments):
            if isinstance(value, np.ndarray):
                np.save(place / f"argument-{number}.npy", value)
        for number, array in expected.results.items():
            np.save(place / f"expected-{number}.npy", array)
        (place / "task.py").write_text(_task(candidate, expected, launch), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{place} cannot be written: {error.strerror}", "Give another folder.") from error
    return shlex.join(["shflbench", "judge", str(path or "CANDIDATE"), "--reference", str(place / "task.py")])


def _task(candidate: str, expected: ExpectedResults, launch: JudgeLaunch) -> str:
    return TASK.format(
        candidate=candidate,
        name=expected.input.name,
        grid=launch.grid,
        block=launch.block,
        shared_bytes=launch.shared_bytes,
        cluster=launch.cluster,
        outputs=tuple(expected.results),
        arguments=", ".join(_argument(place, value) for place, value in enumerate(expected.input.arguments)),
    )


def _argument(place: int, value: object) -> str:
    """Return an argument as Python text."""
    if isinstance(value, np.ndarray):
        return f'np.load(here / "argument-{place}.npy")'
    if isinstance(value, np.generic):
        return f"np.{value.dtype.name}({_number(value.item())})"
    return _number(value)


def _number(value: object) -> str:
    is_special = isinstance(value, float) and not np.isfinite(value)
    return f'float("{value}")' if is_special else repr(value)
