"""Exchanges whose lanes are the same in all launches, and those that other values change."""

import pytest

from tests.checker.exchanges.conftest import Advise

START = "__shared__ int s[256];\nint t = threadIdx.x, i = blockIdx.x * 256 + t, sum = 0;\n"
STORED = f"{START}s[t] = in[t];\n__syncthreads();\n"
LOOP = "for (int k = 0; k < n; ++k) {\ns[t] = in[t] + k;\n__syncthreads();\nREAD\n__syncthreads();\n}\nout[t] = sum;"

PROVED = {
    "who reads": (f"{STORED}if (i < n) out[i] = s[t ^ 5];", "__shfl_xor_sync(mask, value, 5)"),
    "a value for those that have none": (
        f"{START}s[t] = i < n ? in[i] : 0;\n__syncthreads();\nif (i < n) out[i] = s[t ^ 5];",
        "__shfl_xor_sync(mask, value, 5)",
    ),
    "how often a loop iterates": (
        START + LOOP.replace("READ", "sum += s[t / 32 * 32 + 7];"),
        "__shfl_sync(mask, value, 7)",
    ),
    "lanes that memory names": (
        f"{STORED}out[t] = s[t / 32 * 32 + (in[t] & 31)] + n;",
        "__shfl_sync(mask, value, lane)",
    ),
    "some threads that the block decides": (
        f"{START}if (t % 32 == 3) s[t / 32] = n;\n__syncthreads();\nout[t] = s[t / 32];",
        "__shfl_sync(mask, value, 3)",
    ),
    "two buffers in turn": (
        (
            f"__shared__ int q[2][256];\n{START}for (int k = 0; k < n; ++k) {{\nq[k & 1][t] = in[t] + k;\n"
            "__syncthreads();\nsum += q[k & 1][t ^ 2];\n}\nout[t] = sum;"
        ),
        "__shfl_xor_sync(mask, value, 2)",
    ),
}
# What other values change: who gives a value, or whether a partner stores.
CHANGED = {
    "a row": (
        f"{STORED}out[t] = s[t / n * n + (t + 1) % n];",
        "n=32",
        "",
        "unknown: with n = 64, the values come from",
    ),
    "a store that some skip": (
        f"{STORED}if (t < n) s[t] = 7;\n__syncthreads();\nout[t] = s[t ^ 1];",
        "n=0",
        "",
        "unknown: with n = 1, line 6 stores some of the values",
    ),
    "a store of larger numbers": (
        f"{STORED}int v = s[t];\n__syncthreads();\nif (n > 300) s[255 - t] = v;\n__syncthreads();\nout[t] = s[t ^ 1];",
        "n=3",
        "",
        "unknown: with n = 30",
    ),
}


@pytest.mark.parametrize(("body", "instead"), PROVED.values(), ids=PROVED)
def test_lanes_that_follow_from_the_code_hold_in_all_launches(advise: Advise, body: str, instead: str) -> None:
    advice = advise(body, "1x256", arguments=["n=100"])
    assert advice.report.verdict == "clean", advice.report.sentence
    (exchange,) = [item for item in advice.exchanges if item.instead]
    assert (exchange.instead, exchange.is_proved) == (instead, True)


@pytest.mark.parametrize(("body", "number", "instead", "reason"), CHANGED.values(), ids=CHANGED)
def test_lanes_that_a_number_changes_are_not_proved(
    advise: Advise, body: str, number: str, instead: str, reason: str
) -> None:
    exchange = advise(body, "1x256", arguments=[number]).exchanges[-1]
    assert not exchange.is_proved
    assert instead in exchange.instead
    assert bool(exchange.instead) is not bool(reason)
    assert exchange.reason.startswith(reason)


def test_a_suggestion_for_the_stated_number_says_so(advise: Advise, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.checker.exchanges.counterexamples.MOST_RUNS", 0)
    body = f"{STORED}int v = s[t ^ 2];\n__syncthreads();\nif (n > 300) s[255 - t] = v;\n__syncthreads();\n"
    body += "out[t] = s[t ^ 1];"
    advice = advise(body, "1x256", arguments=["n=3"])
    assert {item.scope for item in advice.exchanges} == {"for n = 3; not known for others"}
