"""Check the claims in titles of charts of limits and predictions, recomputed from `results.csv` and `limits.csv`.

Nothing here imports `shflbench.output.plot` or `shflbench.analysis`: two independent programs have to agree.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from statistics import median

import pandas as pd

WORDS = {"issue": "issue rate", "dram": "DRAM", "l2": "L2", "special": "special functions"}  # in titles

NAME = r"[\w/ -]+?"
LIMITED = re.compile(
    rf"(?P<first>{NAME}) limits the fastest safe variant of (?P<count>\d+) of (?P<all>\d+) patterns"
    rf"(?P<others>(?:, (?!others|no limit){NAME} of \d+)*)(?:, others of (?P<rest>\d+))?"
    rf"(?:, no limit for (?P<unknown>\d+))?; median (?P<median>\d+)% of the limit"
)
ONE_LIMITED = re.compile(rf"(?P<by>{NAME}) limits (?P<variant>[\w-]+), which reaches (?P<share>\d+)% of the limit")
UNLIMITED = re.compile(r"no limit is known for the fastest safe variants?")
PREDICTED = re.compile(
    r"predicted times of (?P<near>\d+) of (?P<all>\d+) cases are within 10% of measured ones; "
    r"median error (?P<median>[\d.]+)%, worst (?P<worst>[+\N{MINUS SIGN}][\d.]+)%"
)


def limit_errors(run: Path, scope: Collection[str], claim: str) -> list[str] | None:
    """Return what is wrong with the claim of a chart of limits or predictions; None for another chart's claim."""
    for form, check in ((LIMITED, _limited_errors), (ONE_LIMITED, _one_limited_errors), (UNLIMITED, _unlimited_errors)):
        if match := form.fullmatch(claim):
            return list(check(match, _fastest(run, scope)))
    if match := PREDICTED.fullmatch(claim):
        return list(_predicted_errors(match, _timed(run)))
    return None


def _timed(run: Path) -> pd.DataFrame:
    rows = pd.read_csv(run / "results.csv")
    return rows[rows["time_us"].notna()].merge(pd.read_csv(run / "limits.csv"), on="case_id", how="left")


def _fastest(run: Path, scope: Collection[str]) -> pd.DataFrame:
    """Return the fastest safe case of each group of the scope, with its limit."""
    rows = _timed(run)
    parts = rows["case_id"].str.split("/", n=2)
    rows["group"] = parts.str[0] + "/" + parts.str[2]
    safe = rows["safe"].astype(str).str.lower().eq("true") & rows["mechanism"].ne("library")
    return rows[safe & rows["group"].isin(scope)].sort_values("time_us", kind="stable").groupby("group").head(1)


def _limited_errors(match: re.Match[str], fastest: pd.DataFrame) -> Iterator[str]:
    limits = fastest[fastest["limit_fraction"].notna()]
    names = Counter(WORDS.get(name, name) for name in limits["limit_by"])
    claimed = Counter({match["first"]: int(match["count"])})
    claimed.update({name: int(count) for name, count in re.findall(rf", ({NAME}) of (\d+)", match["others"])})
    if int(match["all"]) != len(fastest):
        yield f"there are {len(fastest)} patterns with a safe variant"
    if any(names[name] != count for name, count in claimed.items()):
        yield f"the limiters are {names}"
    if claimed[match["first"]] != max(names.values()):
        yield f"the first is not the most frequent: {names}"
    if int(match["rest"] or 0) != names.total() - claimed.total():
        yield f"others limit {names.total() - claimed.total()}"
    if int(match["unknown"] or 0) != len(fastest) - len(limits):
        yield f"{len(fastest) - len(limits)} have no limit"
    if f"{match['median']}%" != f"{limits['limit_fraction'].median():.0%}":
        yield f"the median is {limits['limit_fraction'].median():.1%}"


def _one_limited_errors(match: re.Match[str], fastest: pd.DataFrame) -> Iterator[str]:
    (row,) = fastest.to_dict("records")
    if (match["by"], match["variant"]) != (WORDS.get(row["limit_by"], row["limit_by"]), row["variant"]):
        yield f"{row['limit_by']} limits {row['variant']}"
    if f"{match['share']}%" != f"{row['limit_fraction']:.0%}":
        yield f"the share is {row['limit_fraction']:.1%}"


def _unlimited_errors(_: re.Match[str], fastest: pd.DataFrame) -> Iterator[str]:
    if fastest["limit_fraction"].notna().any():
        yield "a limit is known"


def _predicted_errors(match: re.Match[str], rows: pd.DataFrame) -> Iterator[str]:
    errors = [float(error) for error in (rows["model_us"] / rows["time_us"] - 1).dropna()]
    near = sum(abs(error) <= 0.1 for error in errors)
    typical, worst = median(map(abs, errors)), max(errors, key=abs)
    if int(match["all"]) != len(errors):
        yield f"{len(errors)} cases have a prediction"
    if int(match["near"]) != near:
        yield f"{near} are near"
    if abs(float(match["median"]) - 100 * typical) > 0.051:
        yield f"the median error is {typical:.2%}"
    if abs(float(match["worst"].replace("\N{MINUS SIGN}", "-")) - 100 * worst) > 0.051:
        yield f"the worst error is {worst:.2%}"
