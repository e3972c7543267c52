"""The report of a history: what changed first, then earlier changes, then all cases; text stays text."""

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

import pytest

from shflbench.analysis.history.findings import SuiteHistory, history_of
from shflbench.output.export.history.page import render
from shflbench.store.history.marks import Mark, MarkKind
from tests.fakes.histories import history_run, machine
from tests.output.export.history.made import DRIFTING, LATE, QUIET, STEPPED, made, runs
from tests.output.export.html.pages import Parsed

HOSTILE = "{}</title></svg><script>alert(1)</script><img src=x onerror=alert(1)>{{{{7*191}}}}\x1b[31m\u202e"
INTENDED = Mark(case=STEPPED, since="", kind=MarkKind.INTENDED, reason="exact <b>sums</b>")
IGNORED = Mark(case=DRIFTING, since="", kind=MarkKind.IGNORE, reason="no matter")


@pytest.fixture(scope="module")
def history() -> SuiteHistory:
    return made(INTENDED)


@pytest.fixture(scope="module")
def html(history: SuiteHistory) -> str:
    return render([history])


def text_between(html: str, begin: str, end: str) -> str:
    """Return the text between two headings."""
    part = html[html.index(begin) : html.index(end)] if end else html[html.index(begin) :]
    return re.sub(r"\s+", " ", Parsed(part).text)


def test_the_first_view_is_what_changed_in_the_last_thirty_days(html: str) -> None:
    assert (
        "quick on NVIDIA H200: 1 marked change of 4 cases in the 30 days before the newest run; 1 case perhaps" in html
    )
    first = text_between(html, "What changed in the last 30 days", "<h3>Perhaps changed")
    assert "between 2026-04-10 and 2026-04-11, revision 099000000 → 100000000: 1 case slower by 3.1%" in first
    assert "code: other machine code by the same compiler" in first
    assert "driver: 580.1 → 590.1" in first
    assert "intended: exact <b>sums</b>" in first
    assert STEPPED in first
    assert DRIFTING not in first
    likely = text_between(html, "<h3>Perhaps changed", "<h3>What changed before")
    assert re.search(rf"{LATE}: slower 5\.\d% since 2026-04-29: 2 of 3 runs needed", likely)


def test_earlier_changes_and_all_cases_follow(html: str) -> None:
    earlier = text_between(html, "<h3>What changed before", "<h3>All cases")
    assert re.search(rf"{DRIFTING} ?slower \d\.\d% per month", earlier)
    rows = re.findall(r'<tr><th scope="row">(.*?)</tr>', html[html.index("<h3>All cases") :], re.DOTALL)
    cells = [Parsed(re.sub(r"</t[dh]>", "|", row)).text.split("|") for row in rows]
    assert [row[0] for row in cells] == [STEPPED, DRIFTING, QUIET, LATE]
    assert cells[2][1] == "29.99 µs"
    assert cells[2][2].startswith("±")
    assert cells[2][3:7] == ["109", "0", "2026-04-30", "failed"]
    assert all(row.count('<svg class="small"') == 1 for row in rows)


def test_changed_cases_have_one_large_chart_each_to_which_all_links_lead(html: str) -> None:
    page = Parsed(html)
    figures = [item.attributes["id"] for item in page.tags("figure")]
    assert len(figures) == len(set(figures)) == 3
    ids = [item.attributes["id"] for item in page.elements if "id" in item.attributes]
    assert len(ids) == len(set(ids))
    assert {item.attributes["href"][1:] for item in page.tags("a")} <= set(ids)
    labels = [item.attributes["aria-label"] for item in page.tags("svg") if item.attributes.get("role") == "img"]
    assert len(labels) == 3 + 4
    assert all(label.startswith("Times of ") for label in labels)


def test_ignored_changes_are_apart_and_the_last_ones() -> None:
    html = render([made(IGNORED)])
    assert "What changed before" not in html
    ignored = text_between(html, "Changes that are marked as ignored", "<h3>All cases")
    assert DRIFTING in ignored
    assert "ignore: no matter" in ignored


def test_nothing_that_changed_is_said() -> None:
    times = [history_run(day, {"a": 10.0, "b": None}) for day in range(5)]
    html = render(history_of(times), "nightly")
    assert "<h1>nightly</h1>" in html
    assert "Nothing changed in the 30 days before the newest run." in html
    assert "no change of 2 cases in the 30 days" in html
    assert "Perhaps changed" not in html


def test_each_suite_and_gpu_has_its_section() -> None:
    several = [
        history_run(day, {"a": 10.0}, machine(gpu=gpu), suite)
        for day in range(3)
        for suite, gpu in (("nightly", "GPU-1"), ("quick", "GPU-1"), ("quick", "GPU-2"))
    ]
    page = Parsed(render(history_of(several)))
    assert [item.attributes["id"] for item in page.tags("h2")] == ["suite-1", "suite-2", "suite-3"]
    assert len(page.tags("table")) == 3


def hostile() -> Sequence[SuiteHistory]:
    """Return a history whose texts try to be more."""
    planted = HOSTILE.format("x")
    changed = [replace(run, suite=planted, commit=planted) for run in runs(HOSTILE)]
    around = [replace(run, machine=replace(run.machine, gpu_name=planted, gpu=planted)) for run in changed]
    marks = [Mark(case="*", since="", kind=MarkKind.KNOWN, reason=planted)]
    return history_of(around, marks)


def test_planted_markup_is_shown_as_text() -> None:
    html = render(hostile(), HOSTILE)
    page = Parsed(html)
    assert len(page.tags("script")) == len(page.tags("style")) == 1
    assert {"img", "iframe", "link", "form", "use"}.isdisjoint(item.tag for item in page.elements)
    names = {name for item in page.elements for name in item.attributes}
    assert {name for name in names if name.startswith("on") or name == "style"} == set()
    assert "<script>alert(1)</script>" in page.text
    assert "1337" not in html
    assert re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u200b]", html) == []


def test_the_policy_allows_exactly_the_style_and_the_script_of_the_page(html: str) -> None:
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)
    assert policy
    for tag, kind in (("style", "style-src"), ("script", "script-src")):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = b64encode(sha256(inside.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}';" in policy[1].replace("&#39;", "'")


def test_the_same_runs_give_the_same_page(html: str) -> None:
    assert render([made(INTENDED)]) == html
