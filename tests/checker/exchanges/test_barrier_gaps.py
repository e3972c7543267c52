"""Kernels with races: where a barrier is missing, and which one would be enough."""

import pytest

from tests.checker.exchanges.conftest import BARRIER, ROWS, Advise

GAPS = {
    "lanes of a warp": (f"{ROWS}\nout[t] = s[t ^ 1];", [(2, 3, "__syncwarp()")]),
    "threads of a block": (f"{ROWS}\nout[t] = s[255 - t];", [(2, 3, "__syncthreads()")]),
    "the last steps of a tree": (
        f"{ROWS}\n{BARRIER}\nif (t < 16) s[t] += s[t + 16];\nif (t < 8) s[t] += s[t + 8];\nout[t] = s[t];",
        [(4, 5, "__syncwarp()")],
    ),
    "reading and writing in one line": (
        f"{ROWS}\n{BARRIER}\ns[t] += s[t ^ 1];\nout[t] = s[t];",
        [(4, 4, "__syncwarp()")],
    ),
}


@pytest.mark.parametrize(("body", "gaps"), GAPS.values(), ids=GAPS)
def test_a_race_says_between_which_lines_a_barrier_is_missing(
    advise: Advise, body: str, gaps: list[tuple[int, int, str]]
) -> None:
    advice = advise(body, "1x256")
    assert advice.report.verdict == "broken"
    assert [(gap.first.line, gap.last.line, gap.barrier) for gap in advice.gaps] == gaps
    assert not any(barrier.could_be_weaker for barrier in advice.barriers)


def test_barriers_that_order_warps_are_needed_in_a_kernel_with_races(advise: Advise) -> None:
    advice = advise(f"{ROWS}\n{BARRIER}\nint other = s[255 - t];\ns[t] = other;\nout[t] = s[t];", "1x256")
    assert [(barrier.line.line, barrier.need) for barrier in advice.barriers] == [(3, "needed")]
    assert advice.gaps


def test_a_race_in_global_memory_is_no_gap(advise: Advise) -> None:
    advice = advise(f"{ROWS}\n{BARRIER}\nout[t] = s[255 - t];\nout[255] = out[t];", "1x256")
    assert advice.report.verdict == "broken"
    assert not advice.gaps


def test_of_a_pointer_that_may_be_to_shared_memory_nothing_is_known(advise: Advise) -> None:
    body = f"{ROWS}\nconst int* p = n ? s : in;\nout[t] = s[t ^ 1] + p[255 - t];"
    (gap,) = advise(body, "1x256", arguments=["n=1"]).gaps
    assert (gap.first.line, gap.last.line, gap.barrier) == (2, 4, "__syncthreads()")
