"""Check the claims in titles of charts: each form of sentence against the results."""

import re
from collections import Counter
from collections.abc import Iterator
from math import ceil

from tests.output.plot.charts import Chart, Ranking, Timed, rankings, samples_errors, speedups
from tests.output.plot.limit_claims import limit_errors

NAME = r"[\w-]+"
NAMES = rf"{NAME}(?:, {NAME})*(?: and {NAME})?"
RATIO = r"[\d.]+×"
UNIT = r"(?:setting|launch shape|size)s?"
WHERE = rf"(?:all (?P<all>\d+) {UNIT}|both {UNIT}|the only {UNIT} with two safe variants)"
SPEEDS = rf"(?:, at (?P<low>{RATIO})(?: to (?P<high>{RATIO}))? the speed of (?P<baseline>{NAME}))?"
ALIKE = re.compile(
    rf"(?:(?P<who>{NAMES})|all (?P<count>\d+) safe variants) differ by at most (?P<percent>\d+)% at {WHERE}"
    rf"(?:; (?P<range>bandwidth falls .*))?"
)
BANDWIDTHS = re.compile(
    r"bandwidth falls from (?P<most>[\d.]+) GB/s \((?P<at_most>.+)\) to (?P<least>[\d.]+) GB/s \((?P<at_least>.+)\)"
)
ONE_TIE = re.compile(rf"(?P<who>{NAMES}) tie at {WHERE}{SPEEDS}")
EVERYWHERE = re.compile(
    rf"(?P<first>{NAME}) is the fastest safe variant at "
    rf"(?:{WHERE}|(?P<wins>\d+) of (?P<of>\d+) {UNIT} and ties at the other(?: (?P<ties>\d+))?){SPEEDS}"
)
BEHIND = re.compile(
    rf"(?P<slow>{NAME}) (?:reaches only (?P<reaches>[\d.]+) GB/s where the fastest reaches (?P<fastest>[\d.]+)"
    rf"|takes up to (?P<times>{RATIO}) the time of the fastest) \((?P<place>.+)\); "
    rf"(?P<near>{NAME}) is (?:within (?P<percent>\d+)% of )?the fastest at {WHERE}"
)
BY_FACTOR = re.compile(rf"the fastest safe variant is (?P<parts>{NAME} at .+?)(?P<tied> \(fastest or tied\))?")
EXCEPT = re.compile(
    rf"(?P<first>{NAME}) is the fastest safe variant(?P<tied> or ties)? at (?P<leads>\d+) of (?P<of>\d+) {UNIT}, "
    rf"(?P<others>{NAMES}(?: tie)? at .*[^\d, ].*)"
)
MECHANISM = re.compile(
    rf"the fastest safe mechanism is (?P<first>[a-z ]+) at "
    rf"(?:{WHERE} \((?P<winners>.+)\)|(?P<wins>\d+) of (?P<of>\d+) {UNIT})"
    r"(?P<others>(?:, [a-z ]+ at \d+)*)(?:, (?P<ties>\d+) ties?)?"
)
COUNTS = re.compile(
    rf"(?P<first>{NAME}) is the fastest safe variant at (?P<wins>\d+) of (?P<of>\d+) {UNIT}"
    rf"(?P<others>(?:, (?!others){NAME} at \d+)*)(?:, others at (?P<rest>\d+))?(?:, (?P<ties>\d+) ties?)?"
)
DIFFERENT = re.compile(rf"different safe variants tie at {WHERE}")
ALONE = re.compile(
    rf"(?P<who>{NAMES}), (?:without a safe variant to compare with|which read different memories)"
    r"(?:; (?P<range>bandwidth falls .*))?"
)
CLAUSE = re.compile(
    rf"(?P<who>{NAMES}) (?:runs at|tie at|tie|is the fastest safe variant)"
    rf"(?P<ratios>(?:(?:, | and | ){RATIO}(?: \([^)]+\))?)*)(?: \((?P<where>[^)]+)\))?"
    rf"(?: the speed of (?P<baseline>{NAME}))?"
)
LIBRARY = re.compile(
    rf"; library calls? "
    rf"(?:(?P<who>{NAMES}) (?:(?P<with>ties?) with it|runs? at (?:up to )?(?P<lead>{RATIO}) that speed)"
    rf"|(?P<any>{NAME}(?:, {NAME})*(?: or {NAME})?) (?P<verb>is faster|ties) at (?:(?P<some>\d+) of them|{WHERE}))$"
)
SAMPLES = re.compile(
    r"the central 95% of a case's samples span at most (?P<span>[\d.]+)% "
    r"\((?:widest (?P<drawn>\d+) of )?(?P<all>\d+) cases\)"
)
MECHANISMS = {
    "shuffle": "shfl",
    "warp collective": "collective",
    "matrix unit": "matrix",
    "shared memory": "smem",
    "shared memory and shuffles": "hybrid",
    "atomics": "atomic",
}
FAR = 1.5


def errors(chart: Chart, title: str) -> list[str]:
    """Return what is wrong with the title; a title that is not understood is wrong."""
    pattern, _, claim = title.partition(": ")
    if match := SAMPLES.fullmatch(claim):
        return list(samples_errors(chart, match))
    if (of_limits := limit_errors(chart.run, chart.scope, claim)) is not None:
        return of_limits
    known = {group.partition("/")[0] for group in chart.scope}
    wrong = [] if known == {pattern} else [f"the chart shows {known}"]
    library = LIBRARY.search(claim)
    wrong += _library_errors(chart, library)
    return wrong + list(_claim_errors(chart, claim[: library.start()] if library else claim))


def _claim_errors(chart: Chart, claim: str) -> Iterator[str]:
    for form, check in (
        (ALIKE, _alike_errors),
        (EVERYWHERE, _everywhere_errors),
        (BEHIND, _behind_errors),
        (BY_FACTOR, _factor_errors),
        (MECHANISM, _mechanism_errors),
        (COUNTS, _count_errors),
        (EXCEPT, _exception_errors),
        (ONE_TIE, _tie_errors),
        (DIFFERENT, _different_errors),
        (ALONE, _alone_errors),
    ):
        if match := form.fullmatch(claim):
            yield from check(chart, match)
            if "all" in match.re.groupindex and match["all"] and int(match["all"]) != len(rankings(chart)):
                yield f"there are {len(rankings(chart))} settings with two safe variants"
            return
    yield from _clause_errors(chart, claim)


def _library_errors(chart: Chart, match: re.Match[str] | None) -> list[str]:
    faster = [(case, ranking) for ranking in rankings(chart) for case in ranking.faster]
    some = faster or [(case, ranking) for ranking in rankings(chart) for case in ranking.libraries]
    if match is None:
        return ["library calls are faster or tie"] if some else []
    number = len({one.best.group for _, one in some})
    who = names(match["who"] or match["any"])
    wrong = [] if who == {case.variant for case, _ in some} else ["other library calls"]
    if (match["lead"] is not None or "faster" in (match["verb"] or "")) != bool(faster):
        wrong.append("faster is not a tie")
    if match["lead"] and not any(is_ratio(match["lead"], one.best.time / case.time) for case, one in faster):
        wrong.append("the lead is another")
    if match["all"] and int(match["all"]) != len(rankings(chart)):
        wrong.append(f"there are {len(rankings(chart))} settings")
    if match["verb"] and number != int(match["some"] or len(rankings(chart))):
        wrong.append(f"it is so at {number} settings")
    return wrong


def lags(chart: Chart) -> dict[str, list[tuple[float, Timed, Ranking]]]:
    """Return the time of each competing variant relative to the fastest, setting by setting."""
    found: dict[str, list[tuple[float, Timed, Ranking]]] = {}
    for ranking in rankings(chart):
        for case in ranking.cases:
            found.setdefault(case.variant, []).append((case.time / ranking.best.time, case, ranking))
    return found


def _alike_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
    most = max(lag for several in lags(chart).values() for lag, *_ in several)
    if int(match["percent"]) != percent(most):
        yield f"they differ by {most}"
    if match["who"] and names(match["who"]) != lags(chart).keys():
        yield "other variants"
    if match["count"] and int(match["count"]) != len(lags(chart)):
        yield "other variants"
    yield from _range_errors(chart, match["range"])


def _range_errors(chart: Chart, text: str | None) -> Iterator[str]:
    if not text:
        return
    match = BANDWIDTHS.fullmatch(text)
    cases = [case for case in chart.cases if case.competes]
    for end, choose in (("most", max), ("least", min)):
        case = choose(cases, key=lambda case: case.gb_per_s)
        if not match or not is_value(match[end], case.gb_per_s):
            yield f"the {end} is {case.gb_per_s}"
        elif not places(match[f"at_{end}"]) <= case.traits:
            yield f"the {end} is at {case.traits}"


def _speeds_errors(chart: Chart, match: re.Match[str], variants: frozenset[str]) -> Iterator[str]:
    if match["baseline"]:
        ratios = speedups(chart, variants)
        if not is_ratio(match["low"], min(ratios)) or not is_ratio(match["high"] or match["low"], max(ratios)):
            yield f"the ratios are {min(ratios):.3f} to {max(ratios):.3f}"
        yield from _baseline_errors(chart, match["baseline"])


def _baseline_errors(chart: Chart, name: str) -> Iterator[str]:
    baselines = {case.variant for case in chart.cases if case.is_baseline}
    if baselines != {name}:
        yield f"the baseline is {baselines}"


def _everywhere_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
    led = rankings(chart)
    wins = sum(ranking.leaders == {match["first"]} for ranking in led)
    if any(match["first"] not in ranking.leaders for ranking in led):
        yield "it does not lead everywhere"
    if wins != int(match["wins"] or len(led)) or int(match["of"] or len(led)) != len(led):
        yield f"it wins at {wins} of {len(led)}"
    if match["wins"] and int(match["ties"] or 1) != len(led) - wins:
        yield f"it ties at {len(led) - wins}"
    yield from _speeds_errors(chart, match, frozenset({match["first"]}))


def _tie_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
    leaders = {ranking.leaders for ranking in rankings(chart)}
    if leaders != {names(match["who"])} or len(names(match["who"])) == 1:
        yield f"the leaders are {leaders}"
    yield from _speeds_errors(chart, match, names(match["who"]))


def _different_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
    del match
    leaders = {ranking.leaders for ranking in rankings(chart)}
    if len(leaders) == 1 or any(len(some) == 1 for some in leaders):
        yield f"the leaders are {leaders}"


def _behind_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
    worst, case, ranking = max(lags(chart)[match["slow"]], key=lambda item: item[0])
    slowest = max(lag for several in lags(chart).values() for lag, *_ in several)
    if worst < FAR or (worst < slowest and not case.is_baseline):
        yield "it is not the one that falls behind"
    if match["times"] and not is_ratio(match["times"], worst):
        yield f"it takes {worst} times as long"
    if match["reaches"] and not (
        is_value(match["reaches"], case.gb_per_s) and is_value(match["fastest"], ranking.best.gb_per_s)
    ):
        yield f"the bandwidths are {case.gb_per_s} and {ranking.best.gb_per_s}"
    if not places(match["place"]) <= case.traits:
        yield f"it is at {case.traits}"
    near = lags(chart)[match["near"]]
    if len(near) != len(rankings(chart)) or percent(max(lag for lag, *_ in near)) != int(match["percent"] or 0):
        yield f"{match['near']} is at {[lag for lag, *_ in near]}"


def _factor_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
    parts = re.findall(rf"({NAME}) at ((?:(?!, {NAME} at ).)+)", match["parts"])
    for ranking in rankings(chart):
        winners = [winner for winner, place in parts if is_in_range(ranking, place)]
        if len(winners) != 1 or winners[0] not in ranking.leaders:
            yield f"at {sorted(ranking.traits)}, {ranking.leaders} lead and the title says {winners}"
    if bool(match["tied"]) != any(len(ranking.leaders) > 1 for ranking in rankings(chart)):
        yield "ties"


def is_in_range(ranking: Ranking, place: str) -> bool:
    """Return whether the setting lies in `words=2 and 4 to 32`, `sms blocks`, `f32`, `48 MiB` or `64 MiB to 1 GiB`."""
    setting = dict(ranking.best.setting)
    name, _, listed = place.rpartition("=")
    if not name:
        units = {" blocks": "grid", " threads per block": "block", "iB": "size"}
        unit = next((unit for unit in units if place.endswith(unit)), "")
        name, listed = units.get(unit, "dtype"), place if unit == "iB" else place.removesuffix(unit)
    value = setting[name]
    for part in re.split(r", | and ", listed):
        low, _, high = part.partition(" to ")
        if value == part or (high and number(low) <= number(value) <= number(high)):
            return True
    return False


def number(text: str) -> float:
    """Return a value of a factor as a number."""
    count, _, unit = text.partition(" ")
    sizes = {"": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
    return float(count) * sizes[unit] if count.replace(".", "").isdecimal() else {"sms": 132}.get(count, 1e9)


def _exception_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
    led = [ranking for ranking in rankings(chart) if match["first"] in ranking.leaders]
    others = [ranking for ranking in rankings(chart) if ranking not in led]
    if (int(match["leads"]), int(match["of"])) != (len(led), len(rankings(chart))):
        yield f"it leads at {len(led)} of {len(rankings(chart))}"
    if bool(match["tied"]) != any(len(ranking.leaders) > 1 for ranking in led):
        yield "ties"
    for ranking in others:
        if not re.search(rf"{join_pattern(ranking.leaders)}(?: tie)? at ", match["others"]):
            yield f"the others are {ranking.leaders}"
    named = {place for part in re.split(r" at ", match["others"])[1:] for place in re.split(r", | and ", part)}
    known = {trait for ranking in others for trait in ranking.traits} | {name for one in others for name in one.leaders}
    if not {name.removesuffix(" tie") for name in named} <= known:
        yield f"{named - known} are no places of the others"


def join_pattern(leaders: frozenset[str]) -> str:
    """Return the names as a title has them."""
    first = sorted(leaders)
    return " and ".join([", ".join(first[:-1]), first[-1]] if len(first) > 1 else first)


def _mechanism_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
    mechanisms = [
        {case.mechanism for case in ranking.cases if case.variant in ranking.leaders} for ranking in rankings(chart)
    ]
    wins = Counter(mechanism for (mechanism, *others) in mechanisms if not others)
    claimed = Counter({MECHANISMS[match["first"]]: int(match["wins"] or len(mechanisms))})
    claimed.update(
        {MECHANISMS[name]: int(count) for name, count in re.findall(r", ([a-z ]+) at (\d+)", match["others"])}
    )
    if claimed != wins or int(match["of"] or len(mechanisms)) != len(mechanisms):
        yield f"the wins are {wins} of {len(mechanisms)}"
    if int(match["ties"] or 0) != len(mechanisms) - wins.total():
        yield "ties"
    if match["winners"]:
        claimed = Counter({name: int(count) for name, count in re.findall(rf"({NAME}) at (\d+)", match["winners"])})
        if not claimed.items() <= _wins(chart).items():
            yield f"the wins are {_wins(chart)}"


def _wins(chart: Chart) -> Counter[str]:
    return Counter(next(iter(ranking.leaders)) for ranking in rankings(chart) if len(ranking.leaders) == 1)


def _count_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
    wins = _wins(chart)
    claimed = Counter({match["first"]: int(match["wins"])})
    claimed.update({name: int(count) for name, count in re.findall(rf", ({NAME}) at (\d+)", match["others"])})
    if int(match["of"]) != len(rankings(chart)):
        yield f"there are {len(rankings(chart))} settings with two safe variants"
    if any(wins[variant] != count for variant, count in claimed.items()):
        yield f"the wins are {wins}"
    if claimed[match["first"]] < max(wins.values(), default=0):
        yield f"the first is not the most frequent winner: {wins}"
    if int(match["rest"] or 0) != wins.total() - claimed.total():
        yield f"others win {wins.total() - claimed.total()}"
    if int(match["ties"] or 0) != len(rankings(chart)) - wins.total():
        yield f"there are {len(rankings(chart)) - wins.total()} ties"


def _alone_errors(chart: Chart, match: re.Match[str]) -> Iterator[str]:
    if rankings(chart):
        yield "there is something to compare with"
    if {case.variant for case in chart.cases if case.competes} != names(match["who"]):
        yield "other safe variants"
    yield from _range_errors(chart, match["range"])


def _clause_errors(chart: Chart, claim: str) -> Iterator[str]:
    every = rankings(chart)
    clauses = [CLAUSE.fullmatch(clause) for clause in claim.split("; ")]
    if not every or not all(clauses):
        yield "the title is not understood"
        return
    claimed = {names(clause["who"]) for clause in clauses if clause}
    if claimed != {ranking.leaders for ranking in every}:
        yield f"the leaders are {[ranking.leaders for ranking in every]}"
        return
    for clause in filter(None, clauses):
        led = [ranking for ranking in every if ranking.leaders == names(clause["who"])]
        if clause["baseline"]:
            yield from _baseline_errors(chart, clause["baseline"])
        pairs = re.findall(rf"({RATIO})(?: \(([^)]+)\))?", clause["ratios"])
        if bool(pairs) != bool(clause["baseline"]):
            yield "a ratio needs a baseline"
        if any(not any(is_ratio(text, ranking.ratio) for text, _ in pairs) for ranking in led if pairs):
            yield f"the ratios are {[ranking.ratio for ranking in led]}"
        for text, where in [*pairs, *([("", clause["where"])] if clause["where"] else [])]:
            there = [ranking for ranking in led if not text or is_ratio(text, ranking.ratio)]
            if not there or any(_is_nowhere(place, there) for place in filter(None, where.split(", "))):
                yield f"{text} does not hold at {where or 'any setting'}"
            if not where and len(led) < len(every):
                yield "the title does not say where"


def _is_nowhere(place: str, there: list[Ranking]) -> bool:
    return not any(place in ranking.traits for ranking in there)


def names(text: str) -> frozenset[str]:
    """Return the names of a list."""
    return frozenset(re.split(r", | and | or ", text))


def places(text: str) -> set[str]:
    """Return what a place names."""
    return set(text.split(", "))


def percent(ratio: float) -> int:
    """Return by how many percent a ratio exceeds 1, rounded up; 0 for 1."""
    return max(1, ceil(100 * (ratio - 1) - 1e-9)) if ratio > 1 else 0


def is_ratio(text: str, ratio: float | None) -> bool:
    """Return whether `4.7×` is the ratio, rounded."""
    number_text = text.rstrip("×")
    half = 0.5 * 10 ** -len(number_text.partition(".")[2])
    return ratio is not None and abs(float(number_text) - ratio) <= half * 1.001


def is_value(text: str, value: float) -> bool:
    """Return whether `739` is the value in three digits."""
    return abs(float(text) - value) <= 0.005 * value
