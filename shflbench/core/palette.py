"""The colors and names of mechanisms, the same in every chart and report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shflbench.core.model import Mechanism

if TYPE_CHECKING:
    from collections.abc import Mapping

# Found by search, from the hues of Okabe and Ito ("Color Universal Design", 2008): each has a contrast of at least 3:1
# against white (WCAG 2.2, 1.4.11) and differs from every other for the three kinds of dichromats
# (Machado, Oliveira and Fernandes 2009). A test checks both.
COLORS: Mapping[Mechanism, str] = {
    Mechanism.SMEM: "#CC7F00",
    Mechanism.SMEM_UNSAFE: "#8C1C13",
    Mechanism.SHFL: "#0072B2",
    Mechanism.HYBRID: "#480000",
    Mechanism.COLLECTIVE: "#1B7A4E",
    Mechanism.ATOMIC: "#8A1A75",
    Mechanism.GLOBAL: "#2B2A36",
    Mechanism.LOCAL: "#7D7320",
    Mechanism.REGISTER: "#14A0C0",
    Mechanism.MATRIX: "#9C0CF0",
    Mechanism.ASYNC: "#00309C",
    Mechanism.CLUSTER: "#D24BFF",
    Mechanism.LIBRARY: "#8C8C8C",
}
# The same hues, lighter, for the dark background of reports: likewise found by search and checked by a test.
DARK_COLORS: Mapping[Mechanism, str] = {
    Mechanism.SMEM: "#EFA946",
    Mechanism.SMEM_UNSAFE: "#E0685C",
    Mechanism.SHFL: "#49A3E6",
    Mechanism.HYBRID: "#F0D800",
    Mechanism.COLLECTIVE: "#27BE80",
    Mechanism.ATOMIC: "#CD69B8",
    Mechanism.GLOBAL: "#CAC6CF",
    Mechanism.LOCAL: "#988D1B",
    Mechanism.REGISTER: "#5FD4EE",
    Mechanism.MATRIX: "#9C24FC",
    Mechanism.ASYNC: "#B4FC9C",
    Mechanism.CLUSTER: "#695AD2",
    Mechanism.LIBRARY: "#8C8C8C",
}
NAMES: Mapping[Mechanism, str] = {
    Mechanism.SMEM: "shared memory",
    Mechanism.SMEM_UNSAFE: "shared memory, UNSAFE",
    Mechanism.SHFL: "shuffle",
    Mechanism.HYBRID: "shared memory and shuffles",
    Mechanism.COLLECTIVE: "warp collective",
    Mechanism.ATOMIC: "atomics",
    Mechanism.GLOBAL: "global memory",
    Mechanism.LOCAL: "local memory",
    Mechanism.REGISTER: "registers",
    Mechanism.MATRIX: "matrix unit",
    Mechanism.ASYNC: "asynchronous copy",
    Mechanism.CLUSTER: "cluster",
    Mechanism.LIBRARY: "library",
}
