"""The parts of curves.py: how figures of servers change with what they are given."""
