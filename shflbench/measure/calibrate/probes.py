"""The probes of `calibrate`, in the order of its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.measure.calibrate.prices import PRICES
from shflbench.measure.calibrate.rates import RATES

if TYPE_CHECKING:
    from shflbench.measure.calibrate.probe import Probe

PROBES: tuple[Probe, ...] = (*RATES, *PRICES)


def select_supported(arch: str) -> tuple[Probe, ...]:
    """Return the probes whose instructions an architecture (`sm_90`) has."""
    number = int(arch.removeprefix("sm_").rstrip("af"))
    return tuple(probe for probe in PROBES if number >= probe.fewest_arch)
