"""Kernels that crash, hang or cannot be launched: each fails alone."""

from pathlib import Path

import pytest

from tests.conftest import Outcome
from tests.faults.conftest import CASES, Machine, Make, fault, machine

pytestmark = pytest.mark.expensive

TIMEOUT = 1.0  # seconds: a worker that does not hang reports every 0.02 s
HANGS = "it did not end within 1 s"


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory, kernel_cache: Path) -> tuple[Machine, Outcome]:
    """Return a run in which six kernels of two groups fail in six ways."""
    faults = (
        fault("neighbor/smem-double", "verify", "illegal address", 2),
        fault("neighbor/smem-syncwarp", "time", "misaligned address", 8),
        fault("neighbor/smem-deck", "time", "failed launch", 4, worker=2),
        fault("reduce/smem-double", "open", "out of memory"),
        fault("neighbor/smem-unsafe", "verify", "hang"),
        fault("reduce/shfl", "time", "hang", 7),
    )
    made = machine(tmp_path_factory.mktemp("crashed"), kernel_cache, faults, timeout=TIMEOUT)
    return made, made.run("suite.yaml", "--output", "out")


@pytest.mark.archs
def test_run_with_crashed_kernels_exits_5_and_says_how_many(crashed: tuple[Machine, Outcome]) -> None:
    _, outcome = crashed
    assert (outcome.code, outcome.out) == (5, "out\n")
    assert outcome.err.endswith(f"warning: 6 of {CASES} cases failed or computed a wrong result\n")


@pytest.mark.archs
def test_row_of_a_kernel_that_cannot_run_says_why(crashed: tuple[Machine, Outcome]) -> None:
    assert crashed[0].failures() == {
        "neighbor/smem-double": "illegal memory access (CUDA_ERROR_ILLEGAL_ADDRESS)",
        "neighbor/smem-syncwarp": "misaligned memory access (CUDA_ERROR_MISALIGNED_ADDRESS)",
        "neighbor/smem-deck": "the device refuses this grid (CUDA_ERROR_INVALID_VALUE)",
        "reduce/smem-double": "out of device memory: its buffers take 2.00 GiB, and 1.00 GiB is free",
        **dict.fromkeys(("neighbor/smem-unsafe", "reduce/shfl"), HANGS),
    }


@pytest.mark.archs
def test_all_other_cases_are_timed_and_keep_the_samples_taken_before_a_crash(crashed: tuple[Machine, Outcome]) -> None:
    made, _ = crashed
    assert len(made.rows()) == CASES
    # Processes 0 and 1 ended while verifying, before any sample; 2 and 3 within a round, and process 4 did the rest.
    for name in ("neighbor/smem", "neighbor/shfl", "reduce/smem"):
        assert made.processes_of(name) == {2, 3, 4}
        assert made.rows()[name].processes == (2, 3, 4)
    assert made.processes_of("neighbor/smem-syncwarp") == {2}
    assert made.processes_of("reduce/shfl") == {2, 3}


@pytest.mark.archs
def test_sentinels_that_crash_or_hang_fail_no_row(make: Make) -> None:
    made = make(
        fault("sentinel_l2", "time", "illegal address", 3),
        fault("sentinel_barrier", "time", "hang", 7),
        fault("sentinel_shuffle", "open", "kill"),
        fault("sentinel_integer", "time", "failed launch"),
        timeout=TIMEOUT,
    )
    outcome = made.call("suite.yaml", "--output", "out")
    assert outcome.code == 0
    assert made.failures() == {}
    notes = {
        "shuffle": "its worker process was ended by SIGKILL (Killed)",
        "integer": "the device refuses this grid (CUDA_ERROR_INVALID_VALUE)",
        "l2": "illegal memory access (CUDA_ERROR_ILLEGAL_ADDRESS)",
        "barrier": HANGS,
    }
    expected = [f"sentinel/{name} failed and is not timed any more: {why}" for name, why in notes.items()]
    assert list(made.notes()) == expected
    assert [line for line in outcome.err.splitlines() if line.startswith("warning: ")] == [
        f"warning: {sentence}" for sentence in expected
    ]
    last = max(sample.process for sample in made.samples())
    watching = {sample.case_id for sample in made.samples() if sample.process == last}
    assert "sentinel/multiply-add" in watching
    assert watching.isdisjoint(f"sentinel/{name}" for name in notes)
