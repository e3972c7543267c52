from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shflbench.analysis.compare import Side
from shflbench.analysis.compare.comparability import changes, reasons_against, refuse_mixture, refuse_same_run
from shflbench.core.model import DeviceState
from shflbench.errors import ResultsError
from shflbench.store import Row, Run, SuiteText
from tests.fakes.runs import H200, info, measured

ROWS = tuple(measured(patterns=["neighbor"], dtypes=["f32"], samples=8)[0])
ABOUT = replace(info(), finished="2026-11-20T08:00:30Z")
SUITE = "schema: 1\nname: gtc2013\ntitle: {}\ncases:\n  - pattern: {}\n"


def run(folder: str, rows: tuple[Row, ...] = ROWS, **about: Any) -> Run:
    return Run(Path(folder), replace(ABOUT, argv=(folder,), **about), rows)


def side(*runs: Run) -> Side:
    """Return a side without samples."""
    return Side(runs, {row.case_id: row for one in runs for row in one.rows}, {}, "name")


BASE = side(run("base"))


def state(**known: Any) -> dict[str, Any]:
    return {"device": replace(H200, state=DeviceState(**known))}


def suite(title: str, pattern: str) -> dict[str, Any]:
    return {"suite": SuiteText("gtc2013", title, "", SUITE.format(title, pattern))}


def found(base: Side, new: Side, *, timed: bool = True, any_revision: bool = False) -> list[str]:
    return list(reasons_against(base, new, timed=timed, any_revision=any_revision))


def test_runs_of_one_suite_on_one_gpu_can_be_compared() -> None:
    assert found(BASE, side(run("new"))) == []


@pytest.mark.parametrize(
    ("about", "clause"),
    [
        ({"suite": SuiteText("quick", "", "", "")}, "the suites differ (gtc2013, quick)"),
        ({"device": replace(H200, name="NVIDIA B200")}, "the GPUs differ (NVIDIA H200, NVIDIA B200)"),
        ({"device": None}, "the GPUs differ (NVIDIA H200, none)"),
        ({"arch": "sm_100"}, "the architectures differ (sm_90, sm_100)"),
        ({"backend": "emulator"}, "the backends differ (cuda, emulator)"),
        ({"backend": "emulator"}, "new has no times: its backend is emulator"),
        (
            {"suite": SuiteText("gtc2013", "", "", "another text")},
            "the suite was changed and defines other measurements (--allow suite compares the common cases)",
        ),
    ],
)
def test_differences_that_prevent_a_comparison_are_named(about: dict[str, Any], clause: str) -> None:
    assert clause in found(BASE, side(run("new", **about)))


@pytest.mark.parametrize(
    "about", [{"device": None}, {"backend": "none"}, {"device": replace(H200, name="NVIDIA H100")}]
)
def test_registers_of_different_gpus_can_be_compared(about: dict[str, Any]) -> None:
    assert found(BASE, side(run("new", **about)), timed=False) == []
    assert found(BASE, side(run("new", **about)), timed=True) != []


def test_runs_without_times_are_refused_on_either_side() -> None:
    bare = [side(run(name, backend="none")) for name in ("one", "other")]
    assert found(*bare) == ["one has no times: its backend is none", "other has no times: its backend is none"]


def test_runs_without_a_common_case_are_refused() -> None:
    assert found(BASE, side(run("new", ROWS[:1]))) == []
    assert found(side(run("base", ROWS[1:])), side(run("new", ROWS[:1]))) == ["they have no case in common"]


def test_a_new_title_is_no_other_measurement_and_a_new_pattern_is() -> None:
    base = side(run("base", **suite("One", "neighbor")))
    renamed, other = (side(run("new", **suite("Two", pattern))) for pattern in ("neighbor", "reduce"))
    assert found(base, renamed) == []
    assert len(found(base, other)) == 1
    assert found(base, other, any_revision=True) == []


def test_every_run_of_a_side_must_be_of_the_same_revision() -> None:
    first, other = (run(pattern, **suite("One", pattern)) for pattern in ("neighbor", "reduce"))
    assert len(found(side(first, other), side(replace(first, folder=Path("new"))))) == 1


@pytest.mark.parametrize(
    ("before", "after", "clause"),
    [
        (
            {"application_clock_mhz": 1980},
            {"application_clock_mhz": 1500},
            "application clock (MHz) was 1980, now 1500",
        ),
        ({"power_limit_w": 700.0}, {"power_limit_w": 500.0}, "power limit (W) was 700.0, now 500.0"),
        ({"ecc": True}, {"ecc": False}, "ECC was on, now off"),
        ({"mig": False}, {"mig": True}, "MIG was off, now on"),
    ],
)
def test_other_settings_of_the_gpu_prevent_a_comparison(
    before: dict[str, Any], after: dict[str, Any], clause: str
) -> None:
    base, new = side(run("base", **state(**before))), side(run("new", **state(**after)))
    assert found(base, new) == [f"the GPU's {clause}"]
    assert found(base, new, timed=False) == []
    assert found(base, side(run("new", **state()))) == []  # nobody says


def test_the_settings_of_the_gpu_count_for_every_run_of_a_side() -> None:
    runs = [run(str(watts), **state(power_limit_w=watts)) for watts in (700.0, 500.0)]
    assert found(side(runs[0]), side(*runs)) == ["the GPU's power limit (W) was 700.0, now 500.0, 700.0"]


def test_another_clock_prevents_a_comparison() -> None:
    slower = tuple(replace(row, sm_clock_mhz=1900.0) for row in ROWS)
    assert found(BASE, side(run("new", slower))) == ["the SM clock was 1980 MHz, now 1900 MHz"]
    unknown = tuple(replace(row, sm_clock_mhz=None) for row in ROWS)
    assert found(BASE, side(run("new", unknown))) == []
    hardly = tuple(replace(row, sm_clock_mhz=1975.0) for row in ROWS)
    assert found(BASE, side(run("new", hardly))) == []


def test_throttled_samples_prevent_a_comparison() -> None:
    throttled = tuple(replace(row, throttle=("sw_power_cap",), dropped=1) for row in ROWS)  # of 8 and 1
    assert found(BASE, side(run("new", throttled))) == [
        "11% of the samples of new were taken while the GPU was throttled"
    ]
    late = tuple(replace(row, dropped=1) for row in ROWS)  # the GPU overtook the host
    assert found(BASE, side(run("new", late))) == []


def test_the_same_run_on_both_sides_is_refused() -> None:
    with pytest.raises(ResultsError, match="base and copy contain the same run"):
        refuse_same_run(BASE, side(replace(BASE.runs[0], folder=Path("copy"))))
    with pytest.raises(ResultsError, match="new and new contain the same run"):
        refuse_same_run(BASE, side(run("new"), run("new")))
    refuse_same_run(BASE, side(run("new")))


@pytest.mark.parametrize(
    ("about", "what"),
    [
        ({"suite": SuiteText("quick", "", "", "")}, r"the suites differ \(gtc2013, quick\)"),
        ({"device": replace(H200, name="NVIDIA B200")}, r"the GPUs differ \(NVIDIA H200, NVIDIA B200\)"),
        ({"backend": "none"}, r"the backends differ \(cuda, none\)"),
    ],
)
def test_runs_that_cannot_form_one_side_are_refused(about: dict[str, Any], what: str) -> None:
    refuse_mixture(side(run("one"), run("other")))
    with pytest.raises(ResultsError, match=f"one and other cannot form one side: {what}"):
        refuse_mixture(side(run("one"), run("third"), run("other", **about)))


def test_nothing_is_noted_where_nothing_changed() -> None:
    assert list(changes(BASE, side(run("new")))) == []


def test_what_may_explain_a_change_is_noted() -> None:
    new = side(
        run(
            "new",
            suite=replace(ABOUT.suite, text="schema: 1\n"),
            device=replace(H200, uuid="GPU-9"),
            versions=replace(ABOUT.versions, shflbench="0.2.0", driver="590.1", nvrtc=None),
            settings=replace(ABOUT.settings, precision=0.01),
        )
    )
    assert list(changes(BASE, new)) == [
        "shflbench was 0.1.0, now 0.2.0",
        "NVRTC was 13.0.48, now unknown",
        "the driver was 580.159, now 590.1",
        "the sides were measured on different GPUs of one model, which differ more than runs on one GPU",
        "the text of suite gtc2013 differs between the sides",
        "`precision` was 0.005, now 0.01",
    ]


@pytest.mark.parametrize(
    ("was", "now", "noted"),
    [("3.3", "3.5", ["CCCL was 3.3, now 3.5"]), (None, "3.5", []), ("3.5", None, []), ("3.5", "3.5", [])],
)
def test_another_version_of_cccl_is_noted_where_both_are_known(was: str, now: str, noted: list[str]) -> None:
    sides = [side(run(name, versions=replace(ABOUT.versions, cccl=cccl))) for name, cccl in (("a", was), ("b", now))]
    assert list(changes(*sides)) == noted


def test_every_run_of_a_side_is_looked_at() -> None:
    updated = run("new", versions=replace(ABOUT.versions, driver="590.1"))
    assert list(changes(BASE, side(run("old"), updated))) == ["the driver was 580.159, now 580.159, 590.1"]


def test_gpus_of_different_models_are_not_called_one_model() -> None:
    other = side(run("new", device=replace(H200, name="NVIDIA B200", uuid="GPU-9")))
    assert list(changes(BASE, other)) == []
    assert list(changes(side(run("a", device=None)), side(run("b", device=None)))) == []
