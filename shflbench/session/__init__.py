"""The pipeline of a run, which connects the stages."""

from typing import TYPE_CHECKING

from shflbench.core.lazy import on_first_use

if TYPE_CHECKING:
    from shflbench.measure.events import Note, WarmedUp
    from shflbench.session.disturbances import disturbance_sentences
    from shflbench.session.events import Compiling, Counting, GroupDone, RunEvent, Working
    from shflbench.session.further import NextPass, ProcessPass, affordable
    from shflbench.session.pipeline import run
    from shflbench.session.plan import Plan
    from shflbench.session.run_end import LimitContext, RunEnd, end_run
else:
    # The request of a run, which --help needs, imports no stage.
    __getattr__ = on_first_use(
        __name__,
        {
            "disturbances": ("disturbance_sentences",),
            "events": ("Compiling", "Counting", "GroupDone", "Note", "RunEvent", "WarmedUp", "Working"),
            "further": ("NextPass", "ProcessPass", "affordable"),
            "pipeline": ("run",),
            "plan": ("Plan",),
            "run_end": ("LimitContext", "RunEnd", "end_run"),
        },
    )

__all__ = [
    "Compiling",
    "Counting",
    "GroupDone",
    "LimitContext",
    "NextPass",
    "Note",
    "Plan",
    "ProcessPass",
    "RunEnd",
    "RunEvent",
    "WarmedUp",
    "Working",
    "affordable",
    "disturbance_sentences",
    "end_run",
    "run",
]
