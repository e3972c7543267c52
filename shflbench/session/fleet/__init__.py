"""Run a suite on many devices, through Dask distributed: the only package that imports it."""
