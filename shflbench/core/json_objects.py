"""Objects of the JSON of several commands, and how a dataclass becomes one."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, TypedDict, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed import DataclassInstance

Object = TypeVar("Object")

NUMBER = "number of this form of JSON; it grows where a key is removed, or gets another type or another meaning"


class IntervalObject(TypedDict):
    """An estimate with its 95% interval."""

    value: Annotated[float, "the estimate"]
    low: Annotated[float, "lower end of the interval"]
    high: Annotated[float, "upper end of the interval"]


class OpenInterval(TypedDict):
    """An estimate with its 95% interval; an end is null where the uncertainty is unknown."""

    value: Annotated[float | None, "the estimate"]
    low: Annotated[float | None, "lower end of the interval"]
    high: Annotated[float | None, "upper end of the interval"]


class MachineNoise(TypedDict):
    """The verdict on the machine on which a run was made."""

    verdict: Annotated[str, "`quiet`, or what disturbed the run: `busy GPU`, `drifting clock`, …"]
    sentence: Annotated[str, "the evidence in one sentence"]
    advice: Annotated[str, "what to do; empty if the machine was quiet"]


def object_of(kind: type[Object], item: DataclassInstance, **others: object) -> Object:
    """Return the keys of a typed dictionary with the values of the fields of the same names, or with `others`.

    The order is that of the typed dictionary. A field that it does not declare is left out, so that nothing undeclared
    is written.
    """
    values = {**asdict(item), **others}
    return cast(Object, {name: values[name] for name in kind.__annotations__})


def objects_of(kind: type[Object], items: Iterable[DataclassInstance]) -> list[Object]:
    """Return such an object for each item."""
    return [object_of(kind, item) for item in items]
