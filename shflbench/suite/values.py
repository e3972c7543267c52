"""The types of single values in a suite file, for pydantic, with the sentence of each error."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, TypeGuard, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    ValidationError,
    WithJsonSchema,
    WrapValidator,
)
from pydantic_core import PydanticCustomError

from shflbench.core.bounds import MAX_PRECISION, MAX_PROCESSES, MAX_SECONDS
from shflbench.core.dimensions import MOST_DIMENSIONS
from shflbench.core.launch import (
    BLOCK_ALLOWED,
    GRID_PATTERN,
    SIZES_ALLOWED,
    SIZES_PATTERN,
    BlockSize,
    Grid,
    are_sizes,
    make_block,
    make_grid,
    parse_block,
    parse_grid,
)
from shflbench.core.model import DTYPES, MAX_BLOCK, WARP
from shflbench.patterns.discover import builtin
from shflbench.suite.quotes import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic import ValidatorFunctionWrapHandler

T = TypeVar("T")

NOT_ALLOWED = "not_allowed"  # the type of these errors in pydantic; their context says what is allowed

MAX_ITERATIONS = 2**31 - 1  # kernels count in `int`
MAX_SAMPLES = 1_000_000  # per case: 60 MB of samples.csv
MAX_PLACES = 30  # each is a copy of all buffers of a kernel; three times as many as a short measurement has rounds

# float() alone would accept `1_0`, `nan` and digits of other scripts. The alternatives exclude each other, so that a
# long number is scanned once.
_PERCENTAGE = re.compile(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)%")


def says(words: str) -> WrapValidator:
    """Replace the error of a refused value by `words`."""

    def check(value: object, handler: ValidatorFunctionWrapHandler) -> object:
        try:
            return handler(value)
        except ValidationError:
            raise PydanticCustomError(NOT_ALLOWED, "{allowed}", {"allowed": words}) from None

    return WrapValidator(check)


class WrongSizesError(ValueError):
    """An error of a list of sizes, all of which are the fault; it says what is allowed."""

    def __init__(self, fault: str, allowed: str) -> None:
        """Keep the fault, such as `found the sizes 64x64`."""
        super().__init__(allowed)
        self.fault = fault


def parsed_by(parse: Callable[[Any], object]) -> Callable[[object], object]:
    """Wrap a parser whose ValueError says what is allowed."""

    def check(value: object) -> object:
        try:
            return parse(value)
        except ValueError as error:
            context = {"allowed": str(error)} | ({"fault": error.fault} if isinstance(error, WrongSizesError) else {})
            raise PydanticCustomError(NOT_ALLOWED, "{allowed}", context) from None

    return check


@parsed_by
def as_list(value: object) -> object:
    """Turn one value into a list of one, and refuse an empty list."""
    if value == []:
        raise ValueError("at least one value")
    return value if isinstance(value, list) else [value]


def at_most(most: int, noun: str, count: Callable[[Any], int] = len) -> AfterValidator:
    """Refuse a list whose `count` exceeds `most`, before anything is expanded."""

    @parsed_by
    def check(value: object) -> object:
        if count(value) > most:
            raise ValueError(f"at most {most} {noun}")
        return value

    return AfterValidator(check)


def _fraction(value: object) -> object:
    """Return `0.5%` as 0.005, and a number as it is."""
    if not isinstance(value, str):
        return value
    percentage = _PERCENTAGE.fullmatch(value)
    if percentage is None:
        raise ValueError(value)
    return float(percentage[1]) / 100


def _grid(value: object) -> Grid:
    if isinstance(value, Grid):  # of a launch written as text
        return value
    return _of_sizes(make_grid, value) if isinstance(value, list) else parse_grid(str(value))


def _block(value: object) -> BlockSize:
    if isinstance(value, BlockSize):
        return value
    if isinstance(value, str) and are_sizes(value):
        return parse_block(value)
    if isinstance(value, list):
        return _of_sizes(make_block, value)
    if not _is_size(value):
        raise ValueError(BLOCK_ALLOWED)
    return make_block([int(value)])


def _of_sizes(make: Callable[[Sequence[int]], T], values: list[object]) -> T:
    sizes = [int(value) for value in values if _is_size(value)]  # without the words that YAML numbers keep
    if not 1 <= len(values) == len(sizes) <= MOST_DIMENSIONS:
        raise ValueError(SIZES_ALLOWED)
    try:
        return make(sizes)
    except ValueError as error:
        raise WrongSizesError(f"found the sizes {quote('x'.join(map(str, sizes)))}", str(error)) from None


def _is_size(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def are_sizes_of_one_launch(grid: object, block: object) -> bool:
    """Whether two lists are the sizes of one grid and of one block: as long, and no list of different blocks."""
    if not (isinstance(grid, list) and isinstance(block, list)) or not 1 < len(grid) == len(block) <= MOST_DIMENSIONS:
        return False
    sizes = [size for size in block if _is_size(size)]
    are_blocks = len(set(sizes)) == len(block) and not any(size % WARP for size in sizes)
    return all(map(_is_size, [*grid, *block])) and not are_blocks


# Line breaks, control characters of terminals, and those that change the direction of the text after them.
_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"
_LINE = f"[^{_CONTROL}]"

SuiteName = Annotated[
    str,
    Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64),  # it names a folder of results
    says("lower-case words and numbers joined by hyphens, such as `launch-sweep`"),
]
ONE_LINE = rf"^{_LINE}*[^\s{_CONTROL}]{_LINE}*$"
Title = Annotated[str, Field(pattern=ONE_LINE), says("one line of text")]
PatternName = Annotated[
    str,
    Field(pattern=rf"^{_LINE}+$", json_schema_extra={"anyOf": [{"enum": list(builtin())}, {"pattern": r"^\.|/"}]}),
    says("the name of a pattern, or a folder such as `./my_exchange`"),
]
ChartName = Annotated[
    str,
    Field(pattern=r"^[a-z0-9_]+(-[a-z0-9_]+)*$", max_length=200),
    says("the name of a chart, such as `limits` or `reduce-time-by-width`"),
]
VariantName = Annotated[str, Field(min_length=1), says("the name of a variant")]
DtypeName = Annotated[str, Field(json_schema_extra={"enum": list(DTYPES)}), says("the name of a dtype, such as `f32`")]
Iterations = Annotated[
    int,
    Field(strict=True, ge=1, le=MAX_ITERATIONS),
    says(f"an integer from 1 to {MAX_ITERATIONS}"),
]
Precision = Annotated[
    float,
    Field(gt=0, le=MAX_PRECISION),
    BeforeValidator(
        _fraction,
        json_schema_input_type=Annotated[str, Field(pattern=r"^[0-9]*\.?[0-9]+%$")]
        | Annotated[float, Field(gt=0, le=MAX_PRECISION)],
    ),
    says("a percentage such as `0.5%` or a fraction such as `0.005`, above 0 and at most 10%"),
]
Seconds = Annotated[
    float,
    Field(strict=True, gt=0, le=MAX_SECONDS, allow_inf_nan=False),
    says(f"a number of seconds above 0 and at most {MAX_SECONDS}, such as `2`"),
]
Samples = Annotated[
    int,
    Field(strict=True, ge=1, le=MAX_SAMPLES),
    says(f"an integer from 1 to {MAX_SAMPLES}"),
]
Processes = Annotated[
    int,
    Field(strict=True, ge=1, le=MAX_PROCESSES),
    says(f"an integer from 1 to {MAX_PROCESSES}"),
]
Places = Annotated[int, Field(strict=True, ge=1, le=MAX_PLACES), says(f"an integer from 1 to {MAX_PLACES}")]
Version = Annotated[int, Field(strict=True, ge=1, le=1), says("1, the only version of suite files so far")]

_SIZES = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1, max_length=MOST_DIMENSIONS)]
_SIZES_TEXT = rf"^ *{SIZES_PATTERN} *$"
Block = Annotated[
    BlockSize,
    PlainValidator(
        parsed_by(_block),
        json_schema_input_type=Annotated[int, Field(ge=WARP, le=MAX_BLOCK, multiple_of=WARP)]
        | Annotated[str, Field(pattern=_SIZES_TEXT)]
        | _SIZES,
    ),
]
GridSize = Annotated[
    Grid,
    PlainValidator(
        parsed_by(_grid),
        json_schema_input_type=Annotated[int, Field(ge=1)]
        | Annotated[str, Field(pattern=f"^(?:{GRID_PATTERN})$|{_SIZES_TEXT}")]
        | _SIZES,
    ),
]

# Not checked here: only the pattern knows its options. The JSON Schema allows every value that an option can have.
_OPTION = {"type": ["string", "number", "boolean"]}
OptionValues = Annotated[
    Any, WithJsonSchema({"anyOf": [_OPTION, {"type": "array", "items": _OPTION, "minItems": 1, "uniqueItems": True}]})
]
