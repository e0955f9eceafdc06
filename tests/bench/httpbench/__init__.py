"""The HTTP speed table: see tests/bench/README.md."""
