"""The inputs for which a candidate is compared with the reference: each size, and other contents at one size."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker import host_arguments
from shflbench.errors import UsageError
from shflbench.user_kernels.judge.contents import CONTENTS, SPECIAL, drawn
from shflbench.user_kernels.judge.judge_input import JudgeInput, shaped_like
from shflbench.user_kernels.judge.launches import dims_of
from shflbench.user_kernels.judge.sizes import edge_sizes, greatest_sizes
from shflbench.user_kernels.judge.tensors import bits_of, numbers, tensor_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shflbench.user_kernels.judge.request import JudgeRequest
from shflbench.user_kernels.judge.sizes import Sizes

MOST_THREADS = 1 << 14  # of an emulated launch: more take seconds, and share more memory than is searched for races


def small_inputs(request: JudgeRequest) -> Iterator[JudgeInput]:
    """Yield the inputs that the emulator runs, those of sizes first, each drawn anew."""
    random = np.random.default_rng()  # no candidate knows the seed
    every = edge_sizes(request.sizes, request.launches.threads(request.kernels))
    small = [sizes for sizes in every if _threads(request, sizes) <= MOST_THREADS] or every[:1]
    base = None
    for sizes in small:
        base = _at(request, sizes, random)
        yield base
    if base is None or not request.rules.vary:
        return
    names = [*CONTENTS, *(SPECIAL if request.rules.special else ())]
    yield _with_another_element(base, random, request.outputs)
    for name in names:
        if changed := _with_contents(base, name, random, request.outputs):
            yield changed


def timed_input(request: JudgeRequest) -> JudgeInput:
    """Return the input that is timed: that of the greatest sizes."""
    return _at(request, greatest_sizes(request.sizes), np.random.default_rng())


def _threads(request: JudgeRequest, sizes: Sizes) -> int:
    """Return the most threads of a launch at these sizes."""
    launches = (request.launches.of(kernel, sizes) for kernel in request.kernels)
    return max(prod(dims.grid) * prod(dims.block) for dims in map(dims_of, launches))


def _at(request: JudgeRequest, sizes: Sizes, random: np.random.Generator) -> JudgeInput:
    given = request.inputs
    if callable(given):
        try:
            given = given(random, **sizes)
        except Exception as error:  # of the user's function
            raise UsageError(
                f"inputs failed for {_named(sizes)}: {error!r}", "It is called with a generator and the sizes."
            ) from error
    if not isinstance(given, tuple | list):
        raise UsageError("inputs are no tuple of arguments", "Return a tuple: arrays, numbers and None.")
    tensors = {place: tensor_type(value) for place, value in enumerate(given) if hasattr(value, "detach")}
    return JudgeInput(_named(sizes), sizes, tuple(_own(value) for value in host_arguments(given)), tensors)


def _own(value: object) -> object:
    return value.copy(order="K") if isinstance(value, np.ndarray) else value


def _named(sizes: Sizes) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sizes.items()) or "the given inputs"


def _with_another_element(base: JudgeInput, random: np.random.Generator, outputs: tuple[int, ...]) -> JudgeInput:
    """Return an input that differs from the one before in one element: a few elements do not tell inputs apart."""
    arguments = list(base.arguments)
    for place, value in enumerate(arguments):
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size and place not in outputs:
            arguments[place] = value.copy(order="K")
            arguments[place].ravel(order="K")[random.integers(value.size)] = random.choice([value.min(), value.max()])
    return replace(base, name=f"{base.name}, one element changed", arguments=tuple(arguments))


def _with_contents(
    base: JudgeInput, name: str, random: np.random.Generator, outputs: tuple[int, ...]
) -> JudgeInput | None:
    """Return an input whose arrays have other contents; None if these fit none of them."""
    arguments, is_changed = list(base.arguments), False
    for place, value in enumerate(arguments):
        if not isinstance(value, np.ndarray) or place in outputs:
            continue
        kind = base.tensors.get(place)
        contents = drawn(name, numbers(value, kind), random)
        contents = None if contents is None else bits_of(contents, kind)
        if contents is not None and contents.tobytes() != value.ravel(order="K").tobytes():
            arguments[place] = shaped_like(value, contents)
            is_changed = True
    if not is_changed:
        return None
    return replace(base, name=f"{base.name}, {name}" if base.sizes else name, arguments=tuple(arguments))
