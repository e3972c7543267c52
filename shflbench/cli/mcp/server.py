"""The server: the tools, and their results, by the Model Context Protocol on stdin and stdout."""

from __future__ import annotations

import os
import signal
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool, ToolAnnotations

from shflbench import __version__
from shflbench.cli.mcp.answer import answer_of
from shflbench.cli.mcp.tools import TIME, TIME_LIMIT, TOOLS
from shflbench.cli.mcp.words import CallFiles, words_of
from shflbench.core.command_process import run_command
from shflbench.errors import InputError, ShflbenchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp.server import ServerRequestContext
    from mcp_types import CallToolRequestParams, PaginatedRequestParams

    from shflbench.cli.mcp.answer import ToolAnswer
    from shflbench.cli.mcp.tools import ToolSpec

MOST_WORD = 30_000  # characters of a word of the command line
MOST_CALLS = 4  # at a time: each uses the cores
STRUCTURED_SINCE = "2025-06-18"  # version of the protocol; to older clients the JSON is a text
INSTRUCTIONS = """\
Tools that check, compare and judge CUDA kernels: `check` finds races and memory faults, without a GPU; `judge` gives \
one verdict on each candidate, by a reference; `bench` times kernels on a GPU; `advise` finds exchanges that could be \
shuffles; `inspect` and `limits` show machine code and limits. Kernels are paths in the served folder, or texts."""


def serve(folder: Path, *, allow_tasks: bool) -> None:
    """Serve the tools in a resolved folder until the client closes stdin, or a signal comes."""
    anyio.run(_serve, ToolServer(folder, allow_tasks=allow_tasks))


async def _serve(tools: ToolServer) -> None:
    server = tools.protocol()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_end_at_signal, tools)
        async with stdio_server() as (received, sent):
            await server.run(received, sent, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _end_at_signal(tools: ToolServer) -> None:
    """End this process at a signal, after the commands that run: the thread that reads stdin cannot be stopped."""
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        async for number in signals:
            await tools.end_calls()
            os._exit(128 + number)


class ToolServer:
    """Answers the requests of one client."""

    def __init__(self, folder: Path, *, allow_tasks: bool) -> None:
        """Serve a resolved folder; with `allow_tasks`, Python in it may be run."""
        self._folder, self._allow_tasks = folder, allow_tasks
        self._all = anyio.Semaphore(MOST_CALLS)
        self._timed = anyio.Semaphore(1)  # kernels that run on a GPU at the same time disturb one another
        self._running: dict[anyio.CancelScope, anyio.Event] = {}  # calls, with what is set at their end

    def protocol(self) -> Server:
        """Return the server that speaks the protocol."""
        return Server(
            "shflbench", version=__version__, instructions=INSTRUCTIONS, on_list_tools=self.list, on_call_tool=self.call
        )

    async def end_calls(self) -> None:
        """End all calls, and wait until their commands have ended."""
        for scope, end in list(self._running.items()):
            scope.cancel()
            await end.wait()

    async def list(self, _: ServerRequestContext, __: PaginatedRequestParams | None) -> ListToolsResult:
        """Return the tools."""
        return ListToolsResult(tools=[self._tool(spec) for spec in TOOLS.values()])

    def _tool(self, spec: ToolSpec) -> Tool:
        runs_python = self._allow_tasks and spec.may_run_python
        hints = ToolAnnotations(
            read_only_hint=not (spec.writes or runs_python),
            destructive_hint=runs_python,
            idempotent_hint=not (spec.writes or runs_python),
            open_world_hint=runs_python,
        )
        return Tool(
            name=spec.name,
            description=spec.description(),
            input_schema=spec.input_schema(),
            output_schema=spec.output_schema(),
            annotations=hints,
        )

    async def call(self, context: ServerRequestContext, request: CallToolRequestParams) -> CallToolResult:
        """Run the command of a tool, and return its JSON; an error has the sentence that the command printed."""
        with anyio.CancelScope() as scope:
            self._running[scope] = anyio.Event()
            try:
                return await self._result(context, request.name, request.arguments or {})
            except ShflbenchError as error:
                return _refusal(f"{error.message}. {error.advice}".strip())
            except OSError as error:
                return _refusal(f"{error.filename}: {error.strerror}")
            finally:
                self._running.pop(scope).set()
        return _refusal("the server is being ended")

    async def _result(self, context: ServerRequestContext, name: str, given: Mapping[str, Any]) -> CallToolResult:
        spec = _spec(name, given)
        with tempfile.TemporaryDirectory(prefix="shflbench-") as scratch:
            answer = await self._answer(context, spec, given, Path(scratch))
        if answer.document is None:
            return _refusal(answer.text)
        texts = [answer.text, *([answer.json] if context.protocol_version < STRUCTURED_SINCE else [])]
        return CallToolResult(content=[TextContent(text=text) for text in texts], structured_content=answer.document)

    async def _answer(
        self, context: ServerRequestContext, spec: ToolSpec, given: Mapping[str, Any], scratch: Path
    ) -> ToolAnswer:
        limit = given.get(TIME, TIME_LIMIT)
        files = CallFiles(self._folder, scratch, self._allow_tasks)

        async def report(seconds: float, line: str) -> None:
            await context.session.report_progress(seconds, limit, line or f"{spec.name} is running")

        words = await anyio.to_thread.run_sync(partial(words_of, spec, given, files))
        try:
            async with self._timed if spec.is_timed else self._all:
                end = await run_command([spec.name, *words], self._folder, limit, report)
        except TimeoutError as error:
            message = f"{spec.name} took more than {limit} s and was ended"
            raise UsageError(message, f"Give it more by `{TIME}`, or less to do.") from error
        except OSError as error:
            raise InputError(f"{self._folder} cannot be used: {error.strerror}", "Start the server again.") from error
        return answer_of(spec.name, end, scratch)


def _spec(name: str, given: Mapping[str, Any]) -> ToolSpec:
    """Return the tool of this name; UsageError if there is none, or if it does not take these parameters."""
    _require_words(given)
    if name not in TOOLS:
        raise UsageError(f"there is no tool `{name}`", f"There are: {', '.join(TOOLS)}.")
    wrong = best_match(Draft202012Validator(TOOLS[name].input_schema()).iter_errors(given))
    if wrong and wrong.validator == "additionalProperties":
        known = TOOLS[name].input_schema()["properties"]
        unknown = ", ".join(f"`{parameter}`" for parameter in given if parameter not in known)
        raise UsageError(f"`{name}` has no parameter {unknown}", f"It has: {', '.join(known)}.")
    if wrong:
        where = ".".join(map(str, wrong.absolute_path))
        raise UsageError(f"`{where}`: {wrong.message}" if where else wrong.message, "See the schema of the tool.")
    return TOOLS[name]


def _require_words(given: Mapping[str, Any]) -> None:
    """Raise UsageError for a text that is no word of a command line; those of kernels are written to files."""
    for name, value in given.items():
        for text in (name, *_texts(value)):
            if "\0" in text or not _is_unicode(text):
                raise UsageError(f"{text[:20]!r} contains a zero byte, or half of a character", "Give another text.")
            if len(text) > MOST_WORD and not name.endswith(("source", "sources")):
                raise UsageError(f"`{name[:20]}` has {len(text):,} characters", f"Give up to {MOST_WORD:,}.")


def _texts(value: object) -> Iterator[str]:
    """Yield the texts in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        yield from (text for item in value.values() for text in _texts(item))
    elif isinstance(value, list):
        yield from (text for item in value for text in _texts(item))


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refusal(sentence: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=sentence)], is_error=True)
