from shflbench.core.grouping import group_by


def test_groups_and_their_items_keep_their_order() -> None:
    groups = group_by(["smem", "shfl", "cg", "cub"], len)
    assert list(groups.items()) == [(4, ["smem", "shfl"]), (2, ["cg"]), (3, ["cub"])]
    assert group_by([], len) == {}
