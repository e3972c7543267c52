import json

import pytest

from shflbench.cuda.backends.gpus import Gpu
from shflbench.errors import DeviceError
from shflbench.patterns.discover import builtin
from shflbench.suite import find_shipped, load
from tests.conftest import Command

H200 = Gpu(0, "NVIDIA H200", "sm_90", 139.8, "580.95.05", "GPU-1234")


@pytest.fixture
def no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> list[Gpu]:
        message = "no NVIDIA driver is loaded"
        raise DeviceError(message)

    monkeypatch.setattr("shflbench.cuda.backends.gpus.find", find)


def test_patterns_are_listed_with_their_variants_options_and_claims(shflbench: Command) -> None:
    outcome = shflbench("list", "patterns")
    assert outcome.code == 0
    listed = {text.partition(":")[0]: text.splitlines() for text in outcome.out.rstrip().split("\n\n")}
    assert list(listed) == list(builtin())
    assert listed["scan"] == [
        "scan: Each lane gets the prefix sum of its warp's values, including or excluding its own value.",
        (
            "  variants  smem (baseline)  smem-double  smem-syncwarp  smem-unsafe (UNSAFE)  smem-wide  "
            "smem8-shfl  shfl  shfl-predicate  smem16-redux  redux-shfl  cub  cg"
        ),
        "  dtypes    f32 f64 i32 i64",
        "  options   kind=inclusive|exclusive",
        "  claims    A02 A05 G06 G14 G15 G16 G22 G23 G24 G26",
    ]


def test_one_pattern_is_shown_in_full(shflbench: Command) -> None:
    shown = shflbench("list", "patterns", "scan").out
    assert "source: GTC 2013, Shuffle: Tips and Tricks, scan\nunrolled by 4\nkind: inclusive exclusive\n" in shown
    assert "\n  smem-unsafe (UNSAFE)  smem-unsafe  f32 f64 i32 i64         `volatile` shared memory without" in shown
    assert "\n  G14: a scan by shuffles is faster than one through shared memory with block barriers\n" in shown
    assert "\nnotes\n  The shuffles on the slides " in shown


def test_one_pattern_as_json_holds_all_that_is_declared(shflbench: Command) -> None:
    (scan,) = json.loads(shflbench("list", "patterns", "scan", "--format", "json").out)
    assert scan["options"] == {"kind": ["inclusive", "exclusive"]}
    assert scan["claims"]["G14"] == "a scan by shuffles is faster than one through shared memory with block barriers"
    assert (scan["baseline"], scan["one_pass"], scan["unroll"]) == ("smem", False, 4)
    assert {item["name"] for item in scan["variants"] if not item["safe"]} == {"smem-unsafe"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("patterns", "scn"), "error: there is no pattern `scn`\nDid you mean `scan`?\n"),
        (("suites", "scan"), "error: only patterns can be listed by name: shflbench list patterns NAME\n"),
    ],
)
def test_a_name_that_nothing_has_is_wrong_usage(shflbench: Command, words: tuple[str, str], said: str) -> None:
    outcome = shflbench("list", *words)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(said)


def test_variants_say_which_are_unsafe(shflbench: Command) -> None:
    variants = json.loads(shflbench("list", "variants", "--format", "json").out)
    unsafe = {(item["pattern"], item["name"]) for item in variants if not item["safe"]}
    assert {("neighbor", "smem-unsafe"), ("neighbor", "smem-deck"), ("reduce", "smem-unsafe")} <= unsafe
    assert ("reduce", "smem-syncwarp") not in unsafe


@pytest.mark.archs
def test_every_suite_is_listed_with_its_number_of_cases(shflbench: Command) -> None:
    suites = json.loads(shflbench("list", "suites", "--format", "json").out)
    assert [item["name"] for item in suites] == list(find_shipped())
    assert {item["name"]: item["cases"] for item in suites} == {
        name: len(load(path).cases) for name, path in find_shipped().items()
    }


def test_devices_are_listed_with_their_architecture(shflbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.cuda.backends.gpus.find", lambda: [H200])
    assert shflbench("list", "devices").out == (
        "index  name         arch   memory gib  driver     uuid\n"
        "0      NVIDIA H200  sm_90  139.8       580.95.05  GPU-1234\n"
    )


@pytest.mark.usefixtures("no_driver")
def test_machine_without_a_driver_has_no_devices_and_says_why(shflbench: Command) -> None:
    outcome = shflbench("list", "devices", "--format", "json")
    assert (outcome.code, json.loads(outcome.out)) == (0, [])
    assert outcome.err == "no devices: no NVIDIA driver is loaded\n"


@pytest.mark.archs
@pytest.mark.usefixtures("no_driver")
def test_without_a_word_everything_is_listed(shflbench: Command) -> None:
    everything = json.loads(shflbench("list", "--format", "json").out)
    assert list(everything) == ["schema", "suites", "patterns", "variants", "devices"]
    assert [item["name"] for item in everything["patterns"]] == list(builtin())
    headings = [line for line in shflbench("list").out.splitlines() if line and not line.startswith(" ")]
    assert headings == ["suites", "patterns", "variants"]
