"""The JSON of `shflbench list`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, TypedDict

from shflbench.core.json_objects import NUMBER

SCHEMA: Final = 1
ABOUT = (
    "Suites, patterns, variants and devices: an object with a list of each, or the list alone of what was asked for, "
    "whose objects then have the number of the form."
)


class ListedSuite(TypedDict):
    """A suite that comes with shflbench."""

    name: Annotated[str, "name of the suite"]
    cases: Annotated[int, "number of its cases"]
    title: Annotated[str, "what it measures"]
    path: Annotated[str, "path of its file"]


class ListedVariant(TypedDict):
    """A variant of a pattern."""

    name: Annotated[str, "name of the variant"]
    mechanism: Annotated[str, "hardware or software that moves the values"]
    safe: Annotated[bool, "whether the memory model guarantees its result"]
    dtypes: Annotated[Sequence[str], "element types that it supports"]
    needs: Annotated[str, "what it needs of the GPU; empty if nothing"]
    summary: Annotated[str, "how it works"]


class ListedVariantOfPattern(ListedVariant):
    """A variant with its pattern."""

    pattern: Annotated[str, "name of the pattern"]


class ListedParameter(TypedDict):
    """A parameter of a family."""

    name: Annotated[str, "name of the parameter"]
    values: Annotated[Sequence[str], "its values, as names of members contain them"]
    meaning: Annotated[str, "what it decides"]


class ListedFamily(TypedDict):
    """A family of variants that are made from one template."""

    members: Annotated[int, "number of its members"]
    parameters: Annotated[Sequence[ListedParameter], "what the names of members are made of"]


class ListedPattern(TypedDict):
    """A pattern that comes with shflbench."""

    name: Annotated[str, "name of the pattern"]
    summary: Annotated[str, "what it does"]
    dtypes: Annotated[Sequence[str], "element types"]
    options: Annotated[Mapping[str, Sequence[str]], "values of each option"]
    variants: Annotated[Sequence[ListedVariant], "its variants"]
    family: Annotated[ListedFamily | None, "its family; null without one"]
    baseline: Annotated[str, "variant that others are compared with"]
    one_pass: Annotated[bool, "whether it makes one pass over its data, without a timed loop"]
    unroll: Annotated[int | None, "iterations per pass of the timed loop; null without one"]
    source: Annotated[str, "where the pattern is from"]
    claims: Annotated[Mapping[str, str], "claims of suites about it, by id"]
    notes: Annotated[str, "remarks; empty if there are none"]


class ListedDevice(TypedDict):
    """A GPU of this machine."""

    index: Annotated[int, "index of the GPU"]
    name: Annotated[str, "product name"]
    arch: Annotated[str, "architecture"]
    memory_gib: Annotated[float, "memory, GiB"]
    driver: Annotated[str, "version of the driver"]
    uuid: Annotated[str, "UUID"]


class ListDocument(TypedDict):
    """All that `list` lists."""

    schema: Annotated[Literal[1], NUMBER]
    suites: Annotated[Sequence[ListedSuite], "suites"]
    patterns: Annotated[Sequence[ListedPattern], "patterns"]
    variants: Annotated[Sequence[ListedVariantOfPattern], "variants of all patterns"]
    devices: Annotated[Sequence[ListedDevice], "GPUs; none without a driver"]


class Numbered(TypedDict):
    """An object of a list, with the number of its form."""

    schema: Annotated[Literal[1], NUMBER]


class SuiteDocument(Numbered, ListedSuite):
    """A suite of `list suites`."""


class PatternDocument(Numbered, ListedPattern):
    """A pattern of `list patterns`."""


class VariantDocument(Numbered, ListedVariantOfPattern):
    """A variant of `list variants`."""


class DeviceDocument(Numbered, ListedDevice):
    """A GPU of `list devices`."""


DOCUMENTS = (
    ListDocument,
    Sequence[SuiteDocument],
    Sequence[PatternDocument],
    Sequence[VariantDocument],
    Sequence[DeviceDocument],
)
