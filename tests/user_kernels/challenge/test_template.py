"""A template is a kernel that compiles, has the pattern's signature, and is right as it is."""

import re
from collections.abc import Mapping, Sequence
from itertools import cycle, islice, product
from pathlib import Path

import pytest

from shflbench.checker import KernelVerdict
from shflbench.core.default_arch import DEFAULT_ARCH
from shflbench.core.environment import cache_folder
from shflbench.cuda.compile.build import Builder
from shflbench.cuda.compile.toolchain import find
from shflbench.errors import UsageError
from shflbench.patterns.declare import Pattern
from shflbench.patterns.discover import builtin, builtin_declaration
from shflbench.user_kernels.challenge.challenged import ChallengedPattern, challenged_pattern
from shflbench.user_kernels.challenge.kernels import challengers_in
from shflbench.user_kernels.challenge.prepare import Challenge, check, prepare
from shflbench.user_kernels.challenge.settings import settings_of
from shflbench.user_kernels.challenge.template import template_of
from tests.thorough import all_or_a_sample

REFUSED = {"memory-ladder", "cluster-copy", "cluster-exchange", "cluster-reduce", "grid-reduce"}
FILE = Path("template.cu")
# With a timed loop, of one pass, with a constant block size, with a buffer of another type, with options that decide
# what the kernel and its functions are.
SAMPLE: list[tuple[str, str, Mapping[str, str]]] = [
    ("reduce", "f16x2", {"width": "8"}),
    ("moving-average", "f32", {}),
    ("handoff", "i32", {}),
    ("fragment-load", "i16", {}),
    ("bitonic-sort", "f32", {"payload": "value"}),
    ("vote", "i32", {"op": "ballot"}),
    ("private-array", "f32", {}),
]


def verdicts(challenged: ChallengedPattern, below: Path, launches: Sequence[str] = ()) -> list[KernelVerdict]:
    """Return the verdicts on the kernels of the template, at the published launches if none are named."""
    text = template_of(challenged).text
    kernels = tuple(challengers_in(FILE, text, challenged, ()))
    challenge = Challenge(challenged, FILE, text, kernels, settings_of(challenged, launches), {})
    builder = Builder(find(), DEFAULT_ARCH, cache_folder())
    files = prepare(challenge, below, builder)
    return [report.verdict for report in check(challenge, files, builder, 0)]


@pytest.mark.archs
@pytest.mark.one_in(2)
@pytest.mark.parametrize(("name", "dtype", "options"), SAMPLE)
def test_an_unedited_template_is_right(name: str, dtype: str, options: Mapping[str, str], tmp_path: Path) -> None:
    challenged = challenged_pattern(name, dtype, options, DEFAULT_ARCH)
    assert verdicts(challenged, tmp_path) == [KernelVerdict.CLEAN]


@pytest.mark.one_in(3)
@pytest.mark.archs
@pytest.mark.parametrize("name", [name for name in builtin() if name not in REFUSED])
@all_or_a_sample
def test_each_template_of_each_dtype_is_right_at_the_first_launch(name: str, tmp_path: Path, *, every: bool) -> None:
    declared = builtin_declaration(name)
    assert declared
    settings = product(declared.dtypes, declared.option_choices) if every else _settings(declared)
    for number, (dtype, options) in enumerate(settings):
        challenged = challenged_pattern(name, dtype, options, DEFAULT_ARCH)
        folder = tmp_path / str(number)
        folder.mkdir()
        first = settings_of(challenged, ()).launches[0].expression
        assert verdicts(challenged, folder, (first,)) == [KernelVerdict.CLEAN], challenged.setting_words


def _settings(declared: Pattern) -> list[tuple[str, Mapping[str, str]]]:
    """Return settings in which each dtype and each choice of options occurs."""
    dtypes, choices = declared.dtypes, declared.option_choices
    number = max(len(dtypes), len(choices))
    return list(islice(zip(cycle(dtypes), cycle(choices), strict=False), number))


@pytest.mark.parametrize("name", builtin())
def test_each_pattern_has_a_template_or_a_reason_why_not(name: str) -> None:
    if name in REFUSED:
        with pytest.raises(UsageError, match=f"{name} cannot be challenged: "):
            challenged_pattern(name, None, {}, DEFAULT_ARCH)
        return
    challenged = challenged_pattern(name, None, {}, DEFAULT_ARCH)
    template = template_of(challenged)
    (kernel,) = challengers_in(FILE, template.text, challenged, ())
    assert kernel.name == f"my_{name.replace('-', '_')}"
    assert "copied/" not in template.text
    assert max(map(len, template.text.splitlines())) <= 130


def test_the_template_of_reduce_has_the_functions_and_the_kernel_of_its_shortest_variant() -> None:
    template = template_of(challenged_pattern("reduce", "f32", {}, DEFAULT_ARCH))
    assert template.model.name == "shfl"
    code = "\n".join(line for line in template.text.splitlines() if not line.startswith("//"))
    assert (
        code
        == """\
#include "recurrence.cuh"
#include "shflbench.cuh"

namespace mine {

__device__ inline float warp_sum(float x) {
    float sum = x;
    for (int distance = 32 / 2; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    }
    return sum;
}

}

template <typename T>
__global__ void LAUNCH_BOUNDS my_reduce(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, mine::warp_sum(x));
    result[thread()] = x;
}"""
    )


def test_the_comment_says_what_to_compute_and_how_to_try_it() -> None:
    challenged = challenged_pattern("reduce", "i32", {"width": "8"}, DEFAULT_ARCH)
    text = " ".join(re.findall(r"^//+ ?(.*)$", template_of(challenged).text, re.MULTILINE))
    assert "A challenger of `reduce`, i32, width=8. All lanes get the sum of the values of their warp" in text
    assert "Kernels take (const T* values, T* result, int iterations), where T is int" in text
    assert "unrolled by 4" in text
    assert "Try it: shflbench challenge reduce FILE --dtype i32 --option width=8" in text


def test_the_comment_names_the_shared_memory_of_the_variant() -> None:
    text = template_of(challenged_pattern("row-norm", None, {}, DEFAULT_ARCH)).text
    assert re.search(r"Dynamic shared memory per block: (none|as `[\w-]+`, \d+ bytes for \d+ threads)", text)
