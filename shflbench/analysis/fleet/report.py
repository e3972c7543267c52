"""The result of a ranking."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (fields of a dataclass)
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from shflbench.core.model import Interval  # noqa: TC001  (likewise)
from shflbench.errors import FINDING_EXIT, UNDECIDED_EXIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.analysis.compare.estimates import Floats


class OutlierKind(StrEnum):
    """What is wrong with a device."""

    SLOW = "slow"
    NOISY = "noisy"
    HOT = "hot"
    THROTTLED = "throttled"
    WRONG = "wrong results"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True)
class Outlier:
    """Why a device is an outlier."""

    kind: OutlierKind
    sentence: str
    cases: tuple[str, ...] = ()  # ids


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceResult:
    """One device, compared with the median of its model. Changes are fractions: 0.03 is 3% slower."""

    label: str
    uuid: str
    cases: int  # with a time
    slower: Interval | None = None  # over all cases; None for too few devices
    place: int | None = None  # 1 for the slowest of its model
    patterns: Mapping[str, Interval] = field(default_factory=dict)
    slow_cases: int = 0  # slower by the threshold, and significantly
    sentinels: float | None = None  # by how much the long sentinels are slower
    launch_offset_us: float | None = None  # what a launch takes longer, measured by the short sentinels
    noise_factor: float | None = None  # its scatter / that of its model
    temperature_c: float | None = None
    clock_mhz: float | None = None
    undecided: bool = False  # whether its interval contains the threshold
    findings: tuple[Outlier, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseTable:
    """Each case on each device of a model; arrays of devices × cases, NaN where a device has no time."""

    cases: tuple[str, ...]
    medians_us: Floats  # by case
    slower: Floats  # than the median, as fractions
    half_widths: Floats  # of the 95% intervals
    places: Floats  # 1 for the slowest

    def in_order(self, devices: Sequence[int]) -> CaseTable:
        """Return the table with its devices in this order."""
        return replace(
            self,
            slower=self.slower[devices],
            half_widths=self.half_widths[devices],
            places=self.places[devices],
        )


@dataclass(frozen=True, slots=True)
class ModelReport:
    """The devices of one model, the slowest first."""

    model: str
    devices: tuple[DeviceResult, ...]
    table: CaseTable | None = None  # None for too few devices
    spread: float | None = None  # standard deviation between its sound devices, over all cases; 0.0005 or more
    notes: tuple[str, ...] = ()
    by_sentinels: bool = False  # whether too few devices timed the same cases, but enough timed the sentinels
    shared_failures: tuple[str, ...] = ()  # cases that failed on most devices

    @property
    def comparable(self) -> bool:
        """Whether enough devices timed the same cases."""
        return self.table is not None


@dataclass(frozen=True, slots=True)
class FleetReport:
    """The devices of a fleet by model."""

    models: tuple[ModelReport, ...]
    threshold: float

    @property
    def devices(self) -> int:
        """The number of devices."""
        return sum(len(model.devices) for model in self.models)

    @property
    def comparable(self) -> bool:
        """Whether a model has enough devices that timed the same cases."""
        return any(model.comparable for model in self.models)

    def outliers(self) -> Iterator[tuple[ModelReport, DeviceResult]]:
        """Yield the devices with findings."""
        for model in self.models:
            for device in model.devices:
                if device.findings:
                    yield model, device

    def exit_code(self, *, fail_on_outliers: bool, strict: bool) -> int:
        """Return 1 for outliers and 6 for what is undecided, if the user asked for it; else 0."""
        if fail_on_outliers and any(True for _ in self.outliers()):
            return FINDING_EXIT
        undecided = any(
            not model.comparable or any(device.undecided for device in model.devices) for model in self.models
        )
        return UNDECIDED_EXIT if strict and undecided else 0
