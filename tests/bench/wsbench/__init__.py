"""The parts of ws_table.py: WebSocket servers side by side. What HTTP needs too is in httpbench."""
