"""The contents of the shipped suites: each pattern once, or all options of patterns."""

from collections.abc import Iterable
from itertools import product

from shflbench.core.model import Case
from shflbench.patterns.discover import builtin, load
from shflbench.suite import find_shipped
from shflbench.suite import load as load_suite

NOT_MEASURED = {"cluster-copy", "scale-max"}  # patterns of exchanges-full that no suite with a reference run has
LIMITED = {"reduce": {"i32", "i64", "f16x2", "bf16x2"}}  # other suites have its other types


def cases_of(*suites: str) -> list[Case]:
    return [case for name in suites for case in load_suite(find_shipped()[name]).cases]


def settings(cases: Iterable[Case]) -> set[tuple[object, ...]]:
    """Return variants, dtypes and options, without the launches."""
    return {(case.pattern, case.variant, case.dtype, case.options) for case in cases}


def declared(pattern: str) -> set[tuple[object, ...]]:
    """Return all that a pattern declares: each variant in each dtype with each combination of options."""
    declaration = load(builtin()[pattern]).declaration
    names, values = declaration.options.keys(), declaration.options.values()
    dtypes = LIMITED.get(pattern, set(declaration.dtypes))
    return {
        (pattern, variant.name, dtype, tuple(options.items()))
        for options in (dict(zip(names, chosen, strict=True)) for chosen in product(*values))
        for variant in declaration.variants
        for dtype in dtypes & set(variant.dtypes or declaration.dtypes)
        if variant.has(dtype, options)
    }


def test_quick_has_each_pattern() -> None:
    assert {case.pattern for case in cases_of("quick")} == set(builtin())


def test_exchanges_full_has_all_that_the_patterns_of_exchanges_and_clusters_declare() -> None:
    patterns = {case.pattern for case in cases_of("exchanges", "clusters")}
    assert patterns.isdisjoint(NOT_MEASURED)
    patterns |= NOT_MEASURED
    assert settings(cases_of("exchanges-full")) == set().union(*map(declared, patterns))


def test_exchanges_full_has_the_launches_of_exchanges_and_clusters() -> None:
    def launches(*suites: str) -> set[tuple[str, str]]:
        return {(case.pattern, case.launch.expression) for case in cases_of(*suites)}

    assert launches("exchanges", "clusters") <= launches("exchanges-full")


def test_questions_has_all_variants_of_patterns_that_no_other_measured_suite_has() -> None:
    timed = {(case.pattern, case.variant) for case in cases_of("questions")}
    declared_variants = {
        (name, variant.name)
        for name in ("cluster-copy", "grid-reduce")
        for variant in load(builtin()[name]).declaration.variants
    }
    assert declared_variants - timed == {("grid-reduce", "add")}  # its sums are right in the first launch only


def test_questions_has_warp_sums_at_1_to_64_warps_per_sm() -> None:
    sums = [case for case in cases_of("questions") if case.pattern == "reduce"]
    for dtype in ("f32", "i32"):
        launches = {case.launch.expression for case in sums if case.dtype == dtype}
        blocks = {f"sms x {32 * warps}" for warps in (1, 2, 4, 8, 16, 32)}
        assert launches == {*blocks, "2*sms x 1024"}
