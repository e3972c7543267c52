"""Tell how many other processes use a GPU, as far as this process is shown them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

# The pid namespace of the machine itself always has this number. Source: Linux, include/linux/proc_ns.h,
# PROC_PID_INIT_INO.
MACHINE_NAMESPACE = "pid:[4026531836]"
OWN_NAMESPACE = Path("/proc/self/ns/pid")


def sees_everyone() -> bool:
    """Whether this process is outside all containers, as far as process numbers go."""
    try:
        return str(OWN_NAMESPACE.readlink()) == MACHINE_NAMESPACE
    except OSError:
        return False


def count_others(listed: Collection[int], own: Collection[int], *, everyone: bool) -> int | None:
    """Return how many of the processes `listed` by the driver are not our `own`; None if that cannot be told.

    `everyone` says whether the driver lists all processes by the numbers that we know. In a container it
    does not: today's driver leaves out whatever runs outside of the container, so that a short list proves
    nothing (open-gpu-kernel-modules, `gpuGetProcWithObject`, which skips NV_ERR_OBJECT_NOT_FOUND), and older
    ones give the machine's numbers, among which ours cannot be recognised (nvidia-docker issue 1483).
    What is counted there is the least that there can be.
    """
    others = len(set(listed) - set(own))
    if everyone:
        return others
    recognised = not own or not set(own).isdisjoint(listed)
    return others or None if recognised else None
