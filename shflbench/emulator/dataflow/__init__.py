"""Analyze what the instructions of a kernel compute: values as polynomials, slices, loops and guards."""
