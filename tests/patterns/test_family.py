"""Families: their members are variants that compute what their pattern does, and run only where a suite names them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from shflbench.core.bounds import MAX_NAME
from shflbench.core.model import Mechanism, Status
from shflbench.patterns.declare import Pattern, Variant
from shflbench.patterns.discover import builtin, load
from shflbench.patterns.family import Family
from shflbench.store import read_run
from tests.conftest import Command
from tests.thorough import all_or_a_sample, chosen

PATTERNS = {name: declared for name, folder in builtin().items() if (declared := load(folder).declaration).family}
REDUCE = PATTERNS["reduce"]
SAMPLE = 37  # every so many members are run, or all: a sample takes a minute of all patterns


def family_of(pattern: Pattern) -> Family[Variant]:
    assert pattern.family is not None
    return pattern.family


def suite(
    folder: Path, pattern: str, dtypes: Sequence[str], members: Sequence[str], usual: Mapping[str, str] | None = None
) -> Path:
    """Write a suite of members at all values of the options, or at the usual ones."""
    declared = PATTERNS[pattern]
    chosen = {name: (value,) for name, value in usual.items()} if usual else declared.options
    options = "".join(f"    {name}: [{', '.join(values)}]\n" for name, values in chosen.items())
    path = folder / "members.yaml"
    path.write_text(
        f"schema: 1\nname: members\nexperiments:\n  - pattern: {pattern}\n    dtypes: [{', '.join(dtypes)}]\n"
        f"    launch: 2x64\n    iterations: 32\n    variants: [{', '.join(members)}]\n{options}",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("name", PATTERNS)
def test_a_family_has_at_least_64_members_at_the_usual_setting(name: str) -> None:
    usual = PATTERNS[name].usual
    members = PATTERNS[name].members.values()
    assert sum(member.variant.has(usual.dtype, usual.options) for member in members) >= 64


@pytest.mark.parametrize("name", PATTERNS)
def test_each_member_has_a_name_of_its_own_and_an_option_that_it_supports(name: str) -> None:
    pattern = PATTERNS[name]
    assert not {variant.name for variant in pattern.variants} & set(pattern.members)
    for word, member in pattern.members.items():
        assert member.variant.name == word
        assert len(word) <= MAX_NAME
        assert all(member.variant.only.values())
        assert pattern.variant(word) is member.variant
    kernels = [member.variant.kernel for member in pattern.members.values()]
    assert len(set(kernels)) == len(kernels)


@pytest.mark.parametrize("name", PATTERNS)
def test_each_exclusion_concerns_a_combination_that_no_other_does(name: str) -> None:
    family = family_of(PATTERNS[name])
    alone = set()
    for _, choice in family.combinations():
        reasons = [one.reason for one in family.exclusions if one.excludes(choice)]
        alone |= set(reasons) if len(reasons) == 1 else set()
        assert family.excluded(choice) == (reasons[0] if reasons else "")
    assert alone == {one.reason for one in family.exclusions}


def test_the_mechanism_of_a_member_follows_from_its_choice() -> None:
    mechanisms = {
        name: REDUCE.variant(name).mechanism for name in ("lanes1-bits32", "lanes8-bits128-double-apart-late")
    }
    assert mechanisms == {"lanes1-bits32": Mechanism.SHFL, "lanes8-bits128-double-apart-late": Mechanism.HYBRID}
    assert REDUCE.variant("lanes32-bits128").mechanism == Mechanism.SMEM


def dtypes_of(name: str) -> Sequence[str]:
    first = next(iter(PATTERNS[name].members.values()))
    return first.variant.dtypes or PATTERNS[name].dtypes


def members_with(name: str, members: Sequence[str], dtypes: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return members by the element types that they run with: those of `dtypes`, or the first one that they have."""
    by_dtype: dict[str, list[str]] = {}
    for member in members:
        supported = PATTERNS[name].variant(member).dtypes or PATTERNS[name].dtypes
        for dtype in [dtype for dtype in dtypes if dtype in supported] or supported[:1]:
            by_dtype.setdefault(dtype, []).append(member)
    return by_dtype


def at_usual_options(name: str) -> Sequence[str]:
    usual, members = PATTERNS[name].usual, PATTERNS[name].members
    return [word for word, one in members.items() if one.variant.has(usual.dtype, usual.options)]


def run_members(
    shflbench: Command,
    folder: Path,
    name: str,
    members: Mapping[str, Sequence[str]],
    usual: Mapping[str, str] | None = None,
) -> None:
    """Run members by dtype on the emulator, and check that all are right."""
    for dtype, supporting in members.items():
        file = suite(folder, name, [dtype], supporting, usual)
        outcome = shflbench("run", file, "--device", "emulator", "--output", folder / dtype)
        assert outcome.code == 0, outcome.err
        rows = read_run(folder / dtype).rows
        assert {row.variant for row in rows} == set(supporting)
        assert {row.status for row in rows} == {Status.VERIFIED}


@pytest.mark.archs
@pytest.mark.one_in(6)
@pytest.mark.usefixtures("kernel_cache")
@pytest.mark.parametrize("name", PATTERNS)
def test_members_have_the_declared_code_and_the_right_results(shflbench: Command, tmp_path: Path, name: str) -> None:
    usual, sample = PATTERNS[name].usual, at_usual_options(name)[::SAMPLE]
    run_members(shflbench, tmp_path, name, members_with(name, sample, dtypes_of(name)[::3]), usual.options)


@pytest.mark.archs
@pytest.mark.one_in(8)
@pytest.mark.usefixtures("kernel_cache")
@pytest.mark.parametrize("name", PATTERNS)
def test_members_are_right_at_all_values_of_options(shflbench: Command, tmp_path: Path, name: str) -> None:
    sample = list(PATTERNS[name].members)[:: 3 * SAMPLE]
    run_members(shflbench, tmp_path, name, members_with(name, sample, dtypes_of(name)[:1]))


@pytest.mark.archs
@pytest.mark.one_in(4)
@pytest.mark.usefixtures("kernel_cache")
@pytest.mark.parametrize("name", PATTERNS)
@all_or_a_sample
def test_all_members_have_the_declared_code_and_the_right_results(
    shflbench: Command, tmp_path: Path, name: str, *, every: bool
) -> None:
    """At the usual options: with all values of them, it takes eight minutes per pattern."""
    usual = PATTERNS[name].usual
    members = chosen(at_usual_options(name), every=every, one_in=5)
    run_members(shflbench, tmp_path, name, {usual.dtype: members}, usual.options)


@pytest.mark.archs
@pytest.mark.one_in(9)
@pytest.mark.usefixtures("kernel_cache")
@pytest.mark.parametrize("name", PATTERNS)
def test_members_are_free_of_hazards(shflbench: Command, tmp_path: Path, name: str) -> None:
    """At the usual options, which others differ from in the number of the same steps."""
    usual, sample = PATTERNS[name].usual, at_usual_options(name)[::SAMPLE]
    outcome = shflbench("check", suite(tmp_path, name, [usual.dtype], sample, usual.options), "--format", "json")
    assert outcome.code == 0, outcome.err


def test_a_suite_that_names_no_variants_runs_no_members(shflbench: Command, tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    text = "schema: 1\nname: all\nexperiments:\n  - {pattern: reduce, dtypes: f32, launch: 2x64, iterations: 32}\n"
    file.write_text(text, encoding="utf-8")
    listed = shflbench("run", file, "--device", "emulator", "--dry-run")
    assert "reduce/shfl/" in listed.out
    assert "reduce/lanes" not in listed.out


def test_where_a_variant_is_unknown_no_members_are_listed(shflbench: Command, tmp_path: Path) -> None:
    outcome = shflbench("validate", suite(tmp_path, "reduce", ["f32"], ["lanes8-bits128", "lanes7-bits128"]))
    assert outcome.code == 3
    assert "unknown variant `lanes7-bits128`" in outcome.err
    assert "lanes16" not in outcome.err
