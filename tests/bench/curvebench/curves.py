"""The pictures that there are."""

from __future__ import annotations

from collections.abc import Sequence

from .model import Curve

# The next one would be 100,000; 20,000 is what the issue of this kit asks for.
CONNECTIONS = (1, 10, 100, 1_000, 5_000, 10_000, 20_000)
HELD = (1_000, 5_000, 10_000, 20_000)
RATES = (10_000, 20_000, 40_000, 60_000, 80_000, 100_000, 120_000, 140_000, 160_000)


def all_curves() -> list[Curve]:
    return [
        Curve("throughput", "Answers per second, in memory", "keep-alive connections", "answers/s",
              CONNECTIONS, "/s"),
        Curve("growth", "Server CPU per request, in memory", "keep-alive connections",
              "CPU us/request", CONNECTIONS, "us"),
        Curve("latency", "99th percentile at a constant rate, 100 connections", "requests/s",
              "p99 us from the intended start", RATES, "us"),
        Curve("memory", "Resident memory of connections that wait", "keep-alive connections",
              "bytes each", HELD, "bytes"),
    ]  # fmt: skip


def select(names: Sequence[str]) -> list[Curve]:
    """The named ones in their order; all without names."""
    unknown = set(names) - {curve.key for curve in all_curves()}
    if unknown:
        known = ", ".join(curve.key for curve in all_curves())
        raise ValueError(f"no curve {', '.join(sorted(unknown))}; there are {known}")
    return [curve for curve in all_curves() if not names or curve.key in names]
