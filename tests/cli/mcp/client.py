"""A client of `shflbench mcp`: it calls tools in this process, or of a server that it starts as a process."""

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from shflbench.cli.mcp.server import ToolServer

RACE = """\
extern "C" __global__ void reverse(float* data) {
    __shared__ float values[64];
    int thread = threadIdx.x;
    values[thread] = data[thread];
    data[thread] = values[63 - thread];
}
"""
SAFE = RACE.replace("    data[thread] =", "    __syncthreads();\n    data[thread] =")


def text(result: Any) -> str:
    """Return the short text of a result."""
    return str(result.content[0].text)


def in_session(folder: Path, use: Callable[[Client], Awaitable[None]], *, allow_tasks: bool = False) -> None:
    """Let a function use a client of the server of a folder, in this process."""

    server = ToolServer(folder.resolve(), allow_tasks=allow_tasks).protocol()

    async def session() -> None:
        async with Client(server) as client:
            await use(client)

    anyio.run(session)


def in_process(folder: Path, use: Callable[[Client], Awaitable[None]], *words: str) -> None:
    """Let a function use a client that starts the server of a folder as a process, as clients do."""
    command = ["-m", "shflbench", "mcp", str(folder), *words]
    started = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))

    async def session() -> None:
        async with Client(stdio_client(started)) as client:
            await use(client)

    anyio.run(session)


def call(folder: Path, name: str, *, allow_tasks: bool = False, **given: Any) -> Any:
    """Call one tool, and return its result."""
    results = []

    async def use(client: Client) -> None:
        results.append(await client.call_tool(name, given))

    in_session(folder, use, allow_tasks=allow_tasks)
    return results[0]
