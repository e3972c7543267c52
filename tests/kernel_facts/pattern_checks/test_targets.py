import shutil
from pathlib import Path

import pytest

from shflbench.errors import PatternError, SuiteError, UsageError
from shflbench.kernel_facts.pattern_checks.targets import Filters, find
from shflbench.patterns.discover import builtin
from shflbench.suite import find_shipped
from tests.kernel_facts.pattern_checks.conftest import PLANTED

PATTERNS = Path(__file__).parents[2] / "patterns"

VARIANTS = "smem, smem-double, smem-syncwarp, smem-unsafe, smem-deck, shfl"
SUITE = """\
schema: 1
name: own
experiments:
  - {pattern: neighbor, variants: [smem, shfl], dtypes: [f32, f64], launch: [2x64, 4x64], iterations: [16, 64]}
"""


def names(*targets: str, filters: Filters | None = None) -> list[str]:
    return [subject.name for subject in find(targets, filters or Filters())]


def test_a_pattern_stands_for_all_its_kernels() -> None:
    assert len(names("neighbor")) == 6 * 8 * 4  # variants, dtypes, and the values of the option
    redux = names("reduce", filters=Filters(variants=("redux",)))
    assert redux == [f"reduce/redux/i32/width={width}" for width in (32,)]


def test_a_suite_stands_for_its_kernels_each_once(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(SUITE, encoding="utf-8")
    kernels = [f"neighbor/{variant}/{dtype}/mode=idx" for dtype in ("f32", "f64") for variant in ("smem", "shfl")]
    assert names(str(path)) == kernels
    both = names(str(path), "neighbor", filters=Filters(variants=("smem", "shfl"), dtypes=("f32", "f64")))
    assert both[:4] == kernels
    assert len(both) == len(set(both)) == 4 * 4


@pytest.mark.one_in(3)
@pytest.mark.parametrize("suite", find_shipped())
def test_every_shipped_suite_has_kernels_to_check(suite: str) -> None:
    patterns = {name.partition("/")[0] for name in names(suite)}
    assert patterns
    assert patterns <= set(builtin())


@pytest.mark.archs
def test_every_pattern_is_in_a_shipped_suite() -> None:
    assert {name.partition("/")[0] for suite in find_shipped() for name in names(suite)} == set(builtin())


def test_a_folder_stands_for_its_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PLANTED)
    assert names(".", filters=Filters(variants=("right",))) == ["pairs/right/i32", "pairs/right/i64"]


def test_options_make_kernels_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "pairs"
    folder.mkdir()
    for file in PLANTED.glob("*.cu"):
        (folder / file.name).write_bytes(file.read_bytes())
    text = (PLANTED / "pattern.py").read_text(encoding="utf-8")
    text = text.replace('dtypes=("i32", "i64"),', 'dtypes=("i32",), options={"depth": ("1", "2")},')
    (folder / "pattern.py").write_text(
        text.replace("iterations: int)", "iterations: int, depth: str)"), encoding="utf-8"
    )
    assert names(str(folder), filters=Filters(variants=("right",))) == [
        "pairs/right/i32/depth=1",
        "pairs/right/i32/depth=2",
    ]


def test_an_unknown_target_is_reported_with_the_nearest_name() -> None:
    known = ", ".join([*find_shipped(), *builtin()])
    with pytest.raises(PatternError) as caught:
        find(["neigbor"])
    assert caught.value.message == (
        f"unknown target `neigbor`; allowed: {known}, a suite file or a pattern folder; did you mean `neighbor`?"
    )


def test_a_folder_without_a_pattern_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PatternError, match=r"is not a pattern folder: it has no pattern\.py"):
        find([str(tmp_path)])


def test_a_file_that_is_no_suite_is_refused() -> None:
    with pytest.raises(SuiteError):
        find([str(PLANTED / "pattern.py")])


@pytest.mark.parametrize(
    ("filters", "sentence"),
    [
        (
            Filters(variants=("smem-syncwrap",)),
            f"unknown variant `smem-syncwrap`; allowed: {VARIANTS}; did you mean `smem-syncwarp`?",
        ),
        (Filters(dtypes=("f8",)), "unknown dtype `f8`; allowed: f16, bf16, f32, f64, i32, i64, f32x2, f32x4"),
        (Filters(patterns=("reduce",)), "unknown pattern `reduce`; allowed: neighbor"),
    ],
)
def test_a_filter_that_matches_nothing_is_refused(filters: Filters, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        find(["neighbor"], filters)
    assert caught.value.message == sentence


def test_filters_that_match_nothing_together_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        find(["reduce"], Filters(variants=("redux",), dtypes=("f32",)))
    assert caught.value.message == "no kernel has variant redux, dtype f32"


def test_options_of_the_launch_do_not_change_the_kernel() -> None:
    names = [subject.name for subject in find(["moving-average"])]  # the suite, which has cases with `l2: cold`
    assert not any("l2" in name for name in names)
    assert len(names) == len(set(names))


def checked_at(target: Path) -> set[str]:
    return {subject.case.launch.expression for subject in find([str(target)])}


def test_kernels_of_several_dimensions_are_checked_in_few_blocks_of_their_shape(tmp_path: Path) -> None:
    assert checked_at(PATTERNS / "tile_transpose") == {"2x2:16x16"}  # of its declared blocks
    assert checked_at(PATTERNS / "tiled_product") == {"2x2:16x16"}  # 4x4:16x16 in the declaration
    suite = tmp_path / "tiles.yaml"
    pattern = PATTERNS / "tile_transpose"
    suite.write_text(
        f"schema: 1\nname: tiles\nexperiments: [{{pattern: {pattern}, launch: 8x32:16x16}}]\n", encoding="utf-8"
    )
    assert checked_at(suite) == {"1x4:16x16"}


def test_a_reference_for_data_of_a_fixed_size_is_compared_at_the_launch_of_these_data(tmp_path: Path) -> None:
    folder = tmp_path / "tiled_product"
    shutil.copytree(PATTERNS / "tiled_product", folder)
    declaration = folder / "pattern.py"
    text = declaration.read_text(encoding="utf-8")
    fields = 'one_pass=True, fixed_sizes=True, options={"side": ("64", "128")}'
    text = text.replace("one_pass=True", fields).replace("at: Setting)", "at: Setting, side: str)")
    declaration.write_text(
        text.replace("def _side(at: Setting, side: str)", "def _side(at: Setting)"), encoding="utf-8"
    )
    assert checked_at(folder) == {"4x4:16x16"}
    assert {subject.case.options for subject in find([str(folder)])} == {(("side", "64"),)}
    text = declaration.read_text(encoding="utf-8")
    declaration.write_text(text.replace("4x4:16x16", "16x16:16x16"), encoding="utf-8")
    assert checked_at(folder) == {"2x2:16x16"}
    assert {subject.incomparable for subject in find([str(folder)])} == {
        "its results are compared on a GPU only: 16x16:16x16 has more than 16,384 threads"
    }
