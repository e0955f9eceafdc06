"""The questions that one program of Google Benchmark answers."""

from __future__ import annotations

from . import assembly, google
from .model import Answer, Grid, Plan

_BUFFERS = {
    "linear": "linear, rest moves (muduo)",
    "ring": "ring, two spans",
    "mirrored": "ring, mapped twice",
    "product": "ssxrver",
}
_ARRIVALS = {
    "whole": "one request of 86 bytes, whole",
    "torn": "one, in two reads",
    "pipelined": "16 in one read, each",
    "segments": "reads of 1,400 bytes, each",
}
_LARGE = {"collected": "60 KiB that must be whole", "streamed": "1 MiB handed on as it comes"}


def buffers(plan: Plan) -> Answer:
    measured = google.run(plan, plan.program("buffers_question"), core=plan.server_core)
    return Answer("buffers", (
        _by_crowd(measured),
        google.pivot(measured, "ns", _LARGE, {f"{key}/1": way for key, way in _BUFFERS.items()}),
        Grid(("ns", "one span", "two spans"), (
            ("753 bytes in a ring, ssxrver's parser; two spans are made one for it",
             *(google.number(measured[f"parse/{way}"].ns) for way in ("contiguous", "wrapped"))),
            ("86 bytes through a pair of sockets, by `recv` or `readv`",
             *(google.number(measured[f"receive/{way}"].ns) for way in ("recv", "readv"))),
        )),
    ))  # fmt: skip


def _by_crowd(measured: google.Figures) -> Grid:
    """ns with one connection; with a thousand that take turns; and what each of these holds."""
    lines = []
    for row, title in _ARRIVALS.items():
        cells = []
        for way in _BUFFERS:
            one, many = (measured[f"{row}/{way}/{count}"] for count in (1, 1000))
            held = f"{many.counters['held']:,.0f}"
            cells.append(f"{google.number(one.ns)}; {google.number(many.ns)}; {held}")
        lines.append((title, *cells))
    return Grid(("ns alone; ns of 1,000; bytes held by each", *_BUFFERS.values()), tuple(lines))


_LINES = {
    "snprintf": "`snprintf`",
    "fmt": "`fmt::format_to_n`",
    "fmt_compile": "`fmt::format_to`, `FMT_COMPILE`",
    "ostringstream": "`std::ostringstream`, one for each line",
    "ostringstream_kept": "`std::ostringstream`, kept",
    "log_stream": "stream into a fixed buffer (muduo)",
    "product": "ssxrver: arguments copied, stamp and hand-over included",
}
_CONTENTS = {"request": "2 texts, 2 integers", "numbers": "3 doubles"}


def log(plan: Plan) -> Answer:
    measured = google.run(plan, plan.program("log_question"))
    lines = [
        (title, *(google.number(measured[f"{row}/{way}"].ns) for row in _CONTENTS))
        for way, title in _LINES.items()
    ]
    threads = (google.number(measured[f"{row}/product"].counters["all"]) for row in _CONTENTS)
    lines.append(("ssxrver, both threads, until the line is in the file", *threads))
    return Answer("log", (Grid(("ns per line", *_CONTENTS.values()), tuple(lines)),))


def strings(plan: Plan) -> Answer:
    measured = google.run(plan, plan.program("string_question"), core=plan.server_core)
    rows = {
        "literal": "a literal of 10 characters",
        "long_literal": "a literal of 27",
        "string": "a `std::string`",
        "slice": "24 characters of a text",
    }
    columns = {"view": "`std::string_view`", "string": "`const std::string&`"}
    table = google.pivot(measured, "ns per call, from", rows, columns)
    return Answer("string", (table, *assembly.shown(plan.repository)))


def parser(plan: Plan) -> Answer:
    measured = google.run(plan, plan.program("parser_question"), core=plan.server_core)
    rows = {
        "small": "86 bytes, 3 fields",
        "large": "753 bytes, 10 fields",
        "pieces": "753 bytes in 8 pieces",
    }
    columns = {
        "ragel": "Ragel, byte by byte",
        "hand": "by hand, byte by byte",
        "ragel_avx2": "Ragel, AVX2 (the product)",
        "hand_avx2": "by hand, AVX2",
        "llhttp": "llhttp, spans only",
    }
    return Answer("parser", (google.pivot(measured, "ns per head", rows, columns),))


_STYLES = {
    "nested": "closures in `std::function`, each owns the next",
    "shared": "`std::function` and a shared object",
    "machine": "an object that is its own callback",
    "chain": "lambdas in a template",
    "task": "one `Task`",
    "children": "a child `Task` for each step",
}


def coroutine(plan: Plan) -> Answer:
    measured = google.run(plan, plan.program("coroutine_question"), core=plan.server_core)
    steps = {way: measured[f"{way}/step"] for way in _STYLES}
    lines = tuple(
        (_STYLES[way], google.number(figure.ns), f"{figure.counters['heap']:.0f}")
        for way, figure in steps.items()
    )
    return Answer("coroutine", (Grid(("16 steps", "ns per step", "blocks of the heap"), lines),))
