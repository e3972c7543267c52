"""The GPUs that CUDA programs may use: CUDA_VISIBLE_DEVICES, read as CUDA reads it (pure functions).

Sources: CUDA C++ Programming Guide, "CUDA Environment Variables"; for what it leaves open (repeated names, a number
followed by letters, names of different kinds), PyTorch's `torch.cuda._parse_visible_devices`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.core.words import flat

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.cuda.backends.gpus import Gpu

VARIABLE = "CUDA_VISIBLE_DEVICES"
ORDER = "CUDA_DEVICE_ORDER"
BY_UUID, BY_INSTANCE = "GPU-", "MIG-"
NUMBER = re.compile(r"\s*([+-]?[0-9]+)")


@dataclass(frozen=True, slots=True)
class VisibleGpu:
    """A GPU that CUDA lists."""

    index: int  # by CUDA
    uuid: str  # empty where only opening it shows which GPU it is


@dataclass(frozen=True, slots=True)
class VisibleGpus:
    """The GPUs that CUDA lists, in its order."""

    gpus: tuple[VisibleGpu, ...]
    remark: str = ""  # why the variable hides GPUs that it names, or all: a sentence

    @property
    def indexes(self) -> list[int]:
        """Their indexes."""
        return [gpu.index for gpu in self.gpus]


def visible_gpus(present: Sequence[Gpu], environment: Mapping[str, str]) -> VisibleGpus:
    """Return which of the GPUs `present`, in the order of the driver, CUDA lists under these environment variables.

    CUDA lists the fastest first unless CUDA_DEVICE_ORDER is PCI_BUS_ID, the order of the driver: the UUIDs of GPUs of
    different models are then unknown.
    """
    is_order_known = environment.get(ORDER) == "PCI_BUS_ID" or len({gpu.name for gpu in present}) <= 1
    uuids = {gpu.index: gpu.uuid if is_order_known else "" for gpu in present}
    value = environment.get(VARIABLE)
    if value is None:
        return VisibleGpus(tuple(VisibleGpu(index, uuid) for index, uuid in uuids.items()))
    names = value.split(",")
    if value.startswith(BY_INSTANCE):
        remark = f"CUDA uses the first instance of {VARIABLE} only" if len(names) > 1 else ""
        return VisibleGpus((VisibleGpu(0, ""),), remark)
    chosen: list[str | int] = []
    remark = "" if value.strip() else f"{VARIABLE} is empty"
    known: Iterator[str | int | None] = (
        (_by_uuid(name, present) for name in names)
        if value.startswith(BY_UUID)
        else (_by_number(name, uuids) for name in names)
    )
    for name, gpu in zip(names, known, strict=True):
        if gpu is None:
            remark = remark or f"`{flat(name)}` in {VARIABLE} names no GPU, and CUDA ignores it and what follows it"
            break
        if gpu in chosen:
            return VisibleGpus((), f"{VARIABLE} names a GPU twice, `{flat(name)}`, and CUDA then lists none")
        chosen.append(gpu)
    return VisibleGpus(
        tuple(VisibleGpu(place, gpu if isinstance(gpu, str) else uuids[gpu]) for place, gpu in enumerate(chosen)),
        remark,
    )


def _by_uuid(name: str, present: Sequence[Gpu]) -> str | None:
    """Return the UUID of the only GPU whose UUID starts with `name`; None if there is none or several."""
    wanted = name.strip().lower()
    if not wanted.startswith(BY_UUID.lower()):
        return None
    same = [gpu.uuid for gpu in present if gpu.uuid.lower().startswith(wanted)]
    return same[0] if len(same) == 1 else None


def _by_number(name: str, uuids: Mapping[int, str]) -> int | None:
    """Return the index of a GPU, which may be followed by other characters; None if there is none."""
    match = NUMBER.match(name)
    return int(match[1]) if match and int(match[1]) in uuids else None
