#!/usr/bin/env python3
"""Queries per second, and CPU per query of the client, of a single-row select: through our pool and
with the client library alone, 1 and 16 in flight.

    mysql_table.py --programs build/Release [--queries 200000] [--rounds 5]

Prints a table of medians. The rounds of both alternate, so that what disturbs one disturbs the
other.
"""

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import mariadb  # noqa: E402

TABLE = """CREATE TABLE bench (id INT PRIMARY KEY, name VARCHAR(40), score DOUBLE);
INSERT INTO bench SELECT seq, CONCAT('name ', seq), seq / 3 FROM seq_1_to_1000;"""
WAYS = {"the client library alone": "mysql_select", "the pool": "mysql_pool"}


def measure(program, server, in_flight, queries):
    done = subprocess.run(
        [program, server.socket, mariadb.USER, server.password, mariadb.DATABASE, str(in_flight),
         str(queries)], capture_output=True, text=True, check=True, timeout=600)
    rate, cpu = done.stdout.split()
    return float(rate), float(cpu)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print("| in flight | by | queries/s | CPU us/query | x alone |\n|---|---|---|---|---|")
    with mariadb.MariadbServer("--max-connections=100") as server:
        server.ask(TABLE)
        for in_flight in (1, 16):
            figures = {way: [] for way in WAYS}
            for _ in range(options.rounds):
                for way, name in WAYS.items():
                    figures[way].append(measure(options.programs / name, server, in_flight,
                                                options.queries))
            rates = {way: statistics.median(f[0] for f in all_) for way, all_ in figures.items()}
            cpu = {way: statistics.median(f[1] for f in all_) for way, all_ in figures.items()}
            alone = cpu["the client library alone"]
            for way in WAYS:
                print(f"| {in_flight} | {way} | {rates[way]:,.0f} | {cpu[way]:.2f} | "
                      f"{cpu[way] / alone:.2f} |")


if __name__ == "__main__":
    main()
