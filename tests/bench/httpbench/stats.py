"""Medians, quartiles and ratios of interleaved rounds. Pure functions."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """The middle of a series and how far its middle half reaches."""

    low: float
    median: float
    high: float
    count: int


def spread(values: Sequence[float]) -> Spread:
    """Quartiles of at least one value (linear interpolation between neighbours)."""
    if not values:
        raise ValueError("no values")
    if len(values) == 1:
        return Spread(values[0], values[0], values[0], 1)
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(low, median, high, len(values))


def round_ratios(own: Sequence[float], reference: Sequence[float]) -> list[float]:
    """own/reference round by round: what disturbs one round disturbs both sides of its ratio."""
    return [mine / theirs for mine, theirs in zip(own, reference) if theirs > 0]


def is_met(median: float, limit: float) -> bool:
    """A row is met when its median is at or below the target."""
    return median <= limit
