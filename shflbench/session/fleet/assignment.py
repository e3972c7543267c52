"""Assign groups of a suite to devices, and a folder to each device (pure functions)."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Generic, TypeVar

from shflbench.store.append import gpu_slug

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

Device = TypeVar("Device")


@dataclass(slots=True)
class GroupPool(Generic[Device]):
    """The groups that the devices of each model have yet to measure, and the devices that wait for some."""

    sizes: Mapping[str, int]  # cases per group, in the order of the suite
    _groups: dict[str, list[str]] = field(default_factory=dict)  # by model
    _idle: dict[str, list[Device]] = field(default_factory=dict)  # by model

    def add(self, model: str, groups: Iterable[str]) -> None:
        """Have the devices of a model measure these groups."""
        self._groups.setdefault(model, []).extend(groups)

    def add_all(self, models: Iterable[str]) -> None:
        """Have the devices of each model measure the whole suite."""
        for model in dict.fromkeys(models):
            self.add(model, self.sizes)

    def offer(self, model: str, device: Device) -> None:
        """Add a device that can measure groups."""
        self._idle.setdefault(model, []).append(device)

    @property
    def unassigned(self) -> Mapping[str, Sequence[str]]:
        """The groups that no device measures, by model."""
        return {model: groups for model, groups in self._groups.items() if groups}

    def assign(self) -> list[tuple[Device, tuple[str, ...]]]:
        """Divide the groups of each model among its idle devices; those that get some are idle no more."""
        assigned = []
        for model, groups in self.unassigned.items():
            idle = self._idle.get(model, [])
            if not idle:
                continue
            shards = divide({group: self.sizes[group] for group in groups}, len(idle))
            pairs = list(zip(idle, shards, strict=True))
            assigned += [(device, shard) for device, shard in pairs if shard]
            self._idle[model] = [device for device, shard in pairs if not shard]
            self._groups[model] = []
        return assigned


def divide(sizes: Mapping[str, int], devices: int) -> list[tuple[str, ...]]:
    """Divide groups among `devices` of the same speed, each group in the order of `sizes`.

    `sizes` are the cases per group. A group goes to the device with the fewest cases so far, the largest group first.
    """
    loads = [0] * devices
    device_of: dict[str, int] = {}
    for group in sorted(sizes, key=lambda name: -sizes[name]):
        device = loads.index(min(loads))
        loads[device] += sizes[group]
        device_of[group] = device
    return [tuple(group for group in sizes if device_of[group] == device) for device in range(devices)]


def split_finished(group_of: Mapping[str, str], done: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the groups of which each case is `done`, and the others; `group_of` is the group of each case."""
    rest = {group for case_id, group in group_of.items() if case_id not in done}
    groups = dict.fromkeys(group_of.values())
    return tuple(group for group in groups if group not in rest), tuple(group for group in groups if group in rest)


def folder_name(host: str, number: int, taken: Collection[str]) -> str:
    """Return a name that is not `taken`, for the folder of a GPU: `node7-0`, or `node7-0-2` for its second run."""
    stem = f"{gpu_slug(host)}-{number}"
    names = (f"{stem}-{run}" if run > 1 else stem for run in count(1))
    return next(name for name in names if name not in taken)
