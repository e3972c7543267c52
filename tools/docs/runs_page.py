"""Write docs/explanation/reference-runs.md: what the runs under results/ were measured on, and with which suites.

`make plots` writes it. A test checks the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from shflbench.core.grouping import group_by
from shflbench.core.words import count_noun
from shflbench.store import find_runs, read_run
from shflbench.suite import find_shipped, load
from shflbench.suite.revision import same_measurements
from tools.docs.measured import ROOT
from tools.docs.page_file import write_page
from tools.docs.wrap import wrap_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shflbench.store.read import Run

PAGE = ROOT / "docs" / "explanation" / "reference-runs.md"
TEMPLATE = Path(__file__).with_name("runs_page.md.j2")
REFERENCE = "*/nvidia-h?00"  # folders of reference runs; those of other runs have a date: `nvidia-h200-20261127-1`
UUID = len("GPU-5ac73486")  # of a UUID, what distinguishes cards
COMMIT = 8  # digits


@dataclass(frozen=True, slots=True)
class ReferenceRun:
    """A run under results/, and the suite of its name as it is today."""

    folder: str
    run: Run
    removed: int  # cases that the suite no longer defines
    added: int  # cases that the run does not have
    is_current: bool  # whether `compare` takes it with a run of the suite

    @property
    def suite(self) -> str:
        """The name of its suite."""
        return self.run.info.suite.name

    @property
    def model(self) -> str:
        """The model of its GPU."""
        return self.run.info.device.name if self.run.info.device else ""

    @property
    def card(self) -> str:
        """The beginning of the UUID of its GPU."""
        return self.run.info.device.uuid[:UUID] if self.run.info.device else ""

    @property
    def commit(self) -> str:
        """The commit of shflbench that measured it, and whether files differed from it."""
        versions = self.run.info.versions
        return f"`{(versions.git_commit or '')[:COMMIT]}`{' with changes' if versions.git_dirty else ''}"

    @property
    def disturbance(self) -> str:
        """What the run records of its GPU, such as `unsteady GPU`; empty where it was quiet."""
        noise = self.run.info.noise
        return noise.verdict if noise and not noise.quiet else ""

    @property
    def has_bounds(self) -> bool:
        """Whether its kernels were compiled for their launches."""
        archive = self.run.kernels()
        return archive is not None and any("/blocks_per_sm=" in kernel.name for kernel in archive.index.kernels)

    @property
    def state(self) -> str:
        """How the suite differs from that of the run, in words."""
        if self.is_current:
            return f"the same, and {count_noun(self.added, 'case')} of new variants" if self.added else "the same"
        parts = [f"{count_noun(self.removed, 'case')} fewer"] * bool(self.removed)
        parts += [f"{count_noun(self.added, 'case')} more"] * bool(self.added)
        return " and ".join(parts) or "the same cases, other settings"


@cache
def reference_runs() -> Sequence[ReferenceRun]:
    """Return the committed runs under results/ by folder, each with today's suite."""
    return [_compared(folder) for folder in find_runs((ROOT / "results").glob(REFERENCE))]


def _compared(folder: Path) -> ReferenceRun:
    run = read_run(folder)
    path = find_shipped()[run.info.suite.name]
    measured, defined = {row.case_id for row in run.rows}, {case.id for case in load(path).cases}
    return ReferenceRun(
        folder.relative_to(ROOT).as_posix(),
        run,
        removed=len(measured - defined),
        added=len(defined - measured),
        is_current=same_measurements(run.info.suite.text, path.read_text(encoding="utf-8")),
    )


def render() -> str:
    """Return the page."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATE.parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  (Markdown, of committed files)
    )
    runs = reference_runs()
    cards = {
        model: len({one.card for one in runs if one.model == model}) for model in sorted({one.model for one in runs})
    }
    changed = sum(bool(one.run.info.versions.git_dirty) for one in runs)
    text = environment.get_template(TEMPLATE.name).render(
        runs=runs,
        cards=cards,
        changed=changed,
        disturbed=group_by([one for one in runs if one.disturbance], lambda one: one.disturbance),
        unbounded=[one for one in runs if not one.has_bounds],
        outdated=[one for one in runs if not one.is_current],
    )
    return wrap_page(text)


def main() -> None:
    """Write the page, and print its path if it changed."""
    write_page(PAGE, render())


if __name__ == "__main__":
    main()
