"""A machine with a scripted GPU and emulator: the real command line, with real worker processes, of which some crash.

    FAKE_MACHINE='{"faults": [{"where": "neighbor/shfl", "step": "time", "number": 4, "kind": "illegal address"}]}' \\
        python -m tests.fakes.machine run demo.yaml

`tests/fakes/device.py` is what a worker process opens; it lists what can be scripted, and what can happen.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from shflbench.cli import main
from shflbench.cuda.backends import gpus
from shflbench.kernel_facts import stored_limits
from shflbench.kernel_facts.stored_code import KnownCodes
from shflbench.measure import executor, process, supervisor
from shflbench.session import windows
from shflbench.session.fleet import conclusions
from shflbench.session.fleet.conclusion import read_codes
from shflbench.store import Run, surroundings
from shflbench.store.kernel_archive import KernelArchive
from tests.fakes.backend import H200, listed
from tests.fakes.device import CODES_READ, Plan, uuid_of


def _read_codes(log: Path, archives: Sequence[KernelArchive]) -> KnownCodes:
    known = read_codes(archives)
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{CODES_READ}\n" if known else "")
    return known


def _write_limits_of_members(
    write: Callable[..., str],
    run: Run,
    folders: Mapping[str, Path],
    baselines: Path,
    known_codes: KnownCodes | None = None,
    cache_folder: Path | None = None,
) -> str:
    """Write the limits where the machine code is known, as it is for the members of a fleet."""
    return "" if known_codes is None else write(run, folders, baselines, known_codes, cache_folder)


def install(plan: Plan, put: Callable[[object, str, object], None] = setattr) -> None:
    """Let the command line in this process use the scripted GPU and emulator."""
    put(os, "cpu_count", lambda: 2)  # workers of the emulator, on any machine
    put(executor, "EMULATOR", "tests.fakes.device:open_emulator")
    indexes = range(plan.first_gpu, plan.first_gpu + plan.gpus)
    put(gpus, "find", lambda: [replace(listed(H200), index=index, uuid=uuid_of(index)) for index in indexes])
    put(process, "GPU_OPENER", "tests.fakes.device:open_backend")
    constants: Sequence[tuple[object, str, float | None]] = (
        (windows, "CASES", plan.cases_per_window),
        (conclusions, "MOST_IN_ONE_PROCESS", plan.most_in_one_process),
        (supervisor, "START_SECONDS", plan.start_seconds),
    )
    for module, constant, value in constants:
        if value is not None:
            put(module, constant, value)
    # Scripted times know nothing of the limits of an H200: a run on one GPU stores none, and the members of a fleet
    # store theirs without a warning.
    put(stored_limits, "write_limits_of", partial(_write_limits_of_members, stored_limits.write_limits_of))
    put(stored_limits, "exceeded_sentence", lambda _: "")
    if plan.host:
        described = replace(surroundings.host(), name=plan.host)
        put(surroundings, "host", lambda: described)
    put(conclusions, "read_codes", partial(_read_codes, Path(plan.log)))
    if plan.return_seconds is not None:
        from shflbench.session.fleet import devices  # imports Dask, which most tests do without

        put(devices, "RETURN_SECONDS", plan.return_seconds)


if __name__ == "__main__":
    install(Plan.read())
    main.entry()
