"""Export the results of `check`: one file per format."""
