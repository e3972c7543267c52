from dataclasses import asdict, replace
from pathlib import Path

import pytest

import shflbench
from shflbench.core.model import Case, DeviceState, Launch, MeasureRules, Overrides, Suite
from shflbench.core.thresholds import Thresholds
from shflbench.cuda.compile.toolchain import Toolchain
from shflbench.measure.executor import InProcessExecutor
from shflbench.patterns.discover import builtin
from shflbench.session import Plan
from shflbench.session.plan import run_info
from shflbench.store import RunSettings
from shflbench.store.surroundings import revision, source_hash
from tests.fakes.backend import FakeBackend

CASE = Case("neighbor", "shfl", "f32", Launch("2x64", 64, 2), 64)
SUITE = Suite(
    "demo",
    "A demonstration",
    Path("/home/me/demo.yaml"),
    "schema: 1\n",
    (CASE,),
    MeasureRules(precision=0.01, max_seconds=3.0),
    builtin(),
    Thresholds.parse(["2%"]),
)
TOOLCHAIN = Toolchain((13, 5), "libnvrtc.so", (), None, (90,), "id")


def plan(backend: FakeBackend | None) -> Plan:
    return Plan(SUITE, TOOLCHAIN, "sm_90", InProcessExecutor(backend) if backend else None, None, 132, seed=7)


def test_record_of_a_run_has_everything_needed_to_repeat_it() -> None:
    device = FakeBackend()
    info = run_info(plan(device), Overrides(variants=("shfl",)), ["shflbench", "run", "demo.yaml"])
    assert (info.suite.name, info.suite.title, info.suite.path) == ("demo", "A demonstration", "demo.yaml")
    assert info.suite.text == "schema: 1\n"
    assert info.argv == ("shflbench", "run", "demo.yaml")
    assert (info.device, info.backend, info.arch) == (device.device, "cuda", "sm_90")
    overrides = Overrides(variants=("shfl",))
    assert info.settings == RunSettings(**asdict(SUITE.rules), seed=7, input_sets=8, sms=132, overrides=overrides)
    assert (info.settings.precision, info.settings.max_seconds) == (0.01, 3.0)
    assert info.thresholds == SUITE.thresholds != Thresholds()
    assert (info.versions.nvrtc, info.versions.driver, info.versions.cuda) == ("13.5", "580.159", "13.0")
    assert info.versions.shflbench
    assert info.versions.compiler_build == TOOLCHAIN.build
    assert info.revision is None
    assert info.versions.source == source_hash(Path(shflbench.__file__).parent)
    assert info.host.cores > 0
    assert info.finished is None


def test_record_of_a_run_has_the_revision_of_the_suite() -> None:
    path = builtin()["neighbor"] / "pattern.py"
    info = run_info(replace(plan(None), suite=replace(SUITE, path=path)), Overrides(), [])
    assert info.revision == revision(path)


def test_record_of_a_run_has_the_variants_that_wait_for_memory() -> None:
    assert run_info(plan(None), Overrides(), []).waits_for_memory == ("memory-ladder/l2", "memory-ladder/dram")
    one = replace(SUITE, pattern_folders={"neighbor": builtin()["neighbor"]})
    assert run_info(replace(plan(None), suite=one), Overrides(), []).waits_for_memory == ()


def test_record_of_a_run_has_the_state_of_the_gpu() -> None:
    backend = FakeBackend()
    state = DeviceState(ecc=True, other_processes=2)
    backend.device = replace(backend.device, state=state)
    device = run_info(plan(backend), Overrides(), []).device
    assert device is not None
    assert device.state == state


@pytest.mark.parametrize(("gib", "places"), [(4, 1), (8, 3), (80, 9)])
def test_record_of_a_run_has_as_many_contexts_as_the_memory_holds(gib: int, places: int) -> None:
    backend = FakeBackend()
    backend.device = replace(backend.device, memory_bytes=gib * 2**30)
    nine = replace(SUITE, rules=replace(SUITE.rules, places=9))
    assert run_info(replace(plan(backend), suite=nine), Overrides(), []).settings.places == places
    assert run_info(replace(plan(None), suite=nine), Overrides(), []).settings.places == 9


def test_driver_without_a_version_is_unknown_and_not_empty() -> None:
    backend = FakeBackend()
    backend.device = replace(backend.device, driver="")
    info = run_info(plan(backend), Overrides(), [])
    assert (info.versions.driver, info.versions.cuda) == (None, "13.0")


def test_record_of_a_run_without_a_gpu_has_no_device() -> None:
    info = run_info(plan(None), Overrides(), [])
    assert (info.device, info.backend, info.versions.driver) == (None, "none", None)


def test_folder_of_the_suite_is_no_part_of_the_record() -> None:
    assert "/home/me" not in run_info(plan(None), Overrides(), []).to_json()
