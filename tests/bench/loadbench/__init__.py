"""The parts of load_table.py: load generators side by side. What HTTP needs too is in httpbench."""
