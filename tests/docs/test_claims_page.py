"""The pages with the verdicts are current, and their verdicts are those of the numbers in the results."""

import csv
import re
from collections.abc import Iterator

import pytest

from tools.docs.claims_page import DOCUMENTS, NAMES, PAGE, Verdicts, cell, not_quiet, pages, verdicts
from tools.docs.measured import DEVICE, ROOT

TEXT = PAGE.read_text(encoding="utf-8")
OF_DOCUMENTS = {letter: PAGE.with_name(f"{NAMES[letter]}.md").read_text(encoding="utf-8") for letter in DOCUMENTS}
ROW = re.compile(r"^\| (?P<id>[GANP]\d\d) \|.*\| \*\*(?P<verdict>\w+)\*\* \|", re.MULTILINE)
UNTESTABLE = re.compile(r"^\| (?P<id>[GANP]\d\d) \| [^|]* \| [^|]* \|$", re.MULTILINE)
COUNTS = re.compile(r"(\d+)\s+(?:are\s+)?\*\*(?:confirmed|refuted|depend|inconclusive|untestable)\*\*(?! \|)")


@pytest.fixture(scope="module")
def judged() -> Verdicts:
    return verdicts()


@pytest.fixture(scope="module")
def times() -> dict[str, float]:
    """Return the time of each timed case, as the tables have it."""
    return dict(_column("time_us"))


@pytest.fixture(scope="module")
def slopes() -> dict[str, float]:
    """Return the time of an iteration of each timed case, likewise."""
    return dict(_column("ns_per_iteration"))


def _column(name: str) -> Iterator[tuple[str, float]]:
    for path in sorted(ROOT.glob(f"results/*/{DEVICE}/results.csv")):
        with path.open(encoding="utf-8") as file:
            yield from ((row["case_id"], float(row[name])) for row in csv.DictReader(file) if row[name])


@pytest.mark.archs
def test_the_pages_are_current() -> None:
    of_documents = {PAGE.with_name(f"{NAMES[letter]}.md"): text for letter, text in OF_DOCUMENTS.items()}
    assert pages() == {PAGE: TEXT, **of_documents}, "run `make plots`"


@pytest.mark.archs
def test_the_counts_are_those_of_the_tables(judged: Verdicts) -> None:
    counts = COUNTS.findall(TEXT)
    listed = [row["verdict"] for text in OF_DOCUMENTS.values() for row in ROW.finditer(text)]
    names = ("confirmed", "refuted", "depends", "inconclusive")
    assert [int(count) for count in counts[:4]] == [listed.count(name) for name in names]
    assert sum(map(int, counts)) == len(judged.by_id) == 76


@pytest.mark.parametrize("letter", DOCUMENTS)
def test_the_page_of_a_document_has_each_of_its_claims_once(judged: Verdicts, letter: str) -> None:
    text, part = OF_DOCUMENTS[letter], judged.of(letter)
    sentences = " ".join(text.split())
    listed = [row["id"] for row in (*ROW.finditer(text), *UNTESTABLE.finditer(text))]
    assert sorted(listed) == sorted(part.by_id)
    numbers = ", ".join(f"{count} {name}" for name, count in part.counts().items())
    assert f": {numbers.replace('depends', 'depend on the setting')}." in sentences
    assert all(suite in sentences for suite in not_quiet(part))


def test_the_first_page_leads_to_those_of_the_documents_with_their_counts(judged: Verdicts) -> None:
    for letter, title in DOCUMENTS.items():
        counts = judged.of(letter).counts().values()
        cells = " | ".join(map(str, (sum(counts), *counts)))
        assert f"| [{title}]({NAMES[letter]}.md) | {cells} |" in TEXT


def test_every_claim_with_a_condition_is_tested_in_a_setting_of_the_runs(judged: Verdicts) -> None:
    assert [name for name, one in judged.by_id.items() if one.claim.holds and not one.settings] == []


def test_no_case_of_a_claim_is_missing(judged: Verdicts) -> None:
    missing = {one.reason for verdict in judged.by_id.values() for one in verdict.settings if one.is_missing}
    assert missing == set()


REDUCE = "reduce/{}/f32/26x1024/4096/width=32"
TRANSPOSE = "transpose/{}/f32/104x256/4096/words=8"
PRIVATE = "private-array/{}/{}/{}/1024/length=32/index={}/math=0"
LADDER = "memory-ladder/{}/i32/sms x 32/16384/chains=1/lines=8192"


@pytest.mark.archs
def test_the_verdicts_on_exchanges_are_those_of_the_numbers(judged: Verdicts, times: dict[str, float]) -> None:
    assert judged.by_id["G12"].verdict == "confirmed"
    assert times[REDUCE.format("smem")] / times[REDUCE.format("shfl")] > 5
    assert judged.by_id["G19"].verdict == "depends"
    assert times[TRANSPOSE.format("smem")] < times[TRANSPOSE.format("shfl")]
    assert times[TRANSPOSE.format("smem").replace("=8", "=16")] > times[TRANSPOSE.format("shfl").replace("=8", "=16")]
    assert judged.by_id["G22"].verdict == judged.by_id["G23"].verdict == "refuted"


def test_shared_memory_is_not_a_hundred_times_as_fast_as_memory(judged: Verdicts, times: dict[str, float]) -> None:
    assert judged.by_id["N06"].verdict == "refuted"
    assert 25 < times[LADDER.format("dram")] / times[LADDER.format("smem")] < 35


def test_local_arrays_are_twice_and_many_times_slower(judged: Verdicts, slopes: dict[str, float]) -> None:
    """The article has 24 times on a K20, and the suites show where that still is so."""

    def ratio(dtype: str, launch: str) -> float:
        return (
            slopes[PRIVATE.format("local", dtype, launch, "worst")]
            / slopes[PRIVATE.format("local", dtype, launch, "uniform")]
        )

    assert judged.by_id["P08"].verdict == "depends"
    assert 2.5 < ratio("f32", "8*sms x 64") < 3
    assert ratio("f64", "32*sms x 64") > 18
    for text in (f"{ratio('f32', '8*sms x 64'):.1f}×", f"{ratio('f64', '32*sms x 64'):.1f}×"):
        assert text in TEXT


def test_code_without_barriers_has_hazards_and_shuffles_have_none(judged: Verdicts) -> None:
    assert judged.by_id["G05"].verdict == judged.by_id["A05"].verdict == "confirmed"
    assert judged.by_id["G26"].verdict == "refuted"


@pytest.mark.parametrize(
    ("text", "shown"),
    [("2*sms x 64", r"2\*sms x 64"), ("__activemask()", r"\_\_activemask()"), ("", "–"), ("a|b", r"a\|b")],
)
def test_a_text_is_shown_as_it_is(text: str, shown: str) -> None:
    assert cell(text) == shown
