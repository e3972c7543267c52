"""Generate the pages of docs/reference from the code: `make docs`. A test checks that they are current."""

from __future__ import annotations

import sys
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shflbench import errors
from shflbench.cli.main import READER_GONE, shflbench
from shflbench.cli.registry import COMMANDS
from shflbench.errors import FINDING_EXIT, UNDECIDED_EXIT
from shflbench.patterns.discover import builtin
from shflbench.store.columns import SAMPLE_COLUMNS, Row, row_columns
from shflbench.store.history.keys import RUN_KEYS
from shflbench.store.keys import INDEX_KEYS, KEYS
from shflbench.store.limits_file import CaseLimit, limit_columns
from shflbench.suite import find_shipped, json_schema
from shflbench.suite.schema import SECTIONS
from tools.docs.json_pages import pages as json_pages
from tools.docs.machine_code import table
from tools.docs.pattern_pages import NOTE, index, page
from tools.docs.reference_pages import index as reference_index
from tools.docs.reference_pages import python
from tools.docs.refused_page import refused
from tools.docs.wrap import wrap_page

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
EXAMPLE = "launch-sweep"
# The type of a column, by the type of its field; all other columns are text.
TYPES = {"bool": "`true` or `false`", "int": "integer", "float": "number"}


def commands() -> str:
    """Return the page of every command, as its `--help` prints it."""
    settings = {**shflbench.context_settings, "max_content_width": 100, "terminal_width": 100}
    group = click.Context(shflbench, info_name="shflbench", **settings)
    sections = [f"```text\n{shflbench.get_help(group)}\n```"]
    for name in COMMANDS:
        command = shflbench.get_command(group, name)
        if command is not None:
            context = click.Context(command, parent=group, info_name=name)
            sections.append(f"## {name}\n\n```text\n{command.get_help(context)}\n```")
            for verb, part in getattr(command, "commands", {}).items():
                inner = click.Context(part, parent=context, info_name=verb)
                sections.append(f"### {name} {verb}\n\n```text\n{part.get_help(inner)}\n```")
    about = """\
stdout carries only what was asked for: `run`, `gate` and `baseline save` print a folder, `plot` and `new` the paths of
their files, the other commands their tables or what `--format` chooses. Everything else goes to stderr. The
[exit code](exit-codes.md) says how a command ended. Every command takes the global options before or after its name.

| variable | meaning |
|---|---|
| `SHFLBENCH_CACHE` | folder for compiled kernels; otherwise `shflbench` in `XDG_CACHE_HOME` or `~/.cache` |
| `SHFLBENCH_BASELINES` | folder for named baselines; otherwise `baselines` in the current folder |
| `GITHUB_STEP_SUMMARY` | file that GitHub shows as a job's summary: `--format github` adds the report to it |
| `NO_COLOR` | print no colors if set and not empty |
| `FORCE_COLOR` | print colors also into a pipe if set and not empty, and not refused by `NO_COLOR` or `--no-color` |"""
    return _page("Commands", about, *sections)


def suite() -> str:
    """Return the page of every key of a suite file."""
    schema = json_schema()
    sections = []
    for key, model in SECTIONS.items():
        part = schema["$defs"][model.__name__] if key else schema
        required = part.get("required", [])
        rows = [
            (f"`{name}`", _type(item), "required" if name in required else _default(item), item["description"])
            for name, item in part["properties"].items()
        ]
        title = f"`{key}`" if key else "The file"
        sections.append(f"## {title}\n\n{part['description']}\n\n{_table('key | type | default | meaning', rows)}")
    example = find_shipped()[EXAMPLE].read_text(encoding="utf-8").rstrip()
    about = """\
A suite is a YAML file. Unknown keys are errors, and every error names file, line and column. `shflbench validate`
checks a suite, and `shflbench schema suite` prints the JSON Schema with which editors complete and check it. Lists are
axes: their product is expanded to cases."""
    return _page("Suite files", about, *sections, f"## Example\n\n```yaml\n{example}\n```")


def columns() -> str:
    """Return the page of every column of both tables."""
    kinds = {item.name: TYPES.get(str(item.type).removesuffix(" | None"), "text") for item in fields(Row)}
    rows = [(f"`{name}`", kinds[name], meaning) for name, meaning in row_columns().items()]
    samples = [(f"`{name}`", meaning) for name, meaning in SAMPLE_COLUMNS.items()]
    limit_kinds = {item.name: TYPES.get(str(item.type).removesuffix(" | None"), "text") for item in fields(CaseLimit)}
    limits = [(f"`{name}`", limit_kinds[name], meaning) for name, meaning in limit_columns().items()]
    about = """\
A run is a folder with [`run.json`](run-json.md) (settings, versions, device), `results.csv` and `samples.csv.gz`. Both
tables are UTF-8 with a header; an unknown value is empty, never 0. In Python, [`shflbench.load("results")`](python.md)
returns the cases of all runs below a folder, with their limits, as one table of pandas."""
    burst = """\
A sample is the time of one or more launches between two events. A
[burst](../explanation/how-we-time.md#a-burst-of-samples) is a few samples of a case, queued together."""
    calculated = "[Calculated](../explanation/limits.md), not measured; `shflbench limits --save` completes the file."
    return _page(
        "Columns",
        about,
        f"## results.csv: one row per case\n\n{_table('column | type | meaning', rows)}",
        f"## samples.csv.gz: one row per sample\n\n{burst}\n\n{_table('column | meaning', samples)}",
        f"## limits.csv: one row per timed case\n\n{calculated}\n\n{_table('column | type | meaning', limits)}",
    )


def run_file() -> str:
    """Return the page of every key of `run.json`."""
    about = """\
`run.json` records what is needed to judge a run or to repeat it. An unknown value is null: `device` where nothing was
timed, `device.state` where NVML, the driver's management library, does not report it. Files of earlier versions lack
some keys.

Compute `versions.source` of any commit in its folder `shflbench`:

```sh
find . -name '*.py' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cubin' |
    LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-16
```"""
    rows = [(f"`{key}`", meaning) for key, meaning in KEYS.items()]
    return _page("run.json", about, _table("key | meaning", rows))


def kernels() -> str:
    """Return the page of `kernels.zip`."""
    about = """\
`kernels.zip` holds the kernels of a run, so that later questions need neither the GPU nor the compiler: what was
compiled, the machine code that ran, and what was counted in it. Runs of versions before 0.2.0 lack the file.

```sh
unzip -d kernels results/quick/nvidia-h200-20260115-1/kernels.zip
tar -C kernels -xf kernels/cubins.tar.xz
nvdisasm kernels/cubins/reduce-*.cubin
```

Cubins resemble each other: those of the reference run of `blocks` take a fifth together. In files of schema 1,
which version 0.2.0 reads, each cubin is a file of the zip as sources are; so is one of a pattern whose name has more
than 81 characters.

A resumed run is refused where the machine code of a kernel is no longer that of its `code_sha256`."""
    contents = [
        ("`index.json`", "what is known of each kernel"),
        ("`sources/<pattern>-<hash>.cu`", "a translation unit as the compiler got it"),
        ("`headers/<hash>-<name>`", "a header of shflbench or of the pattern that units include"),
        (
            "`cubins.tar.xz`",
            "`cubins/<pattern>-<hash>.cubin`: the machine code that was loaded, of one or more kernels of a unit",
        ),
    ]
    rows = [(f"`{key}`", meaning) for key, meaning in INDEX_KEYS.items()]
    return _page(
        "kernels.zip", about, _table("file | content", contents), f"## index.json\n\n{_table('key | meaning', rows)}"
    )


def history_files() -> str:
    """Return the page of the files of a history."""
    about = """\
A history is a folder to which `shflbench history add` adds runs. It can be committed to git: files are written once
and never changed, and their names contain the hash of their content. So branches merge without conflict, and two
processes can add runs at the same time. The files are the database: there is no index, because a thousand runs of 430
cases are read in less than 2 s.

A file that is damaged, renamed or not of a history costs that run alone: commands name it and read the others. A run
that is there twice counts once."""
    contents = [
        ("`runs/<suite>/<started>-<hash>.json.gz`", "a run: the time in UTC, 12 digits of the SHA-256 of the file"),
        (
            "`sources/<hash>.json.gz`",
            "a translation unit as the compiler got it: `unit`, its name; `text`; `headers` by their names; `options`",
        ),
        ("`marks.yaml`", "what people recorded about changes by `history mark`: a list that can be edited"),
        ("`.gitignore`", "names the files that remain if `add` is killed"),
    ]
    run = """\
A file holds JSON, compressed by gzip in two parts, of which the second rarely changes. Cases, their times and different
kernels are lists of equal length, one per key. Hashes of
sources and machine code are the first 20 hexadecimal digits of a SHA-256; an empty text and null are unknown.

```sh
zcat history/runs/quick/20260115080010-*.json.gz | jq .machine
```"""
    parts = """\
`add` refuses runs without times, such as those of the emulator, runs that are not finished, and those of a wrong clock,
which started before 2006 or later than tomorrow. A run without
`kernels.zip`, of another tool or of a version before 0.2.0, is kept without the identity of its kernels: no change
can be attributed to their code."""
    recompiled = """\
Where the source of a kernel, the compiler and the machine code all changed since the run before on this GPU, else on
its model, `add` compiles the old source, from `sources/`, with the compiler of the new run. It must be installed where
`add` runs, and it must reproduce the machine code of the new source; otherwise `recompiled` stays empty. Equal to the
new machine code: the compiler changed it. Equal to the old machine code: the source did. Another one: both did."""
    rows = [(f"`{key}`", meaning) for key, meaning in RUN_KEYS.items()]
    return _page(
        "Files of a history",
        about,
        _table("file | content", contents),
        f"## A run\n\n{run}\n\n{_table('key | meaning', rows)}\n\n{parts}",
        f"## Recompiled sources\n\n{recompiled}",
    )


def exit_codes() -> str:
    """Return the page of exit codes."""
    known = {
        0: "success; `compare` and `gate` also if a case is suspected or inconclusive, unless `--strict` is given;"
        " `fleet` also if a device is an outlier or undecided, unless `--fail-on-outliers` or `--strict` is given",
        FINDING_EXIT: "a finding: `compare` or `gate` found a case slower, missing or over its `--limit`; `compare`"
        " found a case failed;"
        " `noise learn` found that its estimate would raise false alarms; `check` found a kernel that is declared safe"
        " and is not; `run`, `gate` or `claims` found that a required claim does not hold in each setting, or was not"
        " tested; `limits` found a case more than 1% faster than its limit; `fleet --fail-on-outliers` found"
        " an outlier; `challenge` found a race or a memory fault; `judge` rejects a kernel",
        errors.UsageError.exit_code: "wrong usage: an unknown command, option or value",
        errors.InputError.exit_code: "a suite, a pattern or results that cannot be read, written or compared;"
        " `compare --across` reports what cannot be compared; `limits --requests`: no kernel of a run is of a pattern"
        " of shflbench, so that none can be counted",
        errors.MissingError.exit_code: "this machine lacks a GPU, its driver, cupy or the compiler; `run` on several"
        " GPUs: the run of a GPU ended early, or a GPU could not be opened; `challenge`: nothing was timed",
        errors.KernelError.exit_code: "`run` and `gate`: a kernel computed a wrong result, or a case failed; `check`: a"
        " kernel does not compile, or cannot be emulated; `inspect`: a kernel does not compile; `calibrate`: a rate or"
        " latency could not be measured; `challenge`: a kernel does not compile, computed a wrong result, or has no"
        " timed loop that runs",
        UNDECIDED_EXIT: "`compare --strict` and `gate --strict`: a case is suspected, inconclusive or not comparable;"
        " `claims --strict` and `gate --strict`: a required claim is inconclusive; `check --strict`: a declaration"
        " looks wrong, or a kernel is doubtful or needs arguments; `fleet --strict`: a device is undecided, or a model"
        " has too few devices; `judge`: a verdict is undecided, and no kernel is rejected",
        errors.INTERNAL_FAULT: "shflbench itself failed; please report it",
        errors.HUNG_UP: "ended by SIGHUP, for example because the terminal was closed; rows are kept as for 130",
        errors.INTERRUPTED: "interrupted by Ctrl-C; finished rows are kept, and `--resume` measures the other cases",
        errors.TERMINATED: "ended by SIGTERM; rows are kept as for 130",
        READER_GONE: "the process that read the output closed it, as `head` does",
    }
    rows = [(str(code), meaning) for code, meaning in sorted(known.items())]
    about = """\
Every command uses the same codes. An error is one sentence on stderr, with what to do about it. If several codes
apply, the command exits with the first of 130, 2, 3, 4, 5, 1, 6. One exception: for a kernel that cannot be emulated,
`check` exits with 5 only if no kernel is broken, else with 1."""
    return _page("Exit codes", about, _table("code | meaning", rows))


PAGES: Mapping[str, Callable[[], str]] = {
    "index.md": reference_index,
    "commands.md": commands,
    "suite.md": suite,
    "columns.md": columns,
    "python.md": python,
    "run-json.md": run_file,
    "kernels-zip.md": kernels,
    "history-files.md": history_files,
    "exit-codes.md": exit_codes,
    **json_pages(),
    "refused-instructions.md": refused,
    "patterns/README.md": index,
    **{f"patterns/{name}.md": partial(page, name) for name in builtin()},
}


def _page(title: str, about: str, *sections: str) -> str:
    return wrap_page("\n\n".join((NOTE, f"# {title}", about, *sections)) + "\n")


def _table(head: str, rows: Iterable[tuple[str, ...]]) -> str:
    return table(head.split(" | "), rows)


def _type(item: Mapping[str, Any]) -> str:
    """Return the type of a key's value, from its JSON Schema."""
    choices = item.get("anyOf") or [{name: value for name, value in item.items() if name != "description"}]
    single = list(dict.fromkeys(_value(choice) for choice in choices if choice.get("type") != "array"))
    listed = ["a list of them"] if any(choice.get("type") == "array" for choice in choices) else []
    return "; or ".join(single + listed)


def _value(choice: Mapping[str, Any]) -> str:
    """Return what one value may be."""
    match choice:
        case {"$ref": str(reference)}:
            name = reference.rsplit("/", 1)[1]
            key = next(key for key, model in SECTIONS.items() if model.__name__ == name)
            return f"a mapping (see [{key}](#{key}))"
        case {"enum": [*words]}:
            return f"one of {', '.join(f'`{word}`' for word in words)}"
        case {"minimum": low, "maximum": high} if low == high:
            return f"`{low}`"
        case {"type": "boolean"}:
            return "`true` or `false`"
        case {"type": "integer" | "number" as kind}:
            signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤"}
            bounds = " and ".join(f"{sign} {choice[key]:,}" for key, sign in signs.items() if key in choice)
            return f"{kind} {bounds}".rstrip() + (f", multiple of {step}" if (step := choice.get("multipleOf")) else "")
        case _:
            return str(choice.get("description", "text"))


def _default(item: Mapping[str, Any]) -> str:
    return f"`{item['default']}`" if "default" in item else ""


def write(names: Collection[str]) -> None:
    """Write the named pages, and print their paths."""
    for name in names:
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGES[name](), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    write(sys.argv[1:] or PAGES)  # by default all; `python -m tools.docs.generate patterns/scan.md` writes one
