"""Barriers between iterations that take turns with buffers: what the iteration before and the next one touch."""

import pytest

from tests.checker.exchanges.conftest import Advise

PROLOG = "__shared__ int s[3][256];\nint t = threadIdx.x, sum = 0, cur = 0;\nbool flag = false;\n"
STEP = "s[BUFFER][t] = in[t];\n__syncthreads();\nsum += s[BUFFER][255 - t];\nAFTER\n__syncthreads();\n"
ROLLED = "#pragma unroll 1\n"
LOOP = f"for (int k = 0; k < n; ++k) {{\n{STEP}}}\n"

# The index of the buffer, what an iteration changes at its end, and the loop.
TURNS = {
    "parity": ("k & 1", "", LOOP),
    "parity in a loop that is not unrolled": ("k & 1", "", ROLLED + LOOP),
    "parity of odd steps": ("k & 1", "", LOOP.replace("++k", "k += 3")),
    "parity of a loop that counts down": ("k & 1", "", LOOP.replace("k = 0; k < n; ++k", "k = 9; k > 0; --k")),
    "another bit of a step of two": ("k >> 1 & 1", "", LOOP.replace("++k", "k += 2")),
    "a toggle": ("cur", "cur ^= 1;", LOOP),
    "a toggle by subtraction": ("cur", "cur = 1 - cur;", ROLLED + LOOP),
    "a flag": ("flag", "flag = !flag;", ROLLED + LOOP),
    "three buffers": ("k % 3", "", LOOP),
    "three buffers, one after the other": ("k % 3", "", ROLLED + LOOP),
    "three buffers of a counter that starts again": ("cur", "if (++cur == 3) cur = 0;", LOOP),
    "three buffers of a remainder": ("cur", "cur = (cur + 1) % 3;", ROLLED + LOOP),
    "a toggle that all threads skip at once": (
        "cur",
        "cur ^= 1;",
        LOOP.replace("{\n", "{\nif (in[k] == 12345) continue;\n"),
    ),
}
# Where another value than those of the launch lets both iterations touch one buffer, or these do.
SAME = {
    "every second number": ("k & 1", "", LOOP.replace("++k", "k += 2")),
    "a bit that stays": ("k >> 1 & 1", "", LOOP),
    "a toggle of some iterations": ("cur", "if (in[k] != 7) cur ^= 1;", LOOP),
    "a toggle of some threads": ("cur", "if (in[t] != 7) cur ^= 1;", LOOP),
    "a loop that begins again": ("k & 1", "", f"for (int j = 0; j < in[7]; ++j)\n{LOOP}"),
    "three numbers and two buffers": ("(k % 3) & 1", "", LOOP),
    "iterations that are left out": ("k & 1", "", LOOP.replace("{\n", "{\nif (in[k] == 12345) continue;\n")),
    "a number of memory": ("in[k] & 1", "", LOOP),
    "a step of a parameter": ("k & 1", "", LOOP.replace("++k", "k += 1 + in[9]")),
}


def body_of(buffer: str, after: str, loop: str) -> str:
    return f"{PROLOG}{loop}out[t] = sum;".replace("BUFFER", buffer).replace("AFTER", after)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("buffer", "after", "loop"), TURNS.values(), ids=TURNS)
def test_one_barrier_per_iteration_is_enough_where_buffers_take_turns(
    advise: Advise, buffer: str, after: str, loop: str
) -> None:
    first, second = advise(body_of(buffer, after, loop), "1x256", arguments=["n=5"]).barriers
    assert first.need == "needed"
    assert (second.need, second.is_proved) == ("not needed", True)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("buffer", "after", "loop"), SAME.values(), ids=SAME)
def test_both_barriers_stay_where_iterations_may_touch_one_buffer(
    advise: Advise, buffer: str, after: str, loop: str
) -> None:
    for barrier in advise(body_of(buffer, after, loop), "1x256", arguments=["n=5"]).barriers:
        assert not (barrier.could_be_weaker and barrier.is_proved)


SWAPPED = """__shared__ int a[256], b[256];
int t = threadIdx.x, sum = 0, *p = a, *q = b;
p[t] = in[t];
for (int k = 0; k < n; ++k) {
    __syncthreads();
    sum += p[255 - t];
    __syncthreads();
    q[t] = sum;
    SWAP
}
out[t] = sum;"""


@pytest.mark.parametrize(
    ("swap", "need"), [("int* r = p; p = q; q = r;", "not needed"), ("q = p;", "needed"), ("", "needed")]
)
def test_pointers_that_change_places_point_to_two_buffers(advise: Advise, swap: str, need: str) -> None:
    first, second = advise(SWAPPED.replace("SWAP", swap), "1x256", arguments=["n=4"]).barriers
    if swap:
        assert (second.need, second.is_proved) == (need, True)
    else:
        assert not first.could_be_weaker or second.need == need


def test_a_barrier_of_a_kernel_with_single_values_says_for_which_it_holds(
    advise: Advise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shflbench.checker.exchanges.counterexamples.MOST_RUNS", 0)
    ends = "__syncthreads();\nif (n > 3) s[0][255 - t] = n;"
    body = f"{PROLOG}s[0][t] = in[t];\n__syncthreads();\nout[t] = s[0][t];\n{ends}"
    first, second = advise(body, "1x256", arguments=["n=3"]).barriers
    assert (first.need, first.reason, first.is_proved) == ("not needed", "for all values, grids and contents", True)
    assert (second.need, second.reason, second.is_proved) == ("not needed", "for n = 3 only", False)
