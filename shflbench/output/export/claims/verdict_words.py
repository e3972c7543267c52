"""Numbers and sentences about verdicts on claims that all formats share."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from shflbench.analysis.claims.verdict import ClaimStatus
from shflbench.core.words import count_noun, flat

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shflbench.analysis.claims.by_gpu import GpuRuns
    from shflbench.analysis.claims.verdict import ClaimVerdict

WITHOUT_GPU = {"emulator": "no GPU, emulated", "none": "no GPU, compiled for"}


def gpu_name(gpu: GpuRuns) -> str:
    """Return the GPU model, `NVIDIA H200, sm_90`, or what took its place."""
    return f"{flat(gpu.device)}, {gpu.arch}" if gpu.device else f"{WITHOUT_GPU[gpu.backend]} {gpu.arch}"


def counts(verdicts: Iterable[ClaimVerdict]) -> dict[ClaimStatus, int]:
    """Return how many claims have each verdict."""
    known = Counter(one.verdict for one in verdicts)
    return {verdict: known[verdict] for verdict in ClaimStatus}


def counts_sentence(verdicts: Iterable[ClaimVerdict]) -> str:
    """Return how many claims have each verdict: `7 claims: 3 confirmed, 1 refuted, …`."""
    known = counts(verdicts)
    listed = ", ".join(f"{count:,} {verdict}" for verdict, count in known.items())
    return f"{count_noun(sum(known.values()), 'claim')}: {listed}"


def claim_words(verdict: ClaimVerdict) -> str:
    """Return the figure that the source gives, and the source: `about 3× (GTC 2013)`; empty if both are unknown."""
    figure, source = flat(verdict.claim.figure), flat(verdict.claim.source)
    return f"{figure} ({source})" if figure and source else figure or source


def describe_measured(verdict: ClaimVerdict) -> str:
    """Return what was measured, and in how many settings: `1.8× to 5.3× in 24 settings`."""
    text, number = measured_values(verdict), len(verdict.settings)
    return f"{text} in {number:,} settings" if text and number > 1 else text


def measured_values(verdict: ClaimVerdict) -> str:
    """Return what was measured, with its quantity if the condition does not contain it: `time(a) / time(b): 1.3×`."""
    text = flat(verdict.measured)
    return f"{flat(verdict.quantity)}: {text}" if text and verdict.quantity else text


def why(verdict: ClaimVerdict) -> str:
    """Return what limits the cases, and in which setting: `reduce, f32, 26x1024: shfl: 1 SHFL per iteration, …`."""
    return f"{flat(verdict.why_setting)}: {flat(verdict.why)}" if verdict.why_setting else flat(verdict.why)


def explanation(verdict: ClaimVerdict) -> str:
    """Return the sentence of a verdict: in which settings a claim holds and fails, what is missing, the worst one."""
    return flat(verdict.claim.untestable if verdict.verdict is ClaimStatus.UNTESTABLE else verdict.sentence)
