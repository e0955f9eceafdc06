"""Every case, by topic."""

from ..case import Case
from . import (
    answers,
    chunked,
    conditional,
    connection,
    expect_upgrade,
    fields,
    length,
    methods,
    parts,
    ranges,
    request_line,
    smuggling,
    targets,
)

TOPICS = (
    request_line,
    targets,
    fields,
    length,
    smuggling,
    chunked,
    connection,
    expect_upgrade,
    methods,
    answers,
    conditional,
    ranges,
    parts,
)


def all_cases() -> list[Case]:
    return [case for topic in TOPICS for case in topic.case.cases]
