"""Two pages of the reference: its index, and the functions of the Python package."""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import fields
from typing import TYPE_CHECKING

import shflbench
from shflbench.advice.api import AdviceResult
from shflbench.checker.python.results import CheckFinding, CheckResult
from shflbench.kernel_facts.inspection import InspectResult
from shflbench.user_kernels.bench.result import BenchResult
from shflbench.user_kernels.judge.result import JudgeResult
from shflbench.user_kernels.judge.verdict import Verdict, VerdictReason
from tools.docs.machine_code import table
from tools.docs.pattern_pages import NOTE
from tools.docs.wrap import wrap_page

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

# The pages in the order of use, each with its title.
PAGES = {
    "commands.md": "Commands: every option of every command",
    "suite.md": "Suite files: every key",
    "patterns/README.md": "Patterns: variants, options, kernels and machine code",
    "columns.md": "Columns of results.csv, samples.csv.gz and limits.csv",
    "python.md": "Python: bench, check, judge and inspect kernels, advise, load runs and samples as pandas tables",
    "run-json.md": "run.json: settings, versions and device of a run",
    "kernels-zip.md": "kernels.zip: sources and machine code of a run",
    "history-files.md": "Files of a history: runs over months, as git keeps them",
    "exit-codes.md": "Exit codes",
    "json/README.md": "JSON of commands: every key with its type and unit, and what may change",
    "refused-instructions.md": "Refused instructions: what of PTX `check` does not emulate",
}


def index() -> str:
    """Return the page that lists the pages of the reference."""
    lines = []
    for page, words in PAGES.items():
        title, colon, rest = words.partition(":")
        lines.append(f"- [{title}]({page}){colon}{rest}")
    return "\n\n".join((NOTE, "# Reference", "Generated from the code.", "\n".join(lines))) + "\n"


def python() -> str:
    """Return the page of the functions that `import shflbench` offers."""
    bench = (*_function("bench"), _BENCH_EXAMPLE, *_members(BenchResult))
    parts = (*bench, *_function("check"), _CHECK_EXAMPLE, *_members(CheckResult), *_members(CheckFinding), _PLUGIN)
    judged = (*_function("judge"), *_members(JudgeResult), *_members(Verdict), *_members(VerdictReason))
    inspected = (*_function("inspect"), _INSPECT_EXAMPLE, *_members(InspectResult))
    advised = (*_function("advise"), _ADVISE_EXAMPLE, *_members(AdviceResult))
    tables = (*_function("load"), _EXAMPLE, _TYPES, *_function("split_options"), _SPLIT_EXAMPLE)
    samples = (*_function("load_samples"), _SAMPLES_EXAMPLE)
    sections = (*parts, *judged, *inspected, *advised, *tables, *samples)
    return wrap_page("\n\n".join((NOTE, "# Python", _ABOUT, *sections)) + "\n")


def _function(name: str) -> tuple[str, str]:
    function = getattr(shflbench, name)
    signature = inspect.signature(function)
    text = str(signature).replace("'", "").replace("pd.", "pandas.")
    if len(text) > _WIDEST:
        parameters = signature.parameters.values()
        parts = map(_parameter, parameters)
        several = any(part.kind is part.VAR_POSITIONAL for part in parameters)
        keyword = None if several else next((part for part in parameters if part.kind is part.KEYWORD_ONLY), None)
        lines = [f"    {part}," for part in parts]
        if keyword is not None:
            lines.insert(list(signature.parameters).index(keyword.name), "    *,")
        text = "\n".join(("(", *lines, f") -> {signature.return_annotation}"))
    return (
        f"## shflbench.{name}",
        f"```python\nshflbench.{name}{text}\n```\n\n{_linked(inspect.getdoc(function) or '')}",
    )


def _parameter(part: inspect.Parameter) -> str:
    """Return a parameter with its type without quotes, and its default value."""
    if isinstance(part.default, str):
        return f"{_parameter(part.replace(default=part.empty))} = {json.dumps(part.default)}"
    return str(part).replace("'", "")


def _linked(text: str) -> str:
    """Return a docstring with links to pages, and with the names of errors as code."""
    text = re.sub(r"docs/reference/(\S+?\.md)", r"[\1](\1)", text)
    text = re.sub(r"docs/how-to/(\S+?\.md)", r"[\1](../how-to/\1)", text)
    return re.sub(r"(shflbench\.errors\.\w+)", r"`\1`", text)


def _members(kind: type[DataclassInstance]) -> tuple[str, str]:
    """Return a section on the fields and functions of a dataclass."""
    source = inspect.getsource(kind)
    rows = []
    for item in fields(kind):
        meaning = re.search(rf"^ *(?:# (.+)\n *)?{item.name}: [^#\n]+(?:  # (.+))?$", source, re.MULTILINE)
        words = meaning[1] or meaning[2] or "" if meaning else ""
        rows.append((f"`{item.name}`", f"`{item.type}`", words))
    for name, member in vars(kind).items():
        if not name.startswith("_") and (isinstance(member, property) or inspect.isfunction(member)):
            shown = name if isinstance(member, property) else f"{name}()"
            rows.append((f"`{shown}`", "", (inspect.getdoc(member) or "").splitlines()[0]))
    return f"### {kind.__name__}", f"{inspect.getdoc(kind)}\n\n{table(('member', 'type', 'meaning'), rows)}"


_WIDEST = 100  # characters of a signature in one line
_ABOUT = """\
`import shflbench` offers eight functions, for tests, notebooks and scripts; the [command line](commands.md) does
everything else. [Compare kernels from Python](../how-to/bench-from-python.md), [Check a kernel from
Python](../how-to/check-a-kernel-from-python.md), [Judge kernels](../how-to/judge-kernels.md) and [Explore results in a
notebook](../notebooks/explore-results.md) show them in use."""
_BENCH_EXAMPLE = """\
```python
import numpy as np
import shflbench

x = np.random.default_rng(0).random(1 << 20, dtype=np.float32)
kernels = {"old": "old.cu", "new": "new.cu"}
result = shflbench.bench(kernels, np.empty_like(x), x, x.size, grid=4096, block=256)
print(result.table[["kernel", "time_us", "speedup", "speedup_low", "speedup_high"]])
```"""
_CHECK_EXAMPLE = """\
```python
import numpy as np
import shflbench

x = np.arange(1000, dtype=np.float32)
result = shflbench.check("scale.cu", launch=(4, 256), args={"x": x, "n": x.size})
assert result.clean, result.text()
```"""
_INSPECT_EXAMPLE = """\
```python
import shflbench

result = shflbench.inspect("reduce", dtypes=["f32"], accesses=True)
print(result.table[["variant", "limit_cycles_per_iteration", "limit_by", "registers", "occupancy"]])
```"""
_ADVISE_EXAMPLE = """\
```python
import shflbench

result = shflbench.advise("reduce", "results", dtype="f32", block=256)
print(result.variants)
print(result.text())
```"""
_PLUGIN = """\
### The fixture `assert_race_free` of pytest

```python
def test_scale(assert_race_free):
    assert_race_free("scale.cu", launch=(4, 256))
```

The plugin for pytest comes with shflbench. The fixture takes the arguments of `shflbench.check` and returns its result;
the test fails with the findings unless the verdict is `clean`, `schedule-dependent`, or one of `allow={…}`."""
_EXAMPLE = """\
```python
import shflbench

rows = shflbench.load("results")
timed = rows[rows.safe & rows.time_us.notna()]
best = timed.sort_values("time_us").groupby(["suite", "pattern", "dtype", "launch", "options"]).first()
```"""
_SPLIT_EXAMPLE = """\
```python
import shflbench

transposes = shflbench.load("results").query("pattern == 'transpose'")
transposes = shflbench.split_options(transposes)
times = transposes.pivot_table(index="option_words", columns="variant", values="time_us")
```"""
_SAMPLES_EXAMPLE = """\
```python
import shflbench

samples = shflbench.load_samples("results/gtc2013").query("pattern == 'reduce' and not dropped")
spread = samples.groupby(["case_id", "iterations"]).time_us.describe()
```"""
_TYPES = """\
Numbers are `float64`, integers `Int64` (which can be missing), truth values `bool`, and everything else Python objects,
mostly text. `options` is text such as `width=32`, so that rows can be grouped by it;
`shflbench.split_options` makes columns of it."""
