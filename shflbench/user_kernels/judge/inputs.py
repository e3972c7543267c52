"""The inputs for which a candidate is compared with the reference: each size, and other contents at one size."""

from __future__ import annotations

from dataclasses import replace
from math import log, prod
from typing import TYPE_CHECKING

import numpy as np

from shflbench.checker import host_arguments
from shflbench.errors import UsageError
from shflbench.user_kernels.judge.contents import CHECKED, CONTENTS, SPECIAL, drawn
from shflbench.user_kernels.judge.judge_input import JudgeInput, shaped_like
from shflbench.user_kernels.judge.launches import dims_at
from shflbench.user_kernels.judge.sizes import covered_by_one, edge_sizes, greatest_sizes, large_sizes, usual_sizes
from shflbench.user_kernels.judge.tensors import bits_of, numbers, tensor_type
from shflbench.user_kernels.judge.user_calls import call_user, sizes_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shflbench.user_kernels.judge.request import JudgeRequest
    from shflbench.user_kernels.judge.sizes import Sizes

# Threads of an emulated launch: more take seconds, and share more memory than is searched for races.
MOST_THREADS = 1 << 14
MOST_OF_FEW = 1 << 19  # of those that are emulated where smaller ones are few
FEW = 6  # launches
MOST_OF_LARGE = 1 << 18  # threads of the launch whose indices exceed 16 bits, which runs once, and product of its sizes
MOST_BYTES = 1 << 25  # of its arrays
LEAST_INTEGER, MOST_INTEGER = -(1 << 63), (1 << 64) - 1


def small_inputs(request: JudgeRequest) -> Iterator[JudgeInput]:
    """Yield the inputs that the emulator runs, those of sizes first, each drawn anew."""
    random = np.random.default_rng()  # no candidate knows the seed
    every = edge_sizes(request.sizes, _threads_per_block(request), _parts(request))
    taken = []
    for sizes in _emulated(request, every):
        taken.append(_at(request, sizes, random))
        yield taken[-1]
    if not taken:
        return
    base = taken[-1]
    if callable(request.inputs) and (large := _large(request, every, taken)):
        yield replace(_at(request, large, random), is_checked=False)
    if not request.rules.vary:
        if callable(request.inputs):
            yield replace(_at(request, base.sizes, random), name=f"{base.name}, drawn again")
        return
    names = [*CONTENTS, *(SPECIAL if request.rules.special else ())]
    for name in names:
        if changed := _with_contents(base, name, random, request.outputs):
            yield changed


def timed_input(request: JudgeRequest) -> JudgeInput:
    """Return the input that is timed: that of the greatest sizes."""
    return _at(request, greatest_sizes(request.sizes), np.random.default_rng())


def _emulated(request: JudgeRequest, every: Sequence[Sizes]) -> list[Sizes]:
    """Return the sizes of small launches, and if these are few, some of the others, from the least one on."""
    threads = [_threads(request, sizes) for sizes in every]
    small = [sizes for sizes, count in zip(every, threads, strict=True) if count <= MOST_THREADS]
    large = [sizes for sizes, count in zip(every, threads, strict=True) if MOST_THREADS < count <= MOST_OF_FEW]
    missing = min(FEW - len(small), len(large))
    if missing <= 0:
        return small or list(every[:1])
    places = np.linspace(0, len(large) - 1, missing).round().astype(int)
    return [*small, *(large[place] for place in dict.fromkeys(places))]


def _large(request: JudgeRequest, every: Sequence[Sizes], taken: Sequence[JudgeInput]) -> Sizes | None:
    """Return sizes that exceed 16 bits; None where the launch is too large, or smaller than others."""
    sizes = large_sizes(request.sizes)
    least, *products = (prod(item.values()) for item in (sizes, *every))
    if not max(products) < least <= MOST_OF_LARGE or _threads(request, sizes) > MOST_OF_LARGE:
        return None
    return sizes if _bytes_at(least, taken) <= MOST_BYTES else None


def _bytes_at(product: int, taken: Sequence[JudgeInput]) -> float:
    """Return the bytes of the arrays at sizes of this product, by how they grow with those that were taken."""
    known = {
        prod(max(1, size) for size in item.sizes.values()): sum(
            value.nbytes for value in item.arguments if isinstance(value, np.ndarray)
        )
        for item in taken
    }
    small, large = min(known), max(known)
    if small == large or not known[small]:
        return known[large] * product / large
    power = max(1.0, log(known[large] / known[small]) / log(large / small))
    return float(known[large] * (product / large) ** power)


def _threads_per_block(request: JudgeRequest) -> list[int]:
    """Return the threads per block of the kernels, at usual and at the greatest sizes."""
    places = [usual_sizes(request.sizes), greatest_sizes(request.sizes)]
    launches = [dims_at(request, kernel, sizes) for kernel in request.kernels for sizes in places]
    return sorted({prod(launch.block) for launch in launches})


def _parts(request: JudgeRequest) -> dict[str, int]:
    """Return the greatest size along each dimension that one block covers, as far as grids show it."""
    usual, kernel, parts = usual_sizes(request.sizes), request.kernels[0], dict[str, int]()
    for name, allowed in request.sizes.items():
        if isinstance(allowed, tuple):

            def blocks(size: int, name: str = name) -> int:
                return prod(dims_at(request, kernel, {**usual, name: size}).grid)

            part = covered_by_one(allowed, blocks)
            parts |= {} if part is None else {name: part}
    return parts


def _threads(request: JudgeRequest, sizes: Sizes) -> int:
    """Return the most threads of a launch at these sizes; UsageError for what cannot be launched."""
    launches = [dims_at(request, kernel, sizes) for kernel in request.kernels]
    return max(prod(launch.grid) * prod(launch.block) for launch in launches)


def _at(request: JudgeRequest, sizes: Sizes, random: np.random.Generator) -> JudgeInput:
    given = request.inputs
    if callable(given):
        given = call_user(given, f"`inputs` fails for {sizes_text(sizes)}: ", random, **sizes)
    if not isinstance(given, tuple | list):
        raise UsageError("inputs are no tuple of arguments", "Return a tuple: arrays, numbers and None.")
    tensors = {place: tensor_type(value) for place, value in enumerate(given) if hasattr(value, "detach")}
    arguments = tuple(_own(value) for value in host_arguments(given))
    for place, value in enumerate(arguments):
        if isinstance(value, int) and not LEAST_INTEGER <= value <= MOST_INTEGER:
            raise UsageError(f"argument {place} is {value}, which no integer of a kernel holds", "Pass one that fits.")
    for name, places in _positions(request):
        for place in places:
            if place not in range(len(arguments)) or not isinstance(arguments[place], np.ndarray):
                raise UsageError(f"{name} has {place!r}, and no array is there", "Count arguments from 0.")
    return JudgeInput(sizes_text(sizes), sizes, arguments, tensors)


def _positions(request: JudgeRequest) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the positions of arguments by the names of their parameters."""
    yield "outputs", request.outputs
    yield "any_order", request.rules.unordered
    yield "prefilled", request.rules.contents.prefilled
    yield "workspace", request.rules.contents.workspace


def _own(value: object) -> object:
    return value.copy(order="K") if isinstance(value, np.ndarray) else value


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
    named = f"{base.name}, {name}" if base.sizes else name
    return replace(base, name=named, arguments=tuple(arguments), is_checked=name in CHECKED)
