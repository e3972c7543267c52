"""Read hundreds of thousands of samples in a tenth of the time, where the file is as a run writes it."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from shflbench.store.cells import finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[Any]]

MANY = 8_000_000  # characters, of about 150,000 samples: for fewer, importing pandas takes longer than it saves
UNUSUAL = ('"', "\r", "\n\n")  # quotes, line ends of other systems and blank lines, which only other programs write


def read_many(text: str, integers: Sequence[str]) -> tuple[tuple[str, ...], Arrays] | None:
    """Return the ids of the cases in the order of the file, and arrays of the columns: `case` has places of ids.

    None where anything is unusual, so that the caller reads the file line by line and says what is wrong with it.
    """
    import numpy as np  # noqa: PLC0415  (few readers need it)
    import pandas as pd  # noqa: PLC0415  (likewise)

    names = text[: text.find("\n")].split(",")
    if any(mark in text for mark in UNUSUAL) or text.count(",") != text.count("\n") * (len(names) - 1):
        return None
    # Times as texts: pandas reads a float to the last bit or to the last but one, depending on its version.
    kinds: dict[str, Any] = {"case_id": "category", "time_us": "category", "dropped": "bool"}
    try:
        table = pd.read_csv(
            io.StringIO(text),
            usecols=[*kinds, *integers],
            dtype=kinds | dict.fromkeys(integers, "int64"),
            na_filter=False,
        )
        distinct = np.array([finite(text) for text in table["time_us"].cat.categories])
    except (ValueError, OverflowError):
        return None
    times = distinct[table["time_us"].cat.codes.to_numpy()]
    arrays = {name: table[name].to_numpy() for name in integers}
    if len(table) != text.count("\n") - 1 or (times < 0).any():
        return None
    if any((array < 0).any() for array in arrays.values()) or any(not (arrays[name] > 0).all() for name in _POSITIVE):
        return None
    codes = table["case_id"].cat.codes.to_numpy()
    known, first = np.unique(codes, return_index=True)
    order = known[np.argsort(first)]
    places = np.zeros(len(known), np.int64)
    places[order] = np.arange(len(order))
    ids = tuple(str(table["case_id"].cat.categories[code]) for code in order)
    return ids, {"case": places[codes], "time_us": times, "dropped": table["dropped"].to_numpy(), **arrays}


_POSITIVE = ("iterations", "launches")
