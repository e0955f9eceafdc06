"""The ways in which border_app says hello, and the rows in which they are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from httpbench.model import Kind, Row, Target
from httpbench.rows import HELLO


@dataclass(frozen=True)
class Way:
    """`library`: the plugin's file; the program's own handler has none. The keys are of one length,
    and no two begin alike, so that the way to each route is as long."""

    key: str
    title: str
    library: str = ""

    @property
    def path(self) -> str:
        return f"/{self.key}/hello"


EMBEDDED = Way("own", "embedded handler")
PLUGINS = (
    Way("abi", "plugin in C", "hello_plugin_c.so"),
    Way("sdk", "plugin with the SDK", "hello_plugin.so"),
    Way("rsp", "the same, a `Response`", "hello_plugin_response.so"),
)
WAYS = (EMBEDDED, *PLUGINS)
_TARGET = Target(1.03, EMBEDDED.key, tuple(way.key for way in PLUGINS))


def rows() -> list[Row]:
    """Pipelined, the kernel has less of the time: there the border is seen, and not judged."""
    return [
        Row("hello", "keep-alive", Kind.WRK, "", len(HELLO), (_TARGET,)),
        Row("pipeline", "pipelined 16 deep", Kind.WRK, "", len(HELLO), depth=16),
    ]


def command(programs: Path, port: int) -> list[str]:
    plugins = [f"{way.key}={programs / way.library}" for way in PLUGINS]
    return [str(programs / "border_app"), str(port), *plugins]


def missing(programs: Path) -> Sequence[Path]:
    """What of it is not built."""
    files = [programs / "border_app", *(programs / way.library for way in PLUGINS)]
    return [file for file in files if not file.is_file()]
