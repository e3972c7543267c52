"""Barriers that the specified launches do not need, and a launch with other numbers, grids or contents does."""

import pytest

from tests.checker.exchanges.conftest import Advise

START = "__shared__ int s[512];\nint t = threadIdx.x;\ns[t] = in[t];\n"
STORED = "out[t] = s[t];\n__syncthreads();\nif (CONDITION) s[255 - t] = n;\n__syncthreads();\nout[256 + t] = s[t];"
READ = "__syncthreads();\nout[t] = s[INDEX];"

# What follows the barrier, the arguments, and the value for which it is needed.
NEEDED = {
    "an index": (READ.replace("INDEX", "(t + n) & 255"), ["n=0"], "n = 1"),
    "a condition": (STORED.replace("CONDITION", "n > 3"), ["n=3"], "n = 4"),
    "a bound": ("__syncthreads();\nfor (int k = 0; k < n / 256; ++k) out[t] = s[255 - t];", ["n=17"], "n = 257"),
    "the grid": (READ.replace("INDEX", "t ^ (gridDim.x > 1 ? 32 : 1)"), [], "2 blocks"),
    "the number of a block": (
        READ.replace("INDEX", "(t + 32 * blockIdx.x) & 255").replace("[t] =", "[256 * blockIdx.x + t] ="),
        [],
        "2 blocks",
    ),
    "indices in memory": (
        READ.replace("INDEX", "in[t] & 255"),
        ["in=i32[256]:index"],
        "other contents of in",
    ),
    "contents that conditions compare": (
        "__syncthreads();\nif (in[0] == 12345) out[t] = s[255 - t];",
        ["in=i32[256]:0"],
        "other contents of in",
    ),
    "a flag": (STORED.replace("CONDITION", "in[0] & 1"), ["in=i32[256]:0", "n=3"], "other contents of in"),
}


@pytest.mark.archs
@pytest.mark.one_in(5)
@pytest.mark.parametrize(("rest", "arguments", "values"), NEEDED.values(), ids=NEEDED)
def test_a_value_for_which_a_barrier_is_needed_is_named(
    advise: Advise, rest: str, arguments: list[str], values: str
) -> None:
    body = f"{START}{rest}"
    barrier, *_ = advise(body, "1x256", arguments=arguments).barriers
    assert barrier.need == "needed"
    assert barrier.reason.partition(";")[0] == f"without it, a launch with {values} has a fault"


def test_what_needs_a_barrier_only_with_a_fault_leaves_it_open(advise: Advise) -> None:
    body = f"{START}__syncthreads();\nout[t] = s[t];\nif (in[0] == 7 && in[0] == 8) s[255 - t] = n;"
    (barrier,) = advise(body, "1x256", arguments=["n=3"]).barriers
    assert barrier.need != "needed"
    beyond = f"{START}__syncthreads();\nout[t + (n == 5 ? 1 << 20 : 0)] = s[n == 5 ? 255 - t : t];"
    (barrier,) = advise(beyond, "1x256", arguments=["n=4", "out=i32[512]"]).barriers
    assert not barrier.reason.startswith("without it")


def test_launches_with_other_values_are_few(advise: Advise, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[object] = []
    module = "shflbench.checker.exchanges.counterexamples"
    original = __import__(module, fromlist=["explore"]).explore

    def counted(*arguments: object, **words: object) -> object:
        runs.append(arguments)
        return original(*arguments, **words)

    monkeypatch.setattr(f"{module}.explore", counted)
    monkeypatch.setattr(f"{module}.MOST_RUNS", 6)
    reads = "".join(f"__syncthreads();\nout[t] += s[in[{k}] == 1 << 20 ? t ^ 32 : t];\n" for k in range(4))
    advice = advise(f"{START}{reads}", "1x256", arguments=["in=i32[256]:0"])
    assert len(advice.barriers) == 4
    of_specified = len(advice.barriers)  # the specified launch once without each barrier
    assert of_specified < len(runs) <= of_specified + 7
