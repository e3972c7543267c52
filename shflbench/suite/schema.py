"""Every field of a suite file, each defined once: meaning, default and what it may hold.

The checks, the JSON Schema for editors and the reference page are all derived from these models.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.json_schema import GenerateJsonSchema

from shflbench.core.docstrings import docstring_of
from shflbench.core.launch import LAUNCH_ALLOWED, LAUNCH_PATTERN, BlockSize, make_launch, split_launch
from shflbench.core.model import Launch, MeasureRules
from shflbench.core.thresholds import ALLOWED, AMOUNT, Special, Threshold, Thresholds
from shflbench.suite.chart_names import MAX_CHARTS
from shflbench.suite.claim_values import ClaimId, Condition, Figure, QuantifierWord, Quantity, Sentence, Truth
from shflbench.suite.values import (
    Block,
    ChartName,
    DtypeName,
    GridSize,
    Iterations,
    OptionValues,
    PatternName,
    Places,
    Precision,
    Processes,
    Samples,
    Seconds,
    SuiteName,
    Title,
    VariantName,
    Version,
    are_sizes_of_one_launch,
    as_list,
    at_most,
    parsed_by,
    says,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_core import CoreSchema

_RULES = MeasureRules()
MAX_LAUNCHES = 2000  # per axis: every block size with 60 grids; two lists of 1000 would be a million
MAX_ENTRIES = 100  # of `compare`: each is matched with every case
MAX_SKIPS = 100  # per experiment: each is matched with every case
MAX_CLAIMS = 200  # a talk or post makes 5 to 30


class Section(BaseModel):
    """A mapping of the file, whose keys are its fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def __init_subclass__(cls, **options: Any) -> None:  # noqa: ANN401  (pydantic's own)
        """Keep the description of the class in the JSON Schema, also where Python drops docstrings."""
        super().__init_subclass__(**options)
        cls.__doc__ = docstring_of(cls)

    @classmethod
    def keys(cls) -> list[str]:
        """Return the keys as the file has them."""
        return [field.alias or name for name, field in cls.model_fields.items()]


def axis(item: Any) -> BeforeValidator:  # noqa: ANN401  (a type, which has no type of its own)
    """Accept one value or a list of values, also in the JSON Schema."""
    values = Annotated[list[item], Field(min_length=1, json_schema_extra={"uniqueItems": True})]
    return BeforeValidator(as_list, json_schema_input_type=item | values)


class LaunchProduct(Section):
    """Launches as a product: every grid with every block.

    A grid or a block of two or three dimensions is written `8x8`; in a list of several also `[8, 8]`. Two lists of the
    same length are one launch, such as `{grid: [8, 8], block: [16, 16]}`, unless `block` has different whole warps.
    """

    grid: Annotated[tuple[GridSize, ...], axis(GridSize)] = Field(
        description="number of blocks: `26`, `sms`, `2*sms`, `sms/2` (rounded down, at least 1) or `fill`, "
        "which is the number of SMs times the resident blocks per SM; in several dimensions `8x8`"
    )
    block: Annotated[tuple[Block, ...], axis(Block)] = Field(
        description="threads per block, a multiple of 32; in several dimensions `16x16`"
    )

    @model_validator(mode="before")
    @classmethod
    def _read_one_launch(cls, value: object) -> object:
        """Return two lists that are the sizes of one grid and of one block as lists of one value."""
        if not isinstance(value, dict) or not are_sizes_of_one_launch(value.get("grid"), value.get("block")):
            return value
        return value | {"grid": [value["grid"]], "block": [value["block"]]}

    @field_validator("block")
    @classmethod
    def _check_block(cls, blocks: tuple[BlockSize, ...], info: ValidationInfo) -> tuple[BlockSize, ...]:
        """Refuse a block of several dimensions beside a grid that depends on the device."""
        for grid in info.data.get("grid", ()):
            for block in blocks:
                parsed_by(partial(make_launch, grid))(block)
        return blocks

    @property
    def count(self) -> int:
        """How many launches there are."""
        return len(self.grid) * len(self.block)

    def launches(self) -> tuple[Launch, ...]:
        """Return the launches, by grid and then by block."""
        return tuple(make_launch(grid, block) for grid in self.grid for block in self.block)


def _launch_parts(value: object) -> object:
    """Return a launch that is written as text as a product of one grid and one block."""
    if isinstance(value, dict):
        return value
    grid, block = split_launch(value if isinstance(value, str) else "")
    return {"grid": [grid], "block": [block]}


LaunchText = Annotated[str, Field(pattern=LAUNCH_PATTERN, description=LAUNCH_ALLOWED)]
LaunchValue = Annotated[
    LaunchProduct, BeforeValidator(parsed_by(_launch_parts), json_schema_input_type=LaunchText | LaunchProduct)
]

Variants = Annotated[tuple[VariantName, ...], axis(VariantName)]
Dtypes = Annotated[tuple[DtypeName, ...], axis(DtypeName)]
Launches = Annotated[
    tuple[LaunchValue, ...],
    axis(LaunchValue),
    at_most(MAX_LAUNCHES, "launches", lambda axis: sum(value.count for value in axis)),
]
IterationCounts = Annotated[tuple[Iterations, ...], axis(Iterations)]


class WithOptions(Section):
    """A mapping that also accepts the options of its pattern, which are checked when the pattern is known."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, OptionValues]

    @property
    def options(self) -> Mapping[str, object]:
        """The keys that are not fields, with their values in the file."""
        return self.__pydantic_extra__


class Skip(WithOptions):
    """Combinations to leave out: those that match every key of an entry. Further keys are options of the pattern."""

    variant: Variants = Field(default_factory=tuple, description="one variant or several")
    dtype: Dtypes = Field(default_factory=tuple, description="one dtype or several")
    launch: Launches = Field(default_factory=tuple, description="one launch or several")
    iterations: IterationCounts = Field(default_factory=tuple, description="one iteration count or several")


class Experiment(WithOptions):
    """One pattern and the axes whose product is run. Further keys are options of the pattern, which are axes, too."""

    pattern: PatternName = Field(
        description="a pattern that comes with shflbench, or the folder of your own pattern relative to this file, "
        "such as `./my_exchange`"
    )
    variants: Variants = Field(
        default_factory=tuple, description="variants, or members of the family; omitted: the default, else all variants"
    )
    dtypes: Dtypes = Field(default_factory=tuple, description="dtypes; omitted: the default, else all")
    launch: Launches = Field(default_factory=tuple, description="launch shapes; omitted: the default")
    iterations: IterationCounts = Field(
        default_factory=tuple, description="iterations of the kernel's timed loop; omitted: the default"
    )
    skip: Annotated[tuple[Skip, ...], axis(Skip), at_most(MAX_SKIPS, "entries")] = Field(
        default_factory=tuple, description="combinations to leave out; each entry must match at least one"
    )


class Defaults(Section):
    """The axes of every experiment that does not set its own."""

    launch: Launches = Field(default_factory=tuple, description="launch shapes")
    iterations: IterationCounts = Field(default_factory=lambda: (4096,), description="iterations; omitted: 4096")
    dtypes: Dtypes = Field(default_factory=tuple, description="dtypes; each pattern runs those that it supports")
    variants: Variants = Field(default_factory=tuple, description="variants; each pattern runs those that it has")


class Measure(Section):
    """How long to measure a case: until the precision is reached, within limits of samples and seconds."""

    precision: Precision = Field(
        default=_RULES.precision,
        description="half-width of the 95% confidence interval of the median at which sampling stops, "
        "as `0.5%` or as a fraction",
    )
    min_seconds: Seconds = Field(
        default=_RULES.min_seconds,
        description="minimum seconds over which the samples of a case are spread, because slow states of a GPU last up "
        "to 0.1 s; other cases are sampled in between",
    )
    max_seconds: Seconds = Field(
        default=_RULES.max_seconds,
        description="maximum seconds of sampling per case; the time of other cases does not count, so it may be less "
        "than `min_seconds`",
    )
    min_samples: Samples = Field(default=_RULES.min_samples, description="minimum number of samples per case")
    max_samples: Samples = Field(
        default=_RULES.max_samples, description="maximum number of samples per case; at least `min_samples`"
    )
    processes: Processes = Field(default=_RULES.processes, description="number of new processes that measure each case")
    places: Places = Field(
        default=_RULES.places,
        description="maximum number of CUDA contexts, each with other places in memory, in which a process opens each "
        "kernel; its rounds use them in turn, so that processes differ less",
    )
    timeout: Seconds = Field(
        default=_RULES.timeout,
        description="seconds without a message from a worker process after which it is killed and its current case "
        "fails",
    )


def _threshold(value: object) -> Threshold:
    return Threshold.parse(value if isinstance(value, str) else "")


_THRESHOLD = PlainValidator(parsed_by(_threshold), json_schema_input_type=Annotated[str, Field(pattern=f"^{AMOUNT}$")])
_Pattern = Annotated[str, Field(min_length=1), says("the name of a pattern")]
_Glob = Annotated[str, Field(min_length=1), says("ids of cases such as `reduce/*`, where `*` matches anything")]


class SomeCases(Section):
    """Cases with a separate threshold: those that match every key. Where entries overlap, the last takes precedence."""

    threshold: Annotated[Threshold, _THRESHOLD] = Field(description="the smallest change of these cases that matters")
    pattern: _Pattern = Field(default_factory=str, description="a pattern of this suite; omitted: all")
    variant: VariantName = Field(default_factory=str, description="a variant of this suite; omitted: all")
    case: _Glob = Field(
        default_factory=str, description="ids of cases, where `*` matches anything, such as `reduce/*`; omitted: all"
    )


class Compare(Section):
    """The changes that matter to `shflbench compare`, unless its options set others. No measurement depends on them."""

    threshold: Annotated[Threshold | None, _THRESHOLD] = Field(
        default_factory=lambda: None,
        description=f"the smallest change that matters: {ALLOWED}; omitted: 1%, or 2% with one process per side",
    )
    cases: Annotated[tuple[SomeCases, ...], axis(SomeCases), at_most(MAX_ENTRIES, "entries")] = Field(
        default_factory=tuple,
        description="cases with another threshold, such as "
        "`{pattern: neighbor, variant: shfl, threshold: 0.5%}`; each entry must match at least one",
    )

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds that the section defines."""
        return Thresholds(
            self.threshold,
            tuple(Special(some.threshold, some.case, some.pattern, some.variant) for some in self.cases),
        )


class Where(WithOptions):
    """The settings in which a claim is tested: those that match every key. Further keys are options of the patterns."""

    pattern: Annotated[tuple[_Pattern, ...], axis(_Pattern)] = Field(
        default_factory=tuple, description="one pattern of this suite or several; omitted: all"
    )
    dtype: Dtypes = Field(default_factory=tuple, description="one dtype or several; omitted: all")
    launch: Launches = Field(default_factory=tuple, description="one launch or several; omitted: all")
    grid: Annotated[tuple[GridSize, ...], axis(GridSize)] = Field(
        default_factory=tuple, description="one number of blocks or several, as the launches have it; omitted: all"
    )
    block: Annotated[tuple[Block, ...], axis(Block)] = Field(
        default_factory=tuple, description="one number of threads per block or several; omitted: all"
    )
    iterations: IterationCounts = Field(
        default_factory=tuple, description="one iteration count or several; omitted: all"
    )


class ClaimEntry(Section):
    """A sentence about the results that is true or false: a published one, or what your own kernels must fulfill."""

    id: ClaimId = Field(description="a short name, unique in the file, such as `G12`")
    says: Sentence = Field(description="the claim in one sentence")
    source: Sentence = Field(default_factory=str, description="where it was published")
    figure: Figure = Field(default_factory=str, description="the figure that the source gives, such as `about 3×`")
    where: Where = Field(
        default_factory=lambda: Where.model_validate({}),
        description="the settings in which it is tested; omitted: all settings of all patterns",
    )
    holds: Condition = Field(
        default_factory=str,
        description="the condition to test, such as `speedup(shfl, smem) > 1`; required unless `untestable` is given",
    )
    measure: Quantity = Field(
        default_factory=str,
        description=(
            "the quantity to print as measured; omitted: that of the first comparison in `holds`, of two times their "
            "ratio"
        ),
    )
    quantifier: QuantifierWord = Field(
        default="all",
        description=(
            "whether it has to hold in all settings, or in at least one (`some`); `always` is for a claim that says "
            "always, never or forces, which one setting refutes, where another claim depends on the setting"
        ),
    )
    required: Truth = Field(
        default_factory=bool, description="whether `run` and `claims` exit with 1 unless it holds; omitted: false"
    )
    untestable: Sentence = Field(
        default_factory=str, description="instead of `holds`: why measurements can neither confirm nor refute it"
    )


Claims = Annotated[tuple[ClaimEntry, ...], axis(ClaimEntry), at_most(MAX_CLAIMS, "claims")]


class ClaimSection(Section):
    """The section `claims` alone, as it is read from the stored suite of a run."""

    claims: Claims


class SuiteFile(Section):
    """A suite: experiments, and how to measure them."""

    version: Version = Field(alias="schema", description="version of the suite format: 1")
    name: SuiteName = Field(description="name of the suite, and of its folder of results")
    title: Title = Field(default_factory=str, description="what the suite measures, in one line; omitted: the name")
    defaults: Defaults = Field(
        default_factory=Defaults, description="axes of every experiment that does not set its own"
    )
    measure: Measure = Field(default_factory=Measure, description="how long to measure")
    compare: Compare = Field(default_factory=Compare, description="which changes matter when runs are compared")
    experiments: Annotated[tuple[Experiment, ...], axis(Experiment)] = Field(
        description="what to run: one experiment or a list of them"
    )
    charts: Annotated[tuple[ChartName, ...], axis(ChartName), at_most(MAX_CHARTS, "charts")] = Field(
        default_factory=tuple,
        description=f"the charts that answer the questions of the suite, at most {MAX_CHARTS}, named as their files: "
        "`limits`, `samples`, `predictions`, or a pattern with what is drawn, such as `reduce-time-by-width`; a name "
        "stands for all parts of a chart. `plot` draws these, `plot --all` every chart; omitted: those that show the "
        "most settings, and `limits`",
    )
    claims: Claims = Field(
        default_factory=tuple,
        description="sentences that the results confirm or refute; no measurement depends on them",
    )


SECTIONS: Mapping[str, type[Section]] = {  # key in the file → the model of its mappings; the file itself is ""
    "": SuiteFile,
    "defaults": Defaults,
    "measure": Measure,
    "compare": Compare,
    "cases": SomeCases,
    "experiments": Experiment,
    "launch": LaunchProduct,
    "skip": Skip,
    "claims": ClaimEntry,
    "where": Where,
}


class _Plain(GenerateJsonSchema):
    """A JSON Schema without titles of fields, which would only repeat their names."""

    def field_title_should_be_set(self, schema: CoreSchema) -> bool:
        """Leave the titles out."""
        del schema
        return False


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of suite files, with which editors complete and check them."""
    schema = SuiteFile.model_json_schema(schema_generator=_Plain)
    return {"$schema": _Plain.schema_dialect, **schema}
