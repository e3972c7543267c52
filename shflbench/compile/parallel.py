"""Build many kernels at a time, each compiled in a worker process."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import TYPE_CHECKING, TypeVar

from shflbench.compile.build import machine_code
from shflbench.compile.orphan import die_with
from shflbench.errors import CompileError, KernelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shflbench.compile.build import Builder, Order
    from shflbench.model import Kernel

Name = TypeVar("Name")


def build_all(builder: Builder, orders: Mapping[Name, Order]) -> Iterator[tuple[Name, Kernel | KernelError]]:
    """Yield each order's name with its kernel, or with why there is none, as they become known.

    Processes and not threads, so that a compiler that crashes does not take the run along.
    """
    missing: dict[Name, Order] = {}
    for name, order in orders.items():
        kept = builder.cache.get(order.key)
        if kept is None:
            missing[name] = order
        else:
            yield name, kept
    if missing:
        yield from _compile(builder, missing)


def _compile(builder: Builder, orders: Mapping[Name, Order]) -> Iterator[tuple[Name, Kernel | KernelError]]:
    workers = min(len(orders), os.cpu_count() or 1)
    # Not by fork: a process that has opened a GPU must not be forked.
    spawn = get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=spawn, initializer=die_with, initargs=(os.getpid(),))
    try:
        with _deaf_to_interrupts():
            running = {
                pool.submit(machine_code, order.source, builder.arch, builder.toolchain): name
                for name, order in orders.items()
            }
        for future in as_completed(running):
            name = running[future]
            try:
                yield name, builder.finish(orders[name], future.result())
            except KernelError as error:
                yield name, error
            except BrokenProcessPool:
                expression = orders[name].source.expression
                yield name, CompileError(f"the compiler crashed on {expression} or beside it", "Run it again alone.")
    except BaseException:  # above all Ctrl-C: who has given up does not wait for compilers
        for process in active_children():
            process.kill()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Let processes that are started meanwhile ignore Ctrl-C, which the terminal sends to them, too."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
