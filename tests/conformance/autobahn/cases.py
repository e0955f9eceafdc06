"""Which of the suite's 517 cases are run.

Ids are SECTION.GROUP.NUMBER. 1 to 7 and 10 are about frames, texts and closing; 9 about large and
many messages; 12 and 13 about permessage-deflate: a thousand messages a case, of sizes that the
number stands for, 12 with five files, 13 with seven ways to negotiate.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence

COUNT = 517
FRAMING = frozenset((1, 2, 3, 4, 5, 6, 7, 10))
DEFLATE = frozenset((12, 13))

TITLES = {
    1: "frames",
    2: "pings and pongs",
    3: "reserved bits",
    4: "opcodes",
    5: "fragments",
    6: "UTF-8",
    7: "closing",
    9: "limits and speed",
    10: "fragments of its own choice",
    12: "deflate: five files",
    13: "deflate: seven negotiations",
}

# Of 12 and 13: messages of 64 bytes and of 1 KiB; and of 8 KiB in fragments of 256 bytes, which
# cost as much as all others, once each.
_DAILY_NUMBERS = frozenset((2, 4))
_DAILY = frozenset(("12.1.11", "13.7.11"))


def numbers(case: str) -> tuple[int, ...]:
    """Sorts as the suite's authors count."""
    return tuple(int(part) for part in case.split("."))


def section(case: str) -> int:
    return numbers(case)[0]


def is_daily(case: str) -> bool:
    """Whether it belongs to what runs with every change."""
    if section(case) in DEFLATE:
        return numbers(case)[2] in _DAILY_NUMBERS or case in _DAILY
    return section(case) in FRAMING


def matching(cases: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """Those that one of the patterns (`12.1.*`) matches."""
    return [c for c in cases if any(fnmatch.fnmatchcase(c, pattern) for pattern in patterns)]


def without_deflate(cases: Iterable[str]) -> list[str]:
    """For one who does not take part in permessage-deflate: the suite has no good word for that."""
    return [case for case in cases if section(case) not in DEFLATE]
