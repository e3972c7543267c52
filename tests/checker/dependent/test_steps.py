"""The report on a kernel in the step that finishes it: it contains what launches that overlap show."""

from pathlib import Path

from shflbench.checker.file_check import CheckStep, check_file
from shflbench.checker.inputs.overlaps import parse_same
from shflbench.checker.inputs.shapes import parse_shape
from shflbench.checker.options import FileOptions, LaunchOptions
from tests.checker.dependent.chain_files import ptx_of
from tests.checker.dependent.enumeration import ACTORS, Action, Step


def test_the_verdict_on_a_finished_kernel_is_that_of_the_report(tmp_path: Path) -> None:
    path = tmp_path / "chain.ptx"
    chain = [[Step(action, (ACTORS[0],))] for action in (Action.WRITE, Action.READ, Action.FENCE)]
    path.write_text(ptx_of(chain), encoding="utf-8")
    steps: list[CheckStep] = []
    options = FileOptions(
        given=LaunchOptions(
            launches=(parse_shape("2x64"),),
            pdl=(("launch0", "launch1"),),
            same=(parse_same("launch0.arg0=launch1.arg0"),),
        )
    )
    report = check_file(path, options, steps.append)
    assert [step.report for step in steps if step.report is not None] == list(report.kernels)
    assert [kernel.verdict for kernel in report.kernels] == ["clean", "broken", "clean"]
