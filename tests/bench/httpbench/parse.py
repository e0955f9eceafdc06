"""Reads what wrk, ssxrver-bench, webbench and strace print. Pure functions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LoadResult:
    """What a load generator saw. `bytes` is 0 where it does not say."""

    requests: int
    seconds: float
    errors: int = 0
    bytes: int = 0
    p50_us: float = 0.0
    p99_us: float = 0.0


class ParseError(ValueError):
    """The output is not what this program's version is known to print."""


def _number(pattern: str, text: str, what: str) -> float:
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise ParseError(f"no {what} in: {text.strip()[-200:]!r}")
    return float(found.group(1))


def wrk(text: str) -> LoadResult:
    """The line of key=value pairs that load.lua prints at the end."""
    found = re.search(r"^httpbench (.*)$", text, re.MULTILINE)
    if found is None:
        raise ParseError(f"no httpbench line in: {text.strip()[-200:]!r}")
    pairs = dict(pair.split("=", 1) for pair in found.group(1).split())
    try:
        return LoadResult(
            requests=int(pairs["requests"]),
            seconds=int(pairs["duration_us"]) / 1e6,
            errors=int(pairs["errors"]),
            bytes=int(pairs["bytes"]),
            p50_us=float(pairs["p50_us"]),
            p99_us=float(pairs["p99_us"]),
        )
    except KeyError as missing:
        raise ParseError(f"wrk's line has no {missing}") from None


def own(result: dict[str, Any]) -> LoadResult:
    """The JSON of ssxrver-bench http."""
    return LoadResult(
        requests=result["answered"],
        seconds=result["answered"] / result["per_second"] if result["per_second"] else 0.0,
        errors=sum(count for name, count in result.items() if name.startswith("failed_")),
        p50_us=result["latency_p50_us"],
        p99_us=result["latency_p99_us"],
    )


def webbench(text: str, seconds: float) -> LoadResult:
    """webbench does not print how long it ran: `seconds` is what it was told."""
    return LoadResult(
        requests=int(_number(r"^Requests:\s+(\d+) susceed", text, "webbench request count")),
        seconds=seconds,
        errors=int(_number(r"susceed, (\d+) failed", text, "webbench failures")),
    )


def strace_calls(text: str) -> int:
    """The number of calls in the total line of `strace -c`."""
    total = r"^100\.00\s+[\d.]+\s+\d+\s+(\d+)(?:\s+\d+)?\s+total$"  # %, s, us/call, calls, errors
    return int(_number(total, text, "strace total"))
