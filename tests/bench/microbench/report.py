"""The comparison as text, and a run as Markdown. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from httpbench import tables

from .model import CALIBRATION, Figure, Run
from .verdict import Line, Machine, Verdict, machine_change

_HEADINGS = ("", "baseline", "now", "ratio", "verdict")
_DISTURBED = 1.15  # a machine that does the same work by so much slower or faster has neighbours
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))


def as_text(before: Run, now: Run, lines: Sequence[Line]) -> str:
    rows = [
        (line.name, _quartiles(line.before), _quartiles(line.now),
         "-" if line.ratio is None else f"{line.ratio:.2f}", line.verdict.value)
        for line in lines
    ]  # fmt: skip
    table = tables.padded(_HEADINGS, rows)
    return "\n".join([*_both_sides(before, now), "", *table, "", *_summary(before, now, lines)])


def as_markdown(run: Run) -> str:
    """Every figure of a run: a table for each program."""
    out: list[str] = []
    for program in run.programs:
        figures = [(name, figure) for key, name, figure in run.figures() if key == program]
        has_bytes = any(figure.bytes for _, figure in figures)
        headings = ["what", "time", "quartiles", *(["GB/s"] if has_bytes else [])]
        out += [f"## {program}", "", _row(headings), "|---" * len(headings) + "|"]
        for name, figure in figures:
            rate = f"{figure.bytes_per_second / 1e9:.3g}" if figure.bytes else ""
            cells = [name, nice_time(figure.time.median),
                     f"{nice_time(figure.time.low)} .. {nice_time(figure.time.high)}"]  # fmt: skip
            out.append(_row([*cells, rate] if has_bytes else cells))
        out.append("")
    facts = [f"* {name}: {value}" for name, value in run.facts.items()]
    return "\n".join([*out, *facts, *(f"* {text}" for text in _calibrations(run))]) + "\n"


def nice_time(nanoseconds: float) -> str:
    """Three digits and a unit: "71.3 ns", "1.28 us"."""
    factor, unit = next(
        (pair for pair in _UNITS if nanoseconds >= 0.9995 * pair[0]), _UNITS[-1]
    )  # fmt: skip
    value = nanoseconds / factor
    places = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    return f"{value:.{places}f} {unit}"


def _both_sides(before: Run, now: Run) -> list[str]:
    names = list(dict.fromkeys([*before.facts, *now.facts]))
    width = max(len(name) for name in names) if names else 0
    out = []
    for name in names:
        then, today = before.facts.get(name, "?"), now.facts.get(name, "?")
        out.append(f"{name.ljust(width)}  {then}" + ("" if then == today else f"  ->  {today}"))
    return out


def _summary(before: Run, now: Run, lines: Sequence[Line]) -> list[str]:
    counts = {verdict: sum(line.verdict is verdict for line in lines) for verdict in Verdict}
    told = ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items() if count)
    changes = [
        machine_change(before.programs[program], figures)
        for program, figures in now.programs.items()
        if program in before.programs
    ]
    if not changes:
        return [told, ""]
    whole = Machine(min(c.least for c in changes), max(c.most for c in changes))
    out = [f"{told}; the machine takes {whole.least:.2f} to {whole.most:.2f} of the time it took"]
    if whole.least < 1 / _DISTURBED or whole.most > _DISTURBED:
        out.append("That is another machine, or one with company: what has moved by less than the "
                   "machine is called the same. Run it again when nothing else works.")  # fmt: skip
    return [*out, ""]


def _calibrations(run: Run) -> list[str]:
    """Of all programs, each kind of the work that never changes."""
    kinds: dict[str, list[float]] = {}
    for figures in run.programs.values():
        for name, figure in figures.items():
            if name.startswith(CALIBRATION):
                kinds.setdefault(name, []).append(figure.time.median)
    return [
        f"{name}: {nice_time(min(medians))} to {nice_time(max(medians))}, by program"
        for name, medians in kinds.items()
    ]


def _quartiles(figure: Figure | None) -> str:
    if figure is None:
        return "-"
    half = (figure.time.high - figure.time.low) / 2 / figure.time.median
    return f"{nice_time(figure.time.median)} +-{100 * half:.0f} %"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
