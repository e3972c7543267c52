from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from shflbench.analysis.compare.comparison import Comparison, Outcome
from shflbench.output.export.junit import render
from tests.fakes.comparisons import across, quiet, rich
from tests.output.export.junit_schema import require_valid


def parsed(comparison: Comparison) -> ET.Element:
    return ET.fromstring(render(comparison).encode("utf-8"))  # noqa: S314  (it is our own)


def found_with(comparison: Comparison, tag: str) -> dict[str, ET.Element]:
    return {
        test.attrib["name"]: found
        for test in parsed(comparison).iter("testcase")
        if (found := test.find(tag)) is not None
    }


@pytest.mark.parametrize("comparison", [rich(), quiet(), across(), replace(quiet(), verdicts=())])
def test_every_element_is_one_that_the_schema_knows(comparison: Comparison) -> None:
    require_valid(parsed(comparison))


def test_each_case_is_a_test_of_its_pattern() -> None:
    tests = list(parsed(rich()).iter("testcase"))
    assert [test.attrib["name"] for test in tests] == [verdict.case_id for verdict in rich().verdicts]
    assert all(test.attrib["name"].startswith(f"{test.attrib['classname']}/") for test in tests)


def cases(outcome: Outcome) -> set[str]:
    return {verdict.case_id for verdict in rich().verdicts if verdict.outcome is outcome}


def test_slower_cases_are_failures_and_say_why() -> None:
    failures = found_with(rich(), "failure")
    assert set(failures) == cases(Outcome.SLOWER)
    slower = failures["reduce/shfl/f32/264x1024/4096"]
    assert slower.attrib["type"] == "beyond-threshold"
    assert (slower.text or "").startswith("slower: 666.6 µs, now 680.5 µs, corrected by -0.062 µs: +2.1%")
    assert "registers 32 → 40" in (slower.text or "")


def test_failed_cases_are_errors_and_say_why() -> None:
    errors = found_with(rich(), "error")
    assert set(errors) == cases(Outcome.FAILED)
    wrong = errors["bitonic-sort/smem/i32/26x1024/512"]
    assert wrong.attrib["message"].startswith("failed: ")
    assert (wrong.text or "").startswith(wrong.attrib["message"])


def test_undecided_and_allowed_cases_are_skipped_with_their_sentence() -> None:
    skipped = found_with(rich(), "skipped")
    assert skipped["reduce/redux/i32/26x1024/4096"].attrib["message"] == "missing: not on the new side"
    outcomes = {each.outcome for each in rich().verdicts if each.case_id in skipped}
    assert outcomes == {Outcome.MISSING, Outcome.SUSPECTED, Outcome.INCONCLUSIVE, Outcome.NOT_COMPARABLE}
    for element in skipped.values():  # GitLab shows the text, Jenkins the message
        assert (element.text or "").replace("\n", "; ").startswith(element.attrib["message"])


def test_missing_cases_are_errors_where_they_are_not_allowed() -> None:
    strict = replace(rich(), allowed=frozenset())
    assert found_with(strict, "error")["reduce/redux/i32/26x1024/4096"].attrib["type"] == "not-in-new"


def test_nothing_fails_in_a_report_without_verdicts() -> None:
    comparison = replace(rich(), across=("the GPUs differ",))
    assert found_with(comparison, "failure") == found_with(comparison, "error") == {}


def test_the_counts_are_those_of_the_tests() -> None:
    root = parsed(rich())
    suite = root[0]
    assert int(suite.attrib["tests"]) == int(root.attrib["tests"]) == len(rich().verdicts)
    assert int(suite.attrib["failures"]) == int(root.attrib["failures"]) == len(found_with(rich(), "failure")) == 2
    assert int(suite.attrib["errors"]) == int(root.attrib["errors"]) == len(found_with(rich(), "error")) == 2
    assert int(suite.attrib["skipped"]) == len(found_with(rich(), "skipped"))


def test_a_reason_with_control_characters_is_still_xml() -> None:
    sentence = "".join(map(chr, range(32))) + "\x7f\x85\ud800\ufffe\uffff]]> & <b>\U0001f600 done"
    verdict = replace(rich().verdicts[0], outcome=Outcome.FAILED, sentence=sentence, why=("\x00",))
    error = found_with(replace(quiet(), verdicts=(verdict,)), "error")[verdict.case_id]
    assert error.attrib["message"] == "failed: ]]> & <b>\U0001f600 done"
    assert error.text == "failed: ]]> & <b>\U0001f600 done\n"


@pytest.mark.parametrize("outcome", Outcome)
def test_a_case_with_any_name_is_still_xml(outcome: Outcome) -> None:
    name = "a<b>&\"'/]]>\x00\x1b[31m\n\ud800\uffff--><![CDATA[/µ"
    verdict = replace(rich().verdicts[0], case_id=name, outcome=outcome)
    (test,) = parsed(replace(quiet(), verdicts=(verdict,))).iter("testcase")
    assert (test.attrib["classname"], test.attrib["name"]) == ("a<b>&\"'", "a<b>&\"'/]]> --><![CDATA[/µ")


def test_properties_have_sides_threshold_and_noise() -> None:
    properties = {each.attrib["name"]: each.attrib["value"] for each in parsed(rich()).iter("property")}
    assert properties["new"].startswith("results/gtc2013/nvidia-h200-20261121-1: NVIDIA H200, driver 580.181.01")
    assert "(threshold): 1%" in properties["basis"]
    assert "noise: fitted to the spread between the processes of a side" in properties["basis"]
    assert "correction: sentinels ran 0.062 µs slower on the new side" in properties["columns"]
    assert properties["missed"].startswith("what could have been missed: ")
    assert "across" not in properties


def test_an_unknown_start_is_left_out() -> None:
    unknown = replace(quiet(), new=replace(quiet().new, started=""))
    assert "timestamp" not in parsed(unknown)[0].attrib
    assert parsed(quiet())[0].attrib["timestamp"] == "2026-11-21T09:30:00"
