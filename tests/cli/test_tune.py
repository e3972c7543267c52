"""`shflbench tune` on a scripted GPU, and on a machine without one."""

import csv
import json
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from shflbench.patterns.discover import builtin_declaration
from shflbench.patterns.family import Family
from shflbench.store import read_run
from tests.cli.demo import Plug
from tests.conftest import Command
from tests.fakes.backend import FakeBackend, Script, in_iteration, one_lane

SETTING = ("reduce", "--launch", "sms x 32", "-o", "tuned")
FAST, SECOND, WRONG = "lanes16-bits128", "lanes8-bits128-apart-late", "lanes1-bits32"
MEMBERS = (FAST, SECOND, WRONG, "lanes2-bits64", "lanes2-bits64-double", "lanes16-bits64", "lanes32-bits128")


@pytest.fixture(autouse=True)
def few_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give `reduce` a family of seven members: ranking 141 of them takes seconds."""
    declared = builtin_declaration("reduce")
    assert declared
    family = declared.family
    assert family
    known = {name: family.members[name] for name in MEMBERS}
    monkeypatch.setattr(Family, "members", property(lambda other: known if other is family else {}))


def tried(folder: str = "tuned") -> Mapping[str, Mapping[str, str]]:
    with (Path(folder) / "tried.csv").open(encoding="utf-8") as file:
        return {row["variant"]: row for row in csv.DictReader(file)}


def scripts(**others: Script) -> FakeBackend:
    return FakeBackend({FAST: Script(ns_per_iteration=10), SECOND: Script(ns_per_iteration=11), **others})


def variants_of(rung: int) -> Sequence[str]:
    return [row.variant for row in read_run(Path("tuned") / f"rung-{rung}").rows]


def test_the_fastest_member_wins_and_the_slower_half_is_dropped_in_each_rung(demo: Command, plug: Plug) -> None:
    plug(scripts())
    outcome = demo("tune", *SETTING)
    assert outcome.code == 0, outcome.err
    assert f"sms x 32: {FAST}, a member of the family, is fastest; " in outcome.err
    assert outcome.out == "tuned\n"
    counts = [len(variants_of(number)) for number in (1, 2, 3)]
    assert counts[0] >= counts[1] >= counts[2] > 2
    assert counts[0] > counts[2]
    assert SECOND in variants_of(2)  # 10% slower
    assert SECOND not in variants_of(3)
    rows = tried()
    assert len(rows) == len(MEMBERS) + sum(row["is_member"] == "False" for row in rows.values())
    for name, row in rows.items():
        last = max((number for number in (1, 2, 3) if name in variants_of(number)), default=None)
        assert row["rung"] == ("" if last is None else str(last))
        assert (row["left_out"] == "") == (last == 3)
        assert (row["time_us"] == "") == (last is None)
    dropped = [row["left_out"] for row in rows.values() if row["rung"] == "1"]
    assert all(reason.endswith(f"the time of {FAST} in rung 1") for reason in dropped)


def test_the_best_three_of_each_mechanism_are_written_as_a_suite(demo: Command, plug: Plug) -> None:
    plug(scripts())
    demo("tune", *SETTING)
    outcome = demo("run", "tuned/winners.yaml", "--output", "winners")
    assert outcome.code == 0, outcome.err
    kinds = Counter(row.mechanism for row in read_run(Path("winners")).rows)
    assert kinds["shfl"] == 2
    assert max(kinds.values()) == 3


def test_two_runs_with_one_seed_measure_the_same_candidates(demo: Command, plug: Plug) -> None:
    plug(scripts())
    for folder in ("first", "second"):
        assert demo("tune", *SETTING[:-1], folder).code == 0
    assert Path("first/tried.csv").read_text("utf-8") == Path("second/tried.csv").read_text("utf-8")


def test_a_stopped_run_is_resumed_where_it_was(demo: Command, plug: Plug) -> None:
    plug(scripts(shfl=Script(ns_per_iteration=12, burst_raises={40: KeyboardInterrupt()})))  # in the last rung
    outcome = demo("tune", *SETTING)
    assert outcome.code == 130
    assert "Resume it with: shflbench tune --resume tuned" in outcome.err
    ranked = Path("tuned/tune.json").read_text("utf-8")
    first = read_run(Path("tuned/rung-1")).info
    plug(scripts())
    outcome = demo("tune", "--resume", "tuned")
    assert outcome.code == 0, outcome.err
    assert f"sms x 32: {FAST}, a member of the family, is fastest; " in outcome.err
    assert Path("tuned/tune.json").read_text("utf-8") == ranked
    assert read_run(Path("tuned/rung-1")).info.started == first.started


def test_a_finished_rung_of_another_suite_is_refused(demo: Command, plug: Plug) -> None:
    plug(scripts())
    demo("tune", *SETTING)
    shutil.rmtree("tuned/rung-3")
    shutil.copytree("tuned/rung-1", "tuned/rung-3")
    outcome = demo("tune", "--resume", "tuned")
    assert outcome.code == 3
    assert "tuned/rung-3 is a run of another suite than tuned/rung-3.yaml" in outcome.err


def test_a_candidate_with_a_wrong_result_is_dropped_with_its_reason(demo: Command, plug: Plug) -> None:
    plug(scripts(**{WRONG: Script(ns_per_iteration=5, fault=one_lane(in_iteration(2)))}))
    outcome = demo("tune", *SETTING)
    assert outcome.code == 5
    assert f"warning: {WRONG} at sms x 32: incorrect in rung 1: " in outcome.err
    assert tried()[WRONG]["has_failed"] == "True"
    assert WRONG not in variants_of(2)


def test_without_a_gpu_the_model_ranks_and_nothing_is_measured(demo: Command) -> None:
    outcome = demo("tune", *SETTING)
    assert outcome.code == 0
    assert "ranked by the limit model; nothing is measured" in " ".join(outcome.err.split())
    assert "(predicted, not measured)" in outcome.err
    rows = tried()
    assert all(row["predicted_cycles"] and not row["time_us"] for row in rows.values())
    assert any("predicted to take" in row["left_out"] for row in rows.values())


def test_json_has_what_was_tried(demo: Command, plug: Plug) -> None:
    plug(scripts())
    record = json.loads(demo("tune", *SETTING, "--format", "json").out)
    assert record["answers"][0]["launch"] == "sms x 32"
    assert record["winners"]["sms x 32"][0] == FAST
    assert record["gpu_seconds"] > 0
    assert {one["variant"] for one in record["tried"]} == set(tried())


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ((), 2, "no pattern is named"),
        (("redcue",), 2, "unknown pattern `redcue`; did you mean `reduce`?"),
        (("neighbor",), 2, "neighbor has no family of variants to choose from"),
        (("reduce", "--dtype", "f64"), 2, "no member of the family of reduce supports f64, width=32"),
        (("reduce", "--dtype", "f31"), 2, "unknown dtype `f31`"),
        (("reduce", "--option", "width=3"), 2, "reduce has no width=3"),
        (("reduce", "--option", "width"), 2, "--option `width` is not NAME=VALUE"),
        (("reduce", "--launch", "1x33"), 2, "--launch `1x33` is no launch"),
        (("reduce", "--launch", "26x1024"), 2, "--launch 26x1024 says no blocks per SM without a GPU"),
        (("reduce", "--device", "cuda", "--arch", "sm_90"), 2, "--device cuda asks for a GPU, and --arch for none"),
        (("reduce", "--device", "cuda"), 4, "the driver lists no GPU"),
        (("--resume", "nowhere"), 3, "nowhere/tune.json"),
        (("--resume", "nowhere", "--seed", "1"), 2, "--seed cannot change them"),
    ],
)
def test_wrong_use_gets_one_sentence(demo: Command, words: Sequence[str], code: int, sentence: str) -> None:
    outcome = demo("tune", *words)
    assert outcome.code == code
    assert sentence in " ".join(outcome.err.split())
    assert not Path("results").exists()
