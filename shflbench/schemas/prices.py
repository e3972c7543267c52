"""The JSON of `shflbench prices`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, TypedDict

from shflbench.core.json_objects import NUMBER

SCHEMA: Final = 1
ABOUT = "What shuffles, barriers, fences and other primitives cost on several GPUs."


class PricedGpu(TypedDict):
    """A GPU whose prices are shown."""

    name: Annotated[str, "name of the calibration, by which `values` has its prices"]
    device: Annotated[str, "product name"]
    uuid: Annotated[str, "UUID"]
    arch: Annotated[str, "architecture"]
    sms: Annotated[int, "number of SMs"]
    clock_mhz: Annotated[float | None, "SM clock during the calibration, MHz"]
    driver: Annotated[str, "version of the driver"]
    measured: Annotated[str, "when it was calibrated, UTC"]


class PriceValue(TypedDict):
    """A price on one GPU, in the unit of the primitive."""

    value: Annotated[float, "median of several processes"]
    low: Annotated[float, "lower end of the 95% intervals of all processes"]
    high: Annotated[float, "upper end of these intervals"]
    processes: Annotated[int, "number of processes that measured it"]
    documented: Annotated[float | None, "what NVIDIA documents for the architecture; null if nothing"]


class PublishedValue(TypedDict):
    """What a publication says of a primitive, in its unit."""

    gpu: Annotated[str, "GPU that it was measured on"]
    low: Annotated[float, "least value"]
    high: Annotated[float, "greatest value"]
    source: Annotated[str, "the publication"]
    about: Annotated[str, "how it was measured"]


class Price(TypedDict):
    """A primitive with its prices."""

    name: Annotated[str, "name of the figure in calibrations"]
    text: Annotated[str, "what is measured, in words"]
    unit: Annotated[str, "unit of all values of this primitive"]
    values: Annotated[Mapping[str, PriceValue | None], "by name of the GPU; null if its calibration lacks it"]
    published: Annotated[Sequence[PublishedValue], "published values"]


class PricesDocument(TypedDict):
    """Prices of several GPUs."""

    schema: Annotated[Literal[1], NUMBER]
    gpus: Annotated[Sequence[PricedGpu], "the GPUs"]
    prices: Annotated[Sequence[Price], "the primitives"]


DOCUMENTS = (PricesDocument,)
