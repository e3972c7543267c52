"""The pattern that is the same exchange as one of a file, and the ratio that stored runs have of it."""

from pathlib import Path

import pytest

from shflbench import advise
from shflbench.advice.exchange_alone import StoredExchanges, same_pattern
from shflbench.checker import ExchangeAdvice
from shflbench.checker.exchanges.recorder import LaneRelation
from shflbench.cuda_sources import SourceLine
from shflbench.errors import ResultsError

RESULTS = Path(__file__).parents[2] / "results"
LINE = SourceLine(Path("a.cu"), 1)


def exchange(
    kind: str, *distances: int, offered: int = 1, element: str = "f4", is_combined: bool = True
) -> ExchangeAdvice:
    relations = ((LaneRelation[kind], 4), (LaneRelation.THREAD, 1))
    return ExchangeAdvice(LINE, LINE, relations, distances, offered, 64, "a shuffle", element, is_combined=is_combined)


@pytest.mark.parametrize(
    ("kind", "distances", "title"),
    [
        ("XOR", (3,), "neighbor, mode=xor"),
        ("XOR", (4, 2, 1), "reduce, width=8"),
        ("XOR", (16, 3), None),
        ("XOR", (8, 4), None),
        ("SHIFT", (1,), "neighbor, mode=down"),
        ("SHIFT", (-2,), "neighbor, mode=up"),
        ("SHIFT", (16, 8, 4, 2, 1), "reduce, width=32"),
        ("SHIFT", (-1, -2, -4), "scan"),
        ("SHIFT", (1, -2), None),
        ("BROADCAST", (7,), "broadcast, values=1"),
        ("BROADCAST", tuple(range(32)), "broadcast-work"),
        ("PERMUTATION", (), "neighbor, mode=idx"),
        ("PARTS", (), None),
    ],
)
def test_the_relation_of_lanes_names_the_pattern(kind: str, distances: tuple[int, ...], title: str | None) -> None:
    pattern = same_pattern(exchange(kind, *distances))
    assert (pattern.title if pattern else None) == title


def test_steps_of_a_sorting_network_are_no_sum() -> None:
    assert same_pattern(exchange("XOR", 1, 2, 4, 8, 16, is_combined=False)) is None


@pytest.mark.parametrize(("offered", "title"), [(8, "transpose, words=8"), (5, None)])
def test_several_values_of_a_lane_are_a_transposition(offered: int, title: str | None) -> None:
    pattern = same_pattern(exchange("SEVERAL", offered=offered))
    assert (pattern.title if pattern else None) == title


@pytest.mark.archs
def test_the_ratio_is_that_of_the_stored_run() -> None:
    (one,) = StoredExchanges([RESULTS], None, None).alone(exchange("XOR", 1), 1024)
    assert (one.gpu, one.run) == ("NVIDIA H200 (sm_90)", str(RESULTS / "gtc2013" / "nvidia-h200"))
    assert one.setting == "f32, 26x1024, 4096 iterations, mode=xor"
    (answer,) = advise("neighbor", RESULTS, dtype="f32", block=1024, options={"mode": "xor"}).measured
    ratio = answer.advice.answer.speedup("shfl", "smem")
    assert one.speedup == ratio
    assert one.speedup.low > 4


@pytest.mark.archs
def test_an_element_type_that_nobody_measured_gets_the_nearest_one() -> None:
    (one,) = StoredExchanges([RESULTS], None, None).alone(exchange("XOR", 1, element="u4"), 1024)
    assert one.setting.startswith("f32, ")  # neighbor with mode=xor


def test_without_results_nothing_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    stored = StoredExchanges([], None, None)
    assert stored.device is None
    assert stored.alone(exchange("XOR", 1), 256) == ()
    with pytest.raises(ResultsError, match="no run is of a GPU `A100`"):
        StoredExchanges([RESULTS], "A100", None)
