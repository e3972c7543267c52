"""The comparison of two records of verdicts."""

import json
from pathlib import Path

import pytest

from benchmarks.verdicts import compare, differences

REPORT: dict[str, object] = {
    "verdict": "broken",
    "findings": [{"kind": "RAW", "line": 3, "sentence": "reads what it wrote"}],
}


def outcome(report: dict[str, object], code: int = 1, err: str = "") -> dict[str, object]:
    return {"name": "k.cu json", "code": code, "out": json.dumps(report), "err": err}


def places(new: dict[str, object]) -> list[tuple[str, bool]]:
    return [(place, is_sentence) for place, _, _, is_sentence in differences(outcome(REPORT), new)]


def finding(**fields: object) -> dict[str, object]:
    return {**REPORT, "findings": [{"kind": "RAW", "line": 3, "sentence": "reads what it wrote"} | fields]}


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (outcome(REPORT), []),
        (outcome(REPORT, 0), [("exit code", False)]),
        (outcome(REPORT, err="checking"), [("stderr", True)]),
        (outcome({**REPORT, "verdict": "clean"}), [(".verdict", False)]),
        (outcome(finding(kind="WAR")), [(".findings[0].kind", False)]),
        (outcome(finding(line=4)), [(".findings[0].line", False)]),
        (outcome(finding(sentence="reads it")), [(".findings[0].sentence", True)]),
        (outcome({**REPORT, "findings": []}), [(".findings", False)]),
        (outcome({**REPORT, "more": 1}), [(" keys", False)]),
    ],
)
def test_all_but_sentences_has_moved(new: dict[str, object], expected: list[tuple[str, bool]]) -> None:
    assert places(new) == expected


@pytest.mark.parametrize(
    ("new", "code"), [(outcome(REPORT), 0), (outcome(finding(sentence="other")), 0), (outcome(REPORT, 0), 1)]
)
def test_the_exit_code_says_whether_anything_moved(tmp_path: Path, new: dict[str, object], code: int) -> None:
    for name, item in (("base", outcome(REPORT)), ("new", new)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "verdicts.jsonl").write_text(json.dumps(item) + "\n", encoding="utf-8")
    assert compare(tmp_path / "base", tmp_path / "new") == code


def test_a_call_of_one_record_only_has_moved(tmp_path: Path) -> None:
    for name, text in (("base", json.dumps(outcome(REPORT)) + "\n"), ("new", "")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "verdicts.jsonl").write_text(text, encoding="utf-8")
    assert compare(tmp_path / "base", tmp_path / "new") == 1
