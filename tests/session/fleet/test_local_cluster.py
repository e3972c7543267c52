"""The parts of a cluster on one machine that others can reach."""

import os
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from importlib import import_module

import dask
import pytest

from shflbench.session.fleet.cluster import Cluster, open_local

pytestmark = [pytest.mark.expensive, pytest.mark.archs]  # a cluster takes seconds to start

psutil = import_module("psutil")  # a dependency of Dask, without types
PAGES = ("/", "/status", "/info/main/workers.html", "/json/identity.json", "/metrics", "/health", "/api/v1/get_workers")


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A cluster of a user whose configuration is the one that the how-to page writes for other clusters."""
    with dask.config.set({"distributed.comm.require-encryption": True}):
        one = open_local(2)
        yield one
        one.close()


def answers(port: int, page: str) -> bool:
    """Whether an HTTP server on this port has the page."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", page)
        return connection.getresponse().status < 400
    except (HTTPException, OSError):  # Dask's own protocol
        return False
    finally:
        connection.close()


def test_all_ports_are_on_loopback_and_no_page_answers(cluster: Cluster) -> None:
    workers = sorted(cluster.workers())
    assert {cluster.call(worker, os.getppid) for worker in workers} == {os.getpid()}
    process = psutil.Process()
    processes = [process, *process.children(recursive=True)]
    assert {cluster.call(worker, os.getpid) for worker in workers} <= {one.pid for one in processes}
    sockets = [socket for one in processes for socket in one.net_connections() if socket.status == "LISTEN"]
    assert {socket.laddr.ip for socket in sockets} == {"127.0.0.1"}
    assert len(sockets) >= 3  # scheduler and workers
    ports = [socket.laddr.port for socket in sockets]
    assert [(port, page) for port in ports for page in PAGES if answers(port, page)] == []
