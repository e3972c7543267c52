"""No published factor leaves out an opponent: each is compared with all rows of the committed runs at its setting.

A factor is of two variants. Where they exchange values through different mechanisms, the slower one has to be the best
of its kind at the setting, a library's kernel included, or the best has to be named at that setting, too. What a page
calls fastest has to be the fastest safe variant there.
"""

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tools.docs import exchanges_page
from tools.docs.page_factors import LATER, PHRASES, Phrase, Quotient

ROOT = Path(__file__).parents[2]
EVEN = 1.01  # times that differ by less are called equal
WIDE = 1.11  # times that are named together because of wide intervals differ by less
OTHER_LAYOUT = {("struct-access", "soa")}  # its data are stored otherwise


@dataclass(frozen=True)
class Measured:
    kind: str
    cost: float  # per iteration, or of a launch
    is_library: bool = False


Variants = dict[str, Measured]


def counts_of(cell: str) -> dict[str, float]:
    pairs = (part.split("=") for part in cell.split(";") if part)
    return {opcode: float(number) for opcode, number in pairs if float(number)}


def kind_of(mechanism: str, counts: str) -> str:
    """Return what a variant exchanges values through; of a library, by what its loop executes."""
    found = counts_of(counts).keys()
    if mechanism != "library" or not found:
        return mechanism
    if found & {"REDUX", "CREDUX", "VOTE", "MATCH"}:
        return "collective"
    both = [kind for opcode, kind in (("STS", "smem"), ("SHFL", "shfl")) if opcode in found]
    return "hybrid" if len(both) > 1 else both[0] if both else mechanism


@cache
def runs(model: str) -> dict[str, dict[str, Variants]]:
    """Return the safe variants of all committed runs of a model by suite and setting."""
    found: dict[str, dict[str, Variants]] = {}
    for path in sorted(ROOT.glob(f"results/*/nvidia-{model}/results.csv")):
        settings = found.setdefault(path.parts[-3], {})
        with path.open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["time_us"] and row["safe"] == "true" and (row["pattern"], row["variant"]) not in OTHER_LAYOUT:
                    name = " ".join((row["pattern"], row["dtype"], row["launch"], *row["options"].split(";"))).strip()
                    kind = kind_of(row["mechanism"], row["sass_per_iteration"])
                    cost = float(row["ns_per_iteration"] or row["time_us"])
                    settings.setdefault(name, {})[row["variant"]] = Measured(kind, cost, row["mechanism"] == "library")
    return found


@cache
def library_kinds() -> dict[tuple[str, str, str], str]:
    """Return the kinds of library calls of all committed runs, by pattern, dtype and variant."""
    every = (part for model in ("h100", "h200") for settings in runs(model).values() for part in settings.items())
    return {
        (*setting.split()[:2], name): one.kind  # type: ignore[misc]
        for setting, variants in every
        for name, one in variants.items()
        if one.is_library
    }


@cache
def later(model: str) -> dict[str, Variants]:
    """Return the safe variants of the suite `opponents` by setting."""
    records = json.loads((ROOT / "tools" / "docs" / "records" / "opponents.json").read_text(encoding="utf-8"))
    (record,) = (one for one in records if one["device"].split()[1].lower() == model)
    found: dict[str, Variants] = {}
    for setting, variants in record["settings"].items():
        pattern, dtype, *_ = setting.split()
        found[setting] = {
            name: Measured(library_kinds().get((pattern, dtype, name), kind), time, kind == "library")
            for name, (kind, time, _) in variants.items()
            if (pattern, name) not in OTHER_LAYOUT
        }
    return found


def rows_at(model: str, setting: str) -> Iterator[Variants]:
    """Return what each committed run of a model has at a setting."""
    if setting in later(model):
        yield later(model)[setting]
    for settings in runs(model).values():
        if setting in settings:
            yield settings[setting]


def of_exchanges(setting: str) -> Variants:
    """Return what the suites of the page about exchanges have at a setting."""
    return next(runs("h200")[suite][setting] for suite in ("exchanges", "clusters") if setting in runs("h200")[suite])


def rows_with(setting: str, faster: str, slower: str) -> list[Variants]:
    """Return what each suite has at a setting with two variants, but for suites that were measured before `opponents`.

    Those do not count where it has both.
    """
    having = [variants for variants in rows_at("h200", setting) if {faster, slower} <= variants.keys()]
    return having[:1] if {faster, slower} <= later("h200").get(setting, {}).keys() else having


def left_out(having: list[Variants], faster: str, slower: str, named: set[str]) -> dict[str, float]:
    """Return the variants that a factor leaves out, with the time of the slower one over theirs."""
    found: dict[str, float] = {}
    for variants in having:
        if variants[faster].kind != variants[slower].kind:
            bound = variants[slower].cost / EVEN
            better = {
                name: bound / one.cost
                for name, one in variants.items()
                if one.kind == variants[slower].kind and one.cost < bound and name != faster
            }
            if not named & better.keys():
                found |= better
    return found


def explanation(page: str) -> str:
    return (ROOT / "docs" / "explanation" / page).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def factors() -> list[exchanges_page.Factor]:
    exchanges_page.pages()
    return list(exchanges_page.published)


@pytest.mark.archs
@pytest.mark.expensive
def test_no_factor_about_exchanges_leaves_out_the_best_of_a_kind(factors: list[exchanges_page.Factor]) -> None:
    assert len(factors) > 150
    named: dict[str, set[str]] = {}
    for one in factors:
        named.setdefault(one.setting, set()).update((one.of, one.to))
    wrong = {}
    for one in factors:
        variants = of_exchanges(one.setting)
        slower, faster = sorted((one.of, one.to), key=lambda name: -variants[name].cost)
        if missing := left_out([variants], faster, slower, named[one.setting] - {one.of, one.to}):
            wrong[one] = missing
    assert wrong == {}


def exchange_lines() -> Iterator[tuple[str, list[str], list[str]]]:
    """Return the setting of each line of the tables about exchanges, what it calls fastest, and library calls."""
    page = "\n".join(explanation(f"{name}.md") for name in exchanges_page.NAMES)
    tables = (
        r"^(?:Times in µs of a launch|Cycles per iteration) of `([^`]+)`, `([^`]+)`.*:\n\n\|.*\n\|.*\n((?:\|.*\n)+)"
    )
    for pattern, dtype, lines in re.findall(tables, page, re.MULTILINE):
        for launch, options, *_, cell in (line.strip("| \n").split(" | ") for line in lines.splitlines()):
            setting = " ".join((pattern, dtype, launch.split("`")[1], *options.replace("–", "").split(", "))).strip()
            own, _, calls = cell.removesuffix(")").partition(" (also ")
            yield setting, own.split(", "), calls.split(", ") if calls else []


@pytest.mark.parametrize(("setting", "names", "calls"), list(exchange_lines()))
def test_what_a_line_about_exchanges_calls_fastest_is_the_fastest_there(
    setting: str, names: list[str], calls: list[str]
) -> None:
    check_fastest(of_exchanges(setting), names, calls)


def check_fastest(variants: Variants, names: list[str], calls: list[str]) -> None:
    """Check that the fastest variant is named, libraries that are faster are, and none that is clearly slower."""
    least = min(one.cost for one in variants.values() if not one.is_library)
    assert min(variants[name].cost for name in names) <= least * EVEN
    faster = [name for name, one in variants.items() if one.is_library and one.cost < least / EVEN]
    assert set(faster) <= set(calls)
    assert all(variants[name].cost <= least * WIDE for name in (*names, *calls))


FIRST_PAGE = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")


def test_a_weaker_opponent_is_noticed() -> None:
    """Of each of the factors that once left out an opponent, the one that was left out is found."""
    transpose, store = "transpose f32 104x256 words=32", "struct-access f32 16384x256 words=16 way=store"
    assert weaker(transpose, "smem-wide", "shfl") >= {"cub-shfl"}
    assert weaker(store, "shfl", "direct") == {"vector"}
    assert weaker("reserve i32 16384x256", "leader-shfl", "atomic") == {"atomic-plain"}
    assert "smem-wide" in weaker("reduce f32 sms x 32 width=32", "shfl", "smem-syncwarp")
    assert weaker(transpose, "smem-wide", "shfl-xor") == set()


def weaker(setting: str, faster: str, slower: str) -> set[str]:
    """Return the variants that the factor of two leaves out."""
    return set(left_out(rows_with(setting, faster, slower), faster, slower, set()))


def quotients(phrase: Phrase) -> Iterator[Quotient]:
    for one in phrase.factors:
        yield from (one,) if isinstance(one, Quotient) else one[1]


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.text)
def test_a_factor_that_people_write_is_the_measured_one(phrase: Phrase) -> None:
    match = phrase.pattern.search(explanation(phrase.page))
    assert match
    for one in quotients(phrase):
        variants = later("h200")[one.setting] if one.suite == LATER else times_of_launches(one.suite)[one.setting]
        if one.suite == LATER:
            assert one.value == variants[one.of].cost / variants[one.to].cost
        else:
            assert one.value == pytest.approx(variants[one.of].cost / variants[one.to].cost)
    shown = [
        f"{value:.{len(text.partition('.')[2])}f}" for value, text in zip(phrase.values, match.groups(), strict=True)
    ]
    assert list(match.groups()) == shown


@cache
def times_of_launches(suite: str) -> dict[str, Variants]:
    found: dict[str, Variants] = {}
    with (ROOT / "results" / suite / "nvidia-h200" / "results.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["time_us"]:
                name = " ".join((row["pattern"], row["dtype"], row["launch"], *row["options"].split(";"))).strip()
                kind = kind_of(row["mechanism"], row["sass_per_iteration"])
                found.setdefault(name, {})[row["variant"]] = Measured(kind, float(row["time_us"]))
    return found


NO_RIVALS = {"memory-ladder"}  # its variants read different memories


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.text)
def test_a_factor_that_people_write_names_the_best_of_the_slower_kind(phrase: Phrase) -> None:
    text = explanation(phrase.page)
    match = phrase.pattern.search(text)
    assert match
    section = text[max(0, text.rfind("\n## ", 0, match.start())) : match.start()]
    section += text[match.start() :].partition("\n## ")[0]
    named = set(re.findall(r"`([\w-]+)`", section)) | set(re.findall(r"/([a-z][\w-]+)/", section))
    for one in quotients(phrase):
        if one.setting.split()[0] not in NO_RIVALS:
            slower, faster = (one.of, one.to) if one.value > 1 else (one.to, one.of)
            assert left_out(rows_with(one.setting, faster, slower), faster, slower, named) == {}, one


FACTOR = re.compile(r"\d+(?:\.\d+)?×")
WITH_TESTS: dict[str, tuple[str, ...]] = {  # factors that tests of `test_explanation.py` recompute, by page
    "what-the-h200-shows.md": (),
    "what-transposes-and-structures-show.md": (),
    "what-the-other-suites-show.md": (),
    "what-moving-averages-and-filters-show.md": (r"\S+× to \S+× as fast as with one",),
    "what-unknown-indices-show.md": (
        r"\S+× the (?:time|speed of local memory) \|",
        r"shared memory has \S+× the speed of local memory at different indices and \S+× at equal ones",
    ),
    "what-blocks-and-rows-show.md": (
        r"has \S+× the speed of a block per row by shuffles",
        r"\(1\.00×\)",
        r"`shfl-first-warp`, which has \S+× the speed",
        r"`\): \S+× the speed of the best variant without raking",
        r"up to \S+× that of a tree",
        r"are fastest \(\S+×\), also if only .* raking in columns \(\S+×\) is faster than REDUX in two rounds \(\S+×\)",
        r"`__syncwarp\(\)` has \S+× the speed of `shfl-first-warp`, \S+× that of shuffles whose .* and \S+× that of",
    ),
    "what-block-sums-and-scans-show.md": (),
    "what-array-sums-show.md": (),
    "what-rows-show.md": (),
}


@pytest.mark.parametrize("page", WITH_TESTS)
def test_every_factor_of_an_explanation_is_recomputed(page: str) -> None:
    text = " ".join(explanation(page).split())
    own = [phrase.pattern.pattern for phrase in PHRASES if phrase.page == page]
    for pattern in (*own, *WITH_TESTS[page]):
        assert re.search(pattern, text), pattern
        text = re.sub(pattern, "", text)
    assert [text[max(0, match.start() - 60) : match.end()] for match in FACTOR.finditer(text)] == []
