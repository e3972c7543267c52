from dataclasses import fields
from pathlib import Path

import pytest

from shflbench.core.model import MeasureRules
from shflbench.patterns.discover import builtin
from shflbench.suite.option_values import option_values
from shflbench.suite.schema import Measure
from tests.suite.conftest import Folder

RING = "experiments: [{pattern: ./ring, launch: 1x32}]\n"
VARIANTS = "allowed: smem, smem-unsafe, shfl, match"
OWN_FOLDER = "needed: a folder with pattern.py and kernels.cu, relative to the suite file"
KEYS = "pattern, variants, dtypes, launch, iterations, skip, mode, width, extra_shared, carveout, l2"
EXTRA_SHARED = "allowed: integers from 0 to 1048575, at least one and each once"
CARVEOUT = "allowed: integers from 0 to 100, at least one and each once"


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        (
            "variants: smem-unsave",
            f"4:49: unknown variant `smem-unsave`; {VARIANTS}; did you mean `smem-unsafe`?",
        ),
        ("variants: [shfl, zzz]", f"4:56: unknown variant `zzz`; {VARIANTS}"),
        ("variants: [shfl, shfl]", "4:56: found `shfl` a second time; allowed: each value once"),
        ("dtypes: [f32, float32]", "4:53: unknown dtype `float32`; allowed: f32, i32; did you mean `f32`?"),
        ("dtypes: f64", "4:47: unknown dtype `f64`; allowed: f32, i32"),
        ("mode: [idx, donw]", "4:51: unknown mode `donw`; allowed: idx, up, down; did you mean `down`?"),
        ("mode: [up, {}]", "4:50: found a mapping; allowed: idx, up, down"),
        ("mode: ", "4:39: found nothing; allowed: idx, up, down"),
        ("mode: []", "4:45: found an empty list; allowed: idx, up, down"),
        ("width: 8", "4:46: unknown width `8`; allowed: 32, 16"),
        ("width: [16, 16]", "4:51: found `16` a second time; allowed: each value once"),
        ("varaints: [shfl]", f"4:39: unknown key `varaints`; allowed: {KEYS}; did you mean `variants`?"),
        ("claims: {a: b}", f"4:39: unknown key `claims`; allowed: {KEYS}"),
        ("iterations: [1, 2, 1]", "4:58: found `1` a second time; allowed: each value once"),
        (
            "skip: {variants: shfl}",
            (
                "4:46: unknown key `variants`; allowed: variant, dtype, launch, iterations, mode, width, "
                "extra_shared, carveout, l2; did you mean `variant`?"
            ),
        ),
        ("extra_shared: 1048576", f"4:53: found `1048576`; {EXTRA_SHARED}"),
        ("extra_shared: -1", f"4:53: found `-1`; {EXTRA_SHARED}"),
        ("extra_shared: []", f"4:53: found an empty list; {EXTRA_SHARED}"),
        ("extra_shared: [0, 1.5]", f"4:57: found `1.5`; {EXTRA_SHARED}"),
        ("carveout: [50, 101]", f"4:54: found `101`; {CARVEOUT}"),
        ("carveout: all", f"4:49: found `all`; {CARVEOUT}"),
        ("carveout: [50, 50]", "4:54: found `50` a second time; allowed: each value once"),
        ("l2: [cold, clod]", "4:50: unknown l2 `clod`; allowed: warm, cold; did you mean `cold`?"),
        ("l2: []", "4:43: found an empty list; allowed: warm, cold"),
        ("l2: {warm: cold}", "4:43: found a mapping; allowed: warm, cold"),
        ("l2: [warm, warm]", "4:50: found `warm` a second time; allowed: each value once"),
        ("skip: {l2: hot}", "4:50: unknown l2 `hot`; allowed: warm, cold"),
        ("carveout: true", f"4:49: found `true`; {CARVEOUT}"),
        ("skip: {variant: shlf}", f"4:55: unknown variant `shlf`; {VARIANTS}; did you mean `shfl`?"),
        ("skip: [{dtype: [f32, f46]}]", "4:60: unknown dtype `f46`; allowed: f32, i32"),
        ("skip: [{mode: upp}]", "4:53: unknown mode `upp`; allowed: idx, up, down; did you mean `up`?"),
    ],
)
def test_an_unknown_word_suggests_the_nearest_one(folder: Folder, axes: str, message: str) -> None:
    assert (
        folder.refusal_of(f"experiments:\n  - {{pattern: ./ring, launch: [1x32], {axes}}}\n") == f"demo.yaml:{message}"
    )


def test_one_launch_has_many_spellings(folder: Folder) -> None:
    text = "experiments:\n  - pattern: ./ring\n    launch: [26x32, {grid: [1, 26], block: 32}]\n"
    assert folder.refusal_of(text) == "demo.yaml:5:21: found `26x32` a second time; allowed: each value once"


def test_an_unknown_pattern_suggests_the_nearest_name(folder: Folder) -> None:
    assert folder.refusal_of("experiments:\n  - pattern: nieghbor\n    launch: 1x32\n") == (
        f"demo.yaml:4:14: unknown pattern `nieghbor`; allowed: {', '.join(builtin())}, "
        "or a folder such as `./my_exchange`; did you mean `neighbor`?"
    )


def test_a_folder_that_no_system_can_have_is_refused(folder: Folder) -> None:
    text = 'experiments:\n  - {pattern: "./a\\0b", launch: 1x32}\n'
    assert "allowed: the name of a pattern, or a folder such as `./my_exchange`" in folder.refusal_of(text)


def test_a_folder_that_cannot_be_opened_is_refused_with_the_reason(folder: Folder) -> None:
    Path("ring").rename("kept")
    Path("ring").symlink_to("ring")
    text = f"experiments:\n  - {{pattern: ./ring, launch: 1x32}}\n  - {{pattern: ./{'a' * 300}, launch: 1x32}}\n"
    link, long = folder.refusal_of(text).splitlines()
    assert link.startswith("demo.yaml:4:15: the folder `./ring` cannot be opened: Too many levels of symbolic links; ")
    assert long == (f"demo.yaml:5:15: the folder `./{'a' * 78}…` cannot be opened: File name too long; {OWN_FOLDER}")


def test_a_title_with_control_characters_is_refused(folder: Folder) -> None:
    text = 'title: "\\e[2J"\nexperiments:\n  - {pattern: ./ring, launch: 1x32}\n'
    assert folder.refusal_of(text).endswith("; allowed: one line of text")


def test_a_missing_folder_and_a_folder_without_a_pattern_have_different_errors(folder: Folder) -> None:
    Path("empty").mkdir()
    text = "experiments:\n  - {pattern: ./rnig, launch: 1x32}\n  - {pattern: ./empty, launch: 1x32}\n"
    assert folder.refusal_of(text) == (
        f"demo.yaml:4:15: the folder `./rnig` does not exist; {OWN_FOLDER}\n"
        "demo.yaml:5:15: the pattern `./empty` cannot be used: "
        f"{Path('empty').resolve()} is not a pattern folder: it has no pattern.py"
    )


def test_two_folders_of_one_name_are_refused(folder: Folder) -> None:
    Path("ring").rename("neighbor")
    text = "experiments:\n  - {pattern: neighbor, launch: 1x32}\n  - {pattern: ./neighbor, launch: 1x32}\n"
    assert folder.refusal_of(text) == (
        "demo.yaml:5:15: the patterns `./neighbor` and `neighbor` have the same name; "
        "needed: folders with different names"
    )


def test_a_default_must_be_known_to_one_of_the_patterns(folder: Folder) -> None:
    text = (
        "defaults: {launch: 1x32, variants: [smem-deck, match, cbu], dtypes: [f64, f64]}\n"
        "experiments: [{pattern: ./ring}, {pattern: neighbor}]\n"
    )
    known = "smem, smem-unsafe, shfl, match, smem-double, smem-syncwarp, smem-deck"
    assert folder.refusal_of(text) == (
        f"demo.yaml:3:55: unknown variant `cbu`; allowed: {known}\n"
        "demo.yaml:3:75: found `f64` a second time; allowed: each value once"
    )


def test_values_of_an_option_are_compared_as_text() -> None:
    assert option_values([True, 16, 0.5, "up", None]) == ["true", "16", "0.5", "up", None]
    assert option_values(False) == ["false"]  # noqa: FBT003  (a value of the file)


def test_every_rule_can_be_written_and_has_the_default_of_the_model(folder: Folder) -> None:
    assert list(Measure.model_fields) == [field.name for field in fields(MeasureRules)]
    assert folder.load(f"schema: 1\nname: a\n{RING}").rules == MeasureRules()


def test_rules_reach_the_suite_unchanged(folder: Folder) -> None:
    section = (
        "{precision: 1%, min_seconds: 3, max_seconds: 0.5, min_samples: 6, max_samples: 6, processes: 100, places: 9, "
        "timeout: 8}"
    )
    rules = folder.load(f"schema: 1\nname: a\nmeasure: {section}\n{RING}").rules
    assert rules == MeasureRules(0.01, 3, 0.5, 6, 6, 100, 9, 8)  # rounds are spread over more than a case's own seconds


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("{max_samples: 5}", "3:24: found `5`; allowed: at least `min_samples`, which is {min_samples}"),
        ("{min_samples: 9, max_samples: 8}", "3:40: found `8`; allowed: at least `min_samples`, which is 9"),
        ("{min_samples: 900000}", "3:24: found `900000`; allowed: at most `max_samples`, which is {max_samples}"),
    ],
)
def test_min_samples_above_max_samples_is_refused_at_its_position(folder: Folder, measure: str, message: str) -> None:
    rules = MeasureRules()
    expected = message.format(min_samples=rules.min_samples, max_samples=rules.max_samples)
    assert folder.refusal_of(f"measure: {measure}\n{RING}") == f"demo.yaml:{expected}"
