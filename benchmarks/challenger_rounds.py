"""The rounds in which readers wrote kernels against the published answers, and what of them does not count."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

IN_TURN = "two kinds of exchange in turn"
PREPARED = "indices are prepared outside of the loop"
ROUNDED = "sums of factors that are rounded"
MORE_EACH = "a thread has several elements"
BOTH_VALUES = "votes on both values that the next predicate may have"


@dataclass(frozen=True, slots=True)
class Round:
    """A round: where the kernels are, and which of them answer another question than the published variants."""

    title: str
    published: str  # the commit whose variants were challenged
    sources: str  # the commit that has the kernels
    model: str  # of the GPU that timed them
    other_questions: tuple[tuple[str, tuple[str, ...], str], ...]  # pattern, challengers, what they change besides
    # Settings at which the fastest published variant was not timed beside the challengers, with that variant.
    without_best: Mapping[str, str] = field(default_factory=dict)
    # Published variants of a pattern that replace no challenger, because their launch is another one.
    apart: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unanswered: tuple[str, ...] = ()  # patterns about which no page had an answer yet
    replaced: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # variants whose names have other code now
    names: Mapping[str, str] = field(default_factory=dict)  # of patterns, where the challengers' folder had another one

    def left_out(self, pattern: str) -> set[str]:
        """Return the challengers of a pattern that do not count."""
        return {name for one, names, _ in self.other_questions if one == pattern for name in names}


FIRST = Round(
    title="First round",
    published="d6f634f5",
    sources="fc602ad9",
    model="H100",
    names={"batched": "batched-reduce"},
    other_questions=(
        ("reduce", ("x-mma-mma", "x-mma-shfl", "x-mma-shfl3"), "the sum of infinite values is NaN"),
        ("reduce", ("x-mma-or-shfl", "x-dmma-or-shfl", "x-dmma-or-mma"), IN_TURN),
        ("reduce", ("x-redux-or-shfl", "x-redux-or-imma4", "x-redux-or-imma"), IN_TURN),
        ("reduce", ("x-redux-or-smem",), IN_TURN),
        ("scan", ("x-dmma-or-shfl", "x-mma-or-shfl"), IN_TURN),
        ("neighbor", ("x-shfl-or-smem",), IN_TURN),
        ("broadcast", ("x-shfl-or-redux",), IN_TURN),
        ("broadcast-last", ("x-mixed",), IN_TURN),
        ("bitonic-sort", ("x-rank-distinct", "x-rank-broadcast", "x-rank-sat"), "no two keys may be equal"),
        ("bitonic-sort", ("x-rank-halves", "x-rank-halves-int", "x-rank8-min"), "no two keys may be equal"),
        ("broadcast-work", ("x-pairs", "x-pairs-two-rows"), "other arithmetic, whatever the exchange"),
        ("private-array", ("x-pointers", "x-pointers-64", "x-bit-planes"), PREPARED),
        ("lane-array", ("x-pointers", "x-pointers-64", "x-bit-planes"), PREPARED),
        ("reserve", ("x-wide",), "a thread stores for others, and has no slot of its own"),
        ("moving-average", ("x-every-4th", "x-every-8th", "x-every-4th-prefetch"), "most blocks do nothing"),
        ("moving-average", ("x-quarter", "x-quarter-prefetch", "x-quarter-shfl"), "most warps do nothing"),
        ("device-reduce", ("x-keep",), "a part of the array stays in L2 from one launch to the next"),
        ("batched", ("x-halving-xor", "x-halving-xor-tile"), "registers change places outside of the loop"),
        ("batched", ("x-halving-fma",), "finite values only"),
        ("max-and-sum", ("x-redux-fixed", "x-redux-three"), "sums in fixed point"),
        ("max-and-sum", ("x-redux-mma", "x-lazy-mma"), ROUNDED),
        ("block-combine", ("x-mma",), ROUNDED),
        ("cluster-exchange", ("x-same-warp",), "partners lie in one warp, not in different blocks"),
        ("cluster-exchange", ("x-red-async",), "its check did not end"),
    ),
    without_best={
        "count i32 64x256 counters=1": "redux",
        "cluster-exchange i32 sms/8 x 128 cluster=2": "larger-block",
    },
)
SECOND = Round(
    title="Second round",
    published="e0f8fe13",
    sources="b4f1bb83",
    model="H200",
    other_questions=(
        ("reduce", ("x-shfl-dmma-turns", "x-dmma-shfl", "x-dmma-rows"), "a sum that overflows on its way is finite"),
        ("reduce", ("x-redux-shfl-turns", "x-redux-smem-turns"), IN_TURN),
        ("reduce", ("x-wide-fused",), "the last addition is one with the code around the exchange"),
        ("broadcast", ("x-turns4", "x-turns8"), IN_TURN),
        ("vote", ("x-ahead",), BOTH_VALUES),
        ("lane-array", ("x-bytes", "x-bytes-late", "x-bytes-shfl", "x-bytes-shfl-late"), PREPARED),
        ("lane-array", ("x-load-redux1", "x-load-redux2"), IN_TURN),
        ("private-array", ("x-dp4a-16", "x-dp4a-1024", "x-prmt-16"), "fewer or larger blocks on an SM"),
        ("top-k", ("x-redux-or-bitonic",), IN_TURN),
        ("cluster-exchange", ("x-larger-two", "x-larger-four"), MORE_EACH),
        ("moving-average", ("x-four", "x-four-shfl", "x-eight", "x-strided4", "x-resident"), MORE_EACH),
    ),
)
THIRD = Round(
    title="Third round",
    published="c3e1240b",
    sources="3b80d2ca",
    model="H200",
    apart={"cluster-copy": ("larger-block",)},
    unanswered=("cluster-copy", "grid-reduce", "scale-max"),
    replaced={"grid-reduce": ("one-block",)},
    other_questions=(
        ("reduce", ("x-tf32-tf32", "x-tf32n-tf32n", "x-tf32-shfl", "x-tf32n-shfl", "x-f64-tf32"), ROUNDED),
        ("reduce", ("x-bf16-shfl-mixed", "x-redux3-both", "x-redux3-matrix1", "x-redux3-shfl1"), IN_TURN),
        ("block-reduce", ("x-matrix-once-tf32", "x-all-load-tf32", "x-raking-spread-tf32"), ROUNDED),
        ("block-scan", ("x-spread-tf32",), ROUNDED),
        ("max-and-sum", ("x-redux-matrix", "x-rescale-matrix"), ROUNDED),
        ("scale-max", ("x-alternate", "x-redux-of-4", "x-shfl-of-4"), IN_TURN),
        ("broadcast-last", ("x-flo-float", "x-flo3-float", "x-flo-redux", "x-flo2-redux-float"), IN_TURN),
        ("transpose", ("x-stmatrix-of-5", "x-two-stmatrix-of-5"), IN_TURN),
        ("vote", ("x-ahead", "x-ahead-sums", "x-ahead-sum", "x-ahead-two"), BOTH_VALUES),
    ),
)
ROUNDS = (FIRST, SECOND, THIRD)
