"""Scripted kernels for `run --against`, whose processes differ, and the baseline that they are compared with."""

from __future__ import annotations

from dataclasses import replace

from tests.cli.demo import NEIGHBOR, SCRIPTS, Plug, rows_of
from tests.conftest import Command
from tests.conftest import Outcome as Ended
from tests.fakes.backend import FakeBackend, Script

SHFL = NEIGHBOR[2]
INCONCLUSIVE = "1 case is inconclusive; measuring it in one more process\n"


def in_process(device: FakeBackend, number: int, scripts: dict[str, Script]) -> FakeBackend:
    """Let the kernels behave as these scripts say from process `number` on."""
    restart = device.restart

    def renewed() -> None:
        restart()
        if device.process == number:
            device._scripts = scripts  # noqa: SLF001

    device.restart = renewed  # type: ignore[method-assign]
    return device


def with_offsets(*offsets_us: float, **script: object) -> dict[str, Script]:
    """Return scripts by which the processes of a kernel of 70 µs differ; all further ones take what is usual."""
    offsets = (*offsets_us, *[0.0] * 40)
    return {**SCRIPTS, "neighbor/shfl": replace(SCRIPTS["shfl"], offsets_us=offsets, **script)}  # type: ignore[arg-type]


ONE_SLOW = with_offsets(0.0, 0.86)  # one of three: an outlier, or what this kernel takes every third time?


def save_main(run: Command, plug: Plug, shflbench: Command, processes: int) -> None:
    """Save a run of the scripted kernels, `base`, as the baseline `main`."""
    plug(FakeBackend(SCRIPTS))
    assert run("demo.yaml", "--processes", str(processes), "--output", "base").code == 0
    assert shflbench("baseline", "save", "main", "base").code == 0


def processes_of(outcome: Ended) -> list[tuple[int, ...]]:
    return [row.processes for row in rows_of(outcome).values()]
