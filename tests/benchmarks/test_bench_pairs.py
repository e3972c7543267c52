import json

import pytest

from benchmarks.bench_pairs.__main__ import PAGE, RECORD
from benchmarks.bench_pairs.page import text
from benchmarks.bench_pairs.pairs import Pair, bench_ratio, own_times, pairs

BY_ID = {pair.id: pair for pair in pairs()}
TURNS = """\
TURN 0
block_size   32 | time 0.1000 ms
block_size  256 | time 0.0500 ms
TURN 1
block_size   32 | time 0.0200 ms
block_size  256 | time 0.0100 ms
"""


def kernel(name: str, time_us: float | None, speedup: tuple[float, float] | None = None) -> dict[str, object]:
    low, high = speedup or (None, None)
    ends = {"speedup_low": low, "speedup_high": high}
    return {"kernel": name, "variant": name, "block": [16, 16, 1], "time_us": time_us, **ends}


def ratio(pair: Pair, baseline: str, *kernels: dict[str, object]) -> object:
    return bench_ratio(pair, {"baseline": baseline, "kernels": kernels})


def test_the_page_is_that_of_the_record() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(json.loads(RECORD.read_text(encoding="utf-8")))


def test_a_program_that_runs_its_kernels_in_turn_gives_times_by_block() -> None:
    times = own_times(BY_ID["llmc-residual"], TURNS)
    assert times == {"32": ([100.0], [20.0]), "256": ([50.0], [10.0])}


def test_a_rate_is_an_inverse_time() -> None:
    text = "naive transpose 50\nconflict-free transpose 200\n"
    (first,), (second,) = own_times(BY_ID["blog-transpose"], text)[""]
    assert first / second == pytest.approx(4)


def test_a_ratio_is_that_of_the_first_kernel_whichever_is_the_baseline() -> None:
    pair = BY_ID["samples-reduction"]
    first, second = kernel("reduce0<int>", 20.0), kernel("reduce2<int>", 10.0, (1.9, 2.1))
    known = ratio(pair, "reduce0<int>", first, second)
    assert known == ("", {"ratio": 2.0, "low": 1.9, "high": 2.1, "first_us": 20.0, "second_us": 10.0})
    first, second = kernel("reduce0<int>", 20.0, (0.5, 0.8)), kernel("reduce2<int>", 10.0)
    turned = ratio(pair, "reduce2<int>", second, first)
    assert turned == ("", {"ratio": 2.0, "low": 1.25, "high": 2.0, "first_us": 20.0, "second_us": 10.0})


def test_a_group_without_a_time_has_no_ratio() -> None:
    assert ratio(BY_ID["hec-entropy"], "entropy", kernel("entropy", None), kernel("entropy_opt<16, 16>", 1.0)) is None
