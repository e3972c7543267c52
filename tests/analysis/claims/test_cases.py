import pytest

from shflbench.analysis.claims.cases import Absent, CaseGroup, RunCases, canonical_launch
from tests.analysis.claims.conftest import recorded


def cases(suite: str) -> RunCases:
    return RunCases(recorded(suite).run.rows)


def groups(suite: str, **where: str) -> list[CaseGroup]:
    return cases(suite).matching({key: tuple(values.split("|")) for key, values in where.items()})


def one(suite: str, **where: str) -> CaseGroup:
    (group,) = groups(suite, **where)
    return group


def test_every_group_is_a_setting_without_where() -> None:
    assert sum(len(group.rows) for group in groups("gtc2013")) == len(recorded("gtc2013").run.rows)


@pytest.mark.parametrize(
    ("suite", "where", "expected"),
    [
        ("gtc2013", {"pattern": "reduce", "dtype": "f32", "width": "32"}, 1),
        ("gtc2013", {"pattern": "reduce", "dtype": "f32|i32", "width": "32|16"}, 4),
        ("gtc2013", {"pattern": "transpose", "launch": " 104 x 256"}, 6),
        ("gtc2013", {"pattern": "transpose", "words": "4.0"}, 1),
        ("gtc2013", {"iterations": "1024"}, 6),
        ("launch-sweep", {"pattern": "neighbor", "grid": "2*sms", "block": "64"}, 1),
        ("launch-sweep", {"pattern": "neighbor", "launch": "2 * sms x 64|1x32"}, 2),
        ("moving-average", {"l2": "warm", "grid": "256"}, 1),  # not named by the case: the default
        ("gtc2013", {"width": "32", "pattern": "scan"}, 0),
        ("gtc2013", {"no-such-option": "1"}, 0),
    ],
)
def test_where_selects_the_groups_that_have_one_of_the_values_of_each_key(
    suite: str, where: dict[str, str], expected: int
) -> None:
    assert len(groups(suite, **where)) == expected


def test_a_text_that_is_no_launch_stays_as_it_is() -> None:
    assert canonical_launch("2*sms x256") == "2*sms x 256"
    assert canonical_launch(" ../../etc/passwd ") == "../../etc/passwd"


def test_a_call_without_settings_means_the_variant_of_its_group() -> None:
    row = cases("gtc2013").select(one("gtc2013", pattern="reduce", dtype="f64"), "shfl")
    assert not isinstance(row, Absent)
    assert row.case_id == "reduce/shfl/f64/26x1024/4096/width=32"


def test_a_setting_of_a_call_replaces_that_of_its_group() -> None:
    group = one("dynamic-indexing", pattern="private-array", length="8", index="uniform")
    row = cases("dynamic-indexing").select(group, "local", (("index", "worst"),))
    assert not isinstance(row, Absent)
    assert dict(row.options) == {"length": "8", "index": "worst", "math": "0"}
    assert row.launch == group.first.launch


def test_a_launch_option_can_be_added_to_a_group_that_does_not_name_it() -> None:
    group = one("moving-average", l2="warm", grid="256", dtype="f32")
    row = cases("moving-average").select(group, "shfl", (("l2", "cold"),))
    assert not isinstance(row, Absent)
    assert dict(row.options)["l2"] == "cold"


def test_part_of_a_launch_can_be_replaced() -> None:
    group = one("launch-sweep", pattern="reduce", grid="sms", block="64")
    row = cases("launch-sweep").select(group, "smem", (("block", "1024"),))
    assert not isinstance(row, Absent)
    assert row.launch == "sms x 1024"


def test_in_another_pattern_the_options_that_both_have_agree() -> None:
    group = one("dynamic-indexing", pattern="static-array", length="16")
    row = cases("dynamic-indexing").select(
        group, "smem", (("pattern", "private-array"), ("index", "random"), ("carveout", "50"))
    )
    assert isinstance(row, Absent)  # length 16 was not measured with this carveout
    row = cases("dynamic-indexing").select(group, "local", (("pattern", "private-array"), ("index", "random")))
    assert not isinstance(row, Absent)
    assert dict(row.options)["length"] == "16"


def test_a_call_that_means_several_cases_names_the_options_to_add() -> None:
    group = one("dynamic-indexing", pattern="static-array", length="16")
    absent = cases("dynamic-indexing").select(group, "smem", (("pattern", "private-array"),))
    assert absent == Absent("3 cases of `smem` have pattern=private-array; name index, too")


def test_a_case_that_the_run_lacks_is_described_so_that_it_can_be_added() -> None:
    group = one("gtc2013", pattern="reduce", dtype="f64")
    absent = cases("gtc2013").select(group, "shfl", (("width", "16"),))
    assert absent == Absent(
        "there is no case of `shfl` with width=16 at reduce, f64, 26x1024, 4096 iterations; add it to the suite"
    )
