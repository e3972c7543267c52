"""`shflbench check --format junit`: a test per kernel, valid by the schema that compare's reports have."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.checker.in_process import start_no_processes
from tests.conftest import Command
from tests.output.export.junit_schema import require_valid

FILES = ("kernels/racy.cu", "kernels/rejected.cu")
OVERLOADS = """\
__global__ void set(int *out) { out[threadIdx.x] = 1; }
__global__ void set(float *out) { out[threadIdx.x] = 1.f; }
"""


@pytest.fixture
def root(check: Command, monkeypatch: pytest.MonkeyPatch) -> ET.Element:
    start_no_processes(monkeypatch)
    outcome = check(*FILES, "--format", "junit")
    assert outcome.code == 5
    return ET.fromstring(outcome.out)  # noqa: S314  (it is our own)


def test_every_element_is_one_that_the_schema_knows(root: ET.Element) -> None:
    require_valid(root)


def test_each_kernel_is_a_test_of_its_file(root: ET.Element) -> None:
    assert [suite.attrib["name"] for suite in root] == list(FILES)
    assert [(test.attrib["classname"], test.attrib["name"]) for test in root.iter("testcase")] == [
        ("kernels/racy.cu", "shift"),
        ("kernels/racy.cu", "count"),
        ("kernels/racy.cu", "sound"),
        ("kernels/rejected.cu", "rejected.cu"),
    ]


def test_broken_kernel_is_a_failure_undecided_one_skipped_and_clean_one_passed(root: ET.Element) -> None:
    shift, count, sound, rejected = root.iter("testcase")
    assert [[child.tag for child in test] for test in (shift, count, sound, rejected)] == [
        ["failure"],
        ["skipped"],
        ["system-out"],
        ["error"],
    ]
    assert shift[0].attrib["type"] == "broken"
    message, finding = (shift[0].text or "").splitlines()
    assert message == shift[0].attrib["message"]
    assert message.startswith("broken: 1 finding: RAW")
    assert finding.startswith("kernels/racy.cu:4: RAW, WAR and uninitialized read: kernels/racy.cu:4 (thread ")
    assert count[0].attrib["message"].startswith("needs arguments: ")
    assert (sound[0].text or "").startswith("clean: no hazard in ")
    assert rejected[0].attrib["type"] == "not-compiled"
    assert 'kernels/rejected.cu:2: identifier "missing" is undefined [not-compiled]' in (rejected[0].text or "")


def test_counts_are_those_of_the_tests(root: ET.Element) -> None:
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["errors"]) == ("4", "1", "1")
    racy, rejected = root
    names = ("tests", "failures", "errors", "skipped")
    assert [racy.attrib[name] for name in names] == ["3", "1", "0", "1"]
    assert [rejected.attrib[name] for name in names] == ["1", "0", "1", "0"]


def test_kernels_that_ran_have_a_time_and_a_file_their_sum(root: ET.Element) -> None:
    racy, rejected = root
    times = [float(test.attrib["time"]) for test in racy]
    assert min(times) > 0
    assert float(racy.attrib["time"]) == pytest.approx(sum(times), abs=0.002)
    assert "time" not in rejected.attrib
    assert "time" not in rejected[0].attrib


def test_overloads_have_different_names(check: Command) -> None:
    Path("overloads.cu").write_text(OVERLOADS, encoding="utf-8")
    outcome = check("overloads.cu", "--format", "junit")
    names = [test.attrib["name"] for test in ET.fromstring(outcome.out).iter("testcase")]  # noqa: S314
    assert names == ["set _Z3setPi", "set _Z3setPf"]


def test_kernel_of_a_pattern_is_a_test_of_the_pattern(
    shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    start_no_processes(monkeypatch)
    words = ("--variant", "shfl", "--dtype", "i32", "--format", "junit")
    root = ET.fromstring(shflbench("check", "neighbor", *words).out)  # noqa: S314  (it is our own)
    require_valid(root)
    tests = list(root.iter("testcase"))
    assert tests
    assert {test.attrib["classname"] for test in tests} == {"neighbor"}
    assert all(test.attrib["name"].startswith("neighbor/shfl") for test in tests)
