"""The pipeline of a run, which connects the stages."""

from shflbench.measure.events import Note, WarmedUp
from shflbench.session.events import Compiling, Counting, GroupDone, RunEvent, Working
from shflbench.session.further import NextPass, ProcessPass, affordable
from shflbench.session.pipeline import run
from shflbench.session.plan import Plan

__all__ = [
    "Compiling",
    "Counting",
    "GroupDone",
    "NextPass",
    "Note",
    "Plan",
    "ProcessPass",
    "RunEvent",
    "WarmedUp",
    "Working",
    "affordable",
    "run",
]
