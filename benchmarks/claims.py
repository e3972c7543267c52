"""Measure how often a verdict on a claim is wrong, and how often there is one, where the truth is known.

    python -m benchmarks claims                  print the page
    python -m benchmarks claims --record         write it to benchmarks/claims.md, too
    python -m benchmarks claims --devices 20     draw fewer devices

Needs no GPU; takes some minutes. Exits with 1 if more than 1% of the verdicts are wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.claims_devices import DISTANCES, SIZES, Device, ManyProcesses, Trial
from benchmarks.common.pages import program, publish, table, written_by
from benchmarks.compare_power.batch import load
from shflbench.analysis.claims.claim_verdicts import judge_subjects
from shflbench.analysis.claims.resolve import Subject
from shflbench.analysis.claims.verdict import ClaimStatus
from shflbench.core.words import count_noun

PAGE = Path(__file__).with_suffix(".md")
RECORDED = Path(__file__).parents[1] / "tests" / "data" / "compare"
PROCESSES = (1, 3)
DEVICES, CLAIMS, DRAWS = 250, 24, 40
MOST_WRONG = 0.01
SEVERAL = "several settings"  # in place of the size of the shortest case
SEED = 15


@dataclass(slots=True)
class Tally:
    """Verdicts that are right, wrong or open."""

    wrong: int = 0
    right: int = 0
    open: int = 0

    def add(self, trial: Trial, verdict: ClaimStatus) -> None:
        """Count a verdict; an inconclusive one is open."""
        if verdict is ClaimStatus.INCONCLUSIVE:
            self.open += 1
        else:
            self.right += verdict is trial.expected
            self.wrong += verdict is not trial.expected

    @property
    def count(self) -> int:
        """All verdicts."""
        return self.wrong + self.right + self.open

    @property
    def wrong_share(self) -> float:
        """The share of wrong verdicts."""
        return self.wrong / self.count if self.count else 0.0


class Evidence:
    """The verdicts by kind of device, size of the shortest case, and distance from the boundary."""

    def __init__(self) -> None:
        """Start without verdicts."""
        self.tallies: dict[tuple[str, str, float], Tally] = defaultdict(Tally)

    def judge(self, kind: str, subject: Subject, trials: Sequence[Trial]) -> None:
        """Judge claims by a run."""
        verdicts = judge_subjects([trial.claim for trial in trials], [subject])
        for trial, verdict in zip(trials, verdicts, strict=True):
            distance = max((step for step in DISTANCES if step <= trial.distance * 1.001), default=0.0)
            size = trial.size if len(trial.truths) == 1 else SEVERAL
            self.tallies[kind, size, distance].add(trial, verdict.verdict)

    def total(self, kind: str, size: str = "", distance: float | None = None) -> Tally:
        """Return the verdicts on devices of a kind; of a size and a distance, if they are given."""
        chosen = [
            tally
            for (own_kind, own_size, own_distance), tally in self.tallies.items()
            if own_kind == kind and size in {"", own_size} and distance in {None, own_distance}
        ]
        return Tally(*(sum(getattr(tally, name) for tally in chosen) for name in ("wrong", "right", "open")))

    @property
    def kinds(self) -> list[str]:
        """The kinds of devices."""
        return list(dict.fromkeys(kind for kind, *_ in self.tallies))


def simulate(evidence: Evidence, devices: int, claims: int = CLAIMS, seed: int = SEED) -> None:
    """Judge claims about simulated devices."""
    for processes in PROCESSES:
        random = np.random.default_rng((seed, processes))
        for _ in range(devices):
            device = Device.draw(random, processes)
            evidence.judge(
                f"simulated, {count_noun(processes, 'process')}", device.subject, list(device.trials(random, claims))
            )


def replay(evidence: Evidence, paths: Iterable[Path], draws: int = DRAWS, seed: int = SEED) -> None:
    """Judge claims about recorded devices by a few of their processes."""
    devices = [
        ManyProcesses(batch.pool(), batch.recording.rows, batch.recording.runs[0]) for batch in load(list(paths))
    ]
    for processes in PROCESSES:
        random = np.random.default_rng((seed, processes))
        for device in devices:
            for _ in range(draws):
                chosen = random.choice(len(device.processes), processes, replace=False)
                subject = device.subject([device.processes[place] for place in chosen.tolist()])
                evidence.judge(f"recorded, {count_noun(processes, 'process')}", subject, list(device.trials(random)))


def page(evidence: Evidence) -> str:
    """Return the page."""
    wrong, power = [], []
    for kind in evidence.kinds:
        tally = evidence.total(kind)
        decided = tally.wrong + tally.right
        shares = (f"{tally.wrong_share:.2%}", f"{tally.wrong / max(1, decided):.2%}")
        wrong.append([kind, *(f"{count:,}" for count in (tally.count, decided, tally.wrong)), *shares])
        for size in (*SIZES, SEVERAL):
            if evidence.total(kind, size).count:
                tallies = (evidence.total(kind, size, distance) for distance in DISTANCES)
                power.append([kind, size, *(f"{one.right / one.count:.0%}" if one.count else "" for one in tallies)])
    return TEXT.format(
        written=written_by("claims --record"),
        devices=DEVICES,
        claims=CLAIMS,
        wrong=table(("processes", "claims", "decided", "wrong", "of all", "of the decided"), wrong),
        power=table(("processes", "shortest case", *(f"{step:.1%}" for step in DISTANCES)), power),
    )


TEXT = """\
# Verdicts on claims where the truth is known

{written}

Simulated devices have drawn times of 3 µs to 2 ms and the noise of an H200: an offset per process, a spread between
processes, slow episodes, late samples, the step of the timer. Claims compare ratios or times with a boundary that is
0.01% to 5% away from the true value, or test equality within 5%, in one setting or in up to eight: {claims} claims on
each of {devices} devices, with 1 process and with 3. Recorded devices are H200s of `benchmarks/compare_power`: their
runs are drawn from up to 34 processes of unchanged code, and the mean over all of these serves as the truth.

A verdict is wrong if a false claim is confirmed, a true one is refuted, or one that holds in all settings or in none
depends. At most 1% may be wrong.

{wrong}

Share of the claims with the right verdict, by the distance of the true value from the boundary. The others are
inconclusive. In several settings, it is the distance in the nearest one.

{power}
"""


def main(words: Sequence[str] | None = None) -> int:
    """Print the page, and write it if requested; return the exit code."""
    parser = program(__doc__, PAGE)
    parser.add_argument("--devices", type=int, default=DEVICES, metavar="N", help="simulated devices")
    parser.add_argument("--draws", type=int, default=DRAWS, metavar="N", help="runs per recorded device")
    options = parser.parse_args(words)
    evidence = Evidence()
    simulate(evidence, options.devices)
    replay(evidence, sorted(RECORDED.glob("*.npz")), options.draws)
    publish(page(evidence), options.record)
    return 0 if all(evidence.total(kind).wrong_share <= MOST_WRONG for kind in evidence.kinds) else 1
