"""`gate` with real worker processes, some of which die while a case is measured again."""

import pytest

from shflbench.store import read_info
from tests.faults.conftest import End, Machine, Make, fault
from tests.faults.test_signals import ctrl_c, terminate

SHFL = "neighbor/shfl/f32/2x64/256/mode=idx"
SUSPICIOUS = {"neighbor/shfl": {"base_us": 4.32}}  # 3.5% slower: suspected with one process per side
AGAINST = ("suite.yaml", "--processes", "1", "--against", "base")
FURTHER = 2  # number of the worker that measures longer: two others made the base and the run


@pytest.fixture
def slower(make: Make) -> Make:
    """Make a base, and a machine on which a kernel is slower and these faults happen."""

    def one(*faults: dict[str, object]) -> Machine:
        base = make()
        assert base.call("suite.yaml", "--output", "base").code == 0
        return make(*faults, scripts=SUSPICIOUS)

    return one


def processes(made: Machine) -> dict[str, tuple[int, ...]]:
    """Return the processes of each case of the group that is measured longer."""
    return {name: row.processes for name, row in made.rows().items() if row.pattern == "neighbor"}


@pytest.mark.archs
def test_suspected_case_is_decided_by_a_fresh_process(slower: Make) -> None:
    made = slower()
    outcome = made.run(*AGAINST, "--output", "out", command="gate")
    assert (outcome.code, outcome.out) == (1, "out\n")
    assert f"\nslower   {SHFL}  " in outcome.err
    assert made.happened().count("worker") == 3
    assert set(processes(made).values()) == {(0, 1)}
    assert made.rows()["reduce/shfl"].processes == (0,)


@pytest.mark.archs
def test_death_of_a_further_worker_loses_only_its_samples_of_the_running_case(slower: Make) -> None:
    made = slower(fault("neighbor/smem", "time", "kill", 20, worker=FURTHER))
    outcome = made.run(*AGAINST, "--output", "out", command="gate")
    assert outcome.code == 1
    assert f"\nslower   {SHFL}  " in outcome.err
    assert made.failures() == {}
    found = processes(made)
    assert found.pop("neighbor/smem") == (0,)
    assert set(found.values()) == {(0, 2)}  # without the samples of the worker that died
    assert {name: made.processes_of(name) for name in ("neighbor/smem", "neighbor/shfl")} == {
        "neighbor/smem": {0},
        "neighbor/shfl": {0, 2},
    }
    assert any("failed in a further process, and keeps its earlier times" in note for note in made.notes())


@pytest.mark.archs
def test_case_whose_further_process_dies_stays_undecided(slower: Make) -> None:
    made = slower(fault("neighbor/shfl", "verify", "kill", worker=FURTHER))
    outcome = made.run(*AGAINST, "--output", "out", "--strict", command="gate")
    assert outcome.code == 6
    assert "its worker process was ended by SIGKILL (Killed)" in outcome.err
    assert "1 suspected of 9 cases\n" in outcome.err
    assert processes(made)["neighbor/shfl"] == (0,)
    assert read_info(made.folder / "out").finished is not None


@pytest.mark.archs  # that a run can be ended meanwhile, tests/cli/gate/test_gate.py shows in one process
@pytest.mark.parametrize(("end", "code"), [(ctrl_c, 130), (terminate, 143)])
def test_run_that_is_ended_while_cases_are_measured_again_keeps_its_rows_and_can_be_resumed(
    slower: Make, end: End, code: int
) -> None:
    made = slower(fault("neighbor/shfl", "time", "hang", 4, worker=FURTHER))
    process = made.start(*AGAINST, "--output", "out", command="gate", start_new_session=True)
    made.wait_for("hang")
    end(process)
    outcome = made.end(process)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.endswith("Resume it with: shflbench gate suite.yaml --resume out --against base\n")
    assert {row.processes for row in made.rows().values()} == {(0,)}
    again = made.run("suite.yaml", "--resume", "out", "--against", "base", command="gate")
    assert (again.code, again.out) == (1, "out\n")
    assert set(processes(made).values()) == {(0, 1)}


@pytest.mark.archs
def test_gpu_that_is_lost_while_cases_are_measured_again_leaves_a_run_that_can_be_resumed(slower: Make) -> None:
    made = slower(fault("device", "open", "refused", worker=FURTHER))
    outcome = made.run(*AGAINST, "--output", "out", command="gate")
    assert outcome.code == 4
    assert "error: the GPU cannot be used any more: no usable GPU: GPU is lost\n" in outcome.err
    assert {row.processes for row in made.rows().values()} == {(0,)}
    assert made.run("suite.yaml", "--resume", "out", "--against", "base", command="gate").code == 1
