"""The simulated cluster: what is planted, how it is judged, and the figures of its pages."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.fleet_cluster import EXPLANATION, PAGE, RECORD, added_seconds, effective, run, unnamed
from benchmarks.fleet_cluster_devices import Plant, index_of, plants, uuid_of
from benchmarks.fleet_cluster_page import Machine, Outcome, explained, memory_devices, most_devices, page
from shflbench.store.fleet_file import FleetMember

OUTCOME = Outcome(
    devices=100,
    cases=32,
    case_seconds=0.1,
    rows=3200,
    doubled=0,
    missing=0,
    unnamed=(),
    accused=0,
    planted=5,
    calls=200,
    until_all_seconds=9.0,
    client_cpu_seconds=6.4,
    scheduler_cpu_seconds=3.2,
    client_bytes=32_000_000,
    client_memory=200_000_000,
    scheduler_memory=100_000_000,
    client_threads=110,
    added_seconds=0.1,
    fleet_cpu_seconds=3.2,
    fleet_memory=90_000_000,
)


def test_a_tenth_of_many_devices_has_a_fault_of_each_kind() -> None:
    assert set(plants(10)) == set(Plant)
    assert plants(9) == [Plant.SOUND] * 9
    planted = plants(1000)
    assert [planted.count(plant) for plant in Plant] == [940, 20, 10, 10, 10, 10]
    assert index_of(uuid_of(17)) == 17


def test_planted_faults_that_nobody_names_are_listed() -> None:
    planted = [Plant.SOUND, Plant.SLOW, Plant.WRONG, Plant.KILLED, Plant.LATE]
    members = {
        index: FleetMember(f"{index}", uuid_of(index), "model", "host", index, losses=("died",)) for index in range(5)
    }
    findings = {1: {"slow"}, 2: {"wrong results"}}
    assert list(unnamed(planted, members, findings)) == []
    assert list(unnamed(planted, members, {1: {"noisy"}, 2: {"wrong results"}})) == ["device 1 is not named: 3% slower"]
    members[3] = replace(members[3], losses=())
    del members[4]
    assert [sentence.partition(":")[0] for sentence in unnamed(planted, members, findings)] == [
        "device 3 has no loss",
        "device 4 has no run",
    ]


@pytest.mark.parametrize(
    ("plant", "ends", "counted"),
    [
        (Plant.KILLED, [1.0, 4.0], Plant.KILLED),  # the second window ended on another worker
        (Plant.HUNG, [1.0], Plant.HUNG),
        (Plant.HUNG, [1.0, 2.0], Plant.SOUND),
        (Plant.SLOW, [1.0, 2.0], Plant.SLOW),
    ],
)
def test_a_worker_that_is_lost_after_its_last_job_is_no_fault(plant: Plant, ends: list[float], counted: Plant) -> None:
    assert effective(plant, [(end - 1, end) for end in ends], lost=3.0) is counted


def test_only_the_job_that_a_call_returned_is_subtracted_from_it() -> None:
    jobs = {0: [(1.0, 3.0), (5.0, 6.0)], 1: [(1.0, 2.0)]}
    assert added_seconds([(0, 0.5, 3.5), (0, 4.0, 7.0), (1, 3.0, 4.0)], jobs) == [1.0, 2.0]


def test_rules_of_the_limits() -> None:
    assert most_devices(cpu_ms=1000 * 59.6 / 430) == 1
    assert most_devices(cpu_ms=1.0) == 138
    many = replace(OUTCOME, devices=200, client_memory=300_000_000)
    assert memory_devices(OUTCOME, many) == 900
    assert OUTCOME.client_ms == pytest.approx(2.0)
    assert OUTCOME.is_complete
    assert not replace(OUTCOME, missing=1).is_complete
    text = page([OUTCOME, many], Machine("Intel(R) Xeon(R) Processor", 2, "3.13.0"))
    assert "ran on one machine with 2 cores (Intel(R) Xeon(R) Processor, Python 3.13.0), the devices" in text
    assert "| 100 | 9 s | 2.00 ms | 32 ms | 1.00 ms | 16 ms | 10 kB | 200 MB |" in text


@pytest.mark.expensive
@pytest.mark.archs
def test_a_cluster_of_two_simulated_devices_loses_nothing(tmp_path: Path) -> None:
    outcome = run(2, tmp_path / "2", 0.0)
    assert outcome.is_complete
    assert outcome.rows == 2 * outcome.cases
    assert outcome.calls == 4
    assert outcome.client_bytes > 0


def test_the_pages_have_the_figures_of_the_record() -> None:
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    outcomes = [Outcome(**entry) for entry in record["outcomes"]]
    assert all(outcome.is_complete for outcome in outcomes)
    assert page(outcomes, Machine(**record["machine"])) == PAGE.read_text(encoding="utf-8")
    explanation = EXPLANATION.read_text(encoding="utf-8")
    assert explained(explanation, outcomes) == explanation
