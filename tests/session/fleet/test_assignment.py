"""The devices that measure the groups of a suite (pure functions)."""

from shflbench.session.fleet.assignment import GroupPool, divide, folder_name, split_finished

SIZES = {"a": 1, "b": 6, "c": 2, "d": 3, "e": 2}  # cases per group


def test_groups_are_divided_by_their_cases_and_keep_the_order_of_the_suite() -> None:
    assert divide(SIZES, 2) == [("a", "b"), ("c", "d", "e")]
    assert divide({"a": 1}, 3) == [("a",), (), ()]


def test_devices_of_each_model_measure_the_whole_suite_once() -> None:
    pool: GroupPool[int] = GroupPool(SIZES)
    pool.add_all(["H200", "L4", "H200"])
    for device, model in enumerate(["H200", "L4", "H200"]):
        pool.offer(model, device)
    assigned = dict(pool.assign())
    assert sorted(assigned[0] + assigned[2]) == list(SIZES)
    assert assigned[1] == tuple(SIZES)
    assert pool.unassigned == {}
    assert pool.assign() == []


def test_groups_of_a_lost_device_wait_for_another_of_its_model_that_is_idle() -> None:
    pool: GroupPool[str] = GroupPool(SIZES)
    pool.add("H200", ["b", "d"])
    pool.offer("L4", "other model")
    assert pool.assign() == []
    assert pool.unassigned == {"H200": ["b", "d"]}
    pool.offer("H200", "late")
    assert pool.assign() == [("late", ("b", "d"))]


def test_device_that_gets_no_group_stays_idle() -> None:
    pool: GroupPool[str] = GroupPool(SIZES)
    pool.add("H200", ["a"])
    pool.offer("H200", "one")
    pool.offer("H200", "two")
    assert pool.assign() == [("one", ("a",))]
    pool.add("H200", ["c"])
    assert pool.assign() == [("two", ("c",))]


def test_group_is_finished_when_each_of_its_cases_is() -> None:
    group_of = {"a/1": "a", "b/1": "b", "b/2": "b", "c/1": "c"}
    assert split_finished(group_of, {"a/1", "b/1"}) == (("a",), ("b", "c"))
    assert split_finished(group_of, group_of) == (("a", "b", "c"), ())


def test_folders_of_one_gpu_have_different_names() -> None:
    names: list[str] = []
    for host in ("Node 7.lab", "node-7-lab", "node8"):
        names.append(folder_name(host, 0, names))
    assert names == ["node-7-lab-0", "node-7-lab-0-2", "node8-0"]
