"""Check whether kernels are right, race-free and deadlock-free under legal schedules; needs no GPU.

These names are all that the rest of shflbench uses: check a file, or a kernel at given launches, with the report,
its findings and verdicts; read a file's kernels with the launches at which they can be timed; load a program,
launch and run it; count its memory requests. `shflbench.check` is the interface for Python, in `checker.python`.
"""

from typing import TYPE_CHECKING

from shflbench.lazy import on_first_use

if TYPE_CHECKING:
    from shflbench.checker.candidate import (
        CandidateBuffer,
        CandidateFile,
        CandidateLaunch,
        CandidateNumber,
        CandidatePointer,
        CandidateStep,
        KernelCandidate,
    )
    from shflbench.checker.candidates import read_candidates
    from shflbench.checker.dependent.requests import parse_chain, parse_same, refuse_unknown_kernels
    from shflbench.checker.exchanges.advice import (
        BarrierAdvice,
        BarrierNeed,
        ExchangeAdvice,
        KernelAdvice,
        advise_file,
    )
    from shflbench.checker.exchanges.patch import Patch, make_patch
    from shflbench.checker.exchanges.recorder import LaneRelation
    from shflbench.checker.file_budget import FileBudget
    from shflbench.checker.file_check import CheckStep, FileOptions, check_file, check_or_name
    from shflbench.checker.finding_groups import group_findings
    from shflbench.checker.given import GivenKernel, GivenLaunch, check_given, not_checked
    from shflbench.checker.inputs.argument_sets import parse_argument_sets
    from shflbench.checker.inputs.grammar import parse_arguments
    from shflbench.checker.inputs.sampled import counted_blocks, may_wait
    from shflbench.checker.inputs.shapes import MOST_TIMED_THREADS, parse_cluster, parse_shape
    from shflbench.checker.later_launches import LaterArgument
    from shflbench.checker.link.program import Program
    from shflbench.checker.load import load_program
    from shflbench.checker.machine.launch import (
        EmulatedLaunch,
        Machine,
        ParameterBytes,
        execute,
        execute_to_end,
        module_contents,
    )
    from shflbench.checker.machine.policies import POLICIES, Policy
    from shflbench.checker.machine.threads import Shape
    from shflbench.checker.ptx.syntax import Location
    from shflbench.checker.python.candidates import (
        PythonKernel,
        PythonLaunch,
        host_arguments,
        python_kernel,
        read_python_candidate,
    )
    from shflbench.checker.report import EXHAUSTIVE, FileReport, Finding, KernelReport, LaunchRecord
    from shflbench.checker.requests.count import Locate, count_launch, count_requests
    from shflbench.checker.requests.work import ExecutedWork, count_work
    from shflbench.checker.runs.beyond_launch import kept_variables, read_surroundings
    from shflbench.checker.runs.buffer_uses import BufferUse
    from shflbench.checker.runs.evidence import Expectation
    from shflbench.checker.selection import reports_with_kernels
    from shflbench.checker.source_lines import SourceLine
    from shflbench.checker.sources.argument_types import meaning
    from shflbench.checker.sources.build_files import is_built_fast, program_words
    from shflbench.checker.sources.definitions import Definition, kernels_in
    from shflbench.checker.verdict import KernelVerdict, Level
else:
    # Who only names a verdict needs no emulator and no NumPy, which are slow to import.
    __getattr__ = on_first_use(
        __name__,
        {
            "candidate": (
                "KernelCandidate",
                "CandidateBuffer",
                "CandidateFile",
                "CandidateLaunch",
                "CandidateNumber",
                "CandidatePointer",
                "CandidateStep",
            ),
            "candidates": ("read_candidates",),
            "dependent.requests": ("parse_chain", "parse_same", "refuse_unknown_kernels"),
            "exchanges.advice": ("BarrierAdvice", "BarrierNeed", "ExchangeAdvice", "KernelAdvice", "advise_file"),
            "exchanges.patch": ("Patch", "make_patch"),
            "exchanges.recorder": ("LaneRelation",),
            "file_budget": ("FileBudget",),
            "file_check": ("CheckStep", "FileOptions", "check_file", "check_or_name"),
            "finding_groups": ("group_findings",),
            "given": ("GivenKernel", "GivenLaunch", "check_given", "not_checked"),
            "inputs.argument_sets": ("parse_argument_sets",),
            "inputs.grammar": ("parse_arguments",),
            "inputs.shapes": ("MOST_TIMED_THREADS", "parse_cluster", "parse_shape"),
            "inputs.sampled": ("counted_blocks", "may_wait"),
            "later_launches": ("LaterArgument",),
            "link.program": ("Program",),
            "load": ("load_program",),
            "machine.launch": (
                "EmulatedLaunch",
                "Machine",
                "ParameterBytes",
                "execute",
                "execute_to_end",
                "module_contents",
            ),
            "machine.policies": ("POLICIES", "Policy"),
            "machine.threads": ("Shape",),
            "ptx.syntax": ("Location",),
            "python.candidates": (
                "PythonKernel",
                "PythonLaunch",
                "host_arguments",
                "python_kernel",
                "read_python_candidate",
            ),
            "report": ("EXHAUSTIVE", "FileReport", "Finding", "KernelReport", "LaunchRecord"),
            "requests.count": ("Locate", "count_launch", "count_requests"),
            "requests.work": ("ExecutedWork", "count_work"),
            "runs.beyond_launch": ("kept_variables", "read_surroundings"),
            "runs.buffer_uses": ("BufferUse",),
            "runs.evidence": ("Expectation",),
            "selection": ("reports_with_kernels",),
            "source_lines": ("SourceLine",),
            "sources.argument_types": ("meaning",),
            "sources.build_files": ("is_built_fast", "program_words"),
            "sources.definitions": ("Definition", "kernels_in"),
            "verdict": ("KernelVerdict", "Level"),
        },
    )


__all__ = [
    "EXHAUSTIVE",
    "MOST_TIMED_THREADS",
    "POLICIES",
    "BarrierAdvice",
    "BarrierNeed",
    "BufferUse",
    "CandidateBuffer",
    "CandidateFile",
    "CandidateLaunch",
    "CandidateNumber",
    "CandidatePointer",
    "CandidateStep",
    "CheckStep",
    "Definition",
    "EmulatedLaunch",
    "ExchangeAdvice",
    "ExecutedWork",
    "Expectation",
    "FileBudget",
    "FileOptions",
    "FileReport",
    "Finding",
    "GivenKernel",
    "GivenLaunch",
    "KernelAdvice",
    "KernelCandidate",
    "KernelReport",
    "KernelVerdict",
    "LaneRelation",
    "LaterArgument",
    "LaunchRecord",
    "Level",
    "Locate",
    "Location",
    "Machine",
    "ParameterBytes",
    "Patch",
    "Policy",
    "Program",
    "PythonKernel",
    "PythonLaunch",
    "Shape",
    "SourceLine",
    "advise_file",
    "check_file",
    "check_given",
    "check_or_name",
    "count_launch",
    "count_requests",
    "count_work",
    "counted_blocks",
    "execute",
    "execute_to_end",
    "group_findings",
    "host_arguments",
    "is_built_fast",
    "kept_variables",
    "kernels_in",
    "load_program",
    "make_patch",
    "may_wait",
    "meaning",
    "module_contents",
    "not_checked",
    "parse_argument_sets",
    "parse_arguments",
    "parse_chain",
    "parse_cluster",
    "parse_same",
    "parse_shape",
    "program_words",
    "python_kernel",
    "read_candidates",
    "read_python_candidate",
    "read_surroundings",
    "refuse_unknown_kernels",
    "reports_with_kernels",
]
