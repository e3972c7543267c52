"""Claims of suites: sentences about results, each with an expression that tests it (standard library only)."""
