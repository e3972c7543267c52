from pathlib import Path

import pytest

from shflbench.core.model import Launch
from tests.suite.conftest import Folder

NO_MATCH = "this entry matches no case; needed: a combination that the experiment has"
NOTHING_LEFT = "`skip` leaves no case of the experiment; needed: at least one case"


def test_cases_of_a_group_stand_together_for_all_axes(folder: Folder) -> None:
    text = (
        "experiments:\n"
        "  - {pattern: ./ring, variants: [shfl, smem], dtypes: [i32, f32], launch: [26x1024, sms x 32],\n"
        "     iterations: [1, 2], mode: [up, idx]}\n"
    )
    assert folder.ids(text) == [
        f"ring/{variant}/{dtype}/{launch}/{iterations}/mode={mode}/width=32"
        for dtype in ("i32", "f32")
        for launch in ("26x1024", "sms x 32")
        for mode in ("up", "idx")
        for iterations in (1, 2)
        for variant in ("shfl", "smem")
    ]


def test_omitted_axes_have_all_variants_and_dtypes_and_the_first_option(folder: Folder) -> None:
    assert folder.ids("experiments: {pattern: ./ring, launch: 26x1024}\n") == [
        "ring/smem/f32/26x1024/4096/mode=idx/width=32",
        "ring/smem-unsafe/f32/26x1024/4096/mode=idx/width=32",
        "ring/shfl/f32/26x1024/4096/mode=idx/width=32",
        "ring/smem/i32/26x1024/4096/mode=idx/width=32",
        "ring/smem-unsafe/i32/26x1024/4096/mode=idx/width=32",
        "ring/shfl/i32/26x1024/4096/mode=idx/width=32",
        "ring/match/i32/26x1024/4096/mode=idx/width=32",  # which f32 does not have
    ]


def test_a_launch_may_be_a_product(folder: Folder) -> None:
    suite = folder.load(
        "schema: 1\nname: a\nexperiments:\n  - pattern: ./ring\n    variants: shfl\n    dtypes: f32\n"
        "    launch: {grid: [1, sms/2, fill], block: [32, 64]}\n"
    )
    assert [case.launch for case in suite.cases] == [
        Launch(f"{grid}{block}", block, blocks)
        for grid, blocks in (("1x", 1), ("sms/2 x ", None), ("fill x ", None))
        for block in (32, 64)
    ]


def test_defaults_apply_to_experiments_that_set_nothing_as_far_as_the_pattern_supports_them(folder: Folder) -> None:
    text = (
        "defaults: {launch: 1x32, iterations: 7, dtypes: [f64, f32], variants: [smem-deck, shfl]}\n"
        "experiments:\n"
        "  - {pattern: ./ring, mode: up}\n"
        "  - {pattern: neighbor, dtypes: i32}\n"
        "  - {pattern: neighbor, launch: 2x64, iterations: 9, variants: smem, dtypes: f32}\n"
    )
    assert folder.ids(text) == [
        "ring/shfl/f32/1x32/7/mode=up/width=32",
        "neighbor/smem-deck/i32/1x32/7/mode=idx",
        "neighbor/shfl/i32/1x32/7/mode=idx",
        "neighbor/smem/f32/2x64/9/mode=idx",
    ]


def test_cases_of_one_group_from_two_experiments_stand_together(folder: Folder) -> None:
    text = (
        "defaults: {launch: 1x32, iterations: 7, dtypes: f32}\n"
        "experiments:\n"
        "  - {pattern: neighbor, variants: smem}\n"
        "  - {pattern: neighbor, variants: smem, dtypes: i32}\n"
        "  - {pattern: neighbor, variants: shfl}\n"
    )
    assert folder.ids(text) == [
        "neighbor/smem/f32/1x32/7/mode=idx",
        "neighbor/shfl/f32/1x32/7/mode=idx",
        "neighbor/smem/i32/1x32/7/mode=idx",
    ]


def test_options_of_the_launch_follow_those_of_the_pattern(folder: Folder) -> None:
    text = (
        "experiments:\n"
        "  - {pattern: ./ring, variants: shfl, dtypes: f32, launch: 1x32, l2: cold, carveout: 50,\n"
        "     extra_shared: [0, 1024], width: 16}\n"
    )
    assert folder.ids(text) == [
        f"ring/shfl/f32/1x32/4096/mode=idx/width=16/extra_shared={extra}/carveout=50/l2=cold" for extra in (0, 1024)
    ]


def test_skip_may_name_options_of_the_launch(folder: Folder) -> None:
    text = (
        "experiments:\n"
        "  - {pattern: ./ring, variants: shfl, dtypes: f32, launch: 1x32, extra_shared: [0, 8], carveout: [0, 100],\n"
        "     skip: {extra_shared: 8, carveout: 0}}\n"
    )
    own = [case.split("/width=32/")[1] for case in folder.ids(text)]
    assert own == ["extra_shared=0/carveout=0", "extra_shared=0/carveout=100", "extra_shared=8/carveout=100"]


def test_variant_has_no_cases_of_option_values_that_it_does_not_support(folder: Folder) -> None:
    own = Path("ring/pattern.py")
    shuffle = 'summary="shuffle"'
    text = own.read_text(encoding="utf-8")
    own.write_text(text.replace(shuffle, shuffle + ', only={"mode": ("up", "down")}'), encoding="utf-8")
    text = "experiments: {pattern: ./ring, launch: 1x32, dtypes: f32, variants: [smem, shfl], mode: [idx, up, down]}\n"
    cases = folder.load(f"schema: 1\nname: a\n{text}").cases
    found = [(dict(case.options)["mode"], case.variant) for case in cases]
    assert found == [("idx", "smem"), ("up", "smem"), ("up", "shfl"), ("down", "smem"), ("down", "shfl")]


def test_pattern_of_one_pass_has_one_case_whatever_the_default_iterations(folder: Folder) -> None:
    text = "defaults: {launch: 1x32, iterations: [7, 9], dtypes: f32}\nexperiments: {pattern: ./once}\n"
    assert folder.ids(text) == ["once/smem/f32/1x32/1", "once/shfl/f32/1x32/1"]


def test_iterations_of_a_pattern_of_one_pass_are_refused(folder: Folder) -> None:
    assert folder.refusal_of("experiments:\n  - {pattern: ./once, launch: 1x32, iterations: 5}\n") == (
        "demo.yaml:4:37: found the key `iterations`; leave it out: each launch of `once` makes one pass over its data"
    )


@pytest.mark.parametrize(
    ("skip", "left"),
    [
        ("{variant: smem}", ["shfl/f32 1 idx", "shfl/f32 1 up", "shfl/i32 1 idx", "shfl/i32 1 up"]),
        (
            "{variant: shfl, dtype: i32}",
            ["smem/f32 1 idx", "shfl/f32 1 idx", "smem/f32 1 up", "shfl/f32 1 up", "smem/i32 1 idx", "smem/i32 1 up"],
        ),
        ("[{dtype: [i32]}, {mode: up}]", ["smem/f32 1 idx", "shfl/f32 1 idx"]),
        (
            "{dtype: f32, launch: 1 x 32, iterations: [5, 7], mode: [idx, down]}",
            ["smem/f32 1 up", "shfl/f32 1 up", "smem/i32 1 idx", "shfl/i32 1 idx", "smem/i32 1 up", "shfl/i32 1 up"],
        ),
    ],
)
def test_skip_leaves_out_cases_that_match_every_key_of_an_entry(folder: Folder, skip: str, left: list[str]) -> None:
    text = (
        "defaults: {launch: 1x32, iterations: 7}\n"
        f"experiments: [{{pattern: ./ring, variants: [smem, shfl], mode: [idx, up], skip: {skip}}}]\n"
    )
    cases = folder.load("schema: 1\nname: a\n" + text).cases
    found = [f"{case.variant}/{case.dtype} {case.launch.grid} {dict(case.options)['mode']}" for case in cases]
    assert found == left


@pytest.mark.parametrize(
    ("experiment", "message"),
    [
        (
            "{pattern: ./ring}",
            "4:5: missing key `launch`; needed: launch shapes such as `26x1024`, here or under `defaults`",
        ),
        (
            "{pattern: ./ring, launch: 1x32, variants: match, dtypes: f32}",
            (
                "4:5: no variant has one of the dtypes; "
                "needed: smem (f32, i32), smem-unsafe (f32, i32), shfl (f32, i32), match (i32)"
            ),
        ),
        ("{pattern: ./ring, launch: 1x32, skip: [{dtype: i32}, {dtype: f32, variant: match}]}", f"4:58: {NO_MATCH}"),
        ("{pattern: ./ring, launch: 1x32, skip: {launch: 2x32}}", f"4:43: {NO_MATCH}"),
        ("{pattern: ./ring, launch: 1x32, skip: {dtype: [f32, i32]}}", f"4:37: {NOTHING_LEFT}"),
        # Without a carveout the driver decides.
        ("{pattern: ./ring, launch: 1x32, skip: {carveout: 0}}", f"4:43: {NO_MATCH}"),
        ("{pattern: ./ring, launch: 1x32, skip: {}}", f"4:37: {NOTHING_LEFT}"),
    ],
)
def test_an_experiment_without_a_case_is_refused(folder: Folder, experiment: str, message: str) -> None:
    assert folder.refusal_of(f"experiments:\n  - {experiment}\n") == f"demo.yaml:{message}"


def test_a_case_of_two_experiments_is_refused(folder: Folder) -> None:
    text = (
        "defaults: {launch: 1x32, dtypes: f32}\n"
        "experiments:\n"
        "  - {pattern: neighbor, variants: [smem, smem-deck, shfl]}\n"
        "  - {pattern: neighbor, variants: [shfl, smem-double]}\n"
        "  - {pattern: neighbor, launch: [2x32, 1x32], variants: [smem-deck, smem]}\n"
    )
    assert folder.refusal_of(text) == (
        "demo.yaml:6:5: found `neighbor/shfl/f32/1x32/4096/mode=idx`, already in experiment 1; "
        "allowed: each case once\n"
        "demo.yaml:7:5: found `neighbor/smem-deck/f32/1x32/4096/mode=idx` and 1 more, "
        "already in experiment 1; allowed: each case once"
    )


def test_a_product_of_too_many_cases_is_refused_before_it_is_expanded(folder: Folder) -> None:
    numbers = ", ".join(map(str, range(1, 1001)))
    text = (
        "defaults: {launch: 1x32, dtypes: f32, variants: shfl}\n"
        "experiments:\n"
        "  - {pattern: neighbor}\n"
        f"  - {{pattern: neighbor, iterations: [{numbers}], launch: {{grid: [{numbers}], block: [32, 64]}},\n"
        f"     extra_shared: [{numbers}]}}\n"
        "  - {pattern: reduce}\n"
    )
    assert folder.refusal_of(text) == ("demo.yaml:6:5: found 2,000,000,001 cases up to here; allowed: 20,000 per suite")


def test_too_many_skips_are_refused(folder: Folder) -> None:
    skips = ", ".join(["{variant: shfl}"] * 101)
    assert folder.refusal_of(f"experiments:\n  - {{pattern: ./ring, launch: 1x32, skip: [{skips}]}}\n") == (
        "demo.yaml:4:43: found a list; allowed: at most 100 entries"
    )
