"""One question has one answer: commands, report, README and the first page name the same variants and factors."""

import json
import re
from contextlib import chdir
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from shflbench.analysis.ranking import NO_CHOICE
from shflbench.store import samples
from tests.docs.test_headlines import CHOICES
from tests.fakes.commands import call

ROOT = Path(__file__).parents[2]
RESULTS = sorted((ROOT / "results").glob("*/nvidia-h200"))  # of one GPU: a question has an answer for each
Best = dict[str, dict[str, dict[str, Any]]]  # group → variant → case


samples_of = cache(samples.read_kept)  # six commands read those of the same runs


def output_of(*words: str | Path) -> str:
    """Return what a command prints that runs in this process, in the root of the repository."""
    with chdir(ROOT), pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(samples, "read_kept", samples_of)
        code, out, err = call([str(word) for word in words])
    assert code == 0, err
    return out


@cache
def best() -> Best:
    """Return what `show --best` names in each group of the runs of the H200; of two with a group, the newer."""
    groups: Best = {}
    for run in sorted(
        json.loads(output_of("show", *RESULTS, "--best", "--format", "json")), key=lambda run: run["started"]
    ):
        newer: Best = {}
        for case in run["cases"]:
            pattern, variant, rest = case["case_id"].split("/", 2)
            newer.setdefault(f"{pattern}/{rest}", {})[variant] = case
        groups |= newer
    return groups


def candidates(group: str) -> set[str]:
    return {name for name, case in best()[group].items() if case["mechanism"] != "library"}


def group_of(answer: dict[str, Any]) -> str:
    pattern, _, rest = answer["case_ids"][0].split("/", 2)
    return f"{pattern}/{rest}"


@cache
def advised(*words: str) -> dict[str, Any]:
    (advice,) = json.loads(output_of("advise", *words, "--gpu", "H200", "--format", "json"))["advice"]
    return dict(advice["measured"])


@cache
def report() -> list[list[str]]:
    """Return the cells of each row of the table of answers in the report on the committed runs of the H200."""
    with TemporaryDirectory() as folder:
        output_of("report", *RESULTS, "-o", Path(folder) / "report.html")
        page = (Path(folder) / "report.html").read_text(encoding="utf-8")
    table = page.partition('id="answer-table"')[2].partition("</table>")[0]
    rows = re.findall(r"<tr role=\"row\">(.*?)</tr>", table, re.DOTALL)[1:]
    return [[" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in re.split(r"</t[dh]>", row)] for row in rows]


def setting_of(group: str) -> str:
    """Return the setting of a group in the words of the report: `26x1024, 4096 iterations, width=32`."""
    launch, iterations, *options = re.sub(r"\b(sms)/(\d)", r"\1:\2", group).split("/")[2:]
    launch = launch.replace(":", "/")
    return ", ".join([launch, *([f"{iterations} iterations"] if iterations != "1" else []), *options])


@pytest.mark.archs  # the report reads the samples of all runs
def test_the_report_names_what_show_names_at_the_setting_of_each_pattern() -> None:
    assert len({cells[0] for cells in report()}) > 25
    for pattern, dtype, use, _, setting, *_ in report():
        assert pattern not in NO_CHOICE
        (group,) = [
            group for group in best() if group.startswith(f"{pattern}/{dtype}/") and setting_of(group) == setting
        ]
        assert use in candidates(group)


@pytest.mark.one_in(3)
@pytest.mark.archs
@pytest.mark.parametrize("words", [("reduce",), ("reduce", "--dtype", "i32"), ("struct-access",)])
def test_advise_names_the_variant_the_setting_and_the_factors_of_report_and_show(words: tuple[str, ...]) -> None:
    answer = advised(*words)
    case = best()[group_of(answer)]
    assert {answer["variant"], *answer["tied"]} == candidates(group_of(answer))
    assert set(answer["libraries"]) == set(case) - candidates(group_of(answer))
    cells = next(cells for cells in report() if cells[:2] == [answer["pattern"], answer["dtype"]])
    assert cells[2] == answer["variant"]
    assert answer["setting"] == f"{answer['dtype']}, {cells[4]}"
    if factor := answer["over_baseline"]:
        assert cells[6].startswith(f"{factor['value']:.1f}×")


@pytest.mark.archs
def test_advise_does_not_depend_on_how_many_suites_measured_a_pattern() -> None:
    every, one = advised("reduce"), advised("reduce", "results/gtc2013")
    assert (every["case_ids"], every["over_baseline"]) == (one["case_ids"], one["over_baseline"])


@pytest.mark.archs
@pytest.mark.one_in(5)
@pytest.mark.parametrize(("setting", "names"), [(setting, names) for setting, names, *_ in CHOICES])
def test_readme_names_what_show_names(setting: str, names: str) -> None:
    pattern, dtype, *options = setting.split()
    launch = "104x256" if pattern == "transpose" else "26x1024"
    start, end = f"{pattern}/{dtype}/{launch}/", "".join(f"/{option}" for option in options)
    rows = [group for group in best() if group.startswith(start) and group.removeprefix(start).isdecimal() == (not end)]
    largest = max((group for group in rows if group.endswith(end)), key=lambda group: int(group.split("/")[3]))
    assert set(re.findall(r"`([^`]+)`", names)) == set(best()[largest])
