"""Two pages of the reference: its index, and the functions of the Python package."""

from __future__ import annotations

import inspect
import re

import shflbench
from tools.docs.pattern_pages import NOTE

# The pages in the order of use, each with its title.
PAGES = {
    "commands.md": "Commands: every option of every command",
    "suite.md": "Suite files: every key",
    "patterns/README.md": "Patterns: variants, options, kernels and machine code",
    "columns.md": "Columns of results.csv, samples.csv.gz and limits.csv",
    "python.md": "Python: load runs as a pandas table",
    "run-json.md": "run.json: settings, versions and device of a run",
    "kernels-zip.md": "kernels.zip: sources and machine code of a run",
    "exit-codes.md": "Exit codes",
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
    return "\n\n".join((NOTE, "# Python", _ABOUT, *_function("load"), _EXAMPLE, _TYPES)) + "\n"


def _function(name: str) -> tuple[str, str]:
    function = getattr(shflbench, name)
    signature = str(inspect.signature(function)).replace("'", "").replace("pd.", "pandas.")
    text = inspect.getdoc(function) or ""
    text = re.sub(r"docs/reference/(\S+?\.md)", r"[\1](\1)", text).replace("shflbench.errors.", "`shflbench.errors.")
    text = re.sub(r"(`shflbench\.errors\.\w+)", r"\1`", text)
    return f"## shflbench.{name}", f"```python\nshflbench.{name}{signature}\n```\n\n{text}"


_ABOUT = """\
`import shflbench` offers one function, for notebooks and scripts; the [command line](commands.md) does everything else.
[Explore results in a notebook](../notebooks/explore-results.md) shows it in use."""
_EXAMPLE = """\
```python
import shflbench

rows = shflbench.load("results")
timed = rows[rows.safe & rows.time_us.notna()]
best = timed.sort_values("time_us").groupby(["suite", "pattern", "dtype", "launch", "options"]).first()
```"""
_TYPES = """\
Numbers are `float64`, integers `Int64` (which can be missing), truth values `bool`, and everything else Python objects,
mostly text. `options` is text such as `width=32`, so that rows can be grouped by it."""
