from pathlib import Path

import pytest

from shflbench.checker.verdict import KernelVerdict
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.toolchain import find as find_toolchain
from shflbench.errors import DeviceError
from shflbench.kernel_facts.pattern_checks.kernels import compile_all
from shflbench.kernel_facts.pattern_checks.sanitizer import SanitizerJob, jobs, merge, read, run_tools, with_result
from shflbench.kernel_facts.pattern_checks.sanitizer_result import Count, SanitizerResult, Tool
from shflbench.kernel_facts.pattern_checks.targets import Filters, find
from tests.checker.in_process import start_no_processes
from tests.kernel_facts.pattern_checks.conftest import Reports
from tests.scripts import write_script

NAMES = ["neighbor/smem-unsafe/f32/mode=idx", "neighbor/shfl/f32/mode=idx"]
RACE = "========= Warning: Race reported between Write access at neighbor_smem_unsafe<float>(int)+0x1 [7 hazards]"
RUN = f"""\
    print("shflbench checks", name)
    if "unsafe" in name and tool == "racecheck":
        print("{RACE}")
    if "unsafe" in name and tool == "memcheck":
        print("failed: illegal address")
        break
    print("ran")
"""
# Stands for compute-sanitizer and for the program that it watches, which loads its jobs.
LOADING_TOOL = f"""\
import pickle, sys
from pathlib import Path
tool = sys.argv[sys.argv.index("--tool") + 1]
for job in pickle.loads(Path(sys.argv[-1]).read_bytes()):
    name = job.name
    print(job.call.grid, job.call.block, job.call.inputs, job.iterations, [values.shape for values in job.inputs])
{RUN}"""
# The same, but it imports no packages, so that it starts in a tenth of the time.
TOOL = f"""\
import re, sys
tool = sys.argv[sys.argv.index("--tool") + 1]
jobs = open(sys.argv[-1], encoding="latin-1").read()
for name in dict.fromkeys(re.findall("neighbor/[a-z-]+/f32/mode=idx", jobs)):
{RUN}"""


@pytest.fixture(scope="module")
def work(kernel_cache: Path) -> list[SanitizerJob]:
    subjects = find(["neighbor"], Filters(variants=("smem-unsafe", "shfl"), dtypes=("f32",)))
    subjects = [subject for subject in subjects if subject.name in NAMES]
    with pytest.MonkeyPatch.context() as monkeypatch:
        start_no_processes(monkeypatch)
        kernels = dict(compile_all(subjects, Builder(find_toolchain(), "sm_90", kernel_cache)))
    return jobs(subjects, kernels, seed=0)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def test_each_tool_runs_each_kernel_and_a_crash_loses_only_its_own(tmp_path: Path, work: list[SanitizerJob]) -> None:
    program = write_script(tmp_path / "compute-sanitizer", LOADING_TOOL)
    merged = merge(list(run_tools(program, work)))
    assert list(merged) == NAMES
    assert merged[NAMES[0]].sentence == "racecheck: 1 warning (7 hazards); memcheck: illegal address"
    assert merged[NAMES[1]].sentence == "nothing found"


def test_many_kernels_are_divided_among_processes_because_racecheck_stops_reporting(
    tmp_path: Path, work: list[SanitizerJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shflbench.kernel_facts.pattern_checks.sanitizer.MOST", 1)
    program = write_script(tmp_path / "compute-sanitizer", TOOL, "-IS")
    counted = write(tmp_path / "counted", f'#!/bin/sh\necho x >> "{tmp_path}/runs"\nexec "{program}" "$@"\n')
    assert list(merge(list(run_tools(counted, work)))) == NAMES
    assert len((tmp_path / "runs").read_text().split()) == len(Tool) * len(NAMES)


def test_names_are_those_that_the_tool_prints(work: list[SanitizerJob]) -> None:
    assert work[1].printed_names == ("neighbor_shfl<float>(", "_Z13neighbor_shflIfEvPKT_PS0_i")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo Unable to find injection library >&2; exit 1", "Unable to find injection library"),
        ("exit 3", "exit code 3"),
    ],
)
def test_a_tool_that_does_not_work_is_one_sentence(
    tmp_path: Path, work: list[SanitizerJob], script: str, said: str
) -> None:
    path = write(tmp_path / "compute-sanitizer", f"#!/bin/sh\n{script}\n")
    with pytest.raises(DeviceError) as caught:
        list(run_tools(path, work))
    assert caught.value.message == f"no kernel could be run under compute-sanitizer --tool racecheck: {said}"


def test_kernels_that_the_process_came_to_are_finished() -> None:
    answer = read("shflbench checks a\nran\nshflbench checks b\nfailed: crash\nshflbench checks c\n", {})
    assert answer.finished == ("a", "b")
    assert answer.failures == {"b": "crash"}


QUIET = {tool: Count() for tool in Tool}
LOUD = SanitizerResult({**QUIET, Tool.RACECHECK: Count(0, 1, 4)})
SAYS = "compute-sanitizer found what no schedule showed: racecheck: 1 warning (4 hazards)"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("variant", "result", "verdict", "sentence"),
    [
        ("right", LOUD, KernelVerdict.BROKEN, SAYS),
        ("modest", LOUD, KernelVerdict.UNSAFE, SAYS),
        ("equal-writes", LOUD, KernelVerdict.BROKEN, SAYS),
        ("right", SanitizerResult(QUIET), KernelVerdict.CLEAN, None),
        ("lockstep", SanitizerResult(QUIET), KernelVerdict.BROKEN, None),
        ("lockstep", LOUD, KernelVerdict.BROKEN, None),
        ("tomorrow", None, KernelVerdict.SKIPPED, None),
    ],
)
def test_what_only_compute_sanitizer_finds_turns_a_verdict_and_its_silence_turns_none(
    planted: Reports, variant: str, result: SanitizerResult | None, verdict: KernelVerdict, sentence: str | None
) -> None:
    report = with_result(planted[variant], result)
    assert report.sanitizer == result
    assert (report.verdict, report.kernel.sentence) == (verdict, sentence or planted[variant].kernel.sentence)
