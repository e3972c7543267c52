"""`shflbench inspect` on real kernels, compiled for sm_90 unless a test says otherwise."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from shflbench.core.model import Kernel, TimedCode
from shflbench.cuda.compile.timed_code import timed_code
from shflbench.kernel_facts import facts, facts_cache, listing
from tests.conftest import Command

TABLE = """\
neighbor  f32  mode=idx  sm_90  1 block of 32 warps per SM
  variant  limit (cycles/iteration)  limited by  instructions  exchange  barrier  integer  other  registers  shared (bytes/block)  occupancy
  shfl      32.0                     exchange    1.19          1                  0.0625   0.125  24                               100%
  smem     128.0                     barrier     4.19          2         2        0.0625   0.125  16         4096                  100%

limit         lower bound: no SM executes one iteration of all its resident warps in fewer cycles
limited by    the unit that needs the most cycles, or another cause
instructions  per warp and iteration: all, and then those of each unit
exchange      shuffles, and loads and stores of shared memory; wide ones take several passes
integer       also comparisons and selections of floating-point values
other         control flow, copies and the like, which only need an issue slot
occupancy     warps that fit on an SM at once, as a share of the most that it can hold, and what allows no more
"""  # noqa: E501  (as printed)


def plant(monkeypatch: pytest.MonkeyPatch, function: Callable[[Kernel], TimedCode | None]) -> None:
    """Replace what reads the timed loop of a kernel, and keep the results away from those of other tests."""
    monkeypatch.setattr(facts, "timed_code", function)
    monkeypatch.setattr(listing, "timed_code", function)
    monkeypatch.setattr(facts_cache.FactsCache, "read", lambda _: None)
    monkeypatch.setattr(facts_cache.FactsCache, "write", lambda *_: None)


def limits(text: str) -> dict[str, str]:
    """Return the limit and its cause of each line of a table, by variant."""
    found = re.finditer(r"^  (\S+) +(\d+\.\d) +(\w+) ", text, re.MULTILINE)
    return {match[1]: f"{match[2]} {match[3]}" for match in found}


def test_a_table_shows_the_limit_and_the_instructions_of_each_variant(inspect: Command) -> None:
    outcome = inspect("own.yaml")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == TABLE


def test_each_group_of_options_and_each_architecture_has_its_table(inspect: Command) -> None:
    outcome = inspect("neighbor", "--dtype", "f32", "--variant", "shfl", "--arch", "sm_75, sm_90,sm_75")
    titles = [line for line in outcome.out.splitlines() if line.startswith("neighbor")]
    assert [title.split()[2:4] for title in titles] == [
        [f"mode={mode}", arch] for arch in ("sm_75", "sm_90") for mode in ("idx", "up", "down", "xor")
    ]


@pytest.mark.parametrize(
    ("resident", "title", "expected"),
    [
        ("2x1024", "2 blocks of 32 warps per SM", {"shfl": "64.0 exchange", "smem": "256.0 barrier"}),
        ("3x100", "3 blocks of 4 warps per SM", {"shfl": "24.0 latency", "smem": "48.0 barrier"}),
        ("1x32", "1 block of 1 warp per SM", {"shfl": "24.0 latency", "smem": "36.0 latency"}),
    ],
)
def test_the_limit_follows_the_resident_warps(
    inspect: Command, resident: str, title: str, expected: dict[str, str]
) -> None:
    outcome = inspect("own.yaml", "--resident", resident)
    assert outcome.out.splitlines()[0] == f"neighbor  f32  mode=idx  sm_90  {title}"
    assert limits(outcome.out) == expected


def test_an_architecture_that_a_variant_does_not_support_is_a_note(inspect: Command) -> None:
    outcome = inspect("reduce", "--dtype", "i32", "--variant", "redux", "--arch", "sm_75")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == (
        "reduce  i32  width=32  sm_75  1 block of 32 warps per SM\n"
        "  variant\n"
        "  redux\n"
        "  redux: skipped: needs sm_80 or newer, and this is sm_75\n"
    )


def test_what_an_architecture_has_no_rate_of_is_a_note(inspect: Command) -> None:
    outcome = inspect("own.yaml", "--variant", "shfl", "--arch", "sm_103")
    assert "  shfl: the limit leaves out issue, uniform, latency of SHFL, for which no figure is known\n" in outcome.out


def test_a_pattern_without_a_timed_loop_has_registers_and_a_note_but_no_limit(inspect: Command) -> None:
    outcome = inspect("struct-access", "--dtype", "f32", "--variant", "soa", "--variant", "vector")
    assert outcome.code == 0
    first, *_, last = outcome.out.split("\n\n")
    header, *rows, note = (re.split(r" {2,}", line.strip()) for line in first.splitlines()[1:])
    assert [header[0], *header[-2:]] == ["variant", "registers", "occupancy"]
    assert [[row[0], *row[-2:]] for row in rows] == [["vector", "18", "100%"], ["soa", "22", "100%"]]
    loads = header.index("global memory")
    assert [row[loads] for row in rows] == ["5", "8"]  # four words at a time, and each word
    (sentence,) = note
    assert sentence.startswith("vector, soa: no limit: makes one pass, without a timed loop; instructions are those of")
    assert not last.startswith("limit")  # nothing to explain


def test_a_kernel_that_does_not_compile_exits_5_after_the_others(inspect: Command) -> None:
    outcome = inspect(
        "pairs", "--dtype", "i32", "--variant", "initialized", "--variant", "right", "--variant", "folded"
    )
    assert outcome.code == 5
    assert limits(outcome.out) == {"right": "128.0 barrier"}
    notes = [line for line in outcome.out.splitlines() if re.match(r"  \w+: ", line)]
    assert notes == [
        "  folded: no limit: no timed loop was found",
        (
            "  initialized: pairs_initialized<int> for sm_90 does not compile: "
            "pairs/initialized.cu:5: initializer not allowed for __shared__ variable"
        ),
    ]


def test_an_unknown_instruction_gives_counts_but_no_limit(inspect: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def planted(kernel: Kernel) -> TimedCode | None:
        code = timed_code(kernel)
        assert code
        first, *rest = code.instructions
        strange = replace(first, instruction=replace(first.instruction, opcode="BREW.COFFEE"))
        return replace(code, instructions=(strange, *rest))

    plant(monkeypatch, planted)
    outcome = inspect("own.yaml", "--variant", "shfl")
    assert outcome.code == 0
    assert limits(outcome.out) == {}
    assert "  shfl: no limit: unknown instructions BREW\n" in outcome.out
    assert "unknown        neighbor/copy.cu:24     stall" in inspect("own.yaml", "--variant", "shfl", "--sass").out


def test_a_thousand_instructions_and_more_are_written_in_full(
    inspect: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def repeated(kernel: Kernel) -> TimedCode | None:
        code = timed_code(kernel)
        return code and replace(code, instructions=code.instructions * 100, unroll=1)

    plant(monkeypatch, repeated)
    (line,) = re.findall(r"^  shfl .*$", inspect("own.yaml", "--variant", "shfl").out, re.MULTILINE)
    assert line.split() == ["shfl", "51200.0", "exchange", "1900", "1600", "100", "200", "24", "100%"]


def test_sass_shows_unit_source_line_stall_count_and_scoreboards_of_each_instruction(inspect: Command) -> None:
    outcome = inspect("neighbor", "--dtype", "f32", "--variant", "shfl", "--sass")
    assert outcome.out.startswith(TABLE[: TABLE.index("\n")])
    *_, last = outcome.out.split("\n\n")
    head, *lines = last.splitlines()
    assert head == "neighbor/shfl/f32/mode=xor  sm_90, 16 iterations per pass"
    assert [line.split("  ") for line in (re.sub(r" {2,}", "  ", line.strip()) for line in lines[-3:])] == [
        [
            "0x0320",
            "SHFL.BFLY PT, R5, R12, 0x1, 0x1f",
            "exchange",
            "neighbor/copy.cu:27",
            "stall 2; result releases SB0",
        ],
        ["0x0330", "LEA R5, R5, R12, 0x1", "integer", "neighbor/kernels.cu:28", "stall 1; waits for SB0"],
        ["0x0340", "@P1 BRA 0x120", "other", "neighbor/kernels.cu:91", "stall 6"],
    ]


def test_json_with_sass_holds_each_instruction_of_the_loop(inspect: Command) -> None:
    outcome = inspect("own.yaml", "--variant", "shfl", "--format", "json", "--sass")
    (kernel,) = json.loads(outcome.out)["kernels"]
    loop = kernel["loop"]
    assert (loop["iterations_per_pass"], len(loop["instructions"])) == (16, 19)
    assert loop["instructions"][3] == {
        "address": 0x180,
        "predicate": None,
        "opcode": "SHFL.IDX",
        "operands": ["PT", "R7", "R5", "R2", "0x1f"],
        "unit": "exchange",
        "source": "neighbor/copy.cu:24",
        "stall": 4,
        "waits": [0],
        "result_releases": 0,
        "operands_release": None,
        "in_every_pass": True,
    }


def test_what_not_every_iteration_executes_is_a_note_and_marked_in_the_sass(inspect: Command) -> None:
    outcome = inspect("pairs", "--dtype", "i32", "--variant", "after-continue", "--sass")
    assert limits(outcome.out) == {"after-continue": "5.0 issue"}
    note = "  after-continue: the limit leaves out 4.88 instructions, which not every iteration executes\n"
    assert note in outcome.out
    lines = outcome.out.splitlines()
    shuffles = [line.endswith("; not in every pass") for line in lines if "SHFL.BFLY" in line]
    assert (len(shuffles), set(shuffles)) == (16, {True})
    assert [line.endswith("; not in every pass") for line in lines if "BRA 0x" in line][-1:] == [False]  # to the head


def test_json_holds_everything(inspect: Command) -> None:
    outcome = inspect("own.yaml", "--variant", "shfl", "--format", "json", "--resident", "2x512")
    assert outcome.code == 0
    document: dict[str, Any] = json.loads(outcome.out)
    (kernel,) = document.pop("kernels")
    assert document == {"schema": 1, "warps_per_sm": 32, "warps_per_block": 16}
    parts = kernel.pop("limit_parts")
    assert kernel == {
        "pattern": "neighbor",
        "variant": "shfl",
        "dtype": "f32",
        "options": {"mode": "idx"},
        "arch": "sm_90",
        "registers": 24,
        "shared_bytes": 0,
        "local_bytes": 0,
        "spill_bytes": 0,
        "threads_per_block": 512,
        "resident_blocks_per_sm": 4,
        "resident_warps_per_sm": 64,
        "occupancy": 1.0,
        "occupancy_limited_by": ["warps"],
        "instructions_per_iteration": 1.1875,
        "instructions_in_every_iteration": 1.1875,
        "units_in_code": None,
        "instructions_in_loops": None,
        "units_per_iteration": {"exchange": 1.0, "integer": 0.0625, "other": 0.125},
        "grid": None,
        "launch": None,
        "time_us": None,
        "limit_us": None,
        "accesses_counted_in": None,
        "limit_cycles_per_iteration": 32.0,
        "limit_by": "exchange",
        "limit_omits": [],
        "limit_assumes": [],
        "ceiling_cycles_per_iteration": None,
        "ceiling_by": None,
        "predicted_cycles_per_iteration": None,
        "advice": [],
        "missing": [],
        "remark": None,
        "error": None,
    }
    assert parts == {"issue": 32 * 1.1875 / 4, "integer": 1.0, "exchange": 32.0, "latency": 24.0}


def test_json_says_why_there_is_no_limit(inspect: Command) -> None:
    outcome = inspect(
        "pairs", "--dtype", "i32", "--variant", "initialized", "--variant", "tomorrow", "--format", "json"
    )
    assert outcome.code == 5
    tomorrow, initialized = json.loads(outcome.out)["kernels"]
    assert (tomorrow["remark"], tomorrow["error"]) == ("skipped: needs sm_121 or newer, and this is sm_90", None)
    assert initialized["remark"] is None
    assert initialized["error"].startswith(
        "pairs_initialized<int> for sm_90 does not compile: pairs/initialized.cu:5: "
    )
    assert initialized["limit_cycles_per_iteration"] is initialized["registers"] is None


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ((), 2, "Missing argument 'TARGET...'"),
        (("neighbors",), 3, "unknown target `neighbors`; allowed: "),
        (("own.yaml", "--dtype", "f16"), 2, "unknown dtype `f16`; allowed: f32"),
        (("own.yaml", "--arch", "sm_9"), 2, "no figures are known for `sm_9`; allowed: sm_75, sm_80"),
        (("own.yaml", "--arch", "sm_90,"), 2, "no figures are known for ``"),
        *(
            (("own.yaml", "--resident", text), 2, f"`{text}` is not BLOCKSxTHREADS, such as 1x1024; at most 32 blocks")
            for text in ("2", "x32", "0x32", "2x0", "33x32", "1x1025", "2*sms x 32", "-1x32", "1X32")
        ),
        (
            ("own.yaml", "--resident", "2x1024", "--arch", "sm_90,sm_75"),
            2,
            "--resident asks for 64 warps, but an SM of sm_75 executes at most 32 at a time",
        ),
        (("own.yaml", "--sass", "--diff", "smem", "shfl"), 2, "--diff stands alone"),
        (("own.yaml", "--calibration", "missing.json"), 2, "--calibration: there is no file missing.json"),
        (("own.yaml", "--calibration", "own.yaml"), 3, "own.yaml"),
    ],
)
def test_wrong_input_is_one_sentence(inspect: Command, words: Sequence[str], code: int, sentence: str) -> None:
    outcome = inspect(*words)
    assert (outcome.code, outcome.out) == (code, "")
    assert sentence in outcome.err
    assert len(outcome.err.splitlines()) == 2
