"""Types that PyTorch's headers choose by another type: `at::acc_type<float, true>`."""

from __future__ import annotations

import re

from shflbench.cuda_sources.argument_types import meaning
from shflbench.cuda_sources.naming import split_arguments

_CHOICE = re.compile(
    r"(?:::)?(?:(?:at|torch|c10)::)?(?:(?P<alias>acc_type|opmath_type)|(?P<class>AccumulateType|OpMathType))"
    r"<(?P<listed>.*)>(?P<member>::type)?"
)
_REDUCED = frozenset({"f2", "bfloat16"})


def torch_type(name: str) -> str | None:
    """Return the type that `at::acc_type<…>` or `at::opmath_type<…>` stands for; None for other names and types.

    As in ATen/AccumulateType.h and ATen/OpMathType.h: sums of reduced floats are `float`, of integers `int64_t`, and
    on the host those of `float` are `double`.
    """
    match = _CHOICE.fullmatch("".join(name.replace("typename ", "").split()))
    if match is None or bool(match["class"]) != bool(match["member"]):
        return None
    base, *rest = split_arguments(match["listed"])
    what = meaning(_with_spaces(base))
    if what.element is None or what.pointer or what.lanes > 1:
        return None
    if what.element in _REDUCED:
        return "float"
    if (match["alias"] or match["class"]) in {"opmath_type", "OpMathType"} or what.base == "bool":
        return base
    if what.element[0] in "iu":
        return "int64_t"
    return "double" if what.element == "f4" and rest == ["false"] else base


def _with_spaces(type_: str) -> str:
    """Return a type of which the spaces were removed as C++ writes it: `unsigned char`."""
    return re.sub(r"^(unsigned|signed)(?=[a-z])", r"\1 ", type_)
