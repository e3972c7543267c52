import pytest

from shflbench.core.model import Overrides
from shflbench.errors import UsageError
from tests.suite.conftest import Folder

VARIANTS = "allowed: smem, shfl, match"
TEXT = (
    "defaults: {dtypes: [f32, i32], variants: [smem, shfl, match]}\n"
    "experiments:\n"
    "  - {pattern: ./ring, launch: 1x32, iterations: 5}\n"
    "  - {pattern: neighbor, launch: [1x32, sms x 64], iterations: [7, 9], skip: {launch: 1x32, iterations: 9}}\n"
)


def test_filters_keep_cases_that_match_all_of_them(folder: Folder) -> None:
    overrides = Overrides(patterns=("neighbor",), variants=("shfl", "match"), dtypes=("i32",))
    assert folder.ids(TEXT, overrides) == [
        "neighbor/shfl/i32/1x32/7/mode=idx",
        "neighbor/shfl/i32/sms x 64/7/mode=idx",
        "neighbor/shfl/i32/sms x 64/9/mode=idx",
    ]


def test_the_suite_has_only_the_folders_of_patterns_with_cases(folder: Folder) -> None:
    everything = folder.load("schema: 1\nname: a\n" + TEXT)
    filtered = folder.load("schema: 1\nname: a\n" + TEXT, Overrides(patterns=("ring",)))
    assert list(everything.pattern_folders) == ["ring", "neighbor"]
    assert [path.name for path in filtered.pattern_folders.values()] == ["ring"]


def test_launches_and_iterations_replace_those_of_the_file(folder: Folder) -> None:
    overrides = Overrides(variants=("shfl",), dtypes=("f32",), launches=("2*sms x 128", "3 x 96"), iterations=(11,))
    assert folder.ids(TEXT, overrides) == [
        "ring/shfl/f32/2*sms x 128/11/mode=idx/width=32",
        "ring/shfl/f32/3x96/11/mode=idx/width=32",
        "neighbor/shfl/f32/2*sms x 128/11/mode=idx",
        "neighbor/shfl/f32/3x96/11/mode=idx",
    ]


def test_cases_of_a_group_stay_together_under_overrides(folder: Folder) -> None:
    overrides = Overrides(patterns=("ring",), dtypes=("f32",), launches=("1x64", "2x64"))
    assert [case_id.split("/")[1] for case_id in folder.ids(TEXT, overrides)] == ["smem", "shfl", "smem", "shfl"]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            Overrides(patterns=("nieghbor",)),
            "unknown pattern `nieghbor`; allowed: ring, neighbor; did you mean `neighbor`?",
        ),
        (Overrides(variants=("shfl", "shlf")), f"unknown variant `shlf`; {VARIANTS}; did you mean `shfl`?"),
        (Overrides(variants=("smem-deck",)), f"unknown variant `smem-deck`; {VARIANTS}; did you mean `smem`?"),
        (Overrides(dtypes=("f64",)), "unknown dtype `f64`; allowed: f32, i32"),
        (
            Overrides(patterns=("neighbor",), variants=("match",)),
            "no case of the suite `demo` combines pattern neighbor, variant match",
        ),
        (
            Overrides(launches=("1x33",)),
            "found the launch `1x33`; allowed: blocks of whole warps: a multiple of 32 from 32 to 1024 threads",
        ),
        (Overrides(iterations=(0,)), "found 0 iterations; allowed: an integer from 1 to 2147483647"),
    ],
)
def test_an_override_that_does_not_fit_is_a_usage_error(folder: Folder, overrides: Overrides, message: str) -> None:
    with pytest.raises(UsageError) as error:
        folder.ids(TEXT, overrides)
    assert error.value.message == message
