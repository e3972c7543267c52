"""The GitHub action of this repository: valid, without text of inputs in its scripts, and its steps run."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from ruamel.yaml import YAML

from benchmarks.nvbench.recording import UNCHANGED
from tests.conftest import Outcome
from tests.docs.ci_machine import NS_PER_ITERATION, ROOT, SLOWER, CiMachine
from tests.docs.nvbench_sides import write_side, write_slower

pytestmark = pytest.mark.expensive  # each use of the action starts Python

ACTION = ROOT / "action.yml"
CONTENT: dict[str, Any] = YAML(typ="safe").load(ACTION.read_text(encoding="utf-8"))
STEPS = [step for step in CONTENT["runs"]["steps"] if "run" in step]
(UPLOAD,) = (step for step in CONTENT["runs"]["steps"] if "uses" in step)
SIDES = {"base": "base", "new": "new", "options": "--alternated"}


class Job:
    """A job on a runner, with files for its outputs and its summary."""

    def __init__(self, machine: CiMachine) -> None:
        self.machine = machine
        self.outputs: dict[str, str] = {}
        self.summary = ""

    def use(self, **inputs: str) -> Outcome:
        """Run the steps of the action with these inputs, until one fails."""
        assert inputs.keys() <= CONTENT["inputs"].keys()
        values = {name: inputs.get(name, entry["default"]) for name, entry in CONTENT["inputs"].items()}
        files = {name: self.machine.folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("", encoding="utf-8")
        github = {name: str(file) for name, file in files.items()}
        github |= {"GITHUB_ACTION_PATH": str(ROOT), "RUNNER_TEMP": str(self.machine.folder / "temp")}
        for step in STEPS:
            variables = {name: values[input_of(text)] for name, text in step["env"].items()}
            outcome = self.machine.run(step["run"], **github, **variables)
            if outcome.code:
                break
        lines = files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines()
        self.outputs = dict(line.split("=", 1) for line in lines)
        self.summary = files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        return outcome


def input_of(text: str) -> str:
    match = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", text)
    assert match, text
    return match[1]


@pytest.fixture
def job(tmp_path: Path, kernel_cache: Path) -> Job:
    return Job(CiMachine(tmp_path, kernel_cache))


def test_action_is_valid() -> None:
    words = ["--builtin-schema", "vendor.github-actions", str(ACTION)]
    assert subprocess.run([sys.executable, "-m", "check_jsonschema", *words], check=False).returncode == 0


def test_inputs_reach_scripts_as_variables_only() -> None:
    assert [text for step in STEPS for text in [step["run"], step["shell"]] if "${{" in text] == []
    used = {input_of(text) for step in STEPS for text in step["env"].values()}
    assert used == CONTENT["inputs"].keys() - {"sarif"}
    assert UPLOAD["if"] == "${{ !cancelled() && inputs.sarif == 'true' && steps.run.outputs.sarif != '' }}"
    assert UPLOAD["with"]["sarif_file"] == "${{ steps.run.outputs.sarif }}"


@pytest.mark.archs
def test_each_output_is_one_of_the_last_script(job: Job) -> None:
    write_slower(job.machine.work)
    job.use(**SIDES)
    assert {entry["value"] for entry in CONTENT["outputs"].values()} == {
        f"${{{{ steps.{STEPS[-1]['id']}.outputs.{name} }}}}" for name in job.outputs
    }
    assert job.outputs.keys() == CONTENT["outputs"].keys()


@pytest.mark.archs
def test_slower_side_fails_the_job_with_annotations_summary_outputs_and_reports(job: Job) -> None:
    write_slower(job.machine.work)
    outcome = job.use(**SIDES, report="out")
    assert outcome.code == 1
    assert "::error title=slower%3A bitonic-sort/shfl/" in outcome.out
    assert job.summary.startswith("### shflbench: 13 slower, 2 inconclusive of 16 cases\n")
    assert job.outputs == {
        "exit-code": "1",
        "report": "out",
        "result": "13 slower, 2 inconclusive of 16 cases",
        "counts": '{"slower": 13, "inconclusive": 2, "same": 1}',
    }
    folder = job.machine.work / "out"
    assert (folder / "report.md").read_text(encoding="utf-8") == job.summary
    assert json.loads((folder / "report.json").read_text(encoding="utf-8"))["exit_code"] == 1
    assert ET.parse(folder / "junit.xml").getroot().attrib["failures"] == "13"  # noqa: S314  (it is our own)
    named = set(re.findall(r"[\w.]+\.\w+", CONTENT["outputs"]["report"]["description"]))
    assert named - {"check.sarif"} == {path.name for path in folder.iterdir()}
    assert job.machine.installed()[-1] == str(ROOT)  # to compare needs no extra
    assert f"{ROOT}/constraints.txt" in job.machine.installed()


@pytest.mark.archs
@pytest.mark.parametrize(("name", "verdict"), [("compare", "slower"), ("check", "broken")])
def test_workflow_that_uses_the_action_on_github_expects_its_results(job: Job, name: str, verdict: str) -> None:
    workflow = YAML(typ="safe").load((ROOT / ".github" / "workflows" / "action.yml").read_text(encoding="utf-8"))
    *_, use, test = workflow["jobs"][name]["steps"]
    assert (use["uses"], use["id"]) == ("./", "action")
    outcome = job.use(**{name: str(ROOT / path) for name, path in use["with"].items()})
    results = f"{job.outputs['exit-code']} {json.loads(job.outputs['counts'])[verdict]}"
    assert outcome.code == 1
    assert test["run"] == f'test "$CODE ${verdict.upper()}" = "{results}"'


@pytest.mark.archs
def test_unchanged_side_passes_the_job(job: Job) -> None:
    for first, side in enumerate(("base", "new")):
        write_side(job.machine.work / side, UNCHANGED, first)
    assert job.use(**SIDES).code == 0
    assert (job.outputs["exit-code"], job.outputs["result"]) == ("0", "2 inconclusive of 16 cases")
    assert job.use(**SIDES | {"options": "--alternated\n\n--strict\n--threshold\n5%\n"}).code == 0
    assert job.use(**SIDES | {"options": "--strict"}).code == 6
    assert job.outputs["exit-code"] == "6"


@pytest.mark.archs
def test_without_a_comparison_the_summary_has_the_exit_code(job: Job) -> None:
    stale = job.machine.work / "shflbench-report" / "report.json"
    stale.parent.mkdir()
    stale.write_text('{"headline": "no change", "counts": {}}', encoding="utf-8")
    outcome = job.use(base="nowhere", new="nothing")
    assert outcome.code == 3
    assert "there is no folder nowhere" in outcome.err
    assert job.outputs == {"exit-code": "3", "report": "shflbench-report"}
    assert job.summary == "shflbench ended with exit code 3 and has no result. The log has the reason.\n"


HOSTILE = "$(touch hacked); `touch hacked` ' \" \\ ; touch hacked #"


@pytest.mark.archs
@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"base": HOSTILE, "new": HOSTILE}, 3),
        ({"base": "--help", "new": "--version"}, 3),  # names of folders, not options
        ({"base": "base", "new": "new", "options": HOSTILE}, 2),
        ({"base": "nowhere", "new": "nothing", "report": HOSTILE}, 3),
        ({"base": "base", "new": "new", "report": "out\nexit-code=0"}, 2),
        ({"suite": HOSTILE, "extra": HOSTILE, "against": HOSTILE}, 3),
        ({"suite": "--help"}, 3),
        ({"suite": "gate.yaml", "processes": "1 --dry-run"}, 2),
        ({"base": "base", "new": "new", "python": HOSTILE}, 127),
        ({"check": HOSTILE}, 3),
        ({"check": "--help\n--version"}, 3),  # names of patterns, not options
        ({"check": "missing.cu", "options": HOSTILE}, 3),  # likewise
        ({"check": "missing.cu", "report": HOSTILE}, 3),
    ],
)
def test_hostile_inputs_are_no_commands_options_or_outputs(job: Job, inputs: dict[str, str], code: int) -> None:
    outcome = job.use(**inputs)
    assert outcome.code == code, outcome.err
    assert list(job.machine.folder.rglob("hacked")) == []
    assert set(job.outputs) <= {"exit-code", "report"}
    assert job.outputs.get("exit-code", str(code)) == str(code)


@pytest.mark.archs
@pytest.mark.parametrize(
    "inputs",
    [{}, {"base": "base"}, {"new": "new"}, {"suite": "quick", "new": "new"}, {"check": "a.cu", "suite": "quick"}],
)
def test_wrong_combination_of_inputs_is_one_annotation(job: Job, inputs: dict[str, str]) -> None:
    outcome = job.use(**inputs)
    assert (outcome.code, outcome.err) == (2, "")
    assert (
        outcome.out == "::error title=shflbench::Give the input check, the input suite, or the inputs base and new.\n"
    )


@pytest.mark.archs
def test_suite_is_measured_and_fails_the_job_if_a_kernel_got_slower(job: Job) -> None:
    job.machine.save_baseline()
    for number, (scripts, code) in enumerate([(NS_PER_ITERATION, 0), (SLOWER, 1)]):
        job.machine.plan = {"scripts": scripts}
        outcome = job.use(suite="gate.yaml", processes="4", report=f"report-{number}", options="--budget=0")
        assert outcome.code == code, outcome.err
        assert f"report-{number}/run" in outcome.out
        assert "4 processes per case" in job.summary
        assert (job.machine.work / f"report-{number}" / "run" / "results.csv").exists()
        assert (job.machine.work / f"report-{number}" / "forest.svg").exists()
    assert "::error title=slower%3A neighbor/shfl/" in outcome.err
    assert job.outputs["counts"] == '{"slower": 1, "same": 1}'
    assert job.machine.installed()[-1] == f"{ROOT}[cuda13]"


RACY = """\
__global__ void shift(const int *in, int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = s[(threadIdx.x + 1) % 64];
}
"""
SOUND = "__global__ void sound(int *out) { out[threadIdx.x] = 1; }\n"
CHECKED = {"options": "--launch=1x64\n--compiler=nvrtc"}


@pytest.mark.archs
def test_race_fails_the_job_with_an_annotation_a_summary_outputs_and_reports(job: Job) -> None:
    folder = job.machine.work / "kernels of mine"
    folder.mkdir()
    (folder / "racy.cu").write_text(RACY, encoding="utf-8")
    (job.machine.work / "sound.cu").write_text(SOUND, encoding="utf-8")
    outcome = job.use(check="kernels of mine\n\nsound.cu\n", report="out", **CHECKED)
    assert outcome.code == 1, outcome.err
    assert "::error file=kernels of mine/racy.cu,line=4,title=shift broken::" in outcome.out
    assert job.summary.startswith("### shflbench check: 1 broken, 1 clean of 2 kernels\n")
    assert job.outputs == {
        "exit-code": "1",
        "report": "out",
        "result": "1 broken, 1 clean of 2 kernels",
        "counts": '{"broken": 1, "clean": 1}',
        "sarif": "out/check.sarif",
    }
    reports = {path.name: path.read_text(encoding="utf-8") for path in (job.machine.work / "out").iterdir()}
    named = set(re.findall(r"[\w.]+\.\w+", CONTENT["outputs"]["report"]["description"]))
    assert named - {"forest.svg"} == reports.keys()
    assert reports["report.md"] == job.summary
    (run,) = json.loads(reports["check.sarif"])["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["raw"]
    assert ET.fromstring(reports["junit.xml"]).attrib["failures"] == "1"  # noqa: S314  (it is our own)
    assert job.machine.installed()[-1] == str(ROOT)


@pytest.mark.archs
def test_clean_kernels_pass_the_job(job: Job) -> None:
    (job.machine.work / "sound.cu").write_text(SOUND, encoding="utf-8")
    outcome = job.use(check="sound.cu", **CHECKED)
    assert (outcome.code, job.outputs["result"]) == (0, "1 clean of 1 kernel")
    assert job.outputs["sarif"] == "shflbench-report/check.sarif"
