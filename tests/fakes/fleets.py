"""Devices of a fleet: as records with known times, and as run folders that a fleet file ties.

records = [record(number) for number in range(5)] + [record(5, factor=1.03)]
folder = write_fleet(tmp_path, 5, {4: Simulated(factor=1.03)})     # the device 4 is 3% slower, sentinels too
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shflbench.analysis.fleet.record import CaseTime, CaseTimes, DeviceRecord
from shflbench.store.fleet_file import FleetFolder, FleetInfo, FleetMember
from tests.fakes.processes import Simulated, spread, write
from tests.fakes.runs import H200, info

CASES: Mapping[str, float] = {
    f"{pattern}/{variant}/f32/26x1024/4096": time_us
    for pattern, first_us in (("neighbor", 70.0), ("reduce", 300.0), ("scan", 20.0))
    for variant, time_us in (("smem", 4 * first_us), ("shfl", first_us), ("smem-double", 2 * first_us))
}
SENTINELS_US = {"sentinel/a": 12.7, "sentinel/b": 20.8, "sentinel/c": 30.2, "sentinel/long": 400.0}
NATURAL = 0.0003  # standard deviation between the times of sound devices
SIMULATED = spread(6, 40.0, 400.0)


def record(
    number: int,
    *,
    factor: float = 1.0,
    factors: Mapping[str, float] | None = None,
    sentinels: float | None = None,
    launch_us: float = 0.0,
    scatter: float = 1.0,
    missing: tuple[str, ...] = (),
    **more: Any,
) -> DeviceRecord:
    """Return a device; `factor` slows cases and, unless `sentinels` is given, sentinels, `factors` single patterns."""
    random = np.random.default_rng(number)
    cases = [
        (
            case_id,
            CaseTime(
                time_us
                * factor
                * (factors or {}).get(case_id.partition("/")[0], 1.0)
                * (1 + NATURAL * random.standard_normal())
                + launch_us,
                1e-4,
                0.01 * time_us * scatter,
                1,
            ),
        )
        for case_id, time_us in CASES.items()
        if case_id not in missing
    ]
    also = factor if sentinels is None else sentinels
    device = DeviceRecord(
        label=f"node:{number}",
        uuid=f"GPU-{number}",
        model="NVIDIA H200",
        times=CaseTimes.of(cases),
        sentinels_us={name: time_us * also + launch_us for name, time_us in SENTINELS_US.items()},
        sentinel_version="1",
        right=frozenset(case_id for case_id, _ in cases),
        temperature_c=50.0,
    )
    return replace(device, **more)


def write_fleet(root: Path, count: int, special: Mapping[int, Simulated] | None = None) -> Path:
    """Write the runs of `count` devices below a fleet folder; the `special` ones differ from the others."""
    devices = [replace(H200, index=index, uuid=f"{H200.uuid[:-1]}{index}") for index in range(count)]
    members = tuple(
        FleetMember(
            folder=f"node-1-{device.index}", uuid=device.uuid, name=device.name, host="node-1", index=device.index
        )
        for device in devices
    )
    about = FleetInfo(
        suite="gtc2013", argv=("shflbench",), scheduler="local", started="2026-11-20T08:00:00Z", members=members
    )
    fleet = FleetFolder.create_at(about, root)
    for device, member in zip(devices, members, strict=True):
        run = (special or {}).get(device.index, Simulated())
        run = replace(run, processes=1, seed=100 + device.index, cases=SIMULATED)
        write(fleet.path / member.folder, run, about=info(device=device))
    fleet.finish("2026-11-20T08:01:00Z")
    return fleet.path
