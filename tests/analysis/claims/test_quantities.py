import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote

import pytest

from shflbench.analysis.claims.code import RunCode
from shflbench.analysis.claims.evaluate import Unknown, Value, exactly
from shflbench.analysis.claims.quantities import MEASURED, OF_ANY_STATUS, RECORDED, ClaimRun, Quantities
from shflbench.analysis.claims.resolve import Subject
from shflbench.analysis.claims.times import RunTimes
from shflbench.core.claims.expression import Call
from shflbench.core.claims.functions import FUNCTIONS, ValueKind
from shflbench.core.claims.parse import parse_expression
from shflbench.core.model import Interval, Status
from shflbench.store import Row
from shflbench.store.check_report import HazardReport, KernelHazards
from shflbench.store.limits_file import CaseLimit
from tests.analysis.claims.conftest import recorded, subject

SHFL = "neighbor/shfl/f32/26x1024/512/mode=idx"
SMEM = "neighbor/smem/f32/26x1024/512/mode=idx"
DIRECT = "struct-access/direct/f32/4096x256/1/words=4/way=load"


def row_of(case_id: str, suite: str = "quick") -> Row:
    return next(row for row in recorded(suite).run.rows if row.case_id == case_id)


def value(text: str, *rows: Row, source: ClaimRun | None = None) -> Value:
    call = parse_expression(text)
    assert isinstance(call, Call)
    known = Subject(source, RunTimes(source.run), RunCode(source.run)) if source else subject("quick")
    return Quantities(known.source, known.times, known.code, family=2).value(call, rows)


def reason(known: Value) -> str:
    assert isinstance(known, Unknown)
    return known.reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("registers(shfl)", 24.0),
        ("shared_bytes(shfl)", 0.0),
        ("local_bytes(shfl)", 0.0),
        ("occupancy(shfl)", 1.0),
        ("sass(shfl, SHFL)", 1.0),
        ("sass(shfl, LDS)", 0.0),  # an exchange instruction that the loop does not have
        ("device(sms)", 132.0),
        ("device(l2_bytes)", 62914560.0),
    ],
)
def test_counts_and_resources_are_exact(text: str, expected: float) -> None:
    assert value(text, row_of(SHFL)) == exactly(expected)


def test_times_have_intervals_around_what_the_run_says() -> None:
    shfl, smem, direct = row_of(SHFL), row_of(SMEM), row_of(DIRECT)
    for text, rows, expected in (
        ("time(shfl)", [shfl], shfl.time_us),
        ("speedup(shfl, smem)", [shfl, smem], shfl.speedup),
        ("gb_per_s(direct)", [direct], direct.gb_per_s),
        ("limit_fraction(shfl)", [shfl], recorded("quick").limits[SHFL].limit_fraction),
    ):
        known = value(text, *rows)
        assert isinstance(known, Interval)
        assert known.value == pytest.approx(expected, rel=1e-5)
        assert known.low < known.value < known.high
        assert known.half_width < 0.06


def test_the_limiter_is_a_text_and_a_verified_case_a_truth_value() -> None:
    assert value("limit_by(shfl)", row_of(SHFL)) == "exchange"
    assert value("verified(shfl)", row_of(SHFL)) is True
    assert value("verified(shfl)", replace(row_of(SHFL), matched=7)) is False
    assert value("verified(shfl)", replace(row_of(SHFL), status=Status.INCORRECT)) is False


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"status": Status.FAILED, "reason": "misaligned\naddress"}, f"{SHFL} failed: misaligned address"),
        ({"status": Status.SKIPPED, "reason": "needs sm_100"}, f"{SHFL} was skipped: needs sm_100"),
        ({"status": Status.INCORRECT, "reason": None}, f"{SHFL} computed a wrong result"),
        ({"status": Status.COMPILED, "reason": None}, f"{SHFL} was compiled and not run"),
        ({"matched": 5}, f"{SHFL} computed right results for 5 of 8 inputs"),
        ({"status": Status.VERIFIED, "reason": None}, f"{SHFL} was not timed"),
    ],
)
def test_a_case_that_has_no_valid_time_is_missing_and_named(change: dict[str, object], sentence: str) -> None:
    row = replace(row_of(SHFL), **change)  # type: ignore[arg-type]  # of whatever field
    for rows in ([row], [row_of(SMEM), row]):
        text = "time(shfl)" if len(rows) == 1 else "speedup(smem, shfl)"
        assert value(text, *rows) == Unknown(sentence, is_missing=True)


def test_a_case_that_failed_is_not_known_to_be_wrong() -> None:
    assert isinstance(value("verified(shfl)", replace(row_of(SHFL), status=Status.FAILED)), Unknown)


def test_a_long_reason_of_a_run_is_cut() -> None:
    row = replace(row_of(SHFL), status=Status.FAILED, reason="x" * 5000)
    assert len(reason(value("time(shfl)", row))) < 300


def test_an_opcode_that_was_not_recorded_is_missing_and_no_zero() -> None:
    misspelled = value("sass(shfl, SHLF)", row_of(SHFL))
    assert isinstance(misspelled, Unknown)
    assert misspelled.is_missing
    assert reason(value("sass(shfl, SHLF)", row_of(SHFL))).startswith(f"SHLF was not recorded of {SHFL}; recorded: BRA")
    assert "has no timed loop" in reason(value("sass(direct, LDG)", row_of(DIRECT)))


def test_other_opcodes_are_counted_in_the_stored_kernels() -> None:
    suite = recorded("dynamic-indexing")
    row = next(row for row in suite.run.rows if row.variant == "register-static" and row.option_texts == ("length=4",))
    assert row.sass_per_iteration is None  # no exchange instruction
    assert value("sass(register-static, FADD)", row, source=suite) == exactly(4.0)
    assert value("sass(register-static, LDL)", row, source=suite) == exactly(0.0)


def test_without_stored_kernels_a_loop_without_counts_is_unknown(tmp_path: Path) -> None:
    suite = recorded("dynamic-indexing")
    row = next(row for row in suite.run.rows if row.variant == "register-static")
    moved = replace(suite, run=replace(suite.run, folder=tmp_path))
    assert "LDL was not recorded" in reason(value("sass(register-static, LDL)", row, source=moved))


def test_without_limits_the_command_is_named() -> None:
    source = replace(recorded("quick"), limits={})
    assert f"shflbench limits --save {source.folder}" in reason(value("limit_by(shfl)", row_of(SHFL), source=source))


def report(number: int, not_run: str = "", mode: str = "idx") -> HazardReport:
    return HazardReport("sm_90", {("neighbor", "shfl", "f32", (("mode", mode),)): KernelHazards(number, not_run)})


def test_the_efficiency_of_loads_is_that_of_the_limits_or_unknown_with_the_command() -> None:
    known = recorded("quick")
    limit = CaseLimit(case_id=DIRECT, load_efficiency=0.25)
    counted = replace(known, limits={DIRECT: limit})
    assert value("load_efficiency(direct)", row_of(DIRECT), source=counted) == exactly(0.25)
    unknown = reason(value("load_efficiency(direct)", row_of(DIRECT), source=replace(known, limits={})))
    command = f"shflbench limits --requests --save {quote(str(known.folder))}"
    assert unknown == f"the loads of {DIRECT} were not counted: count them with `{command}`"


def test_hazards_come_from_the_report_of_the_same_kernel() -> None:
    source = recorded("quick")
    row = replace(row_of(SHFL), options=(("mode", "idx"), ("extra_shared", "0")))  # the launch does not change it
    assert value("hazards(shfl)", row, source=replace(source, hazards=report(3))) == exactly(3.0)
    other = value("hazards(shfl)", row, source=replace(source, hazards=report(0, mode="up")))
    assert reason(other).startswith(f"the report of `shflbench check` lacks the kernel of {SHFL}")
    stopped = value("hazards(shfl)", row, source=replace(source, hazards=report(1, "not compiled: no such header")))
    assert reason(stopped) == f"the kernel of {SHFL} was not checked for hazards (not compiled: no such header)"


def test_report_on_another_revision_of_the_kernel_is_not_one_on_the_run() -> None:
    source = recorded("quick")
    archive = source.run.kernels()
    assert archive
    (kernel,) = (kernel for kernel in archive.index.kernels if SHFL in kernel.cases)
    key = ("neighbor", "shfl", "f32", (("mode", "idx"),))

    def hazards(revision: str, row: Row) -> Value:
        given = HazardReport("sm_90", {key: KernelHazards(3, revision=revision)})
        return value("hazards(shfl)", row, source=replace(source, hazards=given))

    row = row_of(SHFL)
    assert hazards(archive.index.revision_of(kernel), row) == exactly(3.0)
    assert reason(hazards("0" * 64, row)).startswith(
        f"the report of `shflbench check` is about another revision of the kernel of {SHFL}: "
        "measure and check the same sources (`shflbench check quick "
    )
    unstored = replace(row, case_id="neighbor/shfl/f32/1x32/16/mode=idx")  # as of runs without kernels.zip
    assert hazards("0" * 64, unstored) == exactly(3.0)


def test_without_a_report_hazards_are_unknown_and_the_command_is_named() -> None:
    source = replace(recorded("quick"), hazards=None)
    command = f"`shflbench check quick --format json -o {shlex.quote(str(source.folder / 'check.json'))}`"
    known = value("hazards(shfl)", row_of(SHFL), source=source)
    assert known == Unknown(f"the kernels were not checked for hazards: {command}")


def test_a_run_without_a_gpu_has_no_device() -> None:
    source = recorded("quick")
    info = replace(source.run.info, device=None)
    assert (
        reason(value("device(sms)", source=replace(source, run=replace(source.run, info=info))))
        == "the run used no GPU"
    )


KINDS = {ValueKind.NUMBER: Interval, ValueKind.TEXT: str, ValueKind.TRUTH: bool}


def test_evaluation_names_no_function_that_expressions_lack() -> None:
    assert MEASURED.keys() | RECORDED | OF_ANY_STATUS <= FUNCTIONS.keys()
    unknown = Call("time_ms", ("shfl",), ())
    known = subject("quick")
    row = row_of(SHFL)
    values = Quantities(known.source, known.times, known.code, family=2)
    assert reason(values.value(unknown, [row])) == "there is no function `time_ms`"


def test_every_function_has_a_value_or_a_reason() -> None:
    rows: Sequence[Row] = [row_of(SHFL), row_of(SMEM)]
    words = {"OPCODE": "SHFL", "PROPERTY": "sms"}
    for function in FUNCTIONS.values():
        further = [words[function.further.value]] if function.further else []
        text = f"{function.name}({', '.join([*function.variants, *further])})"
        source = replace(recorded("quick"), hazards=report(0)) if function.name == "hazards" else None
        known = value(text, *rows[: len(function.variants)], source=source)
        expected = Unknown if function.name in {"gb_per_s", "load_efficiency"} else KINDS[function.kind]
        assert isinstance(known, expected), text
    assert isinstance(value("time(shfl)"), Unknown)  # without a case
