"""Export verdicts on claims: one file per format, each with one pure `render(gpus) -> str`."""
