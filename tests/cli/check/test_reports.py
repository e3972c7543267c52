"""The same findings as annotations, JSON and SARIF."""

import json
from pathlib import Path
from typing import Any

import pytest

from shflbench.checker.verdict import KernelVerdict
from shflbench.cli.check.command import FORMATS
from shflbench.cli.check.show import RENDER
from shflbench.emulator.races.hazards import HazardKind
from shflbench.output.export.sarif_rules import HELP, rule_id
from tests.checker.in_process import start_no_processes
from tests.conftest import Command
from tests.kernel_facts.pattern_checks.conftest import PLANTED

RACY = """\
__global__ void shift(const int *in, int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[(threadIdx.x + 1) % 64];
}
__global__ void count(const int *to, int *out) { out[to[threadIdx.x]] += threadIdx.x; }
__global__ void sound(int *out) { out[threadIdx.x] = 1; }
"""


@pytest.fixture
def report(shflbench: Command) -> Any:
    def call(form: str, *more: str) -> str:
        Path("kernels").mkdir(exist_ok=True)
        Path("kernels/racy.cu").write_text(RACY, encoding="utf-8")
        words = ("--compiler", "nvrtc", "--launch", "1x64", "--format", form, *more)
        outcome = shflbench("check", "kernels/racy.cu", *words)
        assert outcome.code == 1
        return outcome.out

    return call


def test_github_shows_each_finding_on_its_line(report: Any) -> None:
    lines = report("github").splitlines()
    assert lines[0].startswith(
        "::error file=kernels/racy.cu,line=4,title=shift broken::RAW, WAR and uninitialized read: "
    )
    needs = [line for line in lines if "count" in line]
    assert len(needs) == 1
    assert needs[0].startswith("::warning file=kernels/racy.cu,line=6,title=count needs arguments::RAW, WAR and WAW: ")
    assert needs[0].endswith("; to decide, give --arg to=…")
    assert not any("sound" in line for line in lines)


@pytest.mark.every_schedule
def test_json_holds_each_kernel_with_its_launches_arguments_and_findings(report: Any) -> None:
    record = json.loads(report("json"))
    (file,) = record["files"]
    assert (record["arch"], file["file"], file["arch"]) == ("sm_90", "kernels/racy.cu", "sm_90")
    assert [(kernel["name"], kernel["verdict"], kernel["line"]) for kernel in file["kernels"]] == [
        ("shift", "broken", 1),
        ("count", "needs arguments", 6),
        ("sound", "clean", 7),
    ]
    shift, count, _ = file["kernels"]
    race = shift["findings"][0]
    assert (race["kind"], race["level"], race["line"], race["other"]["line"]) == ("RAW", "error", 4, 3)
    assert race["detail"].startswith("bytes ")
    assert race["detail"].endswith(" of `s` in shared memory")
    assert len(race["history"]) == len(race["threads"]) == 2
    assert count["needs"] == ["to"]
    launch, other = count["launches"]
    assert (launch["launch"], launch["origin"], launch["seeds"]) == ("1x64", "given", [0, 1])
    assert launch["arguments"] == [{"text": f"{name} = i32[64]", "origin": "chosen"} for name in ("to", "out")]
    assert launch["schedules"][0] == "lockstep"
    assert len(launch["schedules"]) > 5
    assert (other["launch"], other["note"]) == ("1x64", "chosen contents 0, 1, 2, …")


# The properties of SARIF 2.1.0 that are used, by the objects that hold them: those that the standard requires, others.
OBJECTS: dict[str, tuple[set[str], set[str]]] = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"results", "columnKind"}),
    "tool": ({"driver"}, set()),
    "driver": ({"name"}, {"version", "rules"}),
    "rule": ({"id"}, {"name", "shortDescription", "fullDescription", "help"}),
    "result": ({"message"}, {"ruleId", "ruleIndex", "level", "locations", "relatedLocations"}),
    "location": (set(), {"physicalLocation", "message"}),
    "physicalLocation": ({"artifactLocation"}, {"region"}),
    "artifactLocation": (set(), {"uri"}),
    "region": (set(), {"startLine"}),
    "text": ({"text"}, set()),
}
# Where an object is a property of another one; the property holds a list of them if it ends in `[]`.
PARTS = {
    "log": {"runs[]": "run"},
    "run": {"tool": "tool", "results[]": "result"},
    "tool": {"driver": "driver"},
    "driver": {"rules[]": "rule"},
    "rule": {"shortDescription": "text", "fullDescription": "text", "help": "text"},
    "result": {"message": "text", "locations[]": "location", "relatedLocations[]": "location"},
    "location": {"physicalLocation": "physicalLocation", "message": "text"},
    "physicalLocation": {"artifactLocation": "artifactLocation", "region": "region"},
}


def validate(item: dict[str, Any], kind: str) -> None:
    """Assert that an object of the log has the properties of its kind, and no others."""
    required, allowed = OBJECTS[kind]
    assert required <= set(item) <= required | allowed, (kind, set(item))
    for name, part in PARTS.get(kind, {}).items():
        value = item.get(name.removesuffix("[]"), [] if name.endswith("[]") else {})
        for child in value if name.endswith("[]") else [value] if value else []:
            validate(child, part)


def test_sarif_has_the_objects_and_properties_of_the_standard(report: Any) -> None:
    log = json.loads(report("sarif"))
    assert log["runs"][0]["results"]
    validate(log, "log")


def test_sarif_holds_what_the_standard_requires(report: Any) -> None:
    log = json.loads(report("sarif"))
    assert (log["version"], log["$schema"].rpartition("/")[2]) == ("2.1.0", "sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "shflbench"
    assert driver["version"]
    identifiers = [rule["id"] for rule in driver["rules"]]
    assert len(set(identifiers)) == len(identifiers)
    for rule in driver["rules"]:
        assert set(rule) == {"id", "name", "shortDescription", "fullDescription", "help"}
        assert rule["shortDescription"]["text"]
        assert rule["help"]["text"]
    for result in run["results"]:
        assert identifiers[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in {"none", "note", "warning", "error"}
        assert result["message"]["text"]
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"] == "kernels/racy.cu"
        assert location["physicalLocation"]["region"]["startLine"] >= 1


def test_sarif_relates_a_race_to_the_earlier_access(report: Any) -> None:
    (run,) = json.loads(report("sarif"))["runs"]
    race = next(result for result in run["results"] if result["ruleId"] == "raw")
    assert race["level"] == "error"
    text = race["message"]["text"]
    assert text.startswith("shift: RAW, WAR and uninitialized read: kernels/racy.cu:4 (thread ")
    assert text.endswith(").")
    (related,) = race["relatedLocations"]
    assert related["physicalLocation"]["region"]["startLine"] == 3
    assert related["message"]["text"] == "the earlier access"


@pytest.mark.archs
def test_sarif_also_reports_patterns(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    start_no_processes(monkeypatch)
    words = ("--variant", "lockstep", "--dtype", "i32", "--format", "sarif")
    (run,) = json.loads(shflbench("check", PLANTED, *words).out)["runs"]
    assert {result["ruleId"] for result in run["results"]} == {"raw"}  # with its relatives of one missing barrier
    assert {result["level"] for result in run["results"]} == {"error"}


def test_other_formats_go_to_files_and_annotations_have_a_summary(report: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = Path("summary.md").absolute()
    summary.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    also = [f"{form}=out/{form}" for form in ("table", "json", "sarif", "gcc", "junit", "markdown", "github")]
    printed = report("github", *(word for pair in also for word in ("--also", pair)))
    texts = {path.name: path.read_text(encoding="utf-8") for path in Path("out").iterdir()}
    assert texts["github"] == printed
    assert summary.read_text(encoding="utf-8") == f"before\n{texts['markdown']}"
    assert texts["table"].startswith("kernel  verdict ")
    assert texts["gcc"].startswith("kernels/racy.cu:4:1: error: shift: ")
    assert texts["junit"].startswith("<?xml ")
    assert json.loads(texts["json"])["files"]
    assert json.loads(texts["sarif"])["runs"]


def test_each_format_of_the_option_can_be_rendered() -> None:
    assert tuple(RENDER) == FORMATS


def test_other_formats_replace_no_source_code(shflbench: Command) -> None:
    Path("racy.cu").write_text(RACY, encoding="utf-8")
    outcome = shflbench("check", "racy.cu", "--also", "sarif=racy.cu")
    assert (outcome.code, outcome.out) == (2, "")
    assert "--also racy.cu would replace a file of source code" in outcome.err
    assert Path("racy.cu").read_text(encoding="utf-8") == RACY


def test_every_hazard_and_every_verdict_with_a_level_has_a_rule() -> None:
    verdicts = [verdict for verdict in KernelVerdict if verdict.level]
    assert {rule_id(item.name) for item in (*HazardKind, *verdicts)} <= set(HELP)
