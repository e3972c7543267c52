"""A reference that is a Python function of the inputs: NumPy or PyTorch, run in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import resource
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from shflbench.checker import host_arguments
from shflbench.errors import ShflbenchError, UsageError
from shflbench.user_kernels.judge.expectation import Arrays, Expectations, StartContents, expectations
from shflbench.user_kernels.judge.tensors import in_type, with_tensors
from shflbench.user_kernels.judge.user_calls import call_user

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from shflbench.user_kernels.judge.judge_input import JudgeInput
    from shflbench.user_kernels.judge.request import JudgeRules

Function = Callable[..., Any]
MEMORY_BYTES = 64 * 2**30  # of addresses
NUMBERS = "biufV"  # kinds of types; V: of packages such as ml_dtypes
ADVICE = "Correct the reference, or give it more time."


def function_expectations(
    function: Function, inputs: Sequence[JudgeInput], outputs: tuple[int, ...], rules: JudgeRules
) -> Expectations:
    """Return what a function of the arguments expects; UsageError if it fails, and InputError if it takes too long.

    It gets copies of the arguments. It returns the results, in the order of `outputs`, else those of the last arrays;
    or it returns None, and changes its arguments.
    """
    context = multiprocessing.get_context("fork")  # a function of the user's program may have no importable name
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(theirs, function, inputs, outputs, rules.contents), daemon=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads: the child computes, and ends without them
        process.start()
    theirs.close()
    try:
        if not ours.poll(rules.time_limit):
            raise UsageError(f"the reference takes more than {rules.time_limit:g} s", ADVICE)
        answer = ours.recv()
    except EOFError as error:
        raise UsageError("the process of the reference crashed", ADVICE) from error
    finally:
        process.kill()
        process.join()
        ours.close()
    if isinstance(answer, ShflbenchError):
        raise answer
    return answer  # type: ignore[no-any-return]


def _serve(
    pipe: Connection,
    function: Function,
    inputs: Sequence[JudgeInput],
    outputs: tuple[int, ...],
    contents: StartContents,
) -> None:
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, resource.getrlimit(resource.RLIMIT_AS)[1]))
    try:
        answer: object = expectations(_Applied(function, outputs), inputs, outputs, contents)
    except ShflbenchError as error:
        answer = error
    except MemoryError:
        answer = UsageError("the reference needs too much memory", ADVICE)
    pipe.send(answer)
    pipe.close()
    os._exit(0)  # without the exit handlers of the program that was forked


class _Applied:
    """A function as a launch: its results are where a kernel writes them."""

    def __init__(self, function: Function, outputs: tuple[int, ...]) -> None:
        self._function = function
        self._outputs = outputs

    def __call__(self, item: JudgeInput) -> Arrays | str:
        """Return the arrays after the function ran; a clause if it raises."""
        arguments = [value.copy(order="K") if isinstance(value, np.ndarray) else value for value in item.arguments]
        try:
            with np.errstate(all="ignore"):
                returned = call_user(self._function, "", *with_tensors(arguments, item.tensors))
        except UsageError as error:
            return error.message
        arrays = {place: value for place, value in enumerate(arguments) if isinstance(value, np.ndarray)}
        if returned is None:
            return arrays
        values: Sequence[object] = returned if isinstance(returned, tuple | list) else (returned,)
        places = self._outputs or tuple(arrays)[-len(values) :]
        if len(places) != len(values):
            raise UsageError(
                f"the reference returns {len(values)} results, and {len(places)} outputs are given",
                "Return one array per output, in the order of outputs=….",
            )
        typed = [in_type(value, item.tensors.get(place)) for place, value in zip(places, values, strict=True)]
        fitted = (_fitted(value, arrays, place) for place, value in zip(places, _arrays(typed), strict=True))
        return {**arrays, **dict(zip(places, fitted, strict=True))}


def _arrays(values: Sequence[object]) -> Iterator[object]:
    """Yield results as arrays in host memory; UsageError for what is none."""
    for number, value in enumerate(values):
        try:
            yield from host_arguments([value])
        except UsageError as error:
            kind = type(value).__name__
            raise UsageError(f"result {number} of the reference is of type {kind}, no array", ADVICE) from error


def _fitted(value: object, arrays: Mapping[int, Any], place: int) -> Any:  # noqa: ANN401
    """Return a result in the type and shape of its argument; UsageError if it has other elements."""
    known, array = arrays.get(place), np.asarray(value)
    if known is None or array.size != known.size:
        raise UsageError(
            f"the reference returns {array.size} elements for argument {place}",
            "Pass outputs=…, the positions of the results, which have as many elements.",
        )
    if array.dtype.kind not in NUMBERS and array.dtype.kind != known.dtype.kind:
        raise UsageError(f"the reference returns no numbers for argument {place}, but {array.dtype}", ADVICE)
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(array.reshape(known.shape).astype(known.dtype))
