"""Say how a GPU is set up, and what of that would disturb its times."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.model import DeviceState


def usable(state: DeviceState) -> bool:
    """Whether CUDA programs may use the GPU at all."""
    return state.compute_mode != "prohibited"


def describe(state: DeviceState) -> str:
    """Return what is known of the state in one line, empty if nothing is."""
    switches = {"ECC": state.ecc, "MIG": state.mig, "persistence": state.persistence}
    parts = [f"{name} {'on' if on else 'off'}" for name, on in switches.items() if on is not None]
    if state.compute_mode is not None:
        parts.append(f"compute mode {state.compute_mode}")
    if state.power_limit_w is not None:
        parts.append(f"power limit {state.power_limit_w:g} W")
    if parts and state.other_processes is None:
        parts.append("other processes not shown here")
    if state.other_processes == 0:
        parts.append("nobody else computes on it")
    return ", ".join(parts)


def disturbances(index: int, state: DeviceState) -> Iterator[tuple[str, str]]:
    """Yield what would disturb a measurement, each with its remedy; `index` is the GPU's, as nvidia-smi counts."""
    if not usable(state):
        yield (
            "no program may compute on it: its compute mode is prohibited",
            f"have its owner run: nvidia-smi -i {index} -c DEFAULT",
        )
    if state.mig:
        yield (
            "MIG cuts it into instances: times are those of one, and others move the clock",
            f"have its owner run: nvidia-smi -i {index} -mig 0",
        )
    if state.other_processes:
        who = "another process computes" if state.other_processes == 1 else f"{state.other_processes} others compute"
        yield (
            f"{who} on it, which makes times longer and uneven",
            "wait, or choose another GPU with --gpu; nvidia-smi lists who it is",
        )
