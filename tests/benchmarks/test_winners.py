"""The drift of ratios between two GPUs, and the page on it."""

import json
from pathlib import Path

import pytest

from benchmarks import winners
from benchmarks.winners import Drift, Side, beyond, drifts, main, parts, side_of_record, summary

ONE = Side("one", {"sum": {"shfl": 10.0, "smem": 20.0, "cub": 11.0}, "scan": {"shfl": 5.0}})


def test_a_gpu_does_not_drift_from_itself() -> None:
    side = side_of_record(winners.same_kernels()[0])
    found = drifts(side, side)
    assert len(found) > 50
    assert {one.size for one in found} == {0.0}
    assert beyond(found) == []


def test_each_variant_is_divided_by_the_fastest_of_the_first_gpu() -> None:
    other = Side("other", {"sum": {"shfl": 20.0, "smem": 44.0, "cub": 19.0}})
    first, second = drifts(ONE, other)
    assert (first.variant, first.fastest, first.ratios) == ("smem", "shfl", (2.0, 2.2))
    assert first.size == pytest.approx(0.1)
    assert [one.variant for one in (first, second) if one.is_turned] == ["cub"]


@pytest.mark.parametrize(("ratios", "turned"), [((1.02, 0.98), True), ((1.02, 0.995), False), ((1.5, 1.2), False)])
def test_a_comparison_is_turned_only_if_both_gpus_decide_it(ratios: tuple[float, float], *, turned: bool) -> None:
    assert Drift("sum", "smem", "shfl", ratios).is_turned is turned


def test_the_summary_counts_what_drifts_beyond_three_percent() -> None:
    other = Side("other", {"sum": {"shfl": 10.0, "smem": 21.0, "cub": 11.0}})
    cells = summary("all", (ONE, other), drifts(ONE, other))
    assert cells == ["all", "one", "other", 1, 2, "2.5%", "5.0%", "5.0%", "1 (50.0%)", 0]


def test_clusters_are_counted_by_themselves() -> None:
    found = [Drift(f"{pattern} i32", "a", "b", (1.0, 1.0)) for pattern in ("reduce", "cluster-exchange")]
    assert {name: [one.setting for one in part] for name, part in parts(found).items()} == {
        "within a block": ["reduce i32"],
        "in clusters": ["cluster-exchange i32"],
    }


def test_the_page_is_that_of_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = winners.PAGE.read_text(encoding="utf-8")
    monkeypatch.setattr(winners, "PAGE", tmp_path / "page.md")
    assert main() == 0
    assert (tmp_path / "page.md").read_text(encoding="utf-8") == shown, "run `python -m benchmarks winners`"


def test_ratios_that_drift_are_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = winners.same_kernels()
    for variants in records[1]["settings"].values():
        for name, (mechanism, time, unit) in variants.items():
            variants[name] = [mechanism, time * (1.1 if mechanism == "shfl" else 1.0), unit]
    assert len(beyond(drifts(*map(side_of_record, records)))) > 100
    (tmp_path / "record.json").write_text(json.dumps(records[1]), encoding="utf-8")
    monkeypatch.setattr(winners, "SAME", tmp_path / "record.json")
    monkeypatch.setattr(winners, "PAGE", tmp_path / "page.md")
    assert main() == 1
