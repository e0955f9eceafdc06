"""What a run of the micro-benchmarks has measured, in memory and in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from httpbench.stats import Spread

CALIBRATION = "Calibration/"  # how names of the work begin that never changes
_FORMAT = 1


class RunError(Exception):
    """There are no figures; the text says why."""


@dataclass(frozen=True)
class Figure:
    """One benchmark: nanoseconds per iteration, and the bytes that one goes through, if any."""

    time: Spread
    bytes: int = 0

    @property
    def bytes_per_second(self) -> float:
        return self.bytes / self.time.median * 1e9


Program = Mapping[str, Figure]  # by the name of the benchmark


@dataclass(frozen=True)
class Run:
    """All programs of one run, by their names, and what has to be known to read the figures."""

    facts: Mapping[str, str]
    programs: Mapping[str, Program]

    def figures(self) -> Iterator[tuple[str, str, Figure]]:
        """(program, benchmark, figure), without the calibration."""
        for program, figures in self.programs.items():
            for name, figure in figures.items():
                if not name.startswith(CALIBRATION):
                    yield program, name, figure

    def to_json(self) -> str:
        programs = {
            program: {name: _rounded(figure) for name, figure in figures.items()}
            for program, figures in self.programs.items()
        }
        content = {"format": _FORMAT, "facts": dict(self.facts), "programs": programs}
        return json.dumps(content, indent=1) + "\n"

    @staticmethod
    def from_json(text: str) -> Run:
        try:
            content = json.loads(text)
            if content["format"] != _FORMAT:
                raise RunError(f"format {content['format']!r}, not {_FORMAT}")
            programs = {
                program: {name: _figure(figure) for name, figure in figures.items()}
                for program, figures in content["programs"].items()
            }
            return Run(dict(content["facts"]), programs)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RunError(f"not a run of compare.py: {type(error).__name__}: {error}") from error


def load(path: Path) -> Run:
    try:
        return Run.from_json(path.read_text())
    except OSError as error:
        raise RunError(f"no baseline: {error}; compare.py --save makes one") from error
    except (RunError, UnicodeDecodeError) as error:
        raise RunError(f"{path}: {error}; compare.py --save makes a new one") from error


def _rounded(figure: Figure) -> dict[str, float]:
    """Five digits: more would be noise, and a file that changes all over."""
    fields = {key: float(f"{value:.5g}") for key, value in asdict(figure.time).items()}
    fields["count"] = figure.time.count
    return fields | ({"bytes": figure.bytes} if figure.bytes else {})


def _figure(fields: Mapping[str, Any]) -> Figure:
    low, median, high = (float(fields[key]) for key in ("low", "median", "high"))
    if not 0 < low <= median <= high:
        raise ValueError(f"quartiles {low}, {median}, {high}")
    return Figure(Spread(low, median, high, int(fields["count"])), int(fields.get("bytes", 0)))
