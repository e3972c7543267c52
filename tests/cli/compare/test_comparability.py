"""Two runs of which the times say nothing about each other: refused with a reason, and reported with `--across`."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.core.model import DeviceState, Status
from shflbench.store import read_info
from tests.cli.gate.runs import CASES, change_rows, lay
from tests.conftest import Command
from tests.fakes.kept_runs import edit
from tests.fakes.runs import H200

BASE, NEW = Path("base"), Path("new")
STATE = DeviceState(
    application_clock_mhz=1980, application_memory_clock_mhz=3201, power_limit_w=700.0, ecc=True, mig=False
)


def other_suite() -> None:
    edit(NEW, suite=replace(read_info(NEW).suite, name="quick"))


def other_revision() -> None:
    suite = read_info(NEW).suite
    edit(NEW, suite=replace(suite, text=f"{suite.text}defaults: {{launch: 52x1024}}\n"))


def other_model() -> None:
    edit(NEW, device=replace(H200, name="NVIDIA B200"), arch="sm_100")


def emulated() -> None:
    edit(NEW, device=None, backend="emulator")
    change_rows(NEW, backend="emulator", status=Status.VERIFIED, time_us=None, samples=None)
    (NEW / "samples.csv.gz").unlink()


def throttled() -> None:
    change_rows(NEW, throttle=("sw_power_cap",), dropped=30)


def slower_clock() -> None:
    change_rows(NEW, sm_clock_mhz=1755.0)


def machine_moved() -> None:
    lay(Path("slower"), seed=2, factor=1.01)
    shutil.rmtree(NEW)
    Path("slower").rename(NEW)


def no_case_in_common() -> None:
    first, *others = CASES
    lay(Path("one"), cases={first: 20.0})
    lay(Path("others"), cases=dict.fromkeys(others, 50.0))
    for old, made in ((BASE, Path("one")), (NEW, Path("others"))):
        shutil.rmtree(old)
        made.rename(old)


def set_by_owner(**changes: object) -> Callable[[], None]:
    """Let what the owner of the GPU sets be another on the new side."""

    def set_both() -> None:
        edit(BASE, device=replace(H200, state=STATE))
        edit(NEW, device=replace(H200, state=replace(STATE, **changes)))  # type: ignore[arg-type]  # of any field

    return set_both


REASONS = [
    (other_suite, "the suites differ (gtc2013, quick)"),
    (other_revision, "the suite was changed and defines other measurements (--allow suite compares the common cases)"),
    (other_model, "the GPUs differ (NVIDIA H200, NVIDIA B200)"),
    (emulated, "the backends differ (cuda, emulator)"),
    (throttled, " of the samples of new were taken while the GPU was throttled"),
    (slower_clock, "the SM clock was 1980 MHz, now 1755 MHz"),
    (machine_moved, "% slower: the machine itself changed"),
    (no_case_in_common, "they have no case in common"),
    (set_by_owner(application_clock_mhz=1500), "the GPU's application clock (MHz) was 1980, now 1500"),
    (
        set_by_owner(application_memory_clock_mhz=1600),
        "the GPU's application clock of the memory (MHz) was 3201, now 1600",
    ),
    (set_by_owner(power_limit_w=400.0), "the GPU's power limit (W) was 700.0, now 400.0"),
    (set_by_owner(ecc=False), "the GPU's ECC was on, now off"),
    (set_by_owner(mig=True), "the GPU's MIG was off, now on"),
]


@pytest.fixture(autouse=True)
def _two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs, `base` and `new`, in the current folder."""
    monkeypatch.chdir(tmp_path)
    lay(tmp_path / BASE)
    lay(tmp_path / NEW, seed=2)


@pytest.mark.parametrize(("reason", "clause"), REASONS, ids=[clause for _, clause in REASONS])
def test_reason_against_it_is_named_and_across_it_there_is_a_report(
    shflbench: Command, reason: Callable[[], None], clause: str
) -> None:
    reason()
    refused = shflbench("compare", "base", "new")
    assert (refused.code, refused.out) == (3, "")
    said, to_do = refused.err.splitlines()
    assert said.startswith("error: base and new cannot be compared: ")
    assert clause in said
    assert "--across" in to_do

    reported = shflbench("compare", "base", "new", "--across", "--strict")
    assert reported.code == 0
    assert any(line.startswith("no verdict: ") and clause in line for line in reported.out.splitlines())
    assert reported.out.endswith("4 cases side by side, without a verdict\n")
    assert "verdict  " not in reported.out


def test_all_reasons_against_it_are_named_at_once(shflbench: Command) -> None:
    other_model()
    throttled()
    error, _ = shflbench("compare", "base", "new").err.splitlines()
    assert "the GPUs differ" in error
    assert "throttled" in error


def test_across_changes_nothing_without_a_reason_against_it(shflbench: Command) -> None:
    change_rows(NEW, registers=17)
    for metric in ("time", "registers"):
        plain = shflbench("compare", "base", "new", "--metric", metric)
        assert shflbench("compare", "base", "new", "--metric", metric, "--across") == plain
    assert plain.code == 1


def test_registers_need_no_gpu(shflbench: Command) -> None:
    throttled()
    slower_clock()
    change_rows(NEW, registers=17)
    assert shflbench("compare", "base", "new", "--metric", "registers").code == 1


def test_another_revision_is_compared_if_allowed(shflbench: Command) -> None:
    other_revision()
    outcome = shflbench("compare", "base", "new", "--allow", "suite")
    assert (outcome.code, outcome.err) == (0, "note: the text of suite gtc2013 differs between the sides\n")


def test_comments_and_titles_do_not_change_the_revision(shflbench: Command) -> None:
    suite = read_info(NEW).suite
    edit(NEW, suite=replace(suite, text=f"# on Mondays\n{suite.text}"))
    assert shflbench("compare", "base", "new").code == 0


def test_another_driver_is_noted_and_compared(shflbench: Command) -> None:
    edit(NEW, versions=replace(read_info(NEW).versions, driver="590.10"))
    outcome = shflbench("compare", "base", "new")
    assert (outcome.code, outcome.err) == (0, "note: the driver was 580.159, now 590.10\n")


def test_changed_clock_is_a_warning_and_no_reason_against_it(shflbench: Command) -> None:
    """The sentinels show by how much it changed the times."""
    edit(NEW, noise={"verdict": "drifting clock", "sentence": "the SM clock fell by 2.3%", "advice": "lock it"})
    outcome = shflbench("compare", "base", "new")
    assert (outcome.code, outcome.err) == (0, "warning: new: drifting clock: the SM clock fell by 2.3%\n")


@pytest.mark.parametrize("flags", [(), ("--across",)])
def test_runs_of_different_settings_cannot_be_one_side(
    shflbench: Command, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    lay(tmp_path / "third", seed=3)
    other_model()
    outcome = shflbench("compare", "base", "new", "--new", "third", *flags)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == (
        "error: new and third cannot form one side: the GPUs differ (NVIDIA B200, NVIDIA H200)\n"
        "Give runs of one suite on one model of GPU\n"
    )
