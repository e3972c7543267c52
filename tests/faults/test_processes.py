"""Cases that are repeated in fresh worker processes, some of which die."""

from collections import Counter

import pytest

from tests.faults.conftest import CASES, Make, fault

pytestmark = pytest.mark.expensive


@pytest.mark.archs
def test_each_case_is_measured_in_three_processes(make: Make) -> None:
    made = make()
    outcome = made.call("suite.yaml", "--output", "out", "--processes", "3")
    assert outcome.code == 0
    assert {row.processes for row in made.rows().values()} == {(0, 1, 2)}
    assert all(made.processes_of(name) == {0, 1, 2} for name in made.rows())
    assert made.processes_of("sentinel") == {0, 1, 2}
    assert made.happened().count("worker") == 3


@pytest.mark.archs
def test_crash_in_the_second_process_fails_the_case_and_the_others_still_get_three(make: Make) -> None:
    made = make(fault("neighbor/shfl", "time", "illegal address", 8, worker=1))
    outcome = made.call("suite.yaml", "--output", "out", "--processes", "3")
    assert outcome.code == 5
    assert made.failures() == {"neighbor/shfl": "illegal memory access (CUDA_ERROR_ILLEGAL_ADDRESS)"}
    assert made.processes_of("neighbor/shfl") == {0, 1}  # its earlier samples are kept
    assert {row.processes for name, row in made.rows().items() if name != "neighbor/shfl"} == {(0, 1, 2)}
    for pattern in ("neighbor", "reduce"):  # each group is shown once
        assert sum(line.startswith(f"{pattern}  f32") for line in outcome.err.splitlines()) == 1


@pytest.mark.archs
def test_run_that_dies_in_its_second_process_keeps_the_first_and_resume_completes_it(make: Make) -> None:
    made = make(fault("reduce/shfl", "time", "hang", 8, worker=1))
    process = made.start("suite.yaml", "--output", "out", "--processes", "3")
    made.wait_for("hang")
    process.kill()
    assert made.end(process).code == -9
    assert {row.processes for row in made.rows().values()} == {(0,)}
    assert len(made.rows()) == CASES
    assert made.call("suite.yaml", "--resume", "out").code == 0
    assert {row.processes for row in made.rows().values()} == {(0, 1, 2)}
    rounds = Counter((sample.case_id, sample.process) for sample in made.samples())
    assert {process for _, process in rounds} == {0, 1, 2}
    assert len({sample.case_id for sample in made.samples()}) * 3 == len(rounds)
