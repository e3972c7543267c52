"""The claims of a user's own suite, at the end of a run of it."""

from pathlib import Path

import pytest

from tests.checker.in_process import start_no_processes
from tests.cli.demo import SCRIPTS, SUITE, Plug
from tests.conftest import Command, Outcome
from tests.fakes.backend import FakeBackend, Script, in_iteration, one_lane

CLAIMS = """\
claims:
  - id: one-shuffle
    says: an exchange is a single shuffle
    holds: sass(shfl, SHFL) == 1 and local_bytes(shfl) == 0 and verified(shfl)
    where: {dtype: f32}
    required: true
"""
MIX = "x = mix(x, shfl(x, left));"
TWICE = "x = mix(x, shfl(shfl(x, lane()), left));"
WORDS = ("--dtype", "f32", "--launch", "1x32", "--iterations", "16")


@pytest.fixture
def mine(demo: Command) -> Command:
    """Run a user's own suite with a claim on a pattern of the user, one small launch on the emulator."""
    demo("new", "my-exchange")
    suite = Path("my-exchange.yaml")
    suite.write_text(suite.read_text(encoding="utf-8") + CLAIMS, encoding="utf-8")

    def call(*words: str | Path) -> Outcome:
        return demo("run", suite, *WORDS, *words)

    return call


def edit(old: str, new: str) -> None:
    path = Path("my_exchange/kernels.cu")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_required_claim_fails_a_run_and_passes_after_the_kernel_is_fixed(mine: Command) -> None:
    edit(MIX, TWICE)
    declaration = Path("my_exchange/pattern.py")
    text = declaration.read_text(encoding="utf-8")
    declaration.write_text(text.replace('"SHFL": PerWord(1)', '"SHFL": PerWord(2)'), encoding="utf-8")
    outcome = mine("--output", "slow")
    assert (outcome.code, outcome.out) == (1, "slow\n")
    assert "one-shuffle  refuted" in outcome.err
    *_, sentence, advice = outcome.err.splitlines()
    assert sentence.startswith("error: required claim `one-shuffle` is refuted (measured: sass(shfl, SHFL): 2")
    assert advice == "Fix the kernel, or correct the claim in the suite"
    edit(TWICE, MIX)
    declaration.write_text(text, encoding="utf-8")
    outcome = mine("--output", "fixed")
    assert (outcome.code, outcome.out) == (0, "fixed\n")
    assert "one-shuffle  confirmed" in outcome.err
    assert "error:" not in outcome.err


def test_report_of_check_is_about_the_revision_of_the_kernel_that_it_checked(
    mine: Command, demo: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_no_processes(monkeypatch)
    suite = Path("my-exchange.yaml")
    text = suite.read_text(encoding="utf-8").replace("verified(shfl)", "hazards(shfl) == 0")
    suite.write_text(text, encoding="utf-8")
    mine("--output", "out")
    check = ("check", suite, "--dtype", "f32", "--variant", "shfl", "--format", "json", "--output", "out/check.json")
    assert demo(*check).code == 0
    assert "confirmed" in demo("claims", "out").out
    edit(MIX, f"{MIX} // the same code")
    assert demo(*check).code == 0
    assert "about another revision of the kernel" in " ".join(demo("claims", "out").out.split())


def claim(holds: str, pattern: str = "reduce") -> str:
    """Return the section `claims` with a required claim on the demonstration."""
    return (
        f"claims: [{{id: fast, says: it is fast, holds: '{holds}', where: {{pattern: {pattern}}}, required: true}}]\n"
    )


def require(holds: str, pattern: str = "reduce") -> None:
    """Add a required claim to the demonstration."""
    Path("demo.yaml").write_text(SUITE + claim(holds, pattern), encoding="utf-8")


def test_claims_on_times_are_judged_where_the_run_was_timed(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    require("speedup(shfl, smem) > 4 and registers(shfl) < 256")
    outcome = run("demo.yaml", "--pattern", "reduce", "--output", "out")
    assert (outcome.code, outcome.out) == (0, "out\n")
    assert outcome.err.splitlines()[-3:] == [
        "claim  verdict    measured",
        "fast   confirmed  4.8×",
        "Reasons for these verdicts: shflbench claims out",
    ]


@pytest.mark.parametrize(
    "left_out",
    [
        ("--pattern", "neighbor", "--variant", "shfl"),  # no case of the claim
        ("--pattern", "reduce", "--variant", "smem"),  # one of two
    ],
)
def test_claim_about_cases_that_the_options_leave_out_is_not_judged(run: Command, left_out: tuple[str, ...]) -> None:
    require("registers(shfl) < registers(smem)")
    outcome = run("demo.yaml", *left_out, "--iterations", "16")
    assert outcome.code == 0
    assert outcome.err.endswith("\n1 claim needs cases that this run leaves out.\n")
    assert "verdict" not in outcome.err


def test_claim_is_judged_by_the_cases_that_the_options_select(run: Command) -> None:
    both = claim("sass(shfl, SHFL) == 5", "[neighbor, reduce]")
    Path("demo.yaml").write_text(SUITE + both, encoding="utf-8")
    outcome = run("demo.yaml", "--pattern", "reduce", "--variant", "shfl", "--iterations", "16")
    assert outcome.code == 0
    assert "fast   confirmed" in outcome.err
    assert "leaves out" not in outcome.err
    outcome = run("demo.yaml", "--pattern", "neighbor", "--variant", "shfl", "--iterations", "16")
    assert outcome.code == 1
    assert "error: required claim `fast` is refuted" in outcome.err


def test_claim_about_some_setting_may_hold_in_one_that_the_options_leave_out(run: Command) -> None:
    some = claim("sass(shfl, SHFL) == 5", "[neighbor, reduce]").replace("required", "quantifier: some, required")
    Path("demo.yaml").write_text(SUITE + some, encoding="utf-8")
    outcome = run("demo.yaml", "--pattern", "neighbor", "--variant", "shfl", "--iterations", "16")
    assert outcome.code == 0
    assert outcome.err.endswith("\n1 claim needs cases that this run leaves out.\n")


def test_without_a_gpu_a_required_claim_on_times_is_a_warning(run: Command) -> None:
    require("speedup(shfl, smem) > 4")
    outcome = run("demo.yaml", "--pattern", "reduce", "--iterations", "16")
    assert outcome.code == 0
    assert "warning: required claim `fast` is inconclusive: " in outcome.err
    assert "the run used no GPU" in outcome.err


def test_wrong_kernel_exits_5_also_if_a_required_claim_fails(run: Command, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS | {"reduce/shfl": Script(fault=one_lane(in_iteration(0)))}))
    require("speedup(shfl, smem) > 4")
    outcome = run("demo.yaml", "--pattern", "reduce", "--output", "out")
    assert outcome.code == 5
    assert "error: required claim `fast` is inconclusive: " in outcome.err
    assert "reduce/shfl/f32/2x64/4096/width=32 computed a wrong result" in outcome.err
    assert "leaves out" not in outcome.err


def test_suite_without_claims_prints_none(run: Command) -> None:
    outcome = run("demo.yaml", "--pattern", "neighbor", "--variant", "shfl", "--iterations", "16")
    assert outcome.code == 0
    assert "claim" not in outcome.err


def test_gate_fails_where_the_run_would(gate: Command, main: Path) -> None:
    assert main.exists()
    require("speedup(shfl, smem) < 4")
    outcome = gate("demo.yaml", "--against", "main", "--output", "out")
    assert (outcome.code, outcome.out) == (1, "out\n")
    *before, sentence, _ = outcome.err.splitlines()
    assert sentence.startswith("error: required claim `fast` is refuted (measured: 4.8×)")
    assert "no change that matters in 5 cases" in before


def test_gate_of_a_selection_judges_no_claim_about_other_cases(gate: Command, main: Path, plug: Plug) -> None:
    plug(FakeBackend(SCRIPTS))
    assert main.exists()
    require("speedup(shfl, smem) < 4")
    outcome = gate("demo.yaml", "--against", "main", "--pattern", "neighbor", "--allow", "missing")
    assert outcome.code == 0
    assert outcome.err.endswith("\n1 claim needs cases that this run leaves out.\n")
