"""Measure the rates and latencies of the units of a GPU, which limits and predictions then use."""
