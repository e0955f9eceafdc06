"""Runs cases of the suite against a server, or for a client."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import report
from suite import Suite

_GRACE = 30.0


@dataclass(frozen=True)
class Task:
    cases: Sequence[str]
    folder: Path  # for the suite's report; emptied first
    seconds: float


def all_cases(suite: Suite) -> list[str]:
    said = subprocess.run(suite.command("ids"), env=suite.environment(), check=True,
                          stdout=subprocess.PIPE, text=True)  # fmt: skip
    return json.loads(said.stdout)


def against_server(suite: Suite, task: Task, url: str, agent: str) -> list[report.Result]:
    engine = _start(suite, task, "client", servers=[{"url": url, "agent": agent}])
    _wait(engine, task.seconds + _GRACE)
    return report.read(task.folder, task.cases)


def for_client(suite: Suite, task: Task, command: Sequence[str]) -> list[report.Result]:
    """Starts the command with AUTOBAHN_URL and AUTOBAHN_AGENT in its environment. It shall connect
    to URL/getCaseCount, which sends one message, a number n; then for each i in 1 .. n to
    URL/runCase?case=i&agent=AGENT, where it echoes messages until it is closed; at the end to
    URL/updateReports?agent=AGENT."""
    agent = "client"
    url = f"ws://127.0.0.1:{_free_port()}"
    engine = _start(suite, task, "server", url=url)
    try:
        if engine.stderr.readline() != "ready\n":
            raise RuntimeError(f"the suite does not start: {engine.stderr.read()}")
        environment = dict(os.environ, AUTOBAHN_URL=url, AUTOBAHN_AGENT=agent)
        client = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
        _wait(client, task.seconds)
    finally:
        engine.terminate()
        _wait(engine, _GRACE)
    return report.read(task.folder, task.cases)


def _start(suite: Suite, task: Task, role: str, **more) -> subprocess.Popen:
    shutil.rmtree(task.folder, ignore_errors=True)
    spec = {"outdir": str(task.folder), "cases": list(task.cases), "exclude-cases": [],
            "exclude-agent-cases": {}, **more}  # fmt: skip
    listens = role == "server"
    return subprocess.Popen(suite.command(role, str(task.seconds), json.dumps(spec)),
                            env=suite.environment(), stdin=subprocess.DEVNULL, text=True,
                            stderr=subprocess.PIPE if listens else None)  # fmt: skip


def _wait(process: subprocess.Popen, seconds: float) -> None:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    finally:
        if process.stderr and process.returncode is not None:
            process.stderr.close()


def _free_port() -> int:
    """The suite cannot say which port it was given, so it gets one that was free just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
