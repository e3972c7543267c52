import json
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from shflbench.cuda.backends.gpus import Gpu
from shflbench.emulator.machine.policies import POLICIES
from shflbench.errors import DeviceError
from shflbench.kernel_facts.pattern_checks.targets import Filters, find
from tests.checker.in_process import start_no_processes
from tests.conftest import Command
from tests.kernel_facts.pattern_checks.conftest import PLANTED, compiled_pairs
from tests.kernel_facts.pattern_checks.test_sanitizer import TOOL
from tests.scripts import write_script

H200 = Gpu(0, "NVIDIA H200", "sm_90", 139.8, "580.95.05", "GPU-1234")
FIRST, SECOND = (f" (thread {number} of block 0)" for number in (0, 1))
CLEAN = "right under all 10 schedules; no hazard in 1 launch (2x128)"
KINDS = "RAW, WAR and uninitialized read"
WHERE = "(first in launch 2x128)"
HEAD = "2x128 threads, 10 schedules"
OWN = """\
schema: 1
name: own
experiments:
  - {pattern: neighbor, variants: [smem-unsafe, shfl], dtypes: [f32, i32], launch: 2x64}
"""


@pytest.fixture
def check_in_processes(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call `shflbench check` in a folder that holds the planted pattern, ./pairs, and a suite, own.yaml."""
    compiled_pairs()
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    Path("own.yaml").write_text(OWN, encoding="utf-8")
    shutil.copytree(PLANTED, "pairs", ignore=shutil.ignore_patterns("__pycache__"))
    return lambda *words: shflbench("check", *words)


@pytest.fixture
def check(check_in_processes: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Call it so that it compiles and checks all kernels in this process."""
    start_no_processes(monkeypatch)
    return check_in_processes


def only(*variants: str, dtype: str = "i32") -> list[str]:
    return ["--dtype", dtype, *(word for variant in variants for word in ("--variant", variant))]


def line_of(text: str, number: int = 1) -> int:
    """Return the line of the planted kernels that holds `text` for the `number`th time."""
    lines = (PLANTED / "kernels.cu").read_text(encoding="utf-8").splitlines()
    return [index for index, line in enumerate(lines, 1) if text in line][number - 1]


def test_clean_kernels_take_a_line_per_variant_and_exit_0(check: Command) -> None:
    outcome = check("own.yaml", "--variant", "shfl")
    assert outcome.code == 0
    assert outcome.out == (
        f"kernel                  dtypes   verdict  why\nneighbor/shfl/mode=idx  f32 i32  clean    {CLEAN}\n"
    )
    assert outcome.err == f"2 kernels for sm_90, {HEAD}: 2 clean.\n"


@pytest.mark.archs
def test_each_pattern_that_is_done_takes_a_line_where_no_progress_bar_is_shown(check: Command) -> None:
    outcome = check("pairs", "neighbor", *only("right", "shfl"))
    assert outcome.code == 0
    assert outcome.err.splitlines() == [
        "pairs: 1 clean (1 of 5 kernels done)",
        "neighbor: 4 clean (5 of 5 kernels done)",
        f"5 kernels for sm_90, {HEAD}: 5 clean.",
    ]


@pytest.mark.archs
def test_a_broken_kernel_is_reported_with_both_lines_and_exits_1(check_in_processes: Command) -> None:
    outcome = check_in_processes("pairs", *only("right", "lockstep"))
    write, read = (f"pairs/kernels.cu:{line_of('x = add(T(slots[threadIdx.x ^ 1])') + offset}" for offset in (-1, 0))
    *lines, mismatch = outcome.out.splitlines()
    assert lines == [
        "kernel          dtypes  verdict  why",
        f"pairs/right     i32     clean    {CLEAN}",
        f"pairs/lockstep  i32     broken   1 finding: {KINDS} {WHERE}; wrong under 3 of 10 schedules",
        "",
        "pairs/lockstep (i32): broken",
        (
            f"  {KINDS}: {read}{FIRST} reads what {write}{SECOND} wrote, with no barrier between "
            "(bytes 4–7 of `bytes` in shared memory; launch 2x128)"
        ),
        f"    thread 1 of block 0 wrote 4 bytes (volatile) at {write}",
        f"    thread 0 of block 0 read 4 bytes (volatile) at {read}",
    ]
    assert mismatch.startswith(
        "  wrong under odd lanes first, lanes in order, lanes at random; "
        "i32: after 1 iteration under `odd lanes first`, element 1 is -1515870810, not "
    )
    assert outcome.code == 1
    assert outcome.err == f"2 kernels for sm_90, {HEAD}: 1 clean, 1 broken.\n"


def test_an_unsafe_kernel_without_a_finding_is_a_warning_that_strict_fails(check: Command) -> None:
    outcome = check("pairs", *only("modest"))
    assert (outcome.code, check("pairs", *only("modest"), "--strict").code) == (0, 6)
    why = "declared unsafe, but nothing was found under all 10 schedules"
    assert outcome.out.splitlines()[1:] == [f"pairs/modest  i32     unsafe but nothing found  {why}"]


def test_dependence_on_the_schedule_is_a_note_that_strict_lets_pass(check: Command) -> None:
    outcome = check("pairs", *only("curious"), "--strict")
    assert outcome.code == 0
    line = line_of("const T one = __activemask()")
    assert outcome.out.splitlines()[-1] == (
        f"  pairs/kernels.cu:{line}{FIRST} reads the mask of active lanes, which depends on the schedule (launch 2x128)"
    )


@pytest.mark.archs
def test_a_kernel_that_does_not_compile_exits_5_before_a_broken_one_counts(check_in_processes: Command) -> None:
    outcome = check_in_processes("pairs", *only("half", "initialized"))
    assert outcome.code == 5
    assert outcome.out.splitlines()[2] == (
        "pairs/initialized  i32     not compiled  pairs_initialized<int> for sm_90 does not compile: "
        "pairs/initialized.cu:5: initializer not allowed for __shared__ variable"
    )
    assert outcome.out.splitlines()[-1].strip() == "5 | __shared__ int count = 0;"


def test_a_kernel_that_the_architecture_does_not_support_is_skipped(check: Command) -> None:
    outcome = check("reduce", "--variant", "redux", "--arch", "sm_75")
    assert outcome.code == 0
    assert outcome.out.splitlines()[1] == (
        "reduce/redux/width=32  i32     skipped  redux needs sm_80 or newer, and this is sm_75"
    )


@pytest.mark.archs
def test_github_gets_one_annotation_for_each_finding_on_its_line(check: Command) -> None:
    outcome = check("pairs", *only("right", "one-barrier", "modest", "half", "initialized"), "--format", "github")
    assert outcome.code == 5
    write, read = line_of("slots[threadIdx.x] = x;", 2), line_of("x = add(slots[threadIdx.x ^ 1], T(1));", 2)
    begins = {name: line_of(f"pairs_{name}(") for name in ("modest", "half")}
    file, barrier = "pairs/kernels.cu", "after the barrier at pairs/kernels.cu:31"
    *annotations, half, refused = outcome.out.splitlines()
    modest = f"::warning file={file},line={begins['modest']},title=pairs/modest (i32) unsafe but nothing found"
    race = f"::error file={file},line={read},title=pairs/one-barrier (i32) broken"
    assert annotations == [
        f"{modest}::declared unsafe, but nothing was found under all 10 schedules",
        (
            f"{race}::RAW and WAR: {file}:{read}{FIRST} reads what {file}:{write}{SECOND} wrote, "
            "with no barrier between (bytes 4–7 of `bytes` in shared memory; launch 2x128); "
            f"thread 1 of block 0 wrote 4 bytes at {file}:{write}, {barrier}; "
            f"thread 0 of block 0 read 4 bytes at {file}:{read}, {barrier}"
        ),
    ]
    assert half.startswith(
        f"::error file={file},line={begins['half']},title=pairs/half (i32) broken::"
        "wrong under all 10 schedules: after 1 iteration under `lockstep`, element 0 is "
    )
    assert refused == (
        "::error file=pairs/initialized.cu,line=5,title=pairs/initialized (i32) not compiled::pairs_initialized<int> "
        "for sm_90 does not compile: pairs/initialized.cu:5: initializer not allowed for __shared__ variable%0A"
        "  5 | __shared__ int count = 0;"
    )
    assert outcome.err.splitlines()[0].split() == ["kernel", "dtypes", "verdict", "why"]


MEMORY = "bytes 0–3 of `bytes` in shared memory"


def test_json_holds_everything(check: Command) -> None:
    outcome = check("pairs", *only("equal-writes"), "--format", "json", "--seed", "3")
    line = line_of("slots[0] = T(1);")
    (subject,) = find(["pairs"], Filters(variants=("equal-writes",), dtypes=("i32",)))
    assert outcome.code == 0
    assert json.loads(outcome.out) == {
        "schema": 1,
        "arch": "sm_90",
        "launch": "2x128",
        "seed": 3,
        "schedules": list(POLICIES),
        "kernels": [
            {
                "pattern": "pairs",
                "variant": "equal-writes",
                "dtype": "i32",
                "options": {},
                "safe": True,
                "revision": subject.revision,
                "verdict": "doubtful",
                "sentence": "right under all 10 schedules, "
                "but threads write equal values to one address in no fixed order",
                "name": "pairs/equal-writes/i32",
                "symbol": "_Z18pairs_equal_writesIiEvPKT_PS0_i",
                "file": "pairs/kernels.cu",
                "line": line_of("pairs_equal_writes("),
                "findings": [
                    {
                        "kind": "WAW of equal values",
                        "level": "warning",
                        "sentence": f"WAW of equal values: pairs/kernels.cu:{line}{SECOND} overwrites what "
                        f"pairs/kernels.cu:{line}{FIRST} wrote, with no barrier between ({MEMORY}; launch 2x128)",
                        "file": "pairs/kernels.cu",
                        "line": line,
                        "other": {"file": "pairs/kernels.cu", "line": line},
                        "threads": ["thread 1 of block 0", "thread 0 of block 0"],
                        "launches": ["2x128"],
                        "space": "shared",
                        "detail": MEMORY,
                        "history": [f"thread {n} of block 0 wrote 4 bytes at pairs/kernels.cu:{line}" for n in (0, 1)],
                        "count": 254,
                        "after_fault": None,
                        "needs": [],
                        "store_removed": False,
                    }
                ],
                "needs": [],
                "difference": "",
                "lines_never_run": [],
                "lines_run_in_part": [],
                "bounds_not_tested": [],
                "launches": [
                    {
                        "launch": "2x128",
                        "cluster": "",
                        "origin": "given",
                        "note": "",
                        "arguments": [
                            {"text": text, "origin": "given"}
                            for text in ("values = int32[256]", "result = int32[256]", f"iterations = {iterations}")
                        ],
                        "shared_bytes": 512,
                        "seeds": [3],
                        "schedules": list(POLICIES),
                        "exhaustive": False,
                    }
                    for iterations in (1, 51)
                ],
                "printed": [],
                "wrong_schedules": [],
                "mismatch": "",
                "errors": [],
                "violations": [],
                "compute_sanitizer": None,
            }
        ],
    }


def test_dtypes_with_equal_results_share_a_line(check: Command) -> None:
    outcome = check("pairs", "--variant", "half", "--variant", "initialized")
    assert [line.split()[:3] for line in outcome.out.splitlines()[1:3]] == [
        ["pairs/half", "i32", "i64"],
        ["pairs/initialized", "i32", "i64"],
    ]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ((), 2, "Missing argument 'TARGET...'"),
        (("neighbors",), 3, "unknown target `neighbors`; allowed: "),
        (("own.yaml", "--dtype", "f16"), 2, "unknown dtype `f16`; allowed: f32, i32"),
        (("neighbor", "--format", "xml"), 2, "'xml' is not one of 'table', 'json', 'github'"),
        (("neighbor", "--arch", "sm_9"), 4, "does not compile for sm_9; it supports sm_75"),
        (("neighbor", "--seed", "-1"), 2, "-1 is not in the range 0<=x<=9223372036854775807"),
    ],
)
def test_wrong_input_is_one_sentence(check: Command, words: Sequence[str], code: int, sentence: str) -> None:
    outcome = check(*words)
    assert (outcome.code, outcome.out) == (code, "")
    assert sentence in outcome.err
    assert len(outcome.err.splitlines()) == 2


def test_a_reference_that_fails_is_one_sentence(check: Command) -> None:
    path = Path("pairs/pattern.py")
    path.write_text(path.read_text(encoding="utf-8").replace("swapped = ", "swapped = 1 / 0  # "), encoding="utf-8")
    outcome = check("pairs", *only("right"))
    assert (outcome.code, outcome.out) == (3, "")
    assert "`reference` fails: line " in outcome.err
    assert "ZeroDivisionError" in outcome.err


@pytest.fixture
def sanitizer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that there are a GPU, cupy and compute-sanitizer."""
    folder = tmp_path / "bin"
    folder.mkdir()
    write_script(folder / "compute-sanitizer", TOOL, "-IS")
    monkeypatch.setenv("PATH", str(folder), prepend=":")
    monkeypatch.setattr("shflbench.cuda.backends.gpus.find", lambda: [H200])
    monkeypatch.setattr("shflbench.cli.check.command.find_spec", lambda _: sys)


@pytest.mark.archs
@pytest.mark.usefixtures("sanitizer")
def test_both_results_stand_side_by_side(check: Command) -> None:
    words = ("own.yaml", "--dtype", "f32", "--sanitizer")
    outcome = check(*words)
    assert outcome.code == 0
    head, *kernels = (re.split(r"\s{2,}", line) for line in outcome.out.splitlines()[:3])
    assert head == ["kernel", "dtypes", "verdict", "compute-sanitizer", "why"]
    sentence = "racecheck: 1 warning (7 hazards); memcheck: illegal address"
    assert [cells[2:] for cells in kernels] == [
        ["unsafe as declared", sentence, f"1 finding: {KINDS} {WHERE}; wrong under 4 of 10 schedules"],
        ["clean", "nothing found", CLEAN],
    ]
    result = json.loads(check(*words, "--format", "json").out)["kernels"][0]["compute_sanitizer"]
    assert (result["racecheck"]["warnings"], result["racecheck"]["hazards"]) == (1, 7)
    assert result["failures"] == ["memcheck: illegal address"]


def test_sanitizer_without_a_driver_exits_4_with_the_remedy(check: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> list[Gpu]:
        message = "no NVIDIA driver is loaded"
        raise DeviceError(message, "install one")

    monkeypatch.setattr("shflbench.cuda.backends.gpus.find", find)
    outcome = check("neighbor", "--sanitizer")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err == "error: no NVIDIA driver is loaded\nInstall one\n"


@pytest.mark.usefixtures("sanitizer")
@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        ("shflbench.cuda.backends.gpus.find", list, "--sanitizer needs a GPU, and the driver lists none"),
        ("shflbench.cli.check.command.find_spec", lambda _: None, "--sanitizer runs kernels with cupy, which is not"),
        ("shflbench.cli.check.command.compute_sanitizer", lambda: None, "compute-sanitizer is neither on the PATH"),
    ],
)
def test_whatever_the_sanitizer_lacks_exits_4_before_anything_is_compiled(
    check: Command, monkeypatch: pytest.MonkeyPatch, place: str, value: object, sentence: str
) -> None:
    monkeypatch.setattr(place, value)
    outcome = check("neighbor", "--sanitizer")
    assert (outcome.code, outcome.out) == (4, "")
    assert sentence in outcome.err
