import pytest

from shflbench.core.model import Overrides
from shflbench.core.thresholds import ALLOWED, Special, Threshold, Thresholds
from shflbench.suite.schema import MAX_ENTRIES
from tests.suite.conftest import Folder

HEAD = "schema: 1\nname: demo\n"
CASES = (
    "defaults: {launch: 1x32, dtypes: f32, iterations: 7}\n"
    "experiments: [{pattern: ./ring}, {pattern: ./once, variants: smem}]\n"
)
AMOUNTS = f"allowed: {ALLOWED}"
KEYS = "threshold, pattern, variant, case"
NO_CASE = (
    "matches no case; needed: ids of this suite, such as `ring/smem/f32/1x32/7/mode=idx/width=32`, "
    "where `*` matches anything"
)
GLOBS = "allowed: ids of cases such as `reduce/*`, where `*` matches anything"


def test_a_suite_sets_thresholds(folder: Folder) -> None:
    compare = (
        "compare:\n"
        "  threshold: 1%\n"
        "  cases:\n"
        "    - {pattern: ring, variant: shfl, threshold: 0.5%}\n"
        "    - {case: '*/smem/*', threshold: 0.2us}\n"
    )
    assert folder.load(HEAD + compare + CASES).thresholds == Thresholds(
        Threshold(0.01),
        (Special(Threshold(0.005), pattern="ring", variant="shfl"), Special(Threshold(0.2, "us"), case="*/smem/*")),
    )


def test_a_suite_may_set_no_threshold_or_thresholds_of_some_cases(folder: Folder) -> None:
    assert folder.load(HEAD + CASES).thresholds == Thresholds()
    assert folder.load(HEAD + "compare: {}\n" + CASES).thresholds == Thresholds()
    one = folder.load(HEAD + "compare: {cases: {variant: smem, threshold: 2%}}\n" + CASES)
    assert one.thresholds == Thresholds(None, (Special(Threshold(0.02), variant="smem"),))


@pytest.mark.parametrize(
    ("compare", "message"),
    [
        ("", "3:1: found nothing; allowed: a mapping with the keys threshold, cases"),
        ("1%", "3:10: found `1%`; allowed: a mapping with the keys threshold, cases"),
        (
            "{treshold: 1%}",
            "3:11: unknown key `treshold`; allowed: threshold, cases; did you mean `threshold`?",
        ),
        ("{threshold: }", f"3:11: found nothing; {AMOUNTS}"),
        ("{threshold: 1}", f"3:22: found `1`; {AMOUNTS}"),
        ("{threshold: '0.01'}", f"3:22: found the text `0.01`; {AMOUNTS}"),
        ("{threshold: 0%}", f"3:22: found `0%`; {AMOUNTS}"),
        ("{threshold: 101%}", f"3:22: found `101%`; {AMOUNTS}"),
        ("{threshold: 2ms}", f"3:22: found `2ms`; {AMOUNTS}"),
        ("{threshold: [1%]}", f"3:22: found a list; {AMOUNTS}"),
        ("{cases: []}", "3:18: found an empty list; allowed: at least one value"),
        ("{cases: [ring/*]}", f"3:19: found `ring/*`; allowed: a mapping with the keys {KEYS}"),
        (
            "{cases: [{variant: smem}]}",
            "3:19: missing key `threshold`; needed: the smallest change of these cases that matters",
        ),
        (
            "{cases: {variants: smem, threshold: 1%}}",
            f"3:19: unknown key `variants`; allowed: {KEYS}; did you mean `variant`?",
        ),
        ("{cases: {threshold: half, variant: smem}}", f"3:30: found `half`; {AMOUNTS}"),
        ("{cases: {threshold: 1%, variant: [smem]}}", "3:43: found a list; allowed: the name of a variant"),
        ("{cases: {threshold: 1%, variant: ''}}", "3:43: found empty text; allowed: the name of a variant"),
        ("{cases: {threshold: 1%, pattern: ''}}", "3:43: found empty text; allowed: the name of a pattern"),
        ("{cases: {threshold: 1%, case: ''}}", f"3:40: found empty text; {GLOBS}"),
        (
            "{cases: {threshold: 1%, pattern: ./ring}}",
            "3:43: unknown pattern `./ring`; allowed: ring, once; did you mean `ring`?",
        ),
        (
            "{cases: {threshold: 1%, variant: smme}}",
            "3:43: unknown variant `smme`; allowed: smem, smem-unsafe, shfl; did you mean `smem`?",
        ),
        (
            "{cases: {threshold: 1%, pattern: once, variant: shfl}}",
            "3:58: unknown variant `shfl`; allowed: smem",
        ),
        ("{cases: {threshold: 1%, case: rong/*}}", f"3:40: `rong/*` {NO_CASE}; did you mean `ring/*`?"),
        ("{cases: {threshold: 1%, case: once}}", f"3:40: `once` {NO_CASE}; did you mean `once/*`?"),
        (
            "{cases: [{threshold: 1%}, {threshold: 1%, pattern: once, case: '*/f64/*'}]}",
            f"3:73: `*/f64/*` {NO_CASE}",
        ),
    ],
)
def test_wrong_thresholds_are_refused_with_their_position(folder: Folder, compare: str, message: str) -> None:
    assert folder.refusal(f"{HEAD}compare: {compare}\n{CASES}") == f"demo.yaml:{message}"


def test_every_entry_without_a_match_is_reported(folder: Folder) -> None:
    compare = "compare:\n  cases:\n    - {threshold: 1%, pattern: rong}\n    - {threshold: 1%, variant: shfll}\n"
    assert [line.split(";")[0] for line in folder.refusal(HEAD + compare + CASES).splitlines()] == [
        "demo.yaml:5:32: unknown pattern `rong`",
        "demo.yaml:6:32: unknown variant `shfll`",
    ]


def test_too_many_entries_are_refused(folder: Folder) -> None:
    entries = ", ".join(["{threshold: 1%}"] * (MAX_ENTRIES + 1))
    assert folder.refusal(f"{HEAD}compare: {{cases: [{entries}]}}\n{CASES}") == (
        "demo.yaml:3:18: found a list; allowed: at most 100 entries"
    )


def test_thresholds_do_not_depend_on_the_filters_of_the_command_line(folder: Folder) -> None:
    compare = "compare: {cases: {variant: shfl, threshold: 1%}}\n"
    suite = folder.load(HEAD + compare + CASES, Overrides(variants=("smem",)))
    assert {case.variant for case in suite.cases} == {"smem"}
    assert suite.thresholds.some == (Special(Threshold(0.01), variant="shfl"),)
