"""Add the addresses of the repository that a release is built in to the metadata of the package, for hatchling.

GitHub names it in each workflow. A build elsewhere has none, because a copy of the sources can be anywhere.
"""

import os

from hatchling.metadata.plugin.interface import MetadataHookInterface


class ProjectUrls(MetadataHookInterface):  # type: ignore[misc]
    """Sets `[project.urls]`."""

    def update(self, metadata: dict[str, object]) -> None:
        """Add the addresses to the metadata."""
        server, repository = (os.environ.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY"))
        if server and repository:
            page = f"{server}/{repository}"
            owner, _, name = repository.partition("/")
            metadata["urls"] = {
                "Documentation": f"https://{owner}.github.io/{name}/",
                "Repository": page,
                "Issues": f"{page}/issues",
                "Changelog": f"{page}/blob/main/CHANGELOG.md",
            }
