"""`run` on several devices."""
