import pytest

from shflbench.emulator.dataflow.slices import Slice, Slicer
from tests.emulator.dataflow import sliced


@pytest.fixture(scope="module")
def slicer() -> Slicer:
    return sliced.slicer()


def of(slicer: Slicer, text: str, *, address_only: bool = False) -> Slice:
    return slicer.of([sliced.op_of(slicer, text)], address_only=address_only)


def test_an_address_depends_on_its_pointer_the_thread_and_what_guards_it(slicer: Slicer) -> None:
    load = of(slicer, "ld.global.u32")
    assert load.parameters == {0, 16}
    assert load.pointers == {0}
    assert load.launch
    assert not load.contents


def test_without_conditions_only_the_address_counts(slicer: Slicer) -> None:
    assert of(slicer, "ld.global.u32", address_only=True).parameters == {0}


def test_an_index_from_memory_depends_on_the_contents_of_the_buffer(slicer: Slicer) -> None:
    store = of(slicer, "st.global.u32")
    assert store.contents == {0}
    assert store.pointers == {8}
    assert store.parameters == {0, 8, 16}


def test_an_index_from_shared_memory_depends_on_what_is_stored_there(slicer: Slicer) -> None:
    assert of(slicer, "st.global.u16").parameters == {8, 16, 20}


def test_code_after_a_branch_that_joins_does_not_depend_on_it(slicer: Slicer) -> None:
    store = of(slicer, "st.global.u8")
    assert store.parameters == {8}
    assert not store.launch


def test_an_instruction_leads_to_its_ops(slicer: Slicer) -> None:
    load = sliced.op_of(slicer, "ld.global.u32")
    assert slicer.ops_of(load.instruction) == [load]
