"""Run a command as a process: its time is limited, and it ends with all that it has started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from shflbench.core.ceiling import VARIABLE
from shflbench.core.processes import bound_to_parent
from shflbench.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from anyio.abc import ByteReceiveStream, Process

    Report = Callable[[float, str], Awaitable[None]]

GRACE_S = 3.0  # from the request to end, at which a command ends its processes, until it is killed
STEP_S = 1.0  # between two reports on how far a call is
MOST_OUTPUT = 64 << 20  # bytes of a result; that of the largest suite with its machine code is a fifth
MOST_ASIDE = 1 << 16  # bytes of stderr that are kept, the last ones


@dataclass(slots=True)
class CommandEnd:
    """The exit code of a command, and all that it printed."""

    code: int = 0
    out: bytearray = field(default_factory=bytearray)
    aside: bytearray = field(default_factory=bytearray)  # stderr

    @property
    def lines(self) -> list[str]:
        """The lines on stderr."""
        return self.aside.decode(errors="replace").splitlines()


async def run_command(words: Sequence[str], folder: Path, limit_s: float, report: Report) -> CommandEnd:
    """Run `shflbench` with `words` in a folder, report each second, and return what it printed.

    TimeoutError after `limit_s`; OSError if it cannot be started; ResultsError if it prints too much.
    """
    command = bound_to_parent([sys.executable, "-P", "-m", "shflbench", *words])
    # Nothing in the folder is imported in place of a module.
    environment = {**os.environ, "PYTHONSAFEPATH": "1", "PYTHONUTF8": "1", VARIABLE: str(folder)}
    environment["PYTHONPATH"] = os.pathsep.join(_import_path(folder))
    process = await anyio.open_process(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, start_new_session=True
    )
    try:
        with anyio.fail_after(limit_s):
            return await _watched(process, report)
    finally:
        await _end(process)


def _import_path(folder: Path) -> Iterator[str]:
    """Yield the folders of PYTHONPATH, without the one in which a command runs, or any below it."""
    for entry in filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)):
        path = Path(os.path.realpath(entry))
        if not path.is_relative_to(os.path.realpath(folder)):
            yield str(path)


async def _watched(process: Process, report: Report) -> CommandEnd:
    end = CommandEnd()
    if process.stdout is None or process.stderr is None:
        raise OSError("a process has no pipes")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_report_steps, report, end)
        async with anyio.create_task_group() as readers:
            readers.start_soon(_read_result, process.stdout, end.out)
            readers.start_soon(_read_aside, process.stderr, end.aside)
        end.code = await process.wait()
        tasks.cancel_scope.cancel()
    if len(end.out) > MOST_OUTPUT:
        raise ResultsError(f"the result has more than {MOST_OUTPUT:,} bytes", "Ask for fewer kernels.")
    return end


async def _read_result(stream: ByteReceiveStream, kept: bytearray) -> None:
    async for part in stream:
        if len(kept) <= MOST_OUTPUT:
            kept += part


async def _read_aside(stream: ByteReceiveStream, kept: bytearray) -> None:
    async for part in stream:
        kept += part
        del kept[:-MOST_ASIDE]


async def _report_steps(report: Report, end: CommandEnd) -> None:
    """Report the seconds since the start, and the last line of stderr."""
    start = time.monotonic()
    while True:
        await report(round(time.monotonic() - start, 1), next(iter(end.lines[-1:]), ""))
        await anyio.sleep(STEP_S)


async def _end(process: Process) -> None:
    """End a process and those of its group; first by a signal at which it ends those that are not."""
    with anyio.CancelScope(shield=True):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        with anyio.move_on_after(GRACE_S):
            await process.wait()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.aclose()
