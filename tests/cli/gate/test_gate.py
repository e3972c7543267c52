"""`shflbench gate` on a scripted GPU: measured, compared, and measured longer where that decides a case."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.compare import ChangeVerdict, Outcome, Reason
from shflbench.analysis.compare.further import further_processes
from shflbench.errors import LaunchError
from shflbench.measure.sentinels import version
from shflbench.store import SentinelSet, read_info, read_run
from tests.cli.conftest import save_main
from tests.cli.demo import NEIGHBOR, REDUCE, SCRIPTS, SUITE, Plug, rows_of
from tests.conftest import Command
from tests.conftest import Outcome as CommandOutcome
from tests.fakes.backend import H200, FakeBackend, Script, in_iteration, one_lane
from tests.fakes.kept_runs import contents
from tests.printed_json import problems

SHFL = NEIGHBOR[2]
INCONCLUSIVE = "1 case is inconclusive; measuring it in one more process\n"


def in_process(device: FakeBackend, number: int, scripts: dict[str, Script]) -> FakeBackend:
    """Let the kernels behave as these scripts say from process `number` on."""
    restart = device.restart

    def renewed() -> None:
        restart()
        if device.process == number:
            device._scripts = scripts  # noqa: SLF001

    device.restart = renewed  # type: ignore[method-assign]
    return device


def with_offsets(*offsets_us: float, **script: object) -> dict[str, Script]:
    """Return scripts by which the processes of a kernel of 70 µs differ; all further ones take what is usual."""
    offsets = (*offsets_us, *[0.0] * 40)
    return {**SCRIPTS, "neighbor/shfl": replace(SCRIPTS["shfl"], offsets_us=offsets, **script)}  # type: ignore[arg-type]


ONE_SLOW = with_offsets(0.0, 0.86)  # one of three: an outlier, or what this kernel takes every third time?


def processes_of(outcome: CommandOutcome) -> list[tuple[int, ...]]:
    return [row.processes for row in rows_of(outcome).values()]


@pytest.fixture
def against(gate: Command, main: Path) -> Command:
    """Call `shflbench gate` with a baseline of three processes."""
    assert main.exists()
    return lambda *words: gate("demo.yaml", "--against", "main", *words)


def test_quiet_run_is_the_same_and_passes(against: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    outcome = against("--output", "mine")
    assert (outcome.code, outcome.out) == (0, "mine\n")
    assert outcome.err.endswith("no change that matters in 5 cases\n")
    assert "\ninconclusive " not in outcome.err
    assert "; 3 processes per side; " in outcome.err
    assert processes_of(outcome) == [(0, 1, 2)] * 5
    assert read_info(Path("mine")).settings.processes == 3


def test_folder_of_a_run_is_a_base_as_well(gate: Command, plug: Plug, main: Path) -> None:
    plug(FakeBackend(SCRIPTS))
    outcome = gate("demo.yaml", "--against", main)
    assert outcome.code == 0
    assert "\nbase: base: NVIDIA H200, " in outcome.err


def test_quiet_gate_prints_its_report_and_its_folder_alone(against: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    outcome = against("--output", "mine", "-q")
    assert (outcome.code, outcome.out) == (0, "mine\n")
    assert outcome.err.startswith("base: main: NVIDIA H200, ")
    assert outcome.err.endswith("no change that matters in 5 cases\n")


def test_slower_kernel_fails_the_gate(against: Command, plug: Plug) -> None:
    plug(FakeBackend({**SCRIPTS, "neighbor/shfl": Script(ns_per_iteration=17.0)}))
    outcome = against("--output", "mine")
    assert (outcome.code, outcome.out) == (1, "mine\n")
    assert f"\nslower   {SHFL}  69.54    73.63   +5.9% " in outcome.err
    assert outcome.err.endswith("1 slower of 5 cases\n")


def test_inconclusive_case_is_measured_until_it_is_decided_and_nothing_but_its_group(
    against: Command, plug: Plug
) -> None:
    device = plug(FakeBackend(ONE_SLOW))
    outcome = against("--strict")
    assert outcome.code == 0
    assert outcome.err.count(INCONCLUSIVE) == 2
    assert outcome.err.endswith("no change that matters in 5 cases\n")
    assert processes_of(outcome) == [(0, 1, 2, 3, 4)] * 3 + [(0, 1, 2)] * 2
    assert list(rows_of(outcome)) == [*NEIGHBOR, *REDUCE]
    assert device.process == 4
    assert outcome.err.count("  smem-unsafe  ") == 1  # its table is shown once


@pytest.mark.usefixtures("main")
def test_run_that_was_measured_longer_is_complete(gate: Command, plug: Plug, shflbench: Command) -> None:
    plug(FakeBackend(ONE_SLOW))
    outcome = gate("demo.yaml", "--against", "main")
    read = read_run(Path(outcome.out.strip()))
    about = read.info
    assert about.finished is not None
    assert about.notes == ("3 cases were measured in one more process",) * 2
    assert about.sentinels == SentinelSet(version())
    assert about.noise is not None
    assert about.noise.verdict == "quiet"
    samples = read.samples()
    kinds = {"case_id": [SHFL, REDUCE[0], "sentinel/shuffle"]}
    taken = {name: set(samples[samples["case_id"] == name]["process"]) for name in kinds["case_id"]}
    assert taken == {SHFL: {0, 1, 2, 3, 4}, REDUCE[0]: {0, 1, 2}, "sentinel/shuffle": {0, 1, 2, 3, 4}}
    assert shflbench("compare", "main", outcome.out.strip()).code == 0


def test_budget_ends_the_measuring(against: Command, plug: Plug) -> None:
    device = plug(FakeBackend(ONE_SLOW))
    outcome = against("--budget", "0", "--strict")
    assert outcome.code == 6
    assert ("1 case stays inconclusive: settling takes longer than the rest of --budget\n") in outcome.err
    assert "1 inconclusive of 5 cases\n" in outcome.err
    assert device.process == 2
    plug(FakeBackend(ONE_SLOW))
    assert against("--budget", "0").code == 0


def test_seconds_of_measuring_longer_are_subtracted_from_the_budget(
    gate: Command, run: Command, plug: Plug, shflbench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_main(run, plug, shflbench, processes=1)
    plug(FakeBackend({**SCRIPTS, "neighbor/shfl": Script(ns_per_iteration=16.25)}))
    clock = iter([0, 1, 1, 2, 2, 61])  # at the begin and the end of each process
    monkeypatch.setattr("shflbench.session.pipeline.monotonic", lambda: float(next(clock)))
    outcome = gate("demo.yaml", "--against", "main", "--processes", "2")
    assert outcome.err.count(INCONCLUSIVE) == 1
    assert "takes longer than the rest of --budget\n" in outcome.err
    assert processes_of(outcome) == [(0, 1, 2)] * 3 + [(0, 1)] * 2
    assert outcome.err.endswith("1 suspected of 5 cases\n")


def test_case_that_more_processes_will_not_settle_is_not_measured_again(against: Command, plug: Plug) -> None:
    device = plug(FakeBackend(with_offsets(*[0.672] * 3)))  # 0.967%
    outcome = against("--strict", "--threshold", "0.97%")
    assert outcome.code == 6
    assert "1 case stays inconclusive: more processes will not settle it\n" in outcome.err
    assert device.process == 2


def test_option_sets_the_number_of_processes(against: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    assert processes_of(against("--processes", "2")) == [(0, 1)] * 5
    Path("demo.yaml").write_text(SUITE.replace("0.001", "0.001, processes: 4"), encoding="utf-8")
    plug(FakeBackend(SCRIPTS))
    outcome = against("--allow", "suite")
    assert (outcome.code, processes_of(outcome)) == (0, [(0, 1, 2, 3)] * 5)


def test_case_suspected_with_one_process_per_side_is_measured_again(
    gate: Command, run: Command, plug: Plug, shflbench: Command
) -> None:
    save_main(run, plug, shflbench, processes=1)
    plug(FakeBackend({**SCRIPTS, "neighbor/shfl": Script(ns_per_iteration=16.6)}))
    outcome = gate("demo.yaml", "--against", "main", "--processes", "1")
    assert outcome.code == 1
    assert outcome.err.count(INCONCLUSIVE) == 1
    assert processes_of(outcome) == [(0, 1)] * 3 + [(0,)] * 2


def test_case_that_fails_in_a_further_process_keeps_its_earlier_times(against: Command, plug: Plug) -> None:
    failing = with_offsets(0.0, burst_raises={1: LaunchError("illegal address")})
    device = plug(in_process(FakeBackend(ONE_SLOW), 3, failing))
    outcome = against()
    assert outcome.code == 0
    assert device.process == 3  # no second try
    assert (
        f"warning: {SHFL} failed in a further process, and keeps its earlier times: illegal address\n"
    ) in outcome.err
    assert processes_of(outcome) == [(0, 1, 2, 3), (0, 1, 2, 3), (0, 1, 2), (0, 1, 2), (0, 1, 2)]
    assert "1 inconclusive of 5 cases\n" in outcome.err


def test_wrong_kernel_decides_the_exit_code_before_a_slower_one(against: Command, plug: Plug) -> None:
    scripts = {**SCRIPTS, "neighbor/shfl": Script(ns_per_iteration=17.0)}
    plug(FakeBackend({**scripts, "reduce/shfl": replace(SCRIPTS["shfl"], fault=one_lane(in_iteration(0)))}))
    outcome = against("--output", "mine")
    assert (outcome.code, outcome.out) == (5, "mine\n")
    assert outcome.err.endswith("1 slower, 1 failed of 5 cases\n")
    assert against("--output", "allowed", "--allow", "failed").code == 1


def test_report_is_written_where_it_is_asked_for_and_stdout_holds_the_folder_alone(
    against: Command, plug: Plug
) -> None:
    plug(FakeBackend(SCRIPTS))
    outcome = against("--output", "mine", "--also", "junit=report.xml", "--format", "json")
    assert (outcome.code, outcome.out) == (0, "mine\n")
    assert Path("report.xml").read_text(encoding="utf-8").startswith("<?xml")
    assert '"new"' in outcome.err


def test_the_report_as_json_has_the_schema_of_the_command(against: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    assert against("--output", "mine", "--also", "json=report.json").code == 0
    assert problems("gate", json.loads(Path("report.json").read_text(encoding="utf-8"))) == []


def test_changed_machine_gives_no_verdict_and_no_further_process(against: Command, plug: Plug) -> None:
    slower = {
        name: replace(script, ns_per_iteration=1.01 * script.ns_per_iteration) for name, script in SCRIPTS.items()
    }
    device = plug(FakeBackend({**slower, "sentinel": Script(404.0, 0.0)}))
    outcome = against("--output", "mine")
    assert (outcome.code, outcome.out) == (3, "mine\n")
    assert "error: main and mine cannot be compared: " in outcome.err
    assert device.process == 2
    assert read_info(Path("mine")).finished is not None


@pytest.mark.parametrize(
    ("outcome", "reason", "a_side", "expected"),
    [
        (Outcome.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE, 7, 3),
        (Outcome.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE, 4, 1),
        (Outcome.INCONCLUSIVE, Reason.INTERVAL_TOO_WIDE, None, None),
        (Outcome.INCONCLUSIVE, Reason.TOO_FEW_ROUNDS, 7, None),
        (Outcome.SUSPECTED, Reason.FEW_PROCESSES, None, 1),
        (Outcome.SUSPECTED, Reason.NO_SENTINELS, None, None),
    ],
)
def test_further_processes_are_needed_where_they_can_settle_a_case(
    outcome: Outcome, reason: Reason, a_side: int | None, expected: int | None
) -> None:
    verdict = ChangeVerdict(case_id=SHFL, outcome=outcome, reason=reason, sentence="", needs_processes=a_side)
    assert further_processes(verdict, 4) == expected


@pytest.mark.usefixtures("main")
def test_run_interrupted_while_measured_is_resumed_and_compared(
    gate: Command, plug: Plug, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shflbench.session.windows.CASES", 1)
    stopping = replace(SCRIPTS["smem"], burst_raises={9: KeyboardInterrupt()})
    plug(FakeBackend({**SCRIPTS, "reduce/smem": stopping}))
    outcome = gate("demo.yaml", "--against", "main", "--output", "mine")
    assert (outcome.code, outcome.out) == (130, "")
    assert outcome.err.endswith("Resume it with: shflbench gate demo.yaml --resume mine --against main\n")
    plug(FakeBackend(SCRIPTS))
    outcome = gate("demo.yaml", "--resume", "mine", "--against", "main")
    assert (outcome.code, outcome.out) == (0, "mine\n")
    assert outcome.err.endswith("no change that matters in 5 cases\n")
    assert {len(row.processes) for row in rows_of(outcome).values()} == {3}


@pytest.mark.usefixtures("main")
def test_run_interrupted_while_measured_longer_is_resumed_and_decided(gate: Command, plug: Plug) -> None:
    plug(in_process(FakeBackend(ONE_SLOW), 4, with_offsets(0.0, burst_raises={5: KeyboardInterrupt()})))
    outcome = gate("demo.yaml", "--against", "main", "--output", "mine")
    assert (outcome.code, outcome.out) == (130, "")
    assert outcome.err.endswith("Resume it with: shflbench gate demo.yaml --resume mine --against main\n")
    left = read_run(Path("mine"))
    assert left.info.finished is None
    assert [row.processes for row in left.rows] == [(0, 1, 2, 3)] * 3 + [(0, 1, 2)] * 2
    device = plug(FakeBackend(SCRIPTS))
    outcome = gate("demo.yaml", "--resume", "mine", "--against", "main")
    assert (outcome.code, outcome.out) == (0, "mine\n")
    assert outcome.err.count(INCONCLUSIVE) == 1
    assert {name for name, _ in device.launched} == {f"neighbor/{variant}" for variant in SCRIPTS}
    assert processes_of(outcome) == [(0, 1, 2, 3, 4)] * 3 + [(0, 1, 2)] * 2


def test_run_interrupted_while_compared_is_finished_and_says_so(
    gate: Command, plug: Plug, main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("shflbench.session.gate.compare", interrupted)
    plug(FakeBackend(SCRIPTS))
    before = contents(main)
    outcome = gate("demo.yaml", "--against", "main", "--output", "mine")
    assert outcome.code == 130
    assert outcome.err.endswith(
        "error: interrupted; the run is finished, in mine\nCompare it with: shflbench compare main mine\n"
    )
    assert read_info(Path("mine")).finished is not None
    assert contents(main) == before


@pytest.fixture
def untouched(plug: Plug) -> Iterator[None]:
    """Check that nothing was launched and no folder was made."""
    device = plug(FakeBackend(SCRIPTS))
    yield
    assert (device.opened, device.launched) == ([], [])
    assert not Path("mine").exists()


def refused(gate: Command, *words: str, code: int = 3) -> str:
    outcome = gate("demo.yaml", "--output", "mine", *words)
    assert (outcome.code, outcome.out) == (code, "")
    return outcome.err[outcome.err.index("error: ") :]


@pytest.mark.usefixtures("main", "untouched")
def test_unknown_baseline_is_refused(gate: Command) -> None:
    said = "error: there is no baseline `mian` in baselines\nDid you mean `main`? there are main\n"
    assert refused(gate, "--against", "mian") == said


@pytest.mark.usefixtures("main", "untouched")
def test_damaged_baseline_is_refused(gate: Command) -> None:
    (file,) = Path("baselines").rglob("samples.csv.gz")
    file.write_bytes(file.read_bytes()[:-20])
    assert "samples.csv.gz is damaged: its end is missing" in refused(gate, "--against", "main")


@pytest.mark.usefixtures("untouched")
def test_baseline_of_another_gpu_is_refused(gate: Command, main: Path, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS, device=replace(H200, name="NVIDIA H100", uuid="GPU-2")))
    assert "has no runs of demo on nvidia-h100; it has demo on nvidia-h200" in refused(gate, "--against", "main")
    assert "the GPUs differ (NVIDIA H200, NVIDIA H100)" in refused(gate, "--against", str(main))


@pytest.mark.usefixtures("main", "untouched")
def test_another_revision_of_the_suite_is_refused(gate: Command) -> None:
    Path("demo.yaml").write_text(SUITE.replace("4096", "2048"), encoding="utf-8")
    said = refused(gate, "--against", "main")
    assert "the suite was changed and defines other measurements" in said
    assert "they have no case in common" in said


def test_without_a_gpu_there_is_nothing_to_compare(gate: Command, main: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.cuda.backends.gpus.find", list)
    assert refused(gate, "--against", str(main), code=4)
    assert refused(gate, "--against", str(main), "--device", "none", code=2)
    assert refused(gate, "--against", "mian")  # which a GPU would not fix


def test_baseline_must_be_named(gate: Command) -> None:
    outcome = gate("demo.yaml")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "error: Missing option '--against'\nFor usage, run: shflbench gate --help\n"
