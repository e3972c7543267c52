"""The history of a suite: a folder with one file per run, which is never changed."""
