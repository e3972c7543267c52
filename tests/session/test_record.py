from __future__ import annotations

from pathlib import Path

from shflbench.compile.toolchain import Toolchain
from shflbench.model import Case, Launch, MeasureRules, Suite
from shflbench.patterns.discover import builtin
from shflbench.session import Plan
from shflbench.session.record import run_info
from shflbench.suite import Overrides
from tests.fakes.backend import FakeBackend

CASE = Case("neighbor", "shfl", "f32", Launch("2x64", 64, 2), 64)
SUITE = Suite(
    "demo", "A demonstration", Path("/home/me/demo.yaml"), "schema: 1\n", (CASE,), MeasureRules(0.01, 3.0), builtin()
)
TOOLCHAIN = Toolchain((13, 5), "libnvrtc.so", (), None, (90,), "id")


def plan(backend: FakeBackend | None) -> Plan:
    return Plan(SUITE, TOOLCHAIN, "sm_90", backend, None, 132, seed=7)


def test_record_of_a_run_holds_what_it_takes_to_repeat_it() -> None:
    device = FakeBackend()
    info = run_info(plan(device), Overrides(variants=("shfl",)), ["shflbench", "run", "demo.yaml"])
    assert (info.suite.name, info.suite.title, info.suite.path) == ("demo", "A demonstration", "demo.yaml")
    assert info.suite.text == "schema: 1\n"
    assert info.argv == ("shflbench", "run", "demo.yaml")
    assert (info.device, info.backend, info.arch) == (device.device, "cuda", "sm_90")
    for name, value in {"precision": 0.01, "max_seconds": 3.0, "processes": 1, "seed": 7, "sms": 132}.items():
        assert info.settings[name] == value, name
    assert info.settings["overrides"] == {
        "patterns": [],
        "variants": ["shfl"],
        "dtypes": [],
        "launches": [],
        "iterations": [],
    }
    assert (info.versions.nvrtc, info.versions.driver, info.versions.cuda) == ("13.5", "580.159", "13.0")
    assert info.versions.shflbench
    assert info.host.cores > 0
    assert info.finished is None


def test_record_of_a_run_without_a_gpu_has_no_device() -> None:
    info = run_info(plan(None), Overrides(), [])
    assert (info.device, info.backend, info.versions.driver) == (None, "none", None)


def test_folder_of_the_suite_is_no_part_of_the_record() -> None:
    assert "/home/me" not in run_info(plan(None), Overrides(), []).to_json()
