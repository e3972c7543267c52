"""Check that a release can be published: `make release-check`."""
