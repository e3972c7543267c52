"""The cases that `compare_power` measures, from 4 µs to 2.3 ms, each also with more iterations: a true slowdown."""

from __future__ import annotations

from dataclasses import dataclass

PERCENT_MORE = (1, 2, 3, 5, 10)  # iterations
PLACES = 9  # CUDA contexts per process; the first eight recordings have one

NAME = "compare-power"
HEADER = """\
schema: 1
name: {name}
title: What `compare` has to tell apart
measure: {{precision: 0.5%, max_seconds: 0.5{places}}}
experiments:
"""


@dataclass(frozen=True, slots=True)
class Subject:
    """The variants of one pattern at one launch; `iterations` is 0 for a pass over data, which has none."""

    pattern: str
    variants: str
    dtype: str
    launch: str
    iterations: int = 0
    options: str = ""  # as in a suite: `words: 4`

    def experiment(self, percent_more: int) -> str:
        """Return its line of a suite."""
        words = [f"pattern: {self.pattern}", f"variants: [{self.variants}]", f"dtypes: {self.dtype}"]
        words += [f"launch: {self.launch}"]
        if self.iterations:
            words.append(f"iterations: {self.iterations * (100 + percent_more) // 100}")
        if self.options:
            words.append(self.options)
        return f"  - {{{', '.join(words)}}}\n"


# Multiples of a hundred iterations, so that 1% of them is a whole number.
SUBJECTS = (
    Subject("broadcast", "smem, smem-syncwarp, shfl", "f32", "26x1024", 100),
    Subject("neighbor", "smem, smem-syncwarp, shfl", "f32", "26x1024", 200),
    Subject("memory-ladder", "smem, register, shfl, l1, l2", "i32", "26x1024", 400),
    Subject("reduce", "smem, smem-syncwarp, shfl", "f32", "26x1024", 100),
    Subject("vote", "smem, shfl, vote", "i32", "26x1024", 400),
    Subject("neighbor", "smem, smem-syncwarp, shfl", "f64", "26x1024", 400),
    Subject("scan", "smem, smem-syncwarp, shfl", "f32", "26x1024", 200),
    Subject("private-array", "local, smem, select-bits", "f32", "26x256", 400),
    Subject("bitonic-sort", "smem, smem-syncwarp, shfl", "i32", "26x1024", 100),
    Subject("neighbor", "smem, smem-syncwarp, shfl", "i32", "264x1024", 1600),
    Subject("transpose", "smem, smem-padded, shfl", "f32", "26x1024", 300),
    Subject("broadcast-last", "smem, shfl, ballot", "f32", "26x1024", 1600),
    Subject("reduce", "smem, shfl, redux", "i32", "264x1024", 1600),
    Subject("scan", "smem, smem-syncwarp, shfl", "f32", "264x1024", 3200),
)

# These differ between processes, which have other physical pages and cache contents.
PASSES = (
    Subject("struct-access", "direct, shfl, soa", "f32", "8192x256", options="words: 4"),
    Subject("moving-average", "global, smem, shfl", "f32", "8192x256"),
    Subject("neighbor-difference", "global, smem, shfl", "f32", "1024x256"),
    Subject("transpose", "cub, cub-shfl", "f32", "264x1024", 400),
)


def suite(percents: tuple[int, ...], places: int = PLACES) -> str:
    """Return the suite: all subjects, then for each of `percents` all subjects with that many more iterations."""
    lines = [subject.experiment(0) for subject in (*SUBJECTS, *PASSES)]
    lines += [subject.experiment(percent) for percent in percents for subject in SUBJECTS]
    contexts = f", places: {places}" if places > 1 else ""
    return HEADER.format(name=NAME, places=contexts) + "".join(lines)


# These wait for memory beyond an SM's own cache. Their time depends on the physical pages that a process received: each
# process takes one of several times and keeps it, up to 4% apart for unchanged code. Only more processes show that, not
# more rounds. The time also depends on the GPU: two of five H200s, whose other cases agreed within 0.7% from 10 µs on,
# differed by up to 1.7%. Verdicts on these cases are therefore counted separately.
UNSTEADY = ("struct-access/", "moving-average/", "neighbor-difference/", "memory-ladder/l2/")

_ITERATIONS = {
    (subject.pattern, subject.dtype, subject.launch, subject.iterations * (100 + percent) // 100): percent
    for subject in SUBJECTS
    for percent in PERCENT_MORE
}


def steady(case_id: str) -> bool:
    """Return whether the processes of unchanged code agree on a case's time within the noise of all cases."""
    return not case_id.startswith(UNSTEADY)


def origin(case_id: str) -> tuple[int, str]:
    """Return the additional iterations of a case in percent, and the id of the case without them."""
    pattern, variant, dtype, launch, iterations, *options = case_id.split("/")
    percent = _ITERATIONS.get((pattern, dtype, launch, int(iterations)), 0)
    return percent, "/".join((pattern, variant, dtype, launch, str(int(iterations) * 100 // (100 + percent)), *options))
