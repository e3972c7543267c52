"""Functions of Triton: `@triton.jit` functions become compiled kernels for the types and values of their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from shflbench.checker.python.arguments import named_values
from shflbench.checker.python.triton_kernels import ADVICE
from shflbench.errors import CompileError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shflbench.checker.python.prepared import Arguments

MULTIPLE = 16  # bytes or elements, that Triton tells its compiler of


def is_function(source: object) -> bool:
    """Return whether `source` is a function with the decorator `@triton.jit`."""
    return hasattr(source, "arg_names") and hasattr(source, "params") and hasattr(source, "fn")


def is_tuner(source: object) -> bool:
    """Return whether `source` is a function with another decorator of Triton, such as `@triton.autotune`."""
    return type(source).__module__.split(".", 1)[0] == "triton" and hasattr(source, "fn")


def compile_function(function: Any, args: Arguments, arch: int, options: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return a `@triton.jit` function as a CompiledKernel for the types and values of `args`, as a launch compiles it.

    UsageError where an argument is missing or has a type that Triton does not know, CompileError where Triton fails.
    """
    import triton  # noqa: PLC0415  (optional: only users of Triton have it)
    from triton.backends.compiler import GPUTarget  # noqa: PLC0415
    from triton.compiler import ASTSource  # noqa: PLC0415

    values = named_values(args, tuple(function.arg_names), function.__name__)
    signature: dict[str, str] = {}
    constants: dict[str, Any] = {}
    attributes: dict[tuple[int, ...], list[list[object]]] = {}
    for number, parameter in enumerate(function.params):
        value = values.get(parameter.name, parameter.default if parameter.has_default else values)
        if value is values:
            raise UsageError(f"the Triton kernel {function.__name__} needs a value for {parameter.name}", ADVICE)
        free = not parameter.do_not_specialize
        # A launch makes a constant of 1 and None, and tells the compiler about multiples of 16 (triton/runtime/jit.py).
        if parameter.is_constexpr or value is None or (free and _is_integer(value) and value == 1):
            signature[parameter.name], constants[parameter.name] = "constexpr", value
            continue
        signature[parameter.name] = parameter.annotation_type or _type_of(value, parameter.name)
        if free and (signature[parameter.name][0] == "*" or (_is_integer(value) and value % MULTIPLE == 0)):
            attributes[(number,)] = [["tt.divisibility", 16]]
    source = ASTSource(function, signature, constants, attributes)
    try:
        return triton.compile(source, target=GPUTarget("cuda", arch, 32), options=dict(options))
    except (triton.CompilationError, AssertionError, RuntimeError, ValueError) as error:  # the others for options
        raise CompileError(f"Triton rejects {function.__name__}: {' '.join(str(error).split())}") from error


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _type_of(value: Any, name: str) -> str:  # noqa: ANN401
    """Return the type that Triton gives an argument."""
    if isinstance(value, bool | np.bool_):
        return "i1"
    if isinstance(value, float):
        return "fp32"
    if isinstance(value, int):
        return "i32" if -(2**31) <= value < 2**31 else "i64" if value < 2**63 else "u64"
    element = str(getattr(value, "dtype", "")).removeprefix("torch.")
    if element not in _TYPES:
        raise UsageError(f"Triton has no type for the argument {name}: {element or type(value).__name__}", ADVICE)
    return ("" if isinstance(value, np.generic) else "*") + _TYPES[element]


_TYPES: Mapping[str, str] = {
    "bool": "i1",
    **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
    **{f"float{bits}": f"fp{bits}" for bits in (16, 32, 64)},
    "bfloat16": "bf16",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
}
