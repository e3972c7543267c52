"""The tools, and their parameters: options of the commands, of which names, types and help texts are taken."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

import click

from shflbench.cli.host_args import HostArgsOption
from shflbench.cli.registry import module_of
from shflbench.schemas import json_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.core.json_schema import JsonSchema

TIME_LIMIT, MOST_TIME = 300, 3600  # seconds of a call: where the client gives none, and at most
TIME = "time_limit"
KERNELS_OF_FILE = ("kernel", "launch", "arg", "shared", "cluster", "host_args", "include", "define")
TIMING = ("device", "gpu", "arch", "l2", "processes", "precision", "max_seconds", "seed", "budget", "use_fast_math")


class FileKind(Enum):
    """The files that a parameter may name."""

    KERNELS = auto()  # .cu, .cuh and .ptx
    REFERENCE = auto()  # such a file, or a task in Python
    RUN = auto()  # a run, or a folder of runs
    TARGET = auto()  # a run, or a pattern or suite of shflbench by its name; others may run Python
    ADVISED = auto()  # a file of kernels, or a pattern of shflbench by its name


@dataclass(frozen=True, slots=True)
class FileParameter:
    """A parameter of a tool that names files, which are arguments of the command, or an option of it."""

    name: str
    kind: FileKind
    text: str
    is_list: bool = False
    source: str = ""  # the parameter that has the text of kernels instead
    option: str = ""  # empty: an argument
    is_required: bool = True
    stem: str = "kernel"  # of the file to which one text is written


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool, which runs the command of its name."""

    name: str
    files: tuple[FileParameter, ...]
    options: tuple[str, ...] = ()
    is_timed: bool = False  # on a GPU, and so runs alone
    writes: bool = False

    @property
    def may_run_python(self) -> bool:
        """Whether it runs Python of the folder, where the server allows that."""
        return any(file.kind in {FileKind.REFERENCE, FileKind.TARGET} for file in self.files)

    @property
    def command(self) -> click.Command:
        """The command, which is imported on first use."""
        command: click.Command = module_of(self.name).command
        return command

    def parameters(self) -> dict[str, click.Option]:
        """Return the options of the command that the tool has, by the names of its parameters."""
        known = {parameter_name(item): item for item in self.command.params if isinstance(item, click.Option)}
        return {name: known[name] for name in self.options}

    def description(self) -> str:
        """Return the help of the command without its table of exit codes, and what its result is."""
        paragraphs = (self.command.help or "").split("\n\n")
        text = "\n\n".join(" ".join(part.split()) for part in paragraphs if not part.startswith("\b"))
        return f"{text}\n\nThe result is the JSON of `shflbench {self.name} --format json`."

    def input_schema(self) -> JsonSchema:
        """Return the JSON Schema of the parameters."""
        properties: dict[str, Any] = {}
        for file in self.files:
            properties |= dict(_file_properties(file))
        properties |= {name: _schema_of(item) for name, item in self.parameters().items()}
        properties[TIME] = {
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_TIME,
            "default": TIME_LIMIT,
            "description": "Seconds after which the call ends.",
        }
        return {"type": "object", "properties": properties, "additionalProperties": False}

    def output_schema(self) -> JsonSchema:
        """Return the JSON Schema of the result, which is an object: a list of runs is its key `runs`."""
        schema = json_schema(self.name)
        if schema.get("type") != "array":
            return {**schema, "type": "object"}
        definitions = schema.pop("$defs", {})
        return {"type": "object", "properties": {"runs": schema}, "required": ["runs"], "$defs": definitions}


def parameter_name(item: click.Option) -> str:
    """Return the name of an option as that of a parameter: `--use-fast-math` is `use_fast_math`."""
    return max(item.opts, key=len).removeprefix("--").replace("-", "_")


def _file_properties(file: FileParameter) -> Iterator[tuple[str, JsonSchema]]:
    text = {"type": "string"}
    alternative = f" Or give `{file.source}`." if file.source else ""
    schema: JsonSchema = {"type": "array", "items": text} if file.is_list else text
    yield file.name, {**schema, "description": f"{file.text}{alternative}"}
    if file.source and file.is_list:
        meaning = f"Texts of kernels by name, in place of `{file.name}`; they may include files of the folder."
        yield file.source, {"type": "object", "additionalProperties": text, "description": meaning}
    elif file.source:
        meaning = f"Text of kernels, in place of `{file.name}`; it may include files of the folder."
        yield file.source, {**text, "description": meaning}


def _schema_of(item: click.Option) -> JsonSchema:
    """Return the JSON Schema of an option: its type, its bounds, its default and its help text."""
    schema = _type_of(item)
    if item.multiple and not isinstance(item, HostArgsOption):
        schema = {"type": "array", "items": schema}
    default = f" [default: {item.show_default}]" if isinstance(item.show_default, str) else ""
    schema["description"] = f"{item.help or ''}{default}"
    if item.show_default is True and isinstance(item.default, str | int | float):
        schema["default"] = item.default
    return schema


def _type_of(item: click.Option) -> JsonSchema:
    kind = item.type
    if item.is_flag:
        return {"type": "boolean"}
    if isinstance(kind, click.Choice):
        return {"type": "string", "enum": list(kind.choices)}
    if isinstance(kind, click.types.IntParamType | click.types.FloatParamType):
        bounds = {"minimum": getattr(kind, "min", None), "maximum": getattr(kind, "max", None)}
        name = "integer" if isinstance(kind, click.types.IntParamType) else "number"
        return {"type": name, **{key: value for key, value in bounds.items() if value is not None}}
    return {"type": "string"}


CHECKED = FileParameter("files", FileKind.KERNELS, "Paths of the files to check.", is_list=True, source="sources")
ONE_FILE = FileParameter("file", FileKind.KERNELS, "FILE: its path.", source="source")
CANDIDATES = FileParameter(
    "candidates", FileKind.KERNELS, "Paths of the candidates.", is_list=True, source="candidate_sources"
)
REFERENCE = FileParameter(
    "reference",
    FileKind.REFERENCE,
    "Path of a file with the kernel that computes what candidates must; or of a .py file with a task, if the server "
    "was started with --allow-tasks.",
    source="reference_source",
    option="--reference",
    stem="reference",
)
TOOLS: Mapping[str, ToolSpec] = {
    spec.name: spec
    for spec in (
        ToolSpec("check", (CHECKED,), (*KERNELS_OF_FILE, "pdl", "same", "arch", "seed", "budget", "strict")),
        ToolSpec(
            "bench",
            (
                ONE_FILE,
                FileParameter(
                    "new",
                    FileKind.KERNELS,
                    "NEW: the path of a later version of FILE.",
                    source="new_source",
                    is_required=False,
                    stem="new",
                ),
            ),
            (*KERNELS_OF_FILE, *TIMING, "no_check", "reference", "rtol", "any_order"),
            is_timed=True,
            writes=True,
        ),
        ToolSpec(
            "judge",
            (CANDIDATES, REFERENCE),
            (*KERNELS_OF_FILE, *TIMING, "size", "rtol", "any_order", "special", "stop_early"),
            is_timed=True,
        ),
        ToolSpec(
            "advise",
            (
                FileParameter(
                    "target",
                    FileKind.ADVISED,
                    "PATTERN or FILE: the name of a pattern, or the path of a file.",
                    source="source",
                ),
                FileParameter("results", FileKind.RUN, "RESULTS: their paths.", is_list=True, is_required=False),
            ),
            (*KERNELS_OF_FILE, "dtype", "block", "option", "gpu", "arch", "budget", "use_fast_math"),
        ),
        ToolSpec(
            "inspect",
            (FileParameter("targets", FileKind.TARGET, "Names of patterns and suites, or one run.", is_list=True),),
            ("pattern", "variant", "dtype", "arch", "resident", "accesses", "predict", "sass"),
        ),
        ToolSpec("limits", (FileParameter("runs", FileKind.RUN, "RUN: paths of runs.", is_list=True),)),
    )
}
