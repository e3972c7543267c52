"""The truth about each file, as far as it is known."""

import re
from pathlib import Path

import pytest

from benchmarks.public_sets.truth import TABLES, Kind, indigo_truth, read_table, read_truth
from shflbench.errors import ResultsError


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("push_node_neighbor", Kind.SOUND),
        ("pull_node_neighbors_block_shfl_persistent_reverse_cond", Kind.SOUND),
        ("push_node_neighbor_atomicBug", Kind.RACE),
        ("conditional_edge_neighbor_cond_guardBug", Kind.RACE),
        ("pull_node_neighbors_block_cond_syncBug", Kind.RACE),
        ("path_compression_raceBug_persistent", Kind.RACE),
        ("pull_node_neighbor_boundsBug_last", Kind.OUT_OF_BOUNDS),
        ("push_node_neighbor_boundsBug_atomicBug", Kind.RACE),
    ],
)
def test_the_name_of_a_file_of_indigo_tells_its_bugs(name: str, kind: Kind) -> None:
    assert indigo_truth(f"indigo/indigo_sources/push/{name}.cu").kind is kind


def test_every_committed_table_gives_reasons() -> None:
    tables = sorted(path for path in TABLES.glob("*.tsv") if ".reader-" not in path.name)
    assert [table.stem for table in tables] == ["compute-sanitizer-samples", "cuda-samples", "faial", "gpuverify"]
    for table in tables:
        truths = read_table(table)
        assert truths
        assert all(truth.reason for truth in truths.values()), table


@pytest.mark.parametrize("name", ["faial", "gpuverify"])
def test_the_table_is_what_both_readers_say_where_they_agree(name: str) -> None:
    agreed = read_table(TABLES / f"{name}.tsv")
    readers = [rows(TABLES / f"{name}.reader-{reader}.tsv") for reader in "ab"]
    decided = (TABLES / "differences.md").read_text(encoding="utf-8")
    for path, truth in agreed.items():
        if {reader[path] for reader in readers} != {truth.kind}:
            assert re.sub(r"^(testsuite/CUDA|examples)/|/kernel\.cu$|\.cu$", "", path).rpartition("/")[2] in decided


def rows(table: Path) -> dict[str, str]:
    lines = [line.split("\t") for line in table.read_text(encoding="utf-8").splitlines()[1:]]
    return {path: kind for path, kind, _ in lines}


def test_mild_bugs_are_distinguished_from_others(tmp_path: Path) -> None:
    table = tmp_path / "t.tsv"
    table.write_text(
        "path\ttruth\treason\na.cu\trace\tequal values: all write 0.\nb.cu\trace\tall write their number.\n"
        "c.cu\tother\tuninitialized, in no output: a sum.\nd.cu\tother\tuninitialized: out[0].\n"
        "e.cu\tdivergence\tskipped by ending: half a warp.\n"
    )
    assert [truth.mild for truth in read_table(table).values()] == [True, False, True, False, True]


def test_an_unknown_kind_a_file_without_truth_and_a_missing_table_are_errors(tmp_path: Path) -> None:
    head = "path\ttruth\treason\n"
    (tmp_path / "t.tsv").write_text(f"{head}a.cu\tfine\tno reason\n")
    with pytest.raises(ResultsError, match="fine"):
        read_table(tmp_path / "t.tsv")
    with pytest.raises(ResultsError, match=r"faial\.tsv is missing"):
        read_truth("faial", ["a.cu"], tmp_path)
    (tmp_path / "faial.tsv").write_text(f"{head}a.cu\tsound\tno memory is shared.\n")
    assert read_truth("faial", ["a.cu"], tmp_path)["a.cu"].sound
    with pytest.raises(ResultsError, match=r"lacks 1 files, first b\.cu"):
        read_truth("faial", ["a.cu", "b.cu"], tmp_path)
