"""From what happened in the launches of a kernel to a verdict; pure functions."""
