"""Write docs/explanation/claims.md and a page per document with the verdict on each of its claims: `make plots`.

The sentences are in the folder `claims`: `claims.md.j2` is the page that leads to the others, `document.md.j2` that of
a document. They take each figure from a verdict of the committed runs. A test checks that the pages are current.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.analysis.claims.claim_verdicts import judge_claims, read_claim_run
from shflbench.analysis.claims.measured import measured_quantity
from shflbench.analysis.claims.verdict import ClaimStatus, SettingStatus
from shflbench.analysis.ranking import times, times_range
from shflbench.core.claims.walk import expression_text
from shflbench.core.grouping import group_by
from shflbench.core.model import Interval
from shflbench.store import find_runs, read_run
from shflbench.suite.shipped_claims import shipped_claims
from tools.docs.measured import DEVICE, ROOT, by_pattern, launch_costs, per_iteration, settings, unsafe_gain
from tools.docs.page_file import generated_note, page_environment, write_page
from tools.docs.wrap import wrap_page

if TYPE_CHECKING:
    from shflbench.analysis.claims.verdict import ClaimVerdict

PAGE = ROOT / "docs" / "explanation" / "claims.md"
TEMPLATES = Path(__file__).with_name("claims")
NOT_QUIET = "the GPU was not quiet during "
DOCUMENTS = {
    "G": "GTC 2013: Shuffle: Tips and Tricks",
    "A": "Acceleware: Kepler's SHUFFLE (SHFL): Tips and Tricks",
    "N": "NTNU: Shuffle Shenanigans",
    "P": "NVIDIA Pro Tip: Fast Dynamic Indexing of Private Arrays in CUDA",
}
NAMES = {
    "G": "claims-of-gtc-2013",
    "A": "claims-of-acceleware",
    "N": "claims-of-ntnu",
    "P": "claims-of-the-pro-tip",
}


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts on published claims, by id."""

    by_id: dict[str, ClaimVerdict]

    def of(self, document: str) -> Verdicts:
        """Return the verdicts on the claims of a document, by its letter."""
        return Verdicts({name: verdict for name, verdict in self.by_id.items() if name.startswith(document)})

    def with_verdict(self, *verdicts: str) -> list[ClaimVerdict]:
        """Return those with one of these verdicts."""
        return [one for one in self.by_id.values() if one.verdict.value in verdicts]

    def counts(self) -> dict[str, int]:
        """Return how many claims have each verdict."""
        counted = Counter(one.verdict for one in self.by_id.values())
        return {verdict.value: counted[verdict] for verdict in ClaimStatus}

    def ratio(self, name: str, *words: str) -> str:
        """Return the ratio that was measured in the setting that has all `words`, and else defaults: `16.9×`."""
        settings = {
            frozenset((one.suite, one.pattern, *one.setting.split(", "))): one.measured
            for one in self.by_id[name].settings
        }
        fewest = min((parts for parts in settings if parts.issuperset(words)), key=len)
        measured = settings[fewest]
        if not isinstance(measured, Interval):
            raise TypeError(words)
        return times(measured.value)

    def number(self, name: str, *outcomes: str) -> int:
        """Return in how many settings a claim has one of these outcomes; in all if none is given."""
        return sum(not outcomes or one.outcome.value in outcomes for one in self.by_id[name].settings)

    def patterns(self, name: str, outcome: str) -> str:
        """Return the patterns in whose settings a claim has this outcome: `vote`, `transpose` and `lane-array`."""
        names = [f"`{one.pattern}`" for one in self.by_id[name].settings if one.outcome.value == outcome]
        *others, last = sorted(set(names))
        return f"{', '.join(others)} and {last}" if others else last

    def whole(self, name: str, *outcomes: str) -> int:
        """Return in how many patterns a claim has only these outcomes; the number of patterns if none is given."""
        patterns = group_by(self.by_id[name].settings, lambda one: one.pattern).values()
        return sum(not outcomes or {one.outcome.value for one in part} <= {*outcomes} for part in patterns)


@cache
def verdicts(letters: str = "".join(DOCUMENTS), device: str = DEVICE) -> Verdicts:
    """Judge the claims of the shipped suites whose ids start with these letters by a GPU's runs; some seconds."""
    runs = [read_claim_run(folder) for folder in find_runs([ROOT / "results"]) if folder.name == device]
    every = [claim for several in shipped_claims().values() for claim in several]
    claims = [claim for claim in every if claim.id[0] in letters]
    claims.sort(key=lambda claim: (letters.index(claim.id[0]), claim.id))
    return Verdicts({verdict.claim.id: verdict for verdict in judge_claims(claims, runs)})


def share(verdict: ClaimVerdict) -> str:
    """Return in how many of its settings a claim holds, where that says more than the verdict: `206 of 208`."""
    if verdict.verdict not in {ClaimStatus.DEPENDS, ClaimStatus.INCONCLUSIVE}:
        return ""
    holds = sum(one.outcome is SettingStatus.HOLDS for one in verdict.settings)
    return f"holds in {holds} of {len(verdict.settings)}"


def finding(verdict: ClaimVerdict) -> str:
    """Return the sentence of a verdict without what it repeats about runs that were not quiet."""
    return "; ".join(part for part in verdict.sentence.split("; ") if not part.startswith(NOT_QUIET))


def measured(verdict: ClaimVerdict) -> str:
    """Return what was measured, with its quantity in code."""
    quantity = measured_quantity(verdict.claim)
    name = f"`{expression_text(quantity.expression)}`: " if verdict.measured and quantity else ""
    return f"{name}{verdict.measured}"


def not_quiet(judged: Verdicts) -> list[str]:
    """Return the suites of whose runs verdicts say that they were not quiet: `occupancy` (unsteady GPU)."""
    parts = [part for one in judged.by_id.values() for part in one.sentence.split("; ")]
    runs = sorted({part.removeprefix(NOT_QUIET) for part in parts if part.startswith(NOT_QUIET)})
    return [f"`{suite}` ({noise})" for suite, _, noise in (run.partition(": ") for run in runs)]


def by_pattern_of(name: str) -> dict[str, Counter[str]]:
    """Return the patterns of a claim with the counts of `by_pattern`."""
    return {one.pattern: by_pattern().get(one.pattern, Counter()) for one in verdicts().by_id[name].settings}


def always_faster(name: str) -> list[str]:
    """Return the patterns of a claim in which the fastest safe shuffle is faster than shared memory in all settings."""
    return sorted(f"`{pattern}`" for pattern, counts in by_pattern_of(name).items() if set(counts) == {"shfl"})


def sometimes_slower(name: str) -> list[str]:
    """Return the patterns of a claim in which safe shared memory is faster than shuffles in some settings."""
    return sorted(f"`{pattern}`" for pattern, counts in by_pattern_of(name).items() if counts["smem"])


def also_safe_faster() -> int:
    """Return in how many of the settings in which G23 fails shared memory with warp barriers is clearly faster, too."""
    fails = [one for one in verdicts().by_id["G23"].settings if one.outcome is SettingStatus.FAILS]
    failing = {(one.suite, case_id) for one in fails for case_id in one.case_ids}
    found = 0
    for name, it in settings().items():
        unsafe, safe, shfl = map(it.rows.get, ("smem-unsafe", "smem-syncwarp", "shfl"))
        if unsafe and safe and shfl and (name.partition(" ")[0], unsafe.case_id) in failing:
            found += not it.ranking.tie(safe, shfl) and (safe.time_us or 0) < (shfl.time_us or 0)
    return found


def stride_factor() -> float:
    """Return the time of a read at a stride of 16 words divided by that at 8; both request a sector per element."""
    rows = {row.case_id: row for row in read_run(ROOT / "results" / "warp-collectives" / DEVICE).rows}
    near, far = (rows[f"strided-read/global/i32/16384x256/1/stride={stride}/offset=0"] for stride in (8, 16))
    return (far.time_us or 0.0) / (near.time_us or 1.0)


def over_warp_barriers() -> str:
    """Return the range of the speed of shuffles relative to warp barriers in the settings of G01 and G12."""
    having = [it for it in settings().values() if {"smem-double", "smem-syncwarp", "shfl"} <= it.rows.keys()]
    judged = {case for name in ("G01", "G12") for one in verdicts().by_id[name].settings for case in one.case_ids}
    found = [it.ratio_of_launches("smem-syncwarp", "shfl") for it in having if it.rows["shfl"].case_id in judged]
    return times_range(found)


def longer_arrays() -> float:
    """Return the factor of 32 different indices over one, of local arrays of 64 floats, with 32 blocks per SM."""
    place = "private-array f32 32*sms x 64 length=64 index="
    worst, one = (settings()[f"residency {place}{index} math=0"].rows["local"] for index in ("worst", "uniform"))
    return per_iteration(worst) / per_iteration(one)


def cell(text: str) -> str:
    """Return a text for a cell of a table in Markdown; words in it are shown as they are."""
    parts = text.replace("|", "\\|").split("`")  # every second one is code, which needs no more
    plain = [part.replace("__", "\\_\\_").replace("*", "\\*") for part in parts[::2]]
    return "`".join(part for pair in zip_longest(plain, parts[1::2]) for part in pair if part is not None) or "–"


def pages() -> dict[Path, str]:
    """Return the text of each page."""
    environment = page_environment(TEMPLATES)
    environment.filters.update(cell=cell, finding=finding, measured=measured, share=share)
    judged = verdicts()
    first = environment.get_template("claims.md.j2").render(
        documents=DOCUMENTS,
        names=NAMES,
        not_quiet=not_quiet(judged),
        also_safe=also_safe_faster(),
        stride_factor=times(stride_factor()),
        unsafe_gain=times(unsafe_gain()),
        verdicts=judged,
        always=always_faster("G22"),
        sometimes_slower=sometimes_slower("G22"),
        over_warp_barriers=over_warp_barriers(),
        longer_arrays=times(longer_arrays()),
        launch_costs=launch_costs(),
    )
    found = {PAGE: _noted("claims.md.j2", first)}
    for letter, title in DOCUMENTS.items():
        part = judged.of(letter)
        text = environment.get_template("document.md.j2").render(title=title, part=part, not_quiet=not_quiet(part))
        found[PAGE.with_name(f"{NAMES[letter]}.md")] = _noted("document.md.j2", text)
    return found


def _noted(template: str, text: str) -> str:
    return wrap_page(f"{generated_note(TEMPLATES / template, ROOT)}\n\n{text}".replace(f"{ROOT}/", ""))


def main() -> None:
    """Write the pages, and print the paths of those that changed."""
    for page, text in pages().items():
        write_page(page, text)


if __name__ == "__main__":
    main()
