"""Worker processes that die, report nonsense or lose their GPU."""

import shutil
from pathlib import Path

import pytest

from shflbench.patterns.discover import builtin
from shflbench.store import read_run
from tests.conftest import Outcome
from tests.faults.conftest import CASES, SUITE, Machine, Make, Start, fault, machine

pytestmark = pytest.mark.expensive

RESUME = "Check the GPU with `nvidia-smi`, then resume the run: --resume"
SILENT = "NVML stopped answering (Unknown Error): clock, temperature, power and throttling are unknown"


@pytest.fixture(scope="module")
def died(tmp_path_factory: pytest.TempPathFactory, kernel_cache: Path) -> tuple[Machine, Outcome]:
    """Return a run whose worker process dies five times."""
    faults = (
        fault("neighbor/smem-double", "verify", "kill"),
        fault("neighbor/smem-syncwarp", "time", "kill", 8),
        fault("neighbor/smem-deck", "time", "exit", 4),
        fault("reduce/smem-double", "open", "segfault"),
        fault("reduce/shfl", "verify", "exception"),
        fault("neighbor/shfl", "time", "rubbish", 4),
    )
    made = machine(tmp_path_factory.mktemp("died"), kernel_cache, faults)
    return made, made.run("suite.yaml", "--output", "out")


@pytest.mark.archs
def test_death_of_a_worker_fails_the_running_case_and_its_row_says_why(died: tuple[Machine, Outcome]) -> None:
    killed = "its worker process was ended by SIGKILL (Killed)"
    assert died[0].failures() == {
        "neighbor/smem-double": killed,
        "neighbor/smem-syncwarp": killed,
        "neighbor/smem-deck": "its worker process ended with exit code 3: [31m�� terminate called: the heap is broken",
        "reduce/smem-double": "its worker process was ended by SIGSEGV (Segmentation fault)",
        "reduce/shfl": "its worker process ended with exit code 1: RuntimeError: cupy is confused",
    }


@pytest.mark.archs
def test_all_other_cases_are_timed_whatever_a_library_prints(died: tuple[Machine, Outcome]) -> None:
    made, outcome = died
    assert outcome.code == 5
    assert outcome.err.endswith(f"warning: 5 of {CASES} cases failed or computed a wrong result\n")
    assert "rubbish: neighbor/shfl time" in made.happened()
    assert "rubbish" not in outcome.out + outcome.err


@pytest.mark.archs
def test_worker_that_is_killed_between_two_rounds_loses_nothing(make: Make) -> None:
    made = make(fault("device", "watch", "kill", 6, worker=0))
    assert made.call("suite.yaml", "--output", "out").code == 0
    assert made.failures() == {}
    assert {row.processes for row in made.rows().values()} == {(0, 1)}


SLEEPS_IN_A_WORKER = """\
import sys, time
if "worker" in sys.argv[0]:
    time.sleep(1.5)
"""


@pytest.mark.archs
def test_import_of_a_pattern_may_take_longer_than_the_timeout(make: Make) -> None:
    made = make()
    suite = SUITE.partition("  - pattern")[0] + "  - {pattern: ./neighbor, variants: [smem, shfl]}\n"
    (made.folder / "suite.yaml").write_text(suite.replace("TIMEOUT", "1"), encoding="utf-8")
    file = shutil.copytree(builtin()["neighbor"], made.folder / "neighbor") / "pattern.py"
    file.write_text(f"{SLEEPS_IN_A_WORKER}{file.read_text(encoding='utf-8')}", encoding="utf-8")
    assert made.call("suite.yaml", "--output", "out").code == 0
    assert {row.processes for row in made.rows().values()} == {(0,)}


@pytest.mark.archs
def test_device_on_which_every_warm_up_crashes_ends_the_run(make: Make) -> None:
    made = make(fault("device", "warm", "kill", 0))
    outcome = made.run("suite.yaml", "--output", "out")
    assert outcome.code == 4
    assert outcome.err.endswith(
        f"\nerror: the GPU cannot be used any more: its worker process was ended by SIGKILL (Killed)\n{RESUME}\n"
    )


@pytest.mark.archs
def test_device_that_cannot_be_opened_again_after_a_crash_ends_the_run_which_can_be_resumed(make: Make) -> None:
    faults = (fault("reduce/smem", "time", "illegal address", 4), fault("device", "open", "refused", worker=1))
    made = make(*faults, cases_per_window=1)
    outcome = made.run("suite.yaml", "--output", "out")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err.endswith(f"\nerror: the GPU cannot be used any more: no usable GPU: GPU is lost\n{RESUME}\n")
    assert {row.pattern for row in made.rows().values()} == {"neighbor"}
    assert made.failures() == {}
    assert made.call("suite.yaml", "--resume", "out").code == 5
    assert made.failures() == {"reduce/smem": "illegal memory access (CUDA_ERROR_ILLEGAL_ADDRESS)"}
    assert len(made.rows()) == CASES


@pytest.mark.archs
@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("kill", "its worker process was ended by SIGKILL (Killed)"),
        pytest.param("hang", "it did not end within 1 s", marks=pytest.mark.archs),
    ],
)
def test_worker_that_dies_or_hangs_while_it_opens_the_device_ends_the_run_before_it_starts(
    make: Make, kind: str, why: str
) -> None:
    made = make(fault("device", "open", kind), start_seconds=1 if kind == "hang" else 60)
    outcome = made.run("suite.yaml", "--output", "out")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err == f"error: the GPU cannot be opened: {why}\nRun `shflbench doctor`\n"
    assert not (made.folder / "out").exists()


@pytest.mark.archs
@pytest.mark.parametrize(
    ("start", "when"), [pytest.param(Machine.run, "problem", marks=pytest.mark.archs), (Machine.call, "problem_later")]
)
def test_nvml_that_is_missing_or_fails_causes_a_warning(make: Make, start: Start, when: str) -> None:
    made = make(**{when: SILENT})
    outcome = start(made, "suite.yaml", "--output", "out")
    assert outcome.code == 0
    assert made.failures() == {}
    assert made.notes() == (SILENT,)
    assert outcome.err.count(f"warning: {SILENT}\n") == 1


@pytest.mark.parametrize("hours", [1, -1])
@pytest.mark.archs
def test_change_of_the_system_time_fails_no_case(make: Make, hours: int) -> None:
    made = make(jumps={"7": hours * 3600.0})
    assert made.run("suite.yaml", "--output", "out", "--pattern", "reduce").code == 0
    assert made.failures() == {}
    moments = [sample.seconds or 0.0 for sample in made.samples()]
    assert max(map(abs, moments)) > 3500
    assert min(row.rounds or 0 for row in made.rows().values()) >= 9
    assert read_run(made.folder / "out").info.finished is not None
