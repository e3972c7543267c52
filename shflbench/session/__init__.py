"""The pipeline: the only place that joins the stages."""

from shflbench.session.events import Compiling, Event, GroupDone, Note, WarmedUp, Working
from shflbench.session.longer import Turn, affordable
from shflbench.session.pipeline import run
from shflbench.session.plan import Plan

__all__ = ["Compiling", "Event", "GroupDone", "Note", "Plan", "Turn", "WarmedUp", "Working", "affordable", "run"]
