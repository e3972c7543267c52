"""Run `advise` on the kernels of strangers, and compare its suggestions with what their authors say of them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.file_advice.sample import rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

FOLDER = Path(__file__).with_name("kernels")
COMMAND = (sys.executable, "-m", "shflbench", "advise", "--format", "json")
LIMIT_S = 300  # after which there is no advice
WEAKER = {"__syncwarp() is enough": "syncwarp", "not needed": "not needed"}  # need of a barrier → answer of an author
ORDER = ("needed", "syncwarp", "not needed")  # answers, the weakest barrier last
OF_WARP = "warp barrier"  # on which advise says nothing
PART = " where it stays in a warp"


class Outcome(StrEnum):
    """How a suggestion, or none, compares with the truth."""

    NAMED = "named"  # what is possible
    LESS = "less named"  # `__syncwarp()`, and no barrier is needed
    NONE = "not named"  # what is possible
    RIGHT = "nothing to name"
    LIMITED = "wrong for other values, and it says so"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Truth:
    """What the author of a program says of a barrier, or of values that go from a store to a load."""

    file: str  # set/name
    kernel: str
    kind: str  # barrier or exchange
    line: int  # of the barrier, or of the store
    load: int  # 0 of a barrier
    answer: str
    reason: str


@dataclass(frozen=True, slots=True)
class Compared:
    """One truth with what advise says of it."""

    truth: Truth
    said: str  # its suggestions and reasons; empty without
    outcome: Outcome


def truths() -> list[Truth]:
    """Return the truth on all programs, but for barriers of a warp."""
    return [truth for path in sorted(FOLDER.glob("*/truth.tsv")) for truth in _truths(path)]


def _truths(path: Path) -> Iterator[Truth]:
    for name, kernel, kind, line, load, answer, reason in rows(path):
        if kind != OF_WARP:
            yield Truth(f"{path.parent.name}/{name}", kernel, kind, int(line), int(load or 0), answer, reason)


def advise_kernels(out: Path) -> None:
    """Append the advice on each program as a line of JSON to a file; go on behind its last line."""
    lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    known = {json.loads(line)["file"] for line in lines}
    for path in sorted(FOLDER.glob("*/*.cu")):
        name = f"{path.parent.name}/{path.name}"
        if name not in known:
            with out.open("a", encoding="utf-8") as target:
                target.write(json.dumps({"file": name, **advice_on(path)}) + "\n")


def advice_on(path: Path) -> dict[str, object]:
    """Return the advice on a program in its own folder, and the seconds that it took."""
    start = time.monotonic()
    try:
        done = subprocess.run(
            (*COMMAND, path.name), cwd=path.parent, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return {"seconds": LIMIT_S, "message": "no advice within the limit", "kernels": []}
    seconds = round(time.monotonic() - start, 1)
    kernels = json.loads(done.stdout)["kernels"] if done.stdout else []
    return {"seconds": seconds, "message": done.stderr.strip()[:200], "kernels": kernels}


def compare(records: Iterable[Mapping[str, Any]], known: Iterable[Truth]) -> list[Compared]:
    """Return each truth on the programs of the records with what advise says of it."""
    barriers: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    exchanges: dict[tuple[str, int, int], list[dict[str, Any]]] = defaultdict(list)
    files = set()
    for record in records:
        file = record["file"]
        files.add(file)
        for kernel in record["kernels"]:
            for item in kernel["barriers"]:
                barriers[file, _line(item["line"])].append(item)
            for item in kernel["exchanges"]:
                exchanges[file, _line(item["store"]), _line(item["load"])].append(item)
    return [
        _of_barrier(truth, barriers.get((truth.file, truth.line), []))
        if truth.kind == "barrier"
        else _of_exchange(truth, exchanges.get((truth.file, truth.line, truth.load), []))
        for truth in known
        if truth.file in files
    ]


def _line(place: str) -> int:
    return int(place.rpartition(":")[2])


def _of_barrier(truth: Truth, items: Sequence[Mapping[str, Any]]) -> Compared:
    said = "; ".join(f"{item['need']} ({item['reason']})" for item in items)
    needs = [WEAKER.get(_alone(item), "needed") for item in items]
    need = min(needs, key=ORDER.index, default="needed")  # that of all instances
    is_proved = all(item["proved"] or item["need"] == "needed" for item in items if _alone(item) in WEAKER)
    if need == truth.answer:
        outcome = Outcome.RIGHT if need == "needed" else Outcome.NAMED
    elif ORDER.index(need) > ORDER.index(truth.answer):
        outcome = Outcome.WRONG if is_proved else Outcome.LIMITED
    else:
        outcome = Outcome.NONE if need == "needed" else Outcome.LESS
    return Compared(truth, said, outcome)


def _alone(item: Mapping[str, Any]) -> str:
    """Return what a barrier is needed for while all others stay."""
    return str((item.get("alternative") or item)["need"])


def _of_exchange(truth: Truth, items: Sequence[Mapping[str, Any]]) -> Compared:
    said = "; ".join(item["instead"] or item["reason"] for item in items)
    suggested = [item["instead"] for item in items if item["instead"]]
    is_part = bool(suggested) and all(text.endswith(PART) for text in suggested)
    is_proved = all(item["proved"] for item in items if item["instead"])
    if not suggested:
        outcome = Outcome.NONE if truth.answer in {"shuffle", "part"} else Outcome.RIGHT
    elif truth.answer == "shuffle" or (truth.answer == "part" and is_part):
        outcome = Outcome.NAMED
    else:
        outcome = Outcome.WRONG if is_proved or is_part else Outcome.LIMITED
    return Compared(truth, said, outcome)
