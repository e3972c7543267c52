"""The words for a history."""

import pytest

from shflbench.analysis.history.bridges import Bridge
from shflbench.analysis.history.findings import history_of
from shflbench.analysis.history.rule import FEWEST_RUNS
from shflbench.output.export.history.words import bridge_in_words, headline, offset, too_few
from tests.fakes.histories import history_run, machine


@pytest.mark.parametrize("runs", [1, FEWEST_RUNS - 1, FEWEST_RUNS])
def test_too_few_runs_are_said_where_no_change_can_be_seen(runs: int) -> None:
    stepped = 8
    (history,) = history_of(history_run(day, {"a": 20.0 if day >= stepped else 10 + day / 1000}) for day in range(runs))
    missing = FEWEST_RUNS - runs
    wanted = f"too few runs to find changes: the first can be seen after {missing} more" if missing else ""
    assert too_few(history) == wanted
    assert bool(history.changes) == (not missing)


@pytest.mark.parametrize(("runs", "days"), [(1, "1 run on 2026-01-01"), (3, "3 runs from 2026-01-01 to 2026-01-03")])
def test_the_headline_has_the_days(runs: int, days: str) -> None:
    (history,) = history_of(history_run(day, {"a": 10.0}) for day in range(runs))
    assert headline(history) == f"quick on NVIDIA H200, GPU-00000000-0000-0000-0000-000000000001: {days}"


@pytest.mark.parametrize(
    ("bridge", "words"),
    [
        (Bridge("A", "B", 9), "no commit was measured on both: its series begin anew"),
        (
            Bridge("A", "B", 9, "c7"),
            "of commit c7, which both measured, the machine code differs: its series begin anew",
        ),
        (
            Bridge("A", "B", 9, "c7", (0.9, 1.1), 1),
            "joined by commit c7, which both measured; times before are multiplied by 0.900 to 1.100",
        ),
        (
            Bridge("A", "B", 9, "c7", (0.9, 1.1), 3),
            "joined by commit c7 and 2 others, which both measured; times before are multiplied by 0.900 to 1.100",
        ),
    ],
)
def test_how_a_gpu_replaces_another_one_is_said(bridge: Bridge, words: str) -> None:
    assert bridge_in_words(bridge).endswith(words)
    assert bridge_in_words(bridge).startswith("B replaces A")


@pytest.mark.parametrize(("added_us", "word"), [(0.0, ""), (1.0, "1 µs longer"), (-1.0, "1 µs shorter")])
def test_a_lasting_offset_is_said(added_us: float, word: str) -> None:
    late = 20
    (history,) = history_of(
        history_run(day, {"a": 50.0}, machine(offset_us=added_us if day >= late else 0.0)) for day in range(2 * late)
    )
    assert offset(history) == (
        f"the sentinels show that each launch takes {word} than in the first runs: times are without it" if word else ""
    )
