#!/usr/bin/env python3
"""SimKernel.DefinesEveryFunctionOfSys: complete_test.py NM REAL_ARCHIVE SIM_OBJECT...

A function of ssx::sys that the simulated kernel lacks would reach the real kernel without
being counted or made to fail. The linker mostly notices (kernel.h says how); this compares
the symbol tables.
"""
import subprocess
import sys

PREFIX = "_ZN3ssx3sys"


def defined(nm, files):
    command = [nm, "--defined-only", *files]
    text = subprocess.run(command, check=True, capture_output=True, text=True)
    lines = (line.split() for line in text.stdout.splitlines())
    return {f[2] for f in lines if len(f) == 3 and f[1] == "T" and f[2].startswith(PREFIX)}


def main():
    nm, real, *objects = sys.argv[1:]
    wanted = defined(nm, [real])
    missing = sorted(wanted - defined(nm, objects))
    for name in missing:
        print("not in the simulated kernel:", name)
    print(len(wanted), "functions,", len(missing), "missing")
    return 1 if missing or not wanted else 0


sys.exit(main())
