"""The data with which one group of cases is verified: inputs and expected outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from shflbench.core.dimensions import LaunchDims
from shflbench.core.model import DTYPES, WARP
from shflbench.cuda.backends.base import POISON, Buffer, BufferPointer, KernelCall, KernelLaunch, StructureBytes
from shflbench.errors import PatternError
from shflbench.patterns.data import FEWEST_WITH_SPECIAL, distinct, with_nan, with_special, with_zeros
from shflbench.patterns.declare import LAUNCH_OPTIONS, ByValue, InOut, Input, Output, PointerInto, Setting, values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from shflbench.core.model import Case, Dtype, Kernel
    from shflbench.cuda.backends.base import Array, PassedArgument
    from shflbench.patterns.declare import DeclaredArgument, Pattern, Scalar, Variant
    from shflbench.patterns.discover import LoadedPattern

    SpecialKind = Callable[[Array], Array]

EMULATED_WORK = 2e6  # instructions of a launch that the emulator cannot shorten, about five seconds
INPUT_SETS = 8
INPUT_SETS_OF_FILES = 2  # of kernels whose sizes are fixed: the second shows results that a kernel has kept
FEWEST_INPUT_SETS = 1
SPECIAL_KINDS: tuple[SpecialKind, ...] = (with_special, with_nan)
MOST_INPUT_BYTES = 2**28  # of all input sets together, which take NumPy seconds; larger data has fewer sets


def setting_of(case: Case, grid: int) -> Setting:
    """Return the setting of `case` with `grid` blocks; in several dimensions as `LaunchDims.scaled_down` has them."""
    options = {name: value for name, value in case.options if name not in LAUNCH_OPTIONS}
    dims = case.launch.dims
    if dims is None:
        return Setting(DTYPES[case.dtype], options, grid, case.launch.block)
    dims = dims if grid == dims.blocks else dims.scaled_down(grid)
    return Setting(DTYPES[case.dtype], options, dims.blocks, dims.threads_per_block, dims)


def shared_bytes(variant: Variant, case: Case, setting: Setting) -> int:
    """Return the dynamic shared memory per block, in bytes."""
    return variant.shared(setting) + int(dict(case.options).get("extra_shared", 0))


def call_of(
    pattern: LoadedPattern, case: Case, kernel: Kernel, setting: Setting, *, varied: bool = False
) -> KernelCall:
    """Return the launch of `kernel` for `case`, with its other numbers if it is `varied`.

    PatternError if a function of the pattern fails.
    """
    declared = pattern.declaration
    variant = declared.variant(case.variant)
    options = dict(case.options)
    carveout = options.get("carveout")
    with pattern.calling("PATTERN"):
        buffers = buffers_of(pattern, setting)
        scalars = {
            item.name: _number(_dtype(item, setting), _value(item, setting, varied=varied)) for item in declared.scalars
        }

        def value(item: str | PointerInto) -> str | BufferPointer | np.generic:
            return _pointer(item, buffers, setting) if isinstance(item, PointerInto) else scalars.get(item, item)

        def passed(arguments: Sequence[DeclaredArgument]) -> tuple[PassedArgument, ...]:
            return tuple(
                _structure(item.size, [(start, value(field)) for start, field in item.fields])
                if isinstance(item, ByValue)
                else value(item)
                for item in arguments
            )

        dims = variant.launch_dims(setting)
        return KernelCall(
            kernel=kernel,
            grid=dims.blocks if dims else setting.grid,
            block=dims.threads_per_block if dims else setting.block,
            shared_bytes=shared_bytes(variant, case, setting),
            buffers=_needed(buffers, declared, variant),
            arguments=passed(declared.arguments(variant)),
            carveout=None if carveout is None else int(carveout),
            cold=options.get("l2") == "cold",
            dims=dims,
            cluster=variant.cluster,
            cooperative=variant.cooperative,
            graph=variant.graph,
            emulated_work=EMULATED_WORK if declared.fixed_sizes else math.inf,
            later=tuple(
                KernelLaunch(
                    following,
                    LaunchDims(*item.dims(setting)),
                    item.shared(setting),
                    passed(item.arguments),
                    item.programmatic,
                    item.cluster,
                )
                for item, following in zip(variant.later, kernel.later, strict=True)
            ),
        )


def _needed(buffers: Sequence[Buffer], declared: Pattern, variant: Variant) -> tuple[Buffer, ...]:
    """Return the buffers of a call, with what the variant finds in them before.

    Of those that are only written and not compared, they are those that its kernels take.
    """
    arguments = (*declared.arguments(variant), *(name for item in variant.later for name in item.arguments))
    taken = {item.name if isinstance(item, PointerInto) else item for item in values_of(arguments)}
    return tuple(
        replace(item, initial=0) if item.name in variant.zeroed else item
        for item in buffers
        if item.read or item.compared or item.name in taken
    )


def buffers_of(pattern: LoadedPattern, setting: Setting) -> tuple[Buffer, ...]:
    """Return the buffers of a launch."""
    return tuple(
        Buffer(
            name=item.name,
            elements=item.count(setting) * _dtype(item, setting).components,
            dtype=_dtype(item, setting).numpy,
            read=isinstance(item, (Input, InOut)),
            written=isinstance(item, (Output, InOut)),
            compared=not isinstance(item, (Output, InOut)) or item.compared,
            initial=item.initial if isinstance(item, Output) else None,
            restored=isinstance(item, InOut) and item.restored,
            variable=item.variable,
        )
        for item in pattern.declaration.buffers
    )


def _pointer(item: PointerInto, buffers: Sequence[Buffer], setting: Setting) -> BufferPointer:
    """Return where a pointer into a buffer points; ValueError if that is outside."""
    byte = item.byte(setting)
    size = next(buffer.nbytes for buffer in buffers if buffer.name == item.name)
    if not 0 <= byte <= size:
        raise ValueError(f"a pointer to byte {byte} of `{item.name}`, which has {size}")
    return BufferPointer(item.name, byte)


def _structure(size: int, fields: Iterable[tuple[int, str | BufferPointer | np.generic]]) -> StructureBytes:
    """Return a structure of so many bytes with the values of its fields, by their first bytes."""
    data, pointers = bytearray(size), []
    for start, value in fields:
        if isinstance(value, np.generic):
            data[start : start + value.nbytes] = value.tobytes()
        else:
            pointers.append((start, value if isinstance(value, BufferPointer) else BufferPointer(value, 0)))
    return StructureBytes(bytes(data), tuple(pointers))


def _value(item: Scalar, setting: Setting, *, varied: bool) -> float:
    return item.other if varied and item.other is not None else item.value(setting)


def _number(dtype: Dtype, value: float) -> np.generic:
    number: np.generic = np.dtype(dtype.numpy).type(value)
    return number


def _dtype(item: Input | InOut | Output | Scalar, setting: Setting) -> Dtype:
    return DTYPES[item.dtype] if item.dtype else setting.dtype


@dataclass(slots=True)
class Workload:
    """Inputs of one pattern at one setting, generated once and shared by all variants."""

    pattern: LoadedPattern
    setting: Setting
    seed: int
    buffers: tuple[Buffer, ...] = field(init=False)
    _expected: dict[tuple[int, int], list[Array]] = field(default_factory=dict)
    _by_kernel: set[tuple[int, int]] = field(default_factory=set)  # of these: results of a kernel, with its rounding
    _inputs: dict[int, list[Array]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Compute the sizes of the buffers; PatternError if a function of the pattern fails."""
        with self.pattern.calling("PATTERN"):
            self.buffers = buffers_of(self.pattern, self.setting)

    @classmethod
    def of(cls, pattern: LoadedPattern, case: Case, grid: int, seed: int) -> Workload:
        """Return the workload of the group that `case` belongs to, with `grid` blocks."""
        return cls(pattern, setting_of(case, grid), seed)

    @property
    def input_sets(self) -> int:
        """The number of input sets."""
        nbytes = sum(buffer.nbytes for buffer in self.buffers)
        most = INPUT_SETS_OF_FILES if self.pattern.declaration.fixed_sizes else INPUT_SETS
        return max(FEWEST_INPUT_SETS, min(most, MOST_INPUT_BYTES // max(1, nbytes)))

    @property
    def later_set(self) -> int:
        """The number of the input set that is for launches after timing only."""
        return self.input_sets

    @property
    def other_sets(self) -> tuple[int, int]:
        """The numbers of those for variants with `other_inputs`; floating-point numbers of the second are positive."""
        return self.input_sets + 1, self.input_sets + 2

    @property
    def varied_sets(self) -> tuple[int, ...]:
        """The numbers of those of `varied_inputs`; floating-point numbers of the second are positive."""
        return (self.input_sets + 3, self.input_sets + 4) if self.pattern.functions.varied_inputs else ()

    @property
    def special_names(self) -> tuple[str, ...]:
        """The floating-point inputs that have infinities and NaN, each in sets of its own: those with varied contents.

        In one set for all, NaN of one input may make all results NaN.
        """
        declared = self.pattern.declaration
        floats = (item for item in declared.buffers if isinstance(item, Input) and _dtype(item, self.setting).floating)
        large = (item for item in floats if item.count(self.setting) >= FEWEST_WITH_SPECIAL)
        return tuple(item.name for item in large if self.varied_sets and item.name in declared.varied)

    @property
    def special_sets(self) -> Mapping[int, tuple[str, SpecialKind]]:
        """The numbers of these sets, the input that has infinities and NaN, and what gives it them."""
        return dict(enumerate(product(self.special_names, SPECIAL_KINDS), self.input_sets + 5))

    @property
    def verify_iterations(self) -> tuple[int, ...]:
        """The iteration counts in verification: odd, and one of them with three passes through the unrolled body.

        Not two passes: 2·16 iterations rotate the 32 values of a warp to their original places, so that a kernel that
        skips them would look correct.
        """
        declared = self.pattern.declaration
        return (1,) if declared.one_pass else (1, (3 * declared.unroll + 3) | 1)

    @property
    def unordered(self) -> tuple[bool, ...]:
        """For each output, whether its rows are compared as multisets."""
        declared = self.pattern.declaration.buffers
        return tuple(item.unordered for item in declared if isinstance(item, (Output, InOut)) and item.compared)

    @property
    def relative_tolerances(self) -> tuple[float, ...]:
        """For each output, the allowed error of floating-point numbers as a share of their magnitude."""
        declared, usual = self.pattern.declaration.buffers, self.pattern.declaration.relative_tolerance
        outputs = (item for item in declared if isinstance(item, (Output, InOut)) and item.compared)
        return tuple(usual if item.relative_tolerance is None else item.relative_tolerance for item in outputs)

    @property
    def is_added_to(self) -> bool:
        """Whether results depend on what an output contains before a launch, because kernels add to it."""
        outputs = (item for item in self.pattern.declaration.buffers if isinstance(item, Output))
        return not self.pattern.declaration.fixed_sizes and any(item.initial is not None for item in outputs)

    def inputs(self, index: int) -> list[Array]:
        """Return input set `index`: one read-only array for each buffer that is read.

        Their shape is [warps, 32·per_thread], or [elements] if the pattern declares the size, with the components of an
        element as the last axis. PatternError if the pattern's function `inputs` fails.
        """
        if index not in self._inputs:
            firsts = {pair[1]: pair[0] for pair in (self.other_sets, self.varied_sets) if pair}
            if index in firsts:
                self._inputs[index] = [_positive(array) for array in self.inputs(firsts[index])]
            else:
                self._inputs[index] = self._special(index) if index in self.special_sets else self._drawn(index)
            for array in self._inputs[index]:
                array.flags.writeable = False  # a reference that works in place would change the other variants' inputs
        return self._inputs[index]

    def _special(self, index: int) -> list[Array]:
        """Return the varied inputs, one of them with infinities and NaN, and the others with zeros, which hide them."""
        special, with_kind = self.special_sets[index]
        names = [buffer.name for buffer in self.buffers if buffer.read]
        others = set(self.pattern.declaration.varied) - {special}
        return [
            with_kind(array) if name == special else with_zeros(array) if name in others else array
            for name, array in zip(names, self.inputs(self.varied_sets[0]), strict=True)
        ]

    def _drawn(self, index: int) -> list[Array]:
        rng = np.random.default_rng((self.seed, index))
        declared = [item for item in self.pattern.declaration.buffers if isinstance(item, (Input, InOut))]
        others = self.pattern.functions.other_inputs if index == self.other_sets[0] else None
        varied = self.pattern.functions.varied_inputs if index in self.varied_sets else None
        draw = varied or others or self.pattern.functions.inputs
        if draw is None:
            drawn: Sequence[Array] = [
                distinct(rng, _dtype(item, self.setting), item.count(self.setting)) for item in declared
            ]
        else:
            with self.pattern.calling("inputs"):
                result = draw(rng, self.setting)
            drawn = result if isinstance(result, tuple) else (result,)
            self._check("inputs", drawn, [buffer for buffer in self.buffers if buffer.read])
        return [array.reshape(self._shape(item)) for array, item in zip(drawn, declared, strict=True)]

    def _shape(self, buffer: Input | InOut) -> tuple[int, ...]:
        components = _dtype(buffer, self.setting).components
        rows = (-1,) if buffer.elements else (self.setting.warps, WARP * buffer.per_thread)
        return (*rows, components) if components > 1 else rows

    def expected(self, index: int, iterations: int) -> list[Array]:
        """Return the reference for input set `index` after `iterations` iterations; PatternError if it fails."""
        key = (index, iterations)
        if key not in self._expected:
            if self.pattern.declaration.reference_variant:
                name = self.pattern.declaration.reference_variant
                raise PatternError(f"there is no reference: the reference variant `{name}` gave no result")
            outputs = self.pattern.reference(self.inputs(index), self.setting, iterations)
            self._check("reference", outputs, [buffer for buffer in self.buffers if buffer.is_output])
            self._expected[key] = list(outputs)
        return self._expected[key]

    def accept_expected(self, outputs: Sequence[Array], index: int, iterations: int, fill: int = POISON) -> None:
        """Make the reference variant's `outputs` the reference for input set `index`; PatternError if it wrote none.

        Before the launch, each byte of them was `fill`.
        """
        outputs_declared = [buffer for buffer in self.buffers if buffer.is_output]
        for array, buffer in zip(outputs, outputs_declared, strict=True):
            if buffer.initial is None and not buffer.read and (array.view(np.uint8) == fill).all():
                name = self.pattern.declaration.reference_variant
                raise PatternError(f"the reference variant `{name}` writes nothing to `{buffer.name}`")
        self._expected[(index, iterations)] = list(outputs)

    def accept_trusted(self, outputs: Sequence[Array], index: int, iterations: int) -> None:
        """Make the outputs of a verified kernel the reference for an iteration count at which NumPy takes too long.

        Both that kernel and the one that is compared with it may err by the pattern's tolerance.
        """
        self._expected[(index, iterations)] = list(outputs)
        self._by_kernel.add((index, iterations))

    def tolerance(self, index: int, iterations: int) -> float:
        """Return the largest difference from `expected` of a right result; PatternError if the function fails."""
        most = self.pattern.tolerance(self.setting, iterations)
        return 2 * most if (index, iterations) in self._by_kernel else most

    def discard_expected(self) -> None:
        """Discard the reference variant's outputs."""
        self._expected.clear()

    def _check(self, function: str, arrays: Sequence[object], buffers: Sequence[Buffer]) -> None:
        """Raise PatternError unless the pattern's function returned an array of the right kind for each buffer."""
        if len(arrays) != len(buffers):
            raise self.pattern.wrong(function, f"returns {len(arrays)} arrays for {len(buffers)} buffers")
        for array, buffer in zip(arrays, buffers, strict=True):
            if not isinstance(array, np.ndarray):
                raise self.pattern.wrong(function, f"returns {type(array).__name__}, not a NumPy array")
            if array.dtype != buffer.dtype or array.size != buffer.elements:
                returned = f"{array.size} elements of {array.dtype}"
                raise self.pattern.wrong(
                    function, f"returns {returned} for `{buffer.name}`, not {buffer.elements} of {buffer.dtype}"
                )


def _positive(array: Array) -> Array:
    """Return an array whose floating-point numbers have a logarithm and a square root."""
    if np.issubdtype(array.dtype, np.integer):
        return array
    return np.where(array == 0, np.ones(1, array.dtype), np.abs(array))
