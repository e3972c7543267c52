"""The command `shflbench fleet`."""
