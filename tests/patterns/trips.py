"""A pattern's reference taken trip by trip, and what becomes of an error in one of them."""

from collections.abc import Callable, Iterable

from shflbench.backends.base import Array
from shflbench.measure.verify import difference
from shflbench.measure.workload import Workload


def after(data: Workload, trips: int, *arrays: Array) -> Array:
    """Return what the pattern's reference makes of its inputs in so many trips."""
    (result,) = data.pattern.reference(arrays, data.setting, trips)
    return result.copy()


def hidden(data: Workload, error: Callable[[Array, Array], object], inputs: Iterable[int] = (0,)) -> list[object]:
    """Return the iterations and the trip of each error that none of these input sets shows at the end.

    `error` gets the values before and after a trip, and spoils those after it.
    """
    indices = list(inputs)
    return [
        (iterations, trip)
        for iterations in data.verify_iterations
        for trip in range(iterations)
        if not any(_difference(data, error, index, iterations, trip) for index in indices)
    ]


def _difference(data: Workload, error: Callable[[Array, Array], object], index: int, iterations: int, trip: int) -> str:
    (values,) = data.inputs(index)
    before = after(data, trip, values)
    spoiled = after(data, 1, before)
    error(before, spoiled)
    return difference(data, [after(data, iterations - trip - 1, spoiled)], index, iterations)
