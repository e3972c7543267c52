"""Serve commands as tools of the Model Context Protocol: `shflbench mcp`."""
