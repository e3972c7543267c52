"""Comparisons of two kernels that do the same work, as records; all times are predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.advice.files.pair_words import pair_sentence, reasons_of

if TYPE_CHECKING:
    from shflbench.advice.files.kernel_pairs import AdvisedPair
    from shflbench.schemas.advise import KernelPairObject


def pair_record(pair: AdvisedPair) -> KernelPairObject:
    """Return a comparison; values of both kernels are in the order of `kernels`."""
    both = (pair.first, pair.second)
    units = {name: None for item in both for name in item.limits.parts}
    return {
        "kernels": [item.name for item in both],
        "launches": [item.limits.launch for item in both],
        "results": pair.results,
        "gpu": pair.first.limits.gpu.device.name,
        "arch": pair.first.limits.gpu.device.arch,
        "faster": pair.order,
        "launch_us": [item.us for item in both],
        "ratio": pair.ratio,
        "limited_by": [item.limits.by for item in both],
        "predicted_us": {name: [item.limits.parts.get(name) for item in both] for name in units},
        "counted": [item.limits.basis for item in both],
        "different_amounts": {name: [item.amount(name) for item in both] for name in pair.different_amounts},
        "reasons": reasons_of(pair),
        "sentence": pair_sentence(pair),
    }
