"""The JSON of `shflbench fleet`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, TypedDict

from shflbench.core.json_objects import NUMBER, IntervalObject

SCHEMA: Final = 1
ABOUT = "The devices of a fleet by model, the slowest first. Changes are fractions: 0.03 is 3% slower."


class OutlierObject(TypedDict):
    """Why a device is an outlier."""

    kind: Annotated[str, "slow, noisy, hot, throttled, wrong results or incomplete"]
    sentence: Annotated[str, "the reason in one sentence"]
    cases: Annotated[Sequence[str], "cases that show it"]


class DeviceObject(TypedDict):
    """A device, compared with the median of its model."""

    label: Annotated[str, "name of the device"]
    uuid: Annotated[str, "UUID"]
    cases: Annotated[int, "number of cases with a time"]
    slower: Annotated[IntervalObject | None, "how much slower it is over all cases; null for too few devices"]
    place: Annotated[int | None, "1 for the slowest of its model"]
    patterns: Annotated[Mapping[str, IntervalObject], "how much slower it is, by pattern"]
    slow_cases: Annotated[int, "number of cases that are slower by the threshold, and significantly"]
    sentinels: Annotated[float | None, "how much slower the long sentinels are"]
    launch_offset_us: Annotated[float | None, "how much longer a launch takes, measured by the short sentinels, µs"]
    noise_factor: Annotated[float | None, "its scatter divided by that of its model"]
    temperature_c: Annotated[float | None, "temperature, °C"]
    clock_mhz: Annotated[float | None, "SM clock, MHz"]
    undecided: Annotated[bool, "whether its interval contains the threshold"]
    findings: Annotated[Sequence[OutlierObject], "why it is an outlier; empty if it is none"]
    remarks: Annotated[Sequence[str], "remarks on the device"]
    verdict: Annotated[str, "the verdict in a few words"]


class FleetCase(TypedDict):
    """A case on all devices; lists are in the order of `devices`, null where a device has no time."""

    case: Annotated[str, "stable readable name of the case"]
    median_us: Annotated[float, "median of the devices' times, µs"]
    slower: Annotated[Sequence[float | None], "how much slower each device is than the median, as a fraction"]
    half_width: Annotated[Sequence[float | None], "half of the 95% interval of `slower`"]
    place: Annotated[Sequence[float | None], "1 for the slowest device"]


class FleetModel(TypedDict):
    """The devices of one model."""

    model: Annotated[str, "product name"]
    comparable: Annotated[bool, "whether enough devices timed the same cases"]
    spread: Annotated[float | None, "standard deviation between sound devices, over all cases, as a fraction"]
    by_sentinels: Annotated[bool, "whether only the sentinels of the devices are compared"]
    shared_failures: Annotated[Sequence[str], "cases that failed on most devices"]
    notes: Annotated[Sequence[str], "remarks on the model"]
    devices: Annotated[Sequence[DeviceObject], "the devices, the slowest first"]
    cases: Annotated[Sequence[FleetCase] | None, "the cases; null for too few devices"]


class FleetOutlier(TypedDict):
    """A device that is an outlier."""

    model: Annotated[str, "product name"]
    device: Annotated[str, "name of the device"]


class FleetDocument(TypedDict):
    """A ranking of devices."""

    schema: Annotated[Literal[1], NUMBER]
    threshold: Annotated[float, "slowdown from which a device is slow, as a fraction"]
    outliers: Annotated[Sequence[FleetOutlier], "the outliers"]
    models: Annotated[Sequence[FleetModel], "the devices by model"]


DOCUMENTS = (FleetDocument,)
