"""The converted suite as a process: it is a WebSocket client or server that breaks rules.

usage: engine.py ids                  prints the ids of all cases, as JSON
       engine.py client SECONDS SPEC  runs cases against servers
       engine.py server SECONDS SPEC  runs cases with the clients that come

SPEC is the suite's own, as JSON. After so many seconds it reports on what it has got to, and ends;
on SIGTERM too.
"""

from __future__ import annotations

import contextlib
import json
import signal
import sys

import boundary


def _ids() -> None:
    from autobahntestsuite import case
    from autobahntestsuite.caseset import CaseSet

    found = CaseSet(case.CaseSetname, case.CaseBasename, case.Cases, case.CaseCategories,
                    case.CaseSubCategories)  # fmt: skip
    print(json.dumps([found.caseClasstoId(each) for each in case.Cases]))


def _run(role: str, seconds: float, spec: dict) -> None:
    from twisted.internet import reactor

    from autobahntestsuite import case, fuzzing

    boundary.install(fuzzing, case.case)
    factories = []
    begin = fuzzing.FuzzingFactory.__init__

    def begin_and_note(self, folder):
        begin(self, folder)
        factories.append(self)

    fuzzing.FuzzingFactory.__init__ = begin_and_note

    def stop() -> None:
        for factory in factories:
            factory.createReports()
        reactor.stop()

    reactor.callLater(seconds, stop)
    signal.signal(signal.SIGTERM, lambda *_: reactor.callFromThread(stop))
    with contextlib.redirect_stdout(None):  # a line per case
        if role == "client":
            fuzzing.startClient(spec)
        else:
            fuzzing.startServer(spec, webport=0)
            print("ready", file=sys.stderr, flush=True)
        reactor.run(installSignalHandlers=False)


if __name__ == "__main__":
    if sys.argv[1] == "ids":
        _ids()
    else:
        _run(sys.argv[1], float(sys.argv[2]), json.loads(sys.argv[3]))
