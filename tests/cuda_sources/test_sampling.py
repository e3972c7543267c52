"""Instances of templates that are checked where a file has many."""

from shflbench.cuda_sources.kernel_file import SourceKernel
from shflbench.cuda_sources.sampling import MOST_INSTANCES, sample_instances

TYPES = {"i": "int", "f": "float"}


def instance(name: str, type_: str, size: int) -> SourceKernel:
    return SourceKernel(f"{name}<{TYPES[type_]}, {size}>", f"_Z{len(name)}{name}I{type_}Li{size}EEvPT_", (), None)


PLAIN = SourceKernel("copy", "_Z4copyPi", (), None)
SIZES = [instance("a", type_, size) for type_ in "if" for size in range(1, 9)]


def test_few_instances_are_all_checked() -> None:
    assert len(SIZES) == MOST_INSTANCES
    assert sample_instances([PLAIN, *SIZES]) == ([PLAIN, *SIZES], [])


def test_of_many_instances_those_with_new_arguments_remain_and_a_note_names_the_others() -> None:
    kernels = [PLAIN, *SIZES, instance("b", "i", 1), instance("b", "i", 2)]
    kept, (note,) = sample_instances(kernels)
    assert kept[0] == PLAIN
    assert len(kept) == MOST_INSTANCES + 1
    names = {kernel.name for kernel in kept}
    assert names >= {"a<int, 1>", "a<float, 2>", "b<int, 1>", "b<int, 2>", *(f"a<int, {size}>" for size in range(3, 9))}
    assert note.text == (
        "16 of the 18 instances of 2 kernel templates are checked; not checked: `a<float, 7>`, `a<float, 8>`; check "
        "all of one template with --kernel a"
    )


def test_every_template_keeps_an_instance() -> None:
    kept, (note,) = sample_instances([instance(f"k{number}", type_, 1) for number in range(20) for type_ in "if"])
    assert [kernel.name for kernel in kept] == [f"k{number}<int, 1>" for number in range(20)]
    assert "and 12 more; check all of one template with --kernel k0" in note.text
