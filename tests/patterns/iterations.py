"""A pattern's reference, iteration by iteration, and whether an error in one of them shows at the end."""

from collections.abc import Callable, Iterable

from shflbench.cuda.backends.base import Array
from shflbench.measure.verify import difference
from shflbench.measure.workload import Workload


def after(data: Workload, iterations: int, *arrays: Array) -> Array:
    """Return the result of the pattern's reference after some iterations."""
    (result,) = data.pattern.reference(arrays, data.setting, iterations)
    return result.copy()


def hidden(data: Workload, error: Callable[[Array, Array], object], inputs: Iterable[int] = (0,)) -> list[object]:
    """Return the iteration count and the iteration of each error that none of these input sets shows at the end.

    `error` gets the values before and after an iteration, and changes those after it.
    """
    indices = list(inputs)
    return [
        (iterations, iteration)
        for iterations in data.verify_iterations
        for iteration in range(iterations)
        if not any(_difference(data, error, index, iterations, iteration) for index in indices)
    ]


def _difference(
    data: Workload, error: Callable[[Array, Array], object], index: int, iterations: int, iteration: int
) -> str:
    (values,) = data.inputs(index)
    before = after(data, iteration, values)
    wrong = after(data, 1, before)
    error(before, wrong)
    return difference(data, [after(data, iterations - iteration - 1, wrong)], index, iterations)
