"""Whether the advice on the kernels of a file is worth it: stored ratios of exchanges, and predictions of kernels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shflbench.advice.exchange_alone import StoredExchanges
from shflbench.advice.files.predicted_gpu import gpu_of, known_gpu
from shflbench.advice.files.prospects import ExchangePlace, Prospect, prospect_of
from shflbench.checker import parse_argument_sets, read_candidates
from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.core.grouping import group_by
from shflbench.cuda.compile.toolchain import find
from shflbench.errors import ShflbenchError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from shflbench.advice.exchange_alone import ExchangeAlone
    from shflbench.checker import CandidateFile, ExchangeAdvice, FileOptions, KernelAdvice


@dataclass(frozen=True, slots=True)
class KernelGain:
    """Whether the advice on one kernel is worth it."""

    alone: tuple[tuple[ExchangeAdvice, tuple[ExchangeAlone, ...]], ...]  # of each exchange that one shuffle can replace
    prospect: Prospect


@dataclass(frozen=True, slots=True)
class GainRequest:
    """For which GPU gains are predicted, and from which stored runs ratios come."""

    results: Sequence[Path]
    gpu: str | None  # a part of its name
    arch: str | None
    arguments: Sequence[str]  # as `--arg` takes them
    options: Callable[[Sequence[KernelAdvice]], FileOptions]  # with which the kernels of a file are read to be timed
    is_measured: bool = False  # the GPU is one to time on, of which no results are required


def gains_of(advice: Sequence[KernelAdvice], request: GainRequest) -> dict[str, KernelGain]:
    """Return for each kernel that compiles whether the advice on it is worth it, by its symbol.

    Raises what `StoredExchanges` raises.
    """
    stored = StoredExchanges(request.results, request.gpu, request.arch, of_gpu=not request.is_measured)
    device = stored.device
    gpu = gpu_of(device) if device else known_gpu(request.arch or DEFAULT_ARCH, request.gpu)
    place = ExchangePlace(find(), device.arch if device else request.arch or DEFAULT_ARCH, gpu)
    gains = {}
    for items in group_by(
        (item for item in advice if item.report.symbol), lambda item: item.report.place.file
    ).values():
        candidates = _read(items, request)
        for item in items:
            known = replace(place, candidates=_alone(item, candidates) or _read([item], request))
            gains[item.report.symbol] = _gain(item, stored, known)
    return gains


def _read(advice: Sequence[KernelAdvice], request: GainRequest) -> CandidateFile | ShflbenchError:
    """Return the kernels of a file, with the launches at which they can be timed, or why they cannot be read."""
    try:
        sets = parse_argument_sets(request.arguments)
        return read_candidates(advice[0].report.place.file, request.options(advice), None, sets)
    except ShflbenchError as error:
        return error


def _alone(advice: KernelAdvice, file: CandidateFile | ShflbenchError) -> CandidateFile | None:
    """Return a file with the kernel of an advice only; None if it has no such kernel."""
    if isinstance(file, ShflbenchError):
        return None
    kernels = tuple(kernel for kernel in file.kernels if advice.report.symbol in kernel.symbols)
    return replace(file, kernels=kernels) if kernels else None


def _gain(advice: KernelAdvice, stored: StoredExchanges, place: ExchangePlace) -> KernelGain:
    exchanges = merge_loads([one for one in advice.exchanges if one.instead])
    block = advice.runs.launches[0].launch.shape.threads_per_block if advice.runs else 1
    alone = tuple((one, stored.alone(one, block)) for one in exchanges)
    return KernelGain(alone, prospect_of(advice, place))


def merge_loads(exchanges: Sequence[ExchangeAdvice]) -> list[ExchangeAdvice]:
    """Return one exchange for each load, with what it reads of all stores: the steps of a tree have several."""
    of_loads = group_by(exchanges, lambda item: item.load).values()
    return [
        replace(
            items[0],
            relations=tuple(dict.fromkeys(relation for item in items for relation in item.relations)),
            distances=tuple(dict.fromkeys(distance for item in items for distance in item.distances)),
            is_combined=all(item.is_combined for item in items),
        )
        for items in of_loads
    ]
