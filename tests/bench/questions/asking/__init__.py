"""The parts of ask.py, one idea per file. What needs servers and load takes them from httpbench."""
