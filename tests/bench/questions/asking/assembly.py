"""What the compiler makes of string_callees.cc and string_callers.cc."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from .model import AskError, Code

_FOLDER = Path("tests") / "bench" / "questions"
_SHOWN = {
    "string_callees.cc": ("ends_by_view", "ends_by_string"),
    "string_callers.cc": ("literal_to_view", "literal_to_string"),
}
# The least that a reader needs: no tables for the unwinder, no checks for the hardened build.
_FLAGS = ("-O2", "-std=c++20", "-fno-asynchronous-unwind-tables", "-fcf-protection=none",
          "-fno-stack-protector", "-masm=intel")  # fmt: skip
_LABEL = re.compile(r"^([\w.$]+):")
_MANGLED = re.compile(r"_ZN3ssx9questions\d+([a-z_]+)E\w*(@PLT)?")


def shown(repository: Path) -> Sequence[Code]:
    parts = []
    for source, names in _SHOWN.items():
        bodies = functions(_compile(repository, source))
        parts += [Code(f"`{name}` in {source}:", "asm", _body(bodies, name)) for name in names]
    return parts


def _body(bodies: Mapping[str, str], name: str) -> str:
    if name not in bodies:
        raise AskError(f"the compiler printed no {name}")
    return bodies[name]


def functions(assembly: str) -> Mapping[str, str]:
    """Instructions by the plain name of each function of ours."""
    bodies: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in assembly.splitlines():
        label = _LABEL.match(line)
        if label and not label.group(1).startswith("."):
            named = _MANGLED.match(label.group(1))
            current = bodies.setdefault(named.group(1), []) if named else None
        elif current is not None and (kept := _readable(line)):
            current.append(kept)
    return {name: "".join(f"{line}\n" for line in _used(lines)) for name, lines in bodies.items()}


def _readable(line: str) -> str:
    """Empty for what only the assembler wants to know."""
    text = line.split("#")[0].rstrip()
    if not text or text.lstrip().startswith("."):
        return text if re.match(r"\.L\d+:", text) else ""
    text = _MANGLED.sub(lambda found: found.group(1), text)
    text = text.replace("_ZdlPvm@PLT", "operator delete").replace("_Znwm@PLT", "operator new")
    mnemonic, _, operands = text.strip().partition("\t")
    return f"    {mnemonic} {operands}".rstrip()


def _used(lines: Sequence[str]) -> Sequence[str]:
    """Without labels that nothing jumps to."""
    code = "\n".join(line for line in lines if not line.endswith(":"))
    return [line for line in lines if not line.endswith(":") or line[:-1] in code]


def _compile(repository: Path, source: str) -> str:
    command = ["g++", *_FLAGS, f"-I{repository}", "-S", "-o", "-", str(_FOLDER / source)]
    try:
        done = subprocess.run(command, cwd=repository, capture_output=True, text=True, timeout=60,
                              check=False)  # fmt: skip
    except OSError as error:
        raise AskError(f"g++: {error}") from None
    if done.returncode != 0:
        raise AskError(f"g++ ended with {done.returncode}: {done.stderr[-300:]}")
    return done.stdout
