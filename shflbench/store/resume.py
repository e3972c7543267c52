"""Go on with a run that was stopped."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.store import rows, samples
from shflbench.store.append import RunFolder
from shflbench.store.files import SAMPLES_FILE
from shflbench.store.read import read_info, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from shflbench.model import Case
    from shflbench.store.columns import Row
    from shflbench.store.provenance import RunInfo

MEASURE_AGAIN = "measure again in a new folder"


@dataclass(frozen=True, slots=True)
class Resumed:
    """A stopped run, ready to be continued."""

    folder: RunFolder
    rows: tuple[Row, ...]  # of the groups that are done
    done: frozenset[str]  # their names, as `Case.group` gives them


def resume(path: Path, current: RunInfo, cases: Iterable[Case]) -> Resumed:
    """Open the stopped run at `path` and go on with it under the conditions of `current`.

    `cases` is the whole plan. A group is done when every case of it has its row; the rows and
    samples of other groups are removed from the files, and so is a half-written last line.
    ResultsError where the run is finished, or was made of another suite, on another GPU, for another
    architecture, with other software or settings: one folder holds measurements that compare.
    """
    recorded = read_info(path)
    if recorded.finished is not None:
        raise ResultsError(f"{path} is finished: nothing is left to resume", f"read it with: shflbench show {path}")
    for difference in _differences(recorded, current):
        raise ResultsError(f"{path} cannot be resumed: {difference}", MEASURE_AGAIN)
    found, _ = read_rows(path)
    plan = {case.id: case.group for case in cases}
    for row in found:
        if row.case_id not in plan:
            raise ResultsError(f"{path} cannot be resumed: {row.case_id} is not planned", MEASURE_AGAIN)
    done = frozenset(plan.values()) - {plan[case] for case in plan.keys() - {row.case_id for row in found}}
    kept = tuple(row for row in found if plan[row.case_id] in done)
    info = dataclasses.replace(recorded, resumed=(*recorded.resumed, current.started))
    folder = RunFolder(path, info)
    folder.rewrite(
        (rows.header() + rows.encode(kept)).encode(),
        samples.keep(path / SAMPLES_FILE, {row.case_id for row in kept}),
    )
    return Resumed(folder, kept, done)


def _differences(recorded: RunInfo, current: RunInfo) -> Iterator[str]:
    """Yield a clause for each condition that is no longer what it was."""
    if recorded.suite.sha256 != current.suite.sha256:
        yield f"the suite {current.suite.path} is not the text that the run was started with (kept in its run.json)"
    was, now = (info.device.uuid if info.device else "no GPU" for info in (recorded, current))
    conditions = [
        ("GPU", was, now),
        ("backend", recorded.backend, current.backend),
        ("architecture", recorded.arch, current.arch),
        ("version of shflbench", recorded.versions.shflbench, current.versions.shflbench),
        ("version of NVRTC", recorded.versions.nvrtc, current.versions.nvrtc),
        ("version of the driver", recorded.versions.driver, current.versions.driver),
    ]
    for name in sorted(recorded.settings.keys() | current.settings.keys()):
        was, now = (json.dumps(info.settings.get(name), sort_keys=True) for info in (recorded, current))
        conditions.append((f"setting `{name}`", was, now))
    for name, before, after in conditions:
        if before != after:
            yield f"its {name} was {before}, and is now {after}"
