"""Replay `shflbench tune` on the recorded times of all members of a family: what its rules take and choose, modeled.

    python -m benchmarks.tuner_replay     write tuner_replay.md beside this file

`tuner_replay.json` has a setting per line, with name, mechanism, whether it is a member, predicted cycles, limit and
measured cycles of each candidate. The measured ones are the predicted ones times the ratios in `tuner.json`; of
variants without a prediction, those of `results/blocks`. Where none are known, each trial draws them: the predicted
cycles times a recorded ratio. The rules are those of the package: `shflbench.tuner.rules` and the tournament, and
`shflbench.measure` for the samples per burst and the end of sampling.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any, cast

from benchmarks import tuner
from shflbench.grouping import group_by
from shflbench.measure.job_runner import BUSY_MS, STEADY_STEPS, STEP_MS
from shflbench.measure.schedule import FEWEST_SAMPLES, PARTS, count_discarded, launches_per_sample, samples_per_burst
from shflbench.measure.stopping import why_stop
from shflbench.model import Interval, MeasureRules, Mechanism, Status
from shflbench.session.windows import windows
from shflbench.statistics import median_interval, widen
from shflbench.tuner.candidates import RankedCandidate, RankedSetting
from shflbench.tuner.rules import RUNGS, Rung, leave_out
from shflbench.tuner.rungs import Tournament

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shflbench.store import Row

INPUTS, PAGE = Path(__file__).with_suffix(".json"), Path(__file__).with_suffix(".md")
TRIALS = 20
# On an H200, by the samples of `results/blocks`, `gtc2013` and `residency`, 266,000 bursts.
BURST_SECONDS = 0.55e-3  # of a burst beyond the launches of its samples: the median at 50 to 200 µs
SENTINEL_SECONDS = 9.3e-3  # of all sentinels per round
ROUND_SECONDS = 2e-3  # between two rounds
STEP_US = 0.032  # of the timer
LAUNCH_US = 3.5  # of a launch without iterations
MHZ = 1925.0  # cycles per iteration divided by the time per iteration, in `tuner.json`
# Of the medians of rounds in one process: a log-normal spread over cases of which 10% have 0.03% and 90% have 0.3%.
ROUND_NOISE, NOISE_SPREAD, MOST_NOISE = 0.001, 0.85, 0.01
PROCESS_NOISE, FREEDOM = 0.0008, 3  # of the medians of processes: half within 0.06%, 90% within 0.2%, 99% within 0.5%
# Of the noise above: with a fifth, all candidates take what the record has, 46 s with verification, for block-reduce.
NOISES = {"a fifth": 0.2, "as in `results/`": 1.0}
HEAD = """\
# A replay of `shflbench tune`

Written by `python -m benchmarks.tuner_replay`; do not edit.

All figures are modeled: the rules of the package, applied to the times of all candidates that
[the record](tuner.md) has, with random noise. GPU time is warm-up, the choice of the number of samples, and sampling;
neither compilation nor verification. All candidates are timed in one process, for up to 0.25 s each, to 0.2%. A choice
is judged by the times without noise. No times of `scan` are recorded: they are predicted cycles times recorded ratios,
drawn for each candidate by itself, while similar members have similar ratios. So its choice shows more than its share
what is lost where predictions err.
"""


@dataclass(frozen=True, slots=True)
class ModelledRow:
    """What the tournament reads of a row."""

    launch: str
    variant: str
    mechanism: str
    time_interval: Interval
    status: Status = Status.TIMED
    reason: str = ""

    @property
    def time_us(self) -> float:
        """The time of one launch."""
        return self.time_interval.value


@dataclass(slots=True)
class Trial:
    """The true times of a pattern's candidates, the noise of each, and how long everything took."""

    settings: tuple[RankedSetting, ...]
    times_us: Mapping[tuple[str, str], float]  # by launch and candidate
    random: Random
    noise: float  # as a share of the usual one
    seconds: defaultdict[str, float] = field(
        default_factory=lambda: defaultdict(float)
    )  # by rung, and of all candidates
    _noises: dict[tuple[str, str], float] = field(default_factory=dict)

    @classmethod
    def of(cls, inputs: Sequence[Mapping[str, Any]], seed: int, noise: float) -> Trial:
        """Return a trial of the settings of one pattern."""
        random = Random(seed)  # noqa: S311  (noise, not a secret)
        times = {}
        for setting in inputs:
            for name, _, _, predicted, limit, measured in setting["candidates"]:
                cycles = measured or (predicted or limit) * random.choice(RATIOS)
                times[setting["launch"], name] = LAUNCH_US + cycles * setting["iterations"] / MHZ
        return cls(tuple(map(_ranked, inputs)), times, random, noise)

    def time_all(self) -> float:
        """Return the seconds in which all candidates are timed."""
        chosen = {one.launch: [item.variant for item in one.candidates] for one in self.settings}
        self.measure("all", tuner.ALL, chosen)
        return self.seconds["all"]

    def tune(self) -> float:
        """Tune, and return how much longer the slowest choice takes than the fastest candidate."""
        tournament = Tournament(self.settings)
        last: dict[str, dict[str, float]] = {}
        while rung := tournament.next_rung():
            number, chosen = rung
            rows = self.measure(f"rung {number}", RUNGS[number - 1], chosen)
            tournament.apply(number, chosen, cast("Sequence[Row]", rows))
            last |= {
                launch: {row.variant: row.time_us for row in alike}
                for launch, alike in group_by(rows, lambda row: row.launch).items()
            }
        choices = {launch: min(times, key=times.__getitem__) for launch, times in last.items()}
        least = {launch: min(time for (of, _), time in self.times_us.items() if of == launch) for launch in last}
        return max(self.times_us[launch, name] / least[launch] for launch, name in choices.items())

    def measure(self, name: str, rung: Rung, chosen: Mapping[str, Sequence[str]]) -> list[ModelledRow]:
        """Return the times that a run takes, and count its seconds."""
        rules = MeasureRules(rung.precision, rung.max_seconds, rung.max_seconds, processes=rung.processes)
        medians: dict[tuple[str, str], list[list[float]]] = {}  # by process
        groups = [[(launch, variant) for variant in names] for launch, names in chosen.items()]
        for _ in range(rung.processes):
            self.seconds[name] += STEADY_STEPS * STEP_MS / 1000
            for window in windows(groups):
                for key, values in self._window(name, window, rules):
                    medians.setdefault(key, []).append(values)
        mechanisms = {one.variant: one.mechanism.value for setting in self.settings for one in setting.candidates}
        return [ModelledRow(*key, mechanisms[key[1]], _interval(values)) for key, values in medians.items()]

    def _window(
        self, name: str, window: Sequence[Sequence[tuple[str, str]]], rules: MeasureRules
    ) -> Iterator[tuple[tuple[str, str], list[float]]]:
        """Sample the groups of a window, and yield the medians of the rounds of each candidate."""
        launches: dict[tuple[str, str], int] = {}
        for group in window:
            of_group = launches_per_sample(min(self.times_us[key] for key in group))
            launches |= dict.fromkeys(group, of_group)
        counts = {key: [_launches(self.times_us[key] / part, launches[key]) for part in PARTS] for key in launches}
        per_round = {key: sum(seconds for _, seconds in bursts) for key, bursts in counts.items()}
        first = {
            key: sum(FEWEST_SAMPLES * self.times_us[key] / part / 1e6 + BURST_SECONDS for part in PARTS)
            for key in launches
        }
        self.seconds[name] += BUSY_MS / 1000 + SENTINEL_SECONDS + sum(first.values())
        center = {key: self.times_us[key] * (1 + self.noise * PROCESS_NOISE * self._heavy()) for key in launches}
        medians: dict[tuple[str, str], list[float]] = {key: [] for key in launches}
        spent, began, span = dict(first), self.seconds[name], 0.0
        open_groups = list(window)
        while open_groups:
            span = self.seconds[name] - began  # until the last round begins
            for key in (key for group in open_groups for key in group):
                medians[key].append(center[key] * (1 + self.random.gauss(0, self._noise(key))))
                spent[key] += per_round[key]
                self.seconds[name] += per_round[key]
            self.seconds[name] += SENTINEL_SECONDS + ROUND_SECONDS
            open_groups = [
                group
                for group in open_groups
                if not all(
                    why_stop(medians[key], counts[key][0][0] * len(medians[key]), span, spent[key], rules)
                    for key in group
                )
            ]
        yield from medians.items()

    def _noise(self, key: tuple[str, str]) -> float:
        if key not in self._noises:
            drawn = ROUND_NOISE * self.random.lognormvariate(0, NOISE_SPREAD)
            self._noises[key] = self.noise * min(MOST_NOISE, drawn)
        return self._noises[key]

    def _heavy(self) -> float:
        """Return a number with Student's distribution."""
        spread = sum(self.random.gauss(0, 1) ** 2 for _ in range(FREEDOM)) / FREEDOM
        return float(self.random.gauss(0, 1) / spread**0.5)


def _launches(time_us: float, launches: int) -> tuple[int, float]:
    """Return the samples of a burst, and the seconds that it takes."""
    samples = samples_per_burst(launches * time_us)
    return samples, (samples + count_discarded(samples)) * launches * time_us / 1e6 + BURST_SECONDS


def _interval(medians: Sequence[Sequence[float]]) -> Interval:
    """Return the interval as `measure.estimate` has it: it covers the median of each process."""
    pooled = widen(median_interval([value for of_process in medians for value in of_process]), STEP_US / 2)
    if sum(map(len, medians)) == 1:
        return Interval.unknown(pooled.value)
    centers = [median(of_process) for of_process in medians]
    return Interval(pooled.value, min(pooled.low, *centers), max(pooled.high, *centers))


def _ranked(setting: Mapping[str, Any]) -> RankedSetting:
    """Return the candidates with what the rules leave out."""
    candidates = [
        RankedCandidate(
            variant=name,
            mechanism=Mechanism(mechanism),
            is_member=is_member,
            limit_cycles=limit,
            predicted_cycles=predicted,
        )
        for name, mechanism, is_member, predicted, limit, _ in setting["candidates"]
    ]
    reasons = leave_out(
        {one.variant: one.predicted_cycles for one in candidates}, {one.variant: one.kind for one in candidates}
    )
    kept = tuple(
        RankedCandidate(
            variant=one.variant,
            mechanism=one.mechanism,
            is_member=one.is_member,
            limit_cycles=one.limit_cycles,
            predicted_cycles=one.predicted_cycles,
            left_out=reasons[one.variant],
        )
        for one in candidates
    )
    return RankedSetting(setting["launch"], setting["iterations"], kept)


@dataclass(frozen=True, slots=True)
class Replay:
    """What came out of the trials of a pattern with one size of noise."""

    pattern: str
    noise: str
    all_s: float  # medians over trials
    rungs_s: tuple[float, ...]
    share: float  # all_s divided by the seconds of tuning
    least_share: float
    slowest_choices: tuple[float, ...]  # of each trial, over the fastest


def replay(pattern: str, noise: str, trials: int = TRIALS) -> Replay:
    """Replay the tuning of a pattern."""
    inputs = [one for one in SETTINGS if one["pattern"] == pattern]
    done = [Trial.of(inputs, seed, NOISES[noise]) for seed in range(trials)]
    choices = tuple(trial.tune() for trial in done)
    every = [trial.time_all() for trial in done]
    names = [f"rung {number}" for number in range(1, len(RUNGS) + 1)]
    shares = [of_all / sum(trial.seconds[name] for name in names) for trial, of_all in zip(done, every, strict=True)]
    return Replay(
        pattern,
        noise,
        median(every),
        tuple(median(trial.seconds[name] for trial in done) for name in names),
        median(shares),
        min(shares),
        choices,
    )


def page(replays: Sequence[Replay]) -> str:
    """Return the page."""
    lines = [
        "| pattern | noise | all, modeled s | rungs, modeled s | share | largest | choices within 1% | slowest |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in replays:
        within = sum(choice <= WITHIN for choice in one.slowest_choices)
        cells = (
            one.pattern,
            one.noise,
            f"{one.all_s:.0f}",
            " + ".join(f"{seconds:.1f}" for seconds in one.rungs_s),
            f"1/{one.share:.1f}",
            f"1/{one.least_share:.1f}",
            f"{within} of {len(one.slowest_choices)}",
            f"{max(one.slowest_choices):.3f}×",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return f"{HEAD}\n" + "".join(f"{line}\n" for line in lines)


WITHIN = 1.01
SETTINGS = json.loads(INPUTS.read_text(encoding="utf-8"))
RATIOS = [
    ratio
    for record in json.loads(tuner.RECORD.read_text(encoding="utf-8"))
    for setting in record.get("settings", ())
    for ratio in setting["predicted_ratios"]
]


def main() -> None:
    """Write the page."""
    patterns = dict.fromkeys(one["pattern"] for one in SETTINGS)
    replays = [replay(pattern, noise) for pattern in patterns for noise in NOISES]
    PAGE.write_text(page(replays), encoding="utf-8")


if __name__ == "__main__":
    main()
