"""The pipeline: the only place that joins the stages."""

from shflbench.session.events import Compiling, Event, GroupDone, Note, WarmedUp, Working
from shflbench.session.pipeline import run
from shflbench.session.plan import Plan

__all__ = ["Compiling", "Event", "GroupDone", "Note", "Plan", "WarmedUp", "Working", "run"]
