"""Escape texts for the workflow commands of GitHub.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""


def escaped(text: str) -> str:
    """Return `text` as the message of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def property_text(text: str) -> str:
    """Return `text` as the value of a property of a command."""
    return escaped(text).replace(":", "%3A").replace(",", "%2C")
