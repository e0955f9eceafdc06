"""The parts of micro/compare.py. What HTTP needs too is in httpbench."""
