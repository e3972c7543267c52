"""A pattern as data: what `bench` writes for the kernels of a file, in place of a `pattern.py`."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (read from JSON by the types of the annotations)
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from shflbench.core.dimensions import NO_CLUSTER, Dims
from shflbench.core.model import Mechanism  # noqa: TC001
from shflbench.patterns.declare import (
    NO_SHARED,
    ByValue,
    InOut,
    Input,
    LaterKernel,
    Output,
    Pattern,
    PointerInto,
    Scalar,
    Variant,
)

if TYPE_CHECKING:
    from shflbench.patterns.declare import Setting

Value_co = TypeVar("Value_co", covariant=True)
Kind = TypeVar("Kind", bound="Input | InOut | Output | Scalar | LaterKernel | Variant | Pattern")
Number: TypeAlias = int | float | str  # text: `inf`, `-inf` or `nan`, which JSON does not have

KINDS: Mapping[str, type[Input | InOut | Output]] = {"Input": Input, "InOut": InOut, "Output": Output}
ANY_BLOCK = 0  # in place of threads per block: all other blocks


@dataclass(frozen=True, slots=True)
class BySize(Generic[Value_co]):
    """A value that depends on the size of the data alone, as a function of a setting."""

    values: Mapping[str, Value_co]  # by the option's values; without an option one value, of the empty text
    option: str = ""

    def __call__(self, at: Setting) -> Value_co:
        """Return the value at a setting."""
        return self.values[at.options[self.option] if self.option else ""]


@dataclass(frozen=True, slots=True)
class SharedBytes:
    """Dynamic shared memory in bytes per block, by its threads, as a function of a setting."""

    by_block: Mapping[int, BySize[int]]

    def __call__(self, at: Setting) -> int:
        """Return the bytes at a setting: none for blocks that no launch has."""
        known = self.by_block.get(at.block) or self.by_block.get(ANY_BLOCK)
        return known(at) if known else 0


class DrawKind(StrEnum):
    """Where the contents of a buffer come from."""

    STORED = "stored"  # beside the pattern; they repeat in a larger buffer
    ROLLED = "rolled"  # the same, which begin at another element in each input set
    EXACT = "exact"  # numbers whose sums are exact in any order: from -1 to 1, or integers from 0 to `most`
    VARIED = "varied"  # numbers of `data.varied`


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawRule:
    """How the contents of a buffer are drawn."""

    kind: DrawKind = DrawKind.STORED
    dtype: str = ""  # of the numbers that are drawn, in NumPy: that of the buffer, or the unsigned one of its size
    count: int = 0  # of exact numbers, which repeat
    most: int | None = None  # of integers
    positive: bool = False
    ascending: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBuffer:
    """A buffer of a stored pattern; of one that kernels read, how its contents are drawn for each kind of inputs."""

    kind: Literal["Input", "InOut", "Output"]
    name: str
    elements: BySize[int]
    dtype: str
    variable: str = ""
    restored: bool = False
    unordered: bool = False
    compared: bool = True
    relative_tolerance: float | None = None
    inputs: DrawRule = DrawRule()
    other_inputs: DrawRule = DrawRule()
    varied_inputs: DrawRule = DrawRule()

    @property
    def declared(self) -> Input | InOut | Output:
        """The buffer as a pattern declares it."""
        return _declared(KINDS[self.kind], self)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredScalar:
    """A number of a stored pattern."""

    name: str
    value: BySize[Number]
    dtype: str
    other: int | float | None = None

    @property
    def declared(self) -> Scalar:
        """The number as a pattern declares it."""
        return _declared(Scalar, self, value=lambda at: _number(self.value(at)))


def _number(value: Number) -> float:
    return float(value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredArgument:
    """An argument that is no buffer or scalar as a whole: a pointer into a buffer, or a structure of fields."""

    name: str  # of the buffer, or of the structure
    byte: BySize[int] | None = None  # of the buffer, to which it points; None: a structure
    size: int = 0  # bytes of the structure
    fields: tuple[tuple[int, str | StoredArgument], ...] = ()  # the first byte of each, and what is in it

    @property
    def declared(self) -> PointerInto | ByValue:
        """The argument as a pattern declares it; ValueError for a structure in a structure."""
        if self.byte is not None:
            return PointerInto(self.name, self.byte)
        return ByValue(self.name, self.size, tuple((start, _in_field(value)) for start, value in self.fields))


def _in_field(value: str | StoredArgument) -> str | PointerInto:
    if isinstance(value, str):
        return value
    if value.byte is None:
        raise ValueError(f"`{value.name}` is a structure in a structure")
    return PointerInto(value.name, value.byte)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLaunch:
    """A kernel of a stored pattern with its launches, whose dimensions are those of the case."""

    kernel: str
    arguments: tuple[str | StoredArgument, ...]
    shared: Mapping[int, BySize[int]] = field(default_factory=dict)  # dynamic, in bytes, by threads per block
    cluster: Dims = NO_CLUSTER

    @property
    def made(self) -> dict[str, object]:
        """The fields of the declaration that are made of these: arguments and shared memory."""
        arguments = tuple(item if isinstance(item, str) else item.declared for item in self.arguments)
        return {"arguments": arguments, "shared": SharedBytes(self.shared) if self.shared else NO_SHARED}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredLaterLaunch(StoredLaunch):
    """A kernel that follows the first one of a variant, with its launches."""

    dims: BySize[tuple[Dims, Dims]]  # blocks of the grid, and threads per block


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredVariant(StoredLaunch):
    """A variant of a stored pattern."""

    name: str
    mechanism: Mechanism
    summary: str
    source: str = "kernels.cu"
    other_inputs: bool = False
    later: tuple[StoredLaterLaunch, ...] = ()

    def declared(self, *, baseline: bool) -> Variant:
        """Return the variant as a pattern declares it."""
        later = tuple(_declared(LaterKernel, item, **item.made) for item in self.later)
        return _declared(Variant, self, **self.made, baseline=baseline, later=later)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPattern:
    """A pattern as data; its first variant is the baseline, and its results are the reference."""

    source: str  # the user's file, without its folder
    dtype: str
    relative_tolerance: float
    not_compared: tuple[str, ...]
    launch: str  # that stands for all
    dimensions: int  # of the launches, at most
    compiler_options: tuple[str, ...]
    options: Mapping[str, tuple[str, ...]]  # that of the sizes, if there are several
    buffers: tuple[StoredBuffer, ...]
    scalars: tuple[StoredScalar, ...]
    variants: tuple[StoredVariant, ...]

    @property
    def size_option(self) -> str:
        """The option that says the size; empty if there is one size."""
        return next(iter(self.options), "")

    @property
    def read(self) -> tuple[StoredBuffer, ...]:
        """The buffers that kernels read, each of which the inputs have."""
        return tuple(item for item in self.buffers if item.kind != "Output")

    @property
    def needs_other_inputs(self) -> bool:
        """Whether a variant is also compared with the other inputs."""
        return any(item.other_inputs for item in self.variants)

    @property
    def declared(self) -> Pattern:
        """The declaration; ValueError for an argument that cannot be declared."""
        return _declared(
            Pattern,
            self,
            summary=f"kernels of {self.source}",
            dtypes=(self.dtype,),
            one_pass=True,
            fixed_sizes=True,
            reference_variant=next((item.name for item in self.variants), ""),
            varied=tuple(item.name for item in self.read if item.varied_inputs.kind is DrawKind.VARIED),
            representative={"launch": self.launch},
            buffers=tuple(item.declared for item in self.buffers),
            scalars=tuple(item.declared for item in self.scalars),
            variants=tuple(item.declared(baseline=not place) for place, item in enumerate(self.variants)),
        )


def _declared(kind: type[Kind], item: object, **changed: object) -> Kind:
    """Return an object of a class of declarations, which has the fields of `item`, but for those that are given."""
    names = {known.name for known in fields(kind)}
    return kind(**{name: getattr(item, name) for name in names if hasattr(item, name)} | changed)
