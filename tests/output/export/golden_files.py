"""Write the golden files after a change of a format: `python -m tests.output.export.golden_files`; then review them."""

from collections.abc import Mapping
from pathlib import Path

from shflbench.analysis.compare.comparison import Comparison
from shflbench.cli.compare.table import lines
from shflbench.output.export import FORMATS, render
from tests.fakes import comparisons

FOLDER = Path(__file__).parent / "golden"
COMPARISONS = {"rich": comparisons.rich, "quiet": comparisons.quiet, "across": comparisons.across}
ENDS = {"json": "json", "markdown": "md", "junit": "xml", "github": "github.txt", "table": "table.txt"}


def texts() -> Mapping[str, str]:
    """Return the golden files by name."""
    return {
        f"{name}.{ENDS[form]}": _text(form, made())
        for name, made in COMPARISONS.items()
        for form in (*FORMATS, "table")
    }


def _text(form: str, comparison: Comparison) -> str:
    if form in FORMATS:
        return render(form, comparison)
    return "".join(f"{text}\n" for text, _ in lines(comparison))


if __name__ == "__main__":
    for old in FOLDER.iterdir():
        old.unlink()
    for name, text in texts().items():
        (FOLDER / name).write_bytes(text.encode())
