"""Recordings of NVBench on a GPU are read as they are, and judged as the kernels were changed."""

from itertools import combinations
from pathlib import Path

import pytest

from benchmarks.nvbench.recording import NVBenchRecording
from shflbench.analysis.compare import Outcome, Settings, Side, compare
from shflbench.store.readers import RecordedProcess, Recording, read_recording, run_of
from tests.fakes.nvbench_recordings import write_sides

pytestmark = pytest.mark.archs  # seven seconds

RECORDINGS = sorted((Path(__file__).parents[2] / "data" / "nvbench").glob("*.npz"))
ALARMS = {Outcome.SLOWER, Outcome.FASTER}
EARLIEST = 50.0  # µs, of the kernels whose slowdowns must be found
SLOWED = 0.019  # truly, at least


@pytest.fixture(scope="module", params=RECORDINGS, ids=lambda path: path.stem)
def recording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recording]:
    """Return both sides of a recording, read from the files that NVBench wrote."""
    folder = tmp_path_factory.mktemp("nvbench")
    write_sides(NVBenchRecording.load(request.param), folder)
    return {side: read_recording(folder / side) for side in ("unchanged", "slower")}


def side(recording: Recording, places: tuple[int, ...]) -> Side:
    """Return a side of some of the processes."""
    processes: list[RecordedProcess] = [recording.processes[place] for place in places]
    return Side.of([run_of(Recording(recording.tool, recording.place, tuple(processes)))])


def test_no_split_of_unchanged_processes_raises_an_alarm(recording: dict[str, Recording]) -> None:
    unchanged = recording["unchanged"]
    assert len(unchanged.processes) == 6
    for others in combinations(range(1, 6), 2):
        base = (0, *others)
        new = tuple(place for place in range(6) if place not in base)
        comparison = compare(side(unchanged, base), side(unchanged, new), Settings(alternated=True))
        assert not [verdict.case_id for verdict in comparison.verdicts if verdict.outcome in ALARMS]


def test_slower_kernels_of_50_us_and_more_are_found_with_three_processes_per_side(
    recording: dict[str, Recording],
) -> None:
    whole = compare(side(recording["unchanged"], tuple(range(6))), side(recording["slower"], tuple(range(6))))
    slowed = {
        verdict.case_id
        for verdict in whole.verdicts
        if verdict.base and verdict.new and verdict.base >= EARLIEST and verdict.new / verdict.base >= 1 + SLOWED
    }
    assert len(slowed) >= 5
    for places in ((0, 1, 2), (3, 4, 5)):
        base, new = (side(recording[name], places) for name in ("unchanged", "slower"))
        comparison = compare(base, new, Settings(alternated=True))
        outcomes = {verdict.case_id: verdict.outcome for verdict in comparison.verdicts}
        assert {case: outcomes[case] for case in slowed} == dict.fromkeys(slowed, Outcome.SLOWER)
