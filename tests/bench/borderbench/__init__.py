"""The parts of border_table.py. What HTTP needs too is in httpbench."""
